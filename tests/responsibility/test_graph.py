"""A book: chains, versions, replacement, obligations, shape, what is local and what is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desbench.errors import InputError
from desbench.paradigms.responsibility import (
    Authority,
    Bound,
    CommitmentGraph,
    Evidence,
    Outcome,
    RcpMessage,
    Terms,
    about,
    moves,
    open_obligations,
    request,
    shape,
)
from responsibility.scenes import GOOD, Scene, come_to, terms


def owed(scene: Scene, agent: str) -> list[tuple[str, str]]:
    """Duties of an agent, by commitment."""
    return [(duty.duty, duty.commitment) for duty in open_obligations(scene.book, agent)]


def test_two_levels_without_trouble_are_eight_messages() -> None:
    """The area finds a cell before it accepts; what is below is closed before what is above."""
    book = CommitmentGraph()
    done = (GOOD,)
    book.apply(request("1", "up", ("plant", "ann"), Terms(Outcome("hole"))))
    book.apply(request("2", "c", ("ann", "bob"), terms(None), parent=book["up"]))
    book.apply(about(book["c"], "accept", "bob", "3", promise=7))
    book.apply(about(book["up"], "accept", "ann", "4"))
    book.apply(about(book["c"], "report", "bob", "5", evidence=done))
    assert book.apply(about(book["up"], "report", "ann", "!", evidence=done)).guard == (
        "dependencies"
    )
    book.apply(about(book["c"], "verify", "ann", "6", evidence=done))
    book.apply(about(book["up"], "report", "ann", "7", evidence=done))
    book.apply(about(book["up"], "verify", "plant", "8", evidence=done))
    assert [commitment.status for commitment in book] == ["discharged", "discharged"]
    assert sum(entry.is_applied for entry in book.log) == 8


def test_replacing_one_commitment_leaves_the_others_alone() -> None:
    """Three cells hold work; one is replaced, the records of the others are the same."""
    scene = Scene()
    for number, cell in enumerate(("bob", "cleo", "dan")):
        name, item = f"c{number}", terms(what=f"hole {number}")
        parties = ("ann", cell)
        above = scene.book["up"]
        scene.book.apply(request(scene.next_id(), name, parties, item, parent=above))
        scene.do(name, "accept", cell)
    before = {commitment.id: commitment for commitment in scene.book}
    new = request(
        *(scene.next_id(), "new", ("ann", "eve"), terms(what="hole 1")),
        parent=scene.book["up"],
        replaces="c1",
    )
    scene.book.apply(new)
    assert scene.book["c1"].status == "accepted"  # the old one stands until the new one is accepted
    entry = scene.book.apply(about(scene.book["new"], "accept", "eve", "yes"))
    (end,) = entry.to_send
    assert (end.kind, end.receiver, end.reply_to) == ("terminate", "cleo", "yes")
    assert (scene.book["c1"].status, scene.book["new"].status) == ("terminated", "accepted")
    for name in ("up", "c0", "c2"):
        assert scene.book[name] is before[name]


@pytest.mark.parametrize("answer", ["reject", "expire"])
def test_without_an_agreement_the_old_commitment_stands(answer: str) -> None:
    """Nobody loses work to an attempt that fails."""
    scene = come_to("accepted")
    before = scene.c
    scene.book.apply(scene.ask("cleo", "new", replaces="c"))
    scene.do("new", answer, "cleo")
    assert scene.c is before


@pytest.mark.parametrize("ending", ["report", "terminate"])
def test_a_replacement_that_comes_too_late(ending: str) -> None:
    """Work that was reported meanwhile is not bound again; work that was given up is free."""
    scene = come_to("accepted")
    scene.book.apply(scene.ask("cleo", "new", replaces="c"))
    if ending == "report":
        scene.do("c", "report", "bob", evidence=(GOOD,))
    else:
        scene.do("c", "terminate", "ann")
    entry = scene.book.apply(about(scene.book["new"], "accept", "cleo", "yes"))
    assert entry.guard == ("bound" if ending == "report" else "")
    assert entry.to_send == ()


@pytest.mark.parametrize(
    "fields, reason",
    [
        ({"receiver": "bob"}, "asked by a revision"),
        ({"replaces": "up"}, "not a commitment beside it"),
        ({"terms": terms(what="another hole")}, "is about hole"),
    ],
)
def test_what_cannot_be_replaced(fields: dict[str, object], reason: str) -> None:
    """Not by the same delegatee, not somebody else's, not for another item."""
    scene = come_to("accepted")
    asked = replace(scene.ask("cleo", "new", replaces="c"), **fields)  # type: ignore[arg-type]
    entry = scene.book.apply(asked)
    assert (entry.guard, reason in entry.reason) == ("replaces", True)


def test_a_chain_binds_one_item_once() -> None:
    """Plant, area, cell and teammate hold the same item one for the other; that is one binding."""
    scene = come_to("accepted")
    scene.pass_on()
    scene.do("d", "accept", "cleo")
    assert [c.status for c in scene.book.same_item("hole")] == ["accepted"] * 3
    assert [above.id for above in scene.book.ancestors("d")] == ["c", "up"]
    other = request("x", "other", ("plant", "zoe"), terms())
    scene.book.apply(other)
    entry = scene.book.apply(about(scene.book["other"], "accept", "zoe", "y"))
    assert (entry.guard, entry.reason) == ("bound", "hole is accepted in up")


def test_authority_to_pass_on_ends() -> None:
    """Levels below are counted down, and only the delegatee of a commitment may pass it on."""
    scene = come_to("accepted")
    scene.pass_on()
    scene.do("d", "accept", "cleo")
    below = replace(terms(), authority=Authority(delegations=0))
    deeper = request("x", "e", ("cleo", "dan"), below, parent=scene.book["d"])
    assert scene.book.apply(deeper).guard == "scope"
    stranger = request("y", "f", ("dan", "eve"), below, parent=scene.c)
    assert scene.book.apply(stranger).guard == "parent"
    assert scene.book.apply(scene.ask(name="c")).guard == "state"


def test_versions_are_kept_and_never_used_twice() -> None:
    """Counter, acceptance, a refused revision and another: version 3 is gone for good."""
    scene = come_to("proposed")
    scene.do("c", "counter", "bob", terms=terms(20))
    assert (scene.c.version, scene.c.status) == (2, "proposed")
    scene.do("c", "accept", "ann")
    scene.do("c", "revise", "ann", terms=terms(30))
    scene.do("c", "reject", "bob")
    assert (scene.c.version, scene.c.outcome.by, scene.c.next_version) == (2, 20, 4)
    scene.do("c", "revise", "ann", terms=terms(40))
    scene.do("c", "accept", "bob", promise=35)
    assert (scene.c.version, scene.c.agreed, scene.c.outcome.by) == (4, 4, 35)
    dates = {number: each.outcome.by for number, each in scene.book.versions("c").items()}
    assert dates == {1: 10, 2: 20, 3: 30, 4: 35}


def test_an_unanswered_revision_lapses_and_a_report_ends_it() -> None:
    """The version in force stands; its number stays used."""
    scene = come_to("accepted")
    scene.do("c", "revise", "ann", terms=terms(20))
    scene.book.expire("c", "ann", "tick")
    assert (scene.c.status, scene.c.version, scene.c.offer) == ("accepted", 1, None)
    scene.do("c", "revise", "ann", terms=terms(30))
    scene.do("c", "report", "bob", evidence=(GOOD,))
    assert (scene.c.offer, scene.c.next_version) == (None, 4)


def test_obligations_follow_the_life_of_a_commitment() -> None:
    """Each status names who owes what; closed commitments owe nothing."""
    scene = come_to("proposed")
    assert (owed(scene, "bob"), owed(scene, "plant")) == ([("answer", "c")], [("monitor", "up")])
    scene.do("c", "accept", "bob")
    scene.do("c", "revise", "ann", terms=terms(20))
    scene.do("c", "probe", "ann")
    assert owed(scene, "bob") == [("answer", "c"), ("fulfil", "c"), ("inform", "c")]
    assert owed(scene, "ann") == [("fulfil", "up"), ("monitor", "c")]
    scene.do("c", "inform", "bob")
    scene.do("c", "report", "bob", evidence=(GOOD,))
    assert owed(scene, "bob") == []
    scene.do("up", "terminate", "plant")
    assert owed(scene, "ann") == [("verify", "c"), ("reclaim", "c")]
    scene.do("c", "verify", "ann", evidence=(GOOD,))
    assert owed(scene, "ann") == []


def test_moves_are_what_the_book_would_take() -> None:
    """A mask from the table: bob answers a request, ann answers a counter."""
    scene = come_to("proposed")
    assert moves(scene.c, "bob") == ("accept", "reject", "counter", "inform")
    assert moves(scene.c, "ann") == ("inform", "probe", "terminate")
    scene.do("c", "counter", "bob", terms=terms(20))
    assert moves(scene.c, "bob") == ("inform",)
    assert moves(scene.c, "ann") == ("accept", "reject", "inform", "probe", "terminate")
    assert moves(come_to("discharged").c, "ann") == ()


def test_shape_of_a_small_graph() -> None:
    """Up, e and d are a chain of three; ann asked two; three delegatees hold one each."""
    assert shape(()) == (0, 0, 0.0)
    scene = come_to("rejected")
    scene.book.apply(scene.ask("dan", "e"))
    assert shape(scene.book) == (1, 2, 1.0)
    scene.do("e", "accept", "dan")
    below = replace(terms(), authority=Authority(delegations=0))
    scene.book.apply(request("x", "d", ("dan", "cleo"), below, parent=scene.book["e"]))
    scene.do("d", "accept", "cleo")
    assert shape(scene.book) == (3, 2, 1 / 3)


@given(st.permutations([0, 0, 0, 1, 1, 1, 2, 2, 2]))
def test_order_matters_only_within_an_agreement(order: list[int]) -> None:
    """Three agreements about three items, interleaved in any way, end alike."""
    book, said = CommitmentGraph(), [0, 0, 0]
    for number in order:
        name, step = f"c{number}", said[number]
        said[number] += 1
        if step == 0:
            owes = Terms(Outcome(f"item {number}", by=10))
            book.apply(request(f"{name}.0", name, ("ann", f"cell {number}"), owes))
        else:
            kind = ("accept", "report")[step - 1]
            evidence = (Evidence("row", f"item {number}", 4),) if kind == "report" else ()
            sender = f"cell {number}"
            book.apply(about(book[name], kind, sender, f"{name}.{step}", evidence=evidence))
    assert {c.id: c.status for c in book} == dict.fromkeys(("c0", "c1", "c2"), "reported")
    assert book.refusals == []


def test_an_id_stands_for_one_message() -> None:
    """The same id with other content is no duplicate: it is refused and recorded."""
    scene = come_to("proposed")
    yes = about(scene.c, "accept", "bob", "yes")
    scene.book.apply(yes)
    before = scene.c
    assert scene.book.apply(replace(yes, cause="?")).guard == "identity"
    assert scene.book.apply(yes).result == "duplicate"
    assert scene.c is before


def test_a_book_of_one_agent_knows_only_its_own() -> None:
    """Messages of others are refused; what lies above a request is taken on trust."""
    mine = CommitmentGraph("bob")
    asked = Scene().ask()
    assert mine.apply(asked).is_applied
    assert mine["c"].chain == ("plant", "ann")
    assert mine.apply(request("x", "y", ("ann", "cleo"), terms())).guard == "identity"
    back = request("z", "d", ("bob", "plant"), terms(), parent=mine["c"])
    assert mine.apply(back).guard == "cycle"
    hers = CommitmentGraph("ann")
    assert hers.apply(asked).guard == "parent"  # she must know what she delegates for


def test_who_writes_about_a_closed_commitment_is_told() -> None:
    """An acceptance came too late: the notice ends the commitment in the other book too."""
    ann, bob = CommitmentGraph("ann"), CommitmentGraph("bob")
    asked = request("m1", "c", ("ann", "bob"), terms())
    for book in (ann, bob):
        book.apply(asked)
    ann.expire("c", "ann", "tick")
    late = about(bob["c"], "accept", "bob", "m2")
    bob.apply(late)
    refused = ann.apply(late)
    assert (refused.guard, ann["c"].status) == ("state", "expired")
    (notice,) = refused.to_send
    assert ann.apply(late).to_send == (notice,)  # the first may have been lost
    bob.apply(notice)
    assert (bob["c"].status, notice.cause) == ("terminated", "expired")
    assert bob.apply(replace(notice, id="m3")).to_send == ()  # no notice about a notice


def test_forged_evidence_is_refused() -> None:
    """The owner of a book says which evidence can be looked up."""
    book = CommitmentGraph(genuine=lambda piece: piece.ref in {"row 1"})
    book.apply(request("m1", "c", ("ann", "bob"), terms()))
    book.apply(about(book["c"], "accept", "bob", "m2"))
    forged = about(book["c"], "report", "bob", "m3", evidence=(replace(GOOD, ref="row 7"),))
    assert book.apply(forged).reason == "evidence row 7 cannot be looked up"
    assert book.apply(replace(forged, id="m4", evidence=(GOOD,))).is_applied


@pytest.mark.parametrize(
    "facts, is_met, is_breached",
    [
        ((("energy_kwh", 2.0),), True, False),
        ((("energy_kwh", 2.1),), False, True),
        ((), False, False),
        ((("energy_kwh", -0.1),), False, True),
    ],
)
def test_bounds_are_measured(
    facts: tuple[tuple[str, float], ...], is_met: bool, is_breached: bool
) -> None:
    """Both limits are allowed values; without the measurement nothing is shown either way."""
    owes = Outcome("hole", 10, (Bound("energy_kwh", 0.0, 2.0),))
    piece = (Evidence("row 1", "hole", 10, facts),)
    assert (owes.is_met_by(piece), owes.is_breached_by(piece)) == (is_met, is_breached)


def test_unknown_commitments_are_named() -> None:
    """A typo in an id is answered, not a KeyError."""
    with pytest.raises(InputError, match="no commitment 'c9' in this book"):
        CommitmentGraph()["c9"]


@pytest.mark.parametrize(
    "fields, complaint",
    [
        ({"kind": "shout"}, "kind='shout', must be request"),
        ({"version": 0}, "version=0, must be 1 or more"),
        ({"promise": 3}, "promise=3, must be given only in accept"),
        ({"receiver": "ann"}, "receiver='ann', must be another agent"),
        ({"terms": None}, "terms=None, must be given in request"),
        ({"chain": ()}, r"chain=\(\), must be given in request"),
        ({"id": ""}, "id is empty"),
    ],
)
def test_malformed_messages_are_refused_at_the_door(
    fields: dict[str, object], complaint: str
) -> None:
    """What needs no state to be wrong never reaches a book."""
    asked: RcpMessage = request("m1", "c", ("ann", "bob"), terms())
    with pytest.raises(InputError, match=complaint):
        replace(asked, **fields)  # type: ignore[arg-type]
