"""The commitment machine explored exhaustively: what must never happen does not happen anywhere.

The laws are asserted at each step (`ledger.py`, `two_books.py`): no path leaves a terminal state,
no discharge without evidence, no acceptance of a stale version, one item never bound twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from desbench.paradigms.responsibility import RcpMessage, guards
from desbench.paradigms.responsibility.transitions import TABLE
from responsibility.exploring import Exploration, explore
from responsibility.ledger import Ledger, anything, opening, say_all
from responsibility.two_books import State, World, books_agree

#: Name -> the requests; each is said by, and about, all its agents in every way.
LEDGERS = {
    "one commitment": (opening("c1", "A", "B"),),
    "one item, two requests": (opening("c1", "A", "B"), opening("c2", "A", "B")),
    "a replacement": (opening("c1", "A", "B"), opening("c2", "A", "C", replaces="c1")),
}


def everything_said(requests: tuple[RcpMessage, ...]) -> list[RcpMessage]:
    """All messages; about two commitments at once only those of the first version."""
    agents = ("A", "B", "C") if any(r.receiver == "C" for r in requests) else ("A", "B")
    said = [message for request in requests for message in anything(request, agents)]
    revising = ("counter", "revise")
    few = [message for message in said if message.version == 1 and message.kind not in revising]
    chosen = said if len(requests) == 1 else few
    return [replace(message, id=f"m{number}") for number, message in enumerate(chosen)]


def explore_ledger(name: str) -> Exploration[Ledger]:
    """All ledgers that any sequence of messages makes."""
    said = everything_said(LEDGERS[name])
    return explore((), lambda held: say_all(held, said))


def is_closed(held: Ledger) -> bool:
    """Whether nothing in a ledger is open."""
    return not any(commitment.is_open for commitment in held)


@pytest.mark.parametrize("name", LEDGERS)
def test_one_ledger_whatever_is_said(name: str, in_report: Callable[[str], None]) -> None:
    """Agents may be wrong or lie in every message; the ledger keeps the laws all the same."""
    found = explore_ledger(name)
    assert found.stuck(is_closed) == []
    in_report(f"one ledger, {name}: {len(found.numbers)} states, {found.steps} steps")


ASKED = replace(opening("c1", "A", "B"), id="A.c1.request")
AGAIN = replace(opening("c2", "A", "B"), id="A.c2.request")
BACK = replace(opening("c2", "B", "A"), id="B.c2.request")

#: Name -> requests, kinds, messages on their way, versions, duplicates and losses by the network.
WORLDS = {
    "agreeing": ((ASKED,), "accept reject counter terminate expire", 2, 2, 1),
    "revising": ((ASKED,), "accept reject revise terminate expire", 2, 2, 1),
    "closing": ((ASKED,), "accept report verify violate terminate", 1, 1, 1),
    "asking": ((ASKED,), "accept inform probe terminate expire", 1, 1, 1),
    "one item, two requests": ((ASKED, AGAIN), "accept terminate", 1, 1, 1),
    "asked of each other": ((ASKED, BACK), "accept terminate", 1, 1, 1),
    "a whole life": (
        *((ASKED,), "accept reject counter revise report verify violate terminate expire"),
        *(1, 2, 0),
    ),
}


def explore_books(name: str) -> tuple[World, Exploration[State]]:
    """All moments that two agents and a network can come to."""
    requests, kinds, capacity, highest, faults = WORLDS[name]
    world = World(requests, frozenset(kinds.split()), capacity, highest)
    return world, explore(world.start(doubles=faults, losses=faults), world.successors)


@pytest.mark.parametrize("name", WORLDS)
def test_two_books_over_a_bad_network(name: str, in_report: Callable[[str], None]) -> None:
    """Each agent knows only its own book; messages cross, are lost and come twice."""
    world, found = explore_books(name)
    books_agree(world, found.numbers)
    assert found.stuck(world.has_ended) == []
    in_report(f"two books, {name}: {len(found.numbers)} states, {found.steps} steps")


@pytest.mark.parametrize(
    "guard, law",
    [
        ("evidence", "discharged without evidence"),
        ("version", "a stale version was taken"),
        ("authority", "nobody accepts its own proposal"),
    ],
)
def test_without_a_guard_of_messages_a_law_breaks(
    guard: str, law: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exploration would find the defect: each of these guards is needed, and is looked at."""
    monkeypatch.setitem(guards._ROW_GUARDS, guard, lambda claim, row: "")
    with pytest.raises(AssertionError, match=law):
        explore_ledger("one commitment")


def test_without_the_guard_of_items_an_item_is_bound_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """As above, for what only a second commitment can break."""
    monkeypatch.setitem(guards._NAMED, "bound", lambda claim: "")
    with pytest.raises(AssertionError, match="bound twice"):
        explore_ledger("one item, two requests")


def test_a_row_out_of_a_terminal_state_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As above, for a wrong row of the table."""
    wrong = replace(TABLE["accepted", "inform"], status="violated")
    monkeypatch.setattr(guards, "TABLE", {**TABLE, ("violated", "inform"): wrong})
    with pytest.raises(AssertionError, match="a terminal state was left"):
        explore_ledger("one commitment")


def test_a_commitment_that_cannot_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without these rows a reported commitment with bad evidence has no way out."""
    ways_out = {("reported", kind) for kind in ("terminate", "violate", "report")}
    few = {cell: row for cell, row in TABLE.items() if cell not in ways_out}
    monkeypatch.setattr(guards, "TABLE", few)
    stuck = explore_ledger("one commitment").stuck(is_closed)
    assert {commitment.status for held in stuck for commitment in held} == {"reported"}
