"""The path of an item by commitments: the plant asks an area, the area one cell after the other.

`docs/rcm.md` (In the plant) is the specification. What happens when a promise fails stands in
`failures.py`.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from desbench.paradigms.responsibility import protocol as rcp
from desbench.protocol.authority import ALL_AREAS
from desbench.protocol.conversations import Step
from desbench.protocol.counts import cell_estimate
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
from desbench.protocol.steps import (
    Command,
    Outcome,
    arrive,
    by_area,
    decide,
    park,
    wait,
)

CANDIDATES: Final = 2  #: cells an area asks in one attempt, one after the other


def book_of(org: Organisation) -> Ledger:
    """Return the ledger of an episode in which commitments are made."""
    assert org.ledger is not None, "only modes with routing `responsibility` come here"
    return org.ledger


def delegate(org: Organisation, job: int) -> Step[bool]:
    """The plant asks an area, which accepts once one of its cells has.

    With `initial: all_areas` it asks all areas about a new job, and the area that has the job asks
    about its later operations.
    """
    delegator = org.facts.plant
    if org.mode_of(job).initial == ALL_AREAS:
        cell = org.sim.place(job)[1]
        if cell < 0:
            return announce(org, job)
        delegator = org.area_of(cell)
    return by_area(org, job, DELEGATE, partial(_by_commitment, delegator), delegator)


def _by_commitment(
    delegator: Agent, org: Organisation, job: int, area: Agent, cells: list[int]
) -> Step[Outcome]:
    if area is delegator:
        return (yield from find_cell(org, job, area, cells, None))
    upper = book_of(org).request(job, delegator, area, _date(org, job))
    if not (yield from in_time(org, upper)):
        return Outcome.DECLINED
    yield from arrive(org)
    outcome = yield from find_cell(org, job, area, cells, upper)
    yield from _answer_above(org, upper, area, outcome)
    return outcome


def _answer_above(org: Organisation, upper: str, area: Agent, outcome: Outcome) -> Step[None]:
    """The area tells who asked it what came of it, unless it is too late for that."""
    ledger = book_of(org)
    if outcome is Outcome.PLACED:
        ledger.say(upper, rcp.ACCEPT, area, is_forced=True)
    elif ledger.waits(upper) and (yield from in_time(org, upper)):
        ledger.say(upper, rcp.REJECT, area, is_forced=outcome is Outcome.FULL)
        yield from arrive(org)


def announce(org: Organisation, job: int) -> Step[bool]:
    """The plant asks all areas at once; the first acceptance binds, in the order of estimates."""
    ledger, plant = book_of(org), org.facts.plant
    areas = [org.facts.areas[number] for number in org.open_areas(job)]
    uppers = [ledger.request(job, plant, area, _date(org, job)) for area in areas]
    is_heard = False  # by all or none: they are asked at the same time
    for upper in uppers:
        is_heard = yield from in_time(org, upper)
    if not is_heard:
        for area in areas:
            park(org, job, plant, area, Outcome.DECLINED)
        return False
    yield from arrive(org)
    cells = org.eligible(job).cells_of_area
    options = [org.with_room(job, cells[area.number]) for area in areas]
    asks = [
        org.ask(DELEGATE, area, job, known, "escalate")
        for area, known in zip(areas, options, strict=True)
    ]
    yield from decide(org, asks, ledger.closes(uppers[0]))
    for ask in asks:
        org.close(ask)
    return (yield from _bind(org, job, dict(zip(uppers, asks, strict=True))))


def _bind(org: Organisation, job: int, answers: dict[str, Activation]) -> Step[bool]:
    """Let the areas that answered try, one after the other, until one accepts."""
    plant, is_placed = org.facts.plant, False
    for upper, ask in sorted(answers.items(), key=lambda pair: _turn(org, job, pair[1])):
        if is_placed:
            book_of(org).say(upper, rcp.TERMINATE, plant, is_forced=True, cause="taken")
            continue
        area = ask.agent
        cells = org.eligible(job).cells_of_area[area.number]
        outcome = yield from find_cell(org, job, area, cells, upper, chosen=ask)
        yield from _answer_above(org, upper, area, outcome)
        is_placed = outcome is Outcome.PLACED
        if not is_placed:
            park(org, job, plant, area, outcome)
    return is_placed


def _turn(org: Organisation, job: int, ask: Activation) -> tuple[int, float, int]:
    """Order of the answers to an announcement: no, yes by estimate, none."""
    if ask.declined:
        return 2 * (ask.outcome == LOST), 0.0, ask.agent.number
    return 1, cell_estimate(org, job, ask.choice.number), ask.agent.number


def _date(org: Organisation, job: int) -> int | None:
    """Return the date of the upper level: the due date, which only the last operation can miss."""
    due, is_last = org.facts.due[job], org.sim.operation(job) == org.facts.length(job) - 1
    return due if is_last and due >= 0 else None


def find_cell(
    org: Organisation,
    job: int,
    area: Agent,
    cells: list[int],
    upper: str | None,
    replaces: str | None = None,
    chosen: Activation | None = None,
) -> Step[Outcome]:
    """Let the area ask at most two cells; a replacement leaves out who had the item before.

    `upper` is what it serves, None where nobody asked the area; `chosen` names the first cell.
    """
    asked = set() if replaces is None else set(book_of(org).holders(job))
    decline = "keep" if replaces is not None else "defer" if upper is None else "escalate"
    for left in range(CANDIDATES - 1, -1, -1):
        if upper is not None and not (yield from in_time(org, upper)):
            break
        if chosen is not None and not asked:
            ask = chosen
        else:
            options = [cell for cell in org.with_room(job, cells) if cell not in asked]
            ask = org.ask(DELEGATE, area, job, options, decline)
            yield from decide(org, [ask], book_of(org).closes(upper))
        if upper is not None and not (yield from is_answered(org, ask, upper)):
            break
        if ask.declined:
            org.close(ask)
            return Outcome.DECLINED if asked or ask.candidates else Outcome.FULL
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
    parent: str | None,
    replaces: str | None = None,
    left: int = 0,
) -> Step[bool]:
    """Request, and accept, counter or reject by the cell; True if it has the item now.

    `left` is how many more the delegator may ask, for its answer to a counter.
    """
    ledger = book_of(org)
    above = None if parent is None else ledger.book[parent]
    lower = ledger.request(job, delegator, cell, None, above, replaces)
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
        _agreed(org, job, lower, replaces)
        ledger.say(lower, rcp.ACCEPT, cell, promise=promise)
    else:
        org.close(ask)
        ledger.say(lower, rcp.COUNTER, cell, terms=ledger.later(lower, promise))
        yield from arrive(org)
        if not (yield from _answer_counter(org, job, delegator, lower, left, command)):
            return False
        _agreed(org, job, lower, replaces)
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


def _agreed(org: Organisation, job: int, lower: str, replaces: str | None) -> None:
    """Before a replacement binds, what the replaced cell had passed on ends."""
    ledger = book_of(org)
    if replaces is not None:
        ledger.end(job, f"replaced by {lower}", first=ledger.held[job].index(replaces) + 1)


def _above(ledger: Ledger, name: str) -> list[str]:
    return [above.id for above in reversed(ledger.book.ancestors(name))]
