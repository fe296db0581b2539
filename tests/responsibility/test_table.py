"""Every status, message and guard: what leads where, and what is refused by whom."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desbench.paradigms.responsibility import TABLE, Evidence, guards
from desbench.paradigms.responsibility.commitment import NONE, TERMINAL
from desbench.paradigms.responsibility.commitment import STATUSES as SHIPPED_STATUSES
from desbench.paradigms.responsibility.protocol import KINDS as SHIPPED_KINDS
from desbench.paradigms.responsibility.transitions import ANY, EITHER
from responsibility.reference import GUARDS, KINDS, REFERENCE, STATUSES
from responsibility.scenes import BREAKERS, GOOD, LATE, come_to, ready

CELLS = [(status, kind) for status in STATUSES for kind in KINDS]
TRIPLES = [(status, kind, guard) for status, kind in CELLS for guard in GUARDS]
#: What these break stands beside the message, so they can be tried where no row asks for them.
ALWAYS_TRIED = {"evidence", "dependencies"}


def asked_in(status: str, kind: str) -> set[str]:
    """The guards that the shipped row asks and that can refuse."""
    row = TABLE[status, kind]
    found = {"version", *row.guards}
    if row.sender != EITHER:
        found.add("authority")
    if row.evidence != ANY:
        found.add("evidence")
    return found


def test_names_are_those_of_the_reference() -> None:
    """A status, kind or guard that is added is added to the page and to this test."""
    assert [NONE, *SHIPPED_STATUSES] == STATUSES
    assert list(SHIPPED_KINDS) == KINDS
    assert list(guards.GUARDS) == GUARDS
    assert set(TABLE) == set(REFERENCE)


@pytest.mark.parametrize("status, kind", CELLS)
def test_a_message_in_order_leads_where_the_table_says(status: str, kind: str) -> None:
    """With all guards content a row is taken; without a row nothing moves."""
    scene, message = ready(status, kind)
    before = scene.book.get("c")
    entry = scene.book.apply(message)
    if (status, kind) in REFERENCE:
        assert (entry.result, entry.after) == ("applied", REFERENCE[status, kind].to)
    else:
        # Before the request there is no commitment that a message could be about.
        guard = "identity" if status == NONE else "state"
        assert (entry.result, entry.guard) == ("refused", guard)
        assert scene.book.get("c") == before


@pytest.mark.parametrize("status, kind, guard", TRIPLES)
def test_each_guard_refuses_alone(status: str, kind: str, guard: str) -> None:
    """One condition is broken: its guard refuses, and only where it is asked."""
    if guard == "state" or (status, kind) not in REFERENCE:
        assert ((status, kind) in TABLE) == ((status, kind) in REFERENCE)
        return
    is_asked = guard == "identity" or guard in REFERENCE[status, kind].guards
    assert guard == "identity" or (guard in asked_in(status, kind)) == is_asked
    if not is_asked and (guard not in ALWAYS_TRIED or status == NONE):
        return
    if guard == "dependencies" and status == "reported":
        return  # nobody passes reported work on
    scene, message = ready(status, kind)
    message = BREAKERS[guard](scene, message)
    before = scene.book["c"] if status != NONE else None
    entry = scene.book.apply(message)
    if is_asked:
        assert (entry.result, entry.guard) == ("refused", guard), entry.reason
        assert entry.reason
        assert scene.book.get("c") == before
        assert scene.book.refusals[-1] is entry
    else:
        assert entry.is_applied, entry


@pytest.mark.parametrize("status", TERMINAL)
def test_terminal_statuses_have_no_row(status: str) -> None:
    """What has ended stays ended."""
    assert [kind for before, kind in TABLE if before == status] == []


@pytest.mark.parametrize("kind", ["inform", "expire"])
def test_where_either_may_act_both_may(kind: str) -> None:
    """These rows have no guard of authority that could refuse a party."""
    for sender in ("ann", "bob"):
        scene = come_to("proposed")
        scene.do("c", kind, sender)


def test_a_named_agent_may_terminate_and_a_delegatee_may_not() -> None:
    """Authority to end is given in the terms."""
    scene, message = ready("none", "request")
    assert message.terms is not None
    named = replace(message.terms.authority, terminators=("safety",))
    scene.book.apply(replace(message, terms=replace(message.terms, authority=named)))
    scene.do("c", "terminate", "safety")
    assert scene.c.status == "terminated"


@pytest.mark.parametrize(
    "status, kind, evidence, why",
    [
        ("reported", "verify", (Evidence("row 9", "hole", 4),), "was not reported"),
        ("accepted", "violate", (GOOD,), "does not show that the outcome was missed"),
        ("reported", "violate", (LATE,), "applied"),
        ("accepted", "violate", (Evidence("row 3", "clock", 10),), "does not show"),
    ],
)
def test_what_counts_as_evidence(
    status: str, kind: str, evidence: tuple[Evidence, ...], why: str
) -> None:
    """Unreported, good, late and not yet late pieces."""
    scene, message = ready(status, kind)
    entry = scene.book.apply(replace(message, evidence=evidence))
    assert why in (entry.reason or entry.result)


def test_work_in_time_is_not_violated_by_a_later_clock() -> None:
    """A slow delegator cannot turn what was reported in time into a violation."""
    scene = come_to("reported")
    _, message = ready("reported", "violate")
    assert scene.book.apply(replace(message, id="late", evidence=(LATE,))).guard == "evidence"


def test_a_late_report_is_not_verified() -> None:
    """A report binds nobody: the delegator compares it with the terms."""
    scene = come_to("accepted")
    late = replace(GOOD, at=11)
    scene.do("c", "report", "bob", evidence=(late,))
    _, message = ready("reported", "verify")
    assert scene.book.apply(replace(message, id="v", evidence=(late,))).guard == "evidence"
    scene.do("c", "violate", "ann", evidence=(late,))
