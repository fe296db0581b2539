"""Exploration of one ledger through which anybody says anything, right or wrong, at any time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from desbench.paradigms.responsibility import (
    Commitment,
    CommitmentGraph,
    Entry,
    Evidence,
    Outcome,
    RcpMessage,
    Terms,
    request,
)
from desbench.paradigms.responsibility.commitment import BINDING, DISCHARGED, TERMINAL

Ledger = tuple[Commitment, ...]

GOOD = (Evidence("row 1", "item", 5),)
LATE = (Evidence("row 2", "item", 99),)
DATES = {1: 10, 2: 20, 3: 30}  #: of each version; all before LATE, none before GOOD


def terms(version: int) -> Terms:
    """The terms that a version puts on the table."""
    return Terms(Outcome("item", by=DATES[version]))


def anything(opening: RcpMessage, agents: tuple[str, ...]) -> list[RcpMessage]:
    """Every message about a commitment: all kinds, senders, receivers, versions and evidence."""
    found = [opening]
    pairs = [(a, b) for a, b in product(agents, agents) if a != b]
    for (sender, receiver), version in product(pairs, DATES):
        name = opening.commitment
        probe = RcpMessage("m", "probe", sender, receiver, name, name, version)
        found += [replace(probe, kind=kind) for kind in ("accept", "reject", "inform", "probe")]
        found += [replace(probe, kind=kind, terms=terms(version)) for kind in ("counter", "revise")]
        for kind, evidence in product(("report", "verify", "violate"), ((), GOOD, LATE)):
            found.append(replace(probe, kind=kind, evidence=evidence))
        found.append(replace(probe, kind="terminate"))
        found.append(replace(probe, kind="expire", receiver=sender))
    return found


def open_ledger(held: Ledger) -> CommitmentGraph:
    """A ledger that holds these commitments and has forgotten all message ids."""
    book = CommitmentGraph()
    for commitment in held:
        book._keep(commitment)
    return book


def say_all(held: Ledger, said: list[RcpMessage]) -> Iterator[Ledger]:
    """Every ledger one message away; what must hold of each step is asserted."""
    clean = open_ledger(held)
    for message in said:
        book = clean.copy()
        entry = book.apply(message)
        after = tuple(book)
        if not entry.is_applied:
            assert after == held, "a refused message changed something"
            continue
        check_step(held, after, entry)
        yield after


def check_step(held: Ledger, after: Ledger, entry: Entry) -> None:
    """The laws of one step."""
    old = {commitment.id: commitment for commitment in held}
    new = {commitment.id: commitment for commitment in after}
    for key, before in old.items():
        assert before.status not in TERMINAL or new[key] == before, "a terminal state was left"
    now = new[entry.message.commitment]
    check_commitment(old.get(now.id), now, entry.message)
    check_bound(after)


def check_commitment(before: Commitment | None, now: Commitment, message: RcpMessage) -> None:
    """The laws of one commitment: evidence, versions, who answers."""
    if now.status == DISCHARGED:
        in_time = [p for p in now.evidence if p.what == "item" and p.at <= (now.outcome.by or 0)]
        assert in_time, "discharged without evidence"
        assert (message.kind, message.sender) == ("verify", now.delegator)
    if message.kind == "accept":
        assert before is not None
        is_revision = before.offer is not None and before.status == "accepted"
        on_table = before.highest if is_revision else before.version
        assert message.version == on_table == now.version == now.agreed, "a stale version was taken"
        assert message.sender != before.proposer or is_revision, "nobody accepts its own proposal"
    if before is not None and message.kind not in ("accept", "counter"):
        assert now.terms == before.terms, "terms changed without an agreement"


def check_bound(held: Ledger) -> None:
    """At most one commitment beside others binds, or has done, an item."""
    places = [
        (c.delegator, c.parent, c.outcome.what) for c in held if c.status in (*BINDING, DISCHARGED)
    ]
    assert len(places) == len(set(places)), "an item is bound twice"


def opening(name: str, delegator: str, delegatee: str, replaces: str | None = None) -> RcpMessage:
    """The request of a commitment about the item."""
    return request("m", name, (delegator, delegatee), terms(1), replaces=replaces)
