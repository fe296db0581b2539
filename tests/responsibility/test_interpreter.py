"""The interpreter replays what a book did, and finds what a book cannot have done."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from desbench.errors import InputError, LawBroken
from desbench.paradigms.responsibility import CommitmentGraph, Entry, about, replay, request
from desbench.paradigms.responsibility.record import from_mapping, to_mapping
from responsibility.scenes import GOOD, Scene, come_to, terms


def long_life() -> Scene:
    """A counter, two revisions, a replacement, a duplicate, two refusals and an end."""
    scene = come_to("proposed")
    scene.do("c", "counter", "bob", terms=terms(20))
    scene.do("c", "accept", "ann")
    for answer, by in (("reject", 30), ("accept", 40)):
        scene.do("c", "revise", "ann", terms=terms(by))
        scene.do("c", answer, "bob")
    scene.book.apply(scene.ask("cleo", "new", replaces="c"))
    scene.do("new", "accept", "cleo")
    scene.book.apply(scene.book.log[-1].message)
    scene.book.apply(scene.ask("bob"))
    scene.book.apply(replace(scene.ask("dan", "x"), parent="nothing"))
    scene.do("new", "report", "cleo", evidence=(GOOD,))
    scene.do("new", "verify", "ann", evidence=(GOOD,))
    return scene


def test_a_log_is_replayed_to_the_same_end() -> None:
    """Also after a journey through JSON, as a trace would keep it."""
    log = long_life().book.log
    assert {entry.result for entry in log} == {"applied", "duplicate", "refused"}
    texts = [json.dumps(to_mapping(entry)) for entry in log]
    read = [from_mapping(json.loads(text)) for text in texts]
    assert replay(read) == {"up": "accepted", "c": "terminated", "new": "discharged"}


def changed(log: list[Entry], kind: str, **fields: object) -> list[Entry]:
    """The log with the last applied entry of a kind changed; fields of the message by `_name`."""
    number = max(n for n, e in enumerate(log) if e.is_applied and e.message.kind == kind)
    told = {name[1:]: value for name, value in fields.items() if name.startswith("_")}
    own = {name: value for name, value in fields.items() if not name.startswith("_")}
    message = replace(log[number].message, **told)  # type: ignore[arg-type]
    entry = replace(log[number], message=message, **own)  # type: ignore[arg-type]
    return [*log[:number], entry, *log[number + 1 :]]


@pytest.mark.parametrize(
    "kind, fields, complaint",
    [
        ("verify", {"before": "accepted"}, "before=accepted, replayed reported"),
        ("verify", {"after": "violated"}, "after=violated, must be discharged"),
        ("verify", {"_evidence": ()}, "without evidence"),
        ("verify", {"_sender": "bob"}, "bob is not its delegator"),
        ("verify", {"_version": 2}, "version 2 is not the current one"),
        ("verify", {"version": 2}, "version=2, replayed 1"),
        ("verify", {"_id": "m1"}, "applied a second time"),
        ("verify", {"_kind": "inform", "after": "discharged"}, "after=discharged, must be rep"),
        ("report", {"_kind": "verify"}, "not in the table"),
        ("verify", {"result": "duplicate"}, "duplicate, but something changed"),
        ("verify", {"result": "duplicate", "after": "reported"}, "its id is new"),
        ("verify", {"result": "refused", "after": "reported"}, "guard '', which does not exist"),
        ("verify", {"result": "refused", "after": "reported", "guard": "state"}, "has a row"),
    ],
)
def test_a_log_that_no_book_writes_is_refused(
    kind: str, fields: dict[str, object], complaint: str
) -> None:
    """Each value of an entry matters."""
    with pytest.raises(LawBroken, match=complaint):
        replay(changed(long_life().book.log, kind, **fields))


def test_an_item_bound_twice_is_refused() -> None:
    """Two books that do not know each other, told as one."""
    log = []
    for name, cell in (("c1", "bob"), ("c2", "cleo")):
        book = CommitmentGraph()
        book.apply(request(f"{name}?", name, ("plant", cell), terms()))
        book.apply(about(book[name], "accept", cell, f"{name}!"))
        log += book.log
    with pytest.raises(LawBroken, match="item hole is bound by c1 already"):
        replay(log)


def test_entries_are_read_strictly() -> None:
    """A column that is missing is named."""
    found = to_mapping(Scene().book.log[0])
    with pytest.raises(InputError, match="must hold message"):
        from_mapping({**found, "more": 1})
    with pytest.raises(InputError, match="result='done', must be one of applied"):
        from_mapping({**found, "result": "done"})
