"""The path of an item by commitments: the plant asks an area, the area one cell after the other.

`docs/rcm.md` (In the plant) is the specification. What happens when a promise fails stands in
`failures.py`.
"""

from __future__ import annotations

from typing import Final

from desbench.paradigms.responsibility import protocol as rcp
from desbench.protocol.conversations import Step
from desbench.protocol.decision import (
    ACCEPT,
    COUNTER,
    DELEGATE,
    LOST,
    RESPOND,
    STALE,
    SUPERSEDED,
    Activation,
    Agent,
)
from desbench.protocol.estimate import cautious
from desbench.protocol.ledger import Ledger
from desbench.protocol.organisation import Organisation
from desbench.protocol.steps import Command, Outcome, arrive, by_area, decide, wait

CANDIDATES: Final = 2  #: cells an area asks in one attempt, one after the other


def book_of(org: Organisation) -> Ledger:
    """Return the ledger of an episode in which commitments are made."""
    assert org.ledger is not None, "only modes with routing `responsibility` come here"
    return org.ledger


def delegate(org: Organisation, job: int) -> Step[bool]:
    """The plant asks an area, which accepts once one of its cells has."""
    return by_area(org, job, DELEGATE, _by_commitment)


def _by_commitment(org: Organisation, job: int, area: Agent, cells: list[int]) -> Step[Outcome]:
    ledger = book_of(org)
    upper = ledger.request(job, org.facts.plant, area, _date(org, job))
    if not (yield from in_time(org, upper)):
        return Outcome.DECLINED
    yield from arrive(org)
    outcome = yield from find_cell(org, job, area, cells, upper)
    if outcome is Outcome.PLACED:
        ledger.say(upper, rcp.ACCEPT, area, is_forced=True)
    elif ledger.waits(upper) and (yield from in_time(org, upper)):
        ledger.say(upper, rcp.REJECT, area, is_forced=outcome is Outcome.FULL)
        yield from arrive(org)
    return outcome


def _date(org: Organisation, job: int) -> int | None:
    """Return the date of the upper level: the due date, which only the last operation can miss."""
    due, is_last = org.facts.due[job], org.sim.operation(job) == org.facts.length(job) - 1
    return due if is_last and due >= 0 else None


def find_cell(
    org: Organisation,
    job: int,
    area: Agent,
    cells: list[int],
    upper: str,
    replaces: str | None = None,
) -> Step[Outcome]:
    """Let the area ask at most two cells; a replacement leaves out who had the item before."""
    asked = set() if replaces is None else set(book_of(org).holders(job))
    decline = "escalate" if replaces is None else "keep"
    for left in range(CANDIDATES - 1, -1, -1):
        if not (yield from in_time(org, upper)):
            break
        options = [cell for cell in org.with_room(job, cells) if cell not in asked]
        ask = org.ask(DELEGATE, area, job, options, decline)
        yield from decide(org, [ask], book_of(org).closes(upper))
        if not (yield from is_answered(org, ask, upper)):
            break
        if ask.declined:
            org.close(ask)
            return Outcome.DECLINED if asked or options else Outcome.FULL
        cell = ask.choice
        asked.add(cell)
        if org.sim.room(cell.number, job) <= 0:
            org.refuse(ask)
            continue
        org.close(ask)
        if (yield from ask_cell(org, job, area, cell, upper, replaces, left)):
            return Outcome.PLACED
    return Outcome.DECLINED


def ask_cell(
    org: Organisation,
    job: int,
    delegator: Agent,
    cell: Agent,
    parent: str,
    replaces: str | None = None,
    left: int = 0,
) -> Step[bool]:
    """Request, and accept, counter or reject by the cell; True if it has the item now.

    `left` is how many more the delegator may ask, for its answer to a counter.
    """
    ledger = book_of(org)
    lower = ledger.request(job, delegator, cell, None, ledger.book[parent], replaces)
    choice = org.talks.present.asks  # that of the delegator
    if not (yield from in_time(org, lower)):
        return False
    yield from arrive(org)
    if not org.can_place(job, cell.number):
        for ask in choice:
            org.refuse(ask)
        return (yield from _rejected(org, lower, cell, delegator, STALE))
    expected = org.sim.estimate(job, cell.number)[0]
    promises = [(ACCEPT, org.now + expected), (COUNTER, org.now + cautious(expected))]
    ask = org.ask(RESPOND, cell, job, promises, "reject")
    yield from decide(org, [ask], ledger.closes(lower))
    if not (yield from is_answered(org, ask, lower)):
        return False
    command = org.assign if org.sim.assigned(job) < 0 else org.move
    if ask.declined:
        org.close(ask)
        return (yield from _rejected(org, lower, cell, delegator))
    word, promise = ask.choice
    if word == ACCEPT:
        yield from arrive(org)  # it binds where it is heard
        if not org.stands(ask, command, job, cell.number, promise):
            cause = SUPERSEDED if org.now == ask.time else STALE
            ledger.say(lower, rcp.REJECT, cell, is_forced=True, cause=cause)
            return False
        _agreed(org, job, parent, lower, replaces)
        ledger.say(lower, rcp.ACCEPT, cell, promise=promise)
    else:
        org.close(ask)
        ledger.say(lower, rcp.COUNTER, cell, terms=ledger.later(lower, promise))
        yield from arrive(org)
        if not (yield from _answer_counter(org, job, delegator, lower, left, command)):
            return False
        _agreed(org, job, parent, lower, replaces)
        ledger.say(lower, rcp.ACCEPT, delegator, promise=promise)
    ledger.accepted(job, [*_above(ledger, lower), lower])
    org.news.hear(delegator, "accepted")
    return True


def _rejected(
    org: Organisation, lower: str, cell: Agent, delegator: Agent, cause: str = ""
) -> Step[bool]:
    """The cell does not take it: by choice, or for a cause."""
    if (yield from in_time(org, lower)):
        book_of(org).say(lower, rcp.REJECT, cell, is_forced=bool(cause), cause=cause)
        yield from arrive(org)
        org.news.hear(delegator, "rejected")
    return False


def _answer_counter(
    org: Organisation, job: int, delegator: Agent, lower: str, left: int, command: Command
) -> Step[bool]:
    """The delegator takes the promise of a counter, or turns it down. True if taken."""
    ledger = book_of(org)
    held = ledger.book[lower]
    promise = held.outcome.by
    assert promise is not None, "a counter has a date"
    ask = org.ask(RESPOND, delegator, job, [(held.delegatee, promise)], "reject")
    ask.extra = left
    yield from decide(org, [ask], ledger.closes(lower))
    if not (yield from is_answered(org, ask, lower)):
        return False
    cell = ledger.agent(held.delegatee)
    yield from arrive(org)
    if not ask.declined and org.stands(ask, command, job, cell.number, promise):
        return True
    if ask.declined:
        org.close(ask)
    ledger.say(lower, rcp.REJECT, delegator, is_forced=not ask.declined)
    org.news.hear(cell, "rejected")
    return False


def in_time(org: Organisation, name: str, ticks: int = 0) -> Step[bool]:
    """Whether a message sent after some ticks arrives before the deadline of what is on the table.

    Else, and of one that never comes (-1), who asked waits until then, and it expires.
    """
    ledger = book_of(org)
    closes = ledger.closes(name)
    arrival = org.now + ticks + org.coordination.message_delay
    if ticks >= 0 and not 0 <= closes < arrival:
        return True
    yield from wait(org, closes - org.now)
    ledger.expire(name)
    return False


def is_answered(org: Organisation, ask: Activation, name: str) -> Step[bool]:
    """Whether an answer to what is on the table arrives before its deadline; else that expires."""
    is_lost = ask.outcome == LOST
    left = max(0, ask.time + org.thinking(ask) - org.now)
    if (yield from in_time(org, name, -1 if is_lost else left)):
        return True
    org.close(ask, "" if is_lost else STALE)
    return False


def _agreed(org: Organisation, job: int, parent: str, lower: str, replaces: str | None) -> None:
    """Before a replacement binds, what the replaced cell had passed on ends."""
    ledger = book_of(org)
    if replaces is not None:
        ledger.end(job, f"replaced by {lower}", first=ledger.held[job].index(replaces) + 1)


def _above(ledger: Ledger, name: str) -> list[str]:
    return [above.id for above in reversed(ledger.book.ancestors(name))]
