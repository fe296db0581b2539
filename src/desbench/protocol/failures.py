"""Failures of what was promised: who notices, who is told, who acts.

One step a call: pass on, then notify, monitor, intervene; `instants.py` calls again until no signal
is open. `docs/rcm.md` (Failures) is the specification.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from desbench.paradigms.responsibility import protocol as rcp
from desbench.protocol import counts
from desbench.protocol.conversations import Step
from desbench.protocol.decision import (
    AGREE,
    DELEGATE,
    INFORM,
    INTERVENE,
    MONITOR,
    NOTIFY,
    PROBE,
    REPLACE,
    RESPOND,
    REVISE,
    TERMINATE,
    Activation,
    Agent,
)
from desbench.protocol.estimate import cautious
from desbench.protocol.ledger import DEPTH, Signal
from desbench.protocol.organisation import Organisation
from desbench.protocol.responsibility import (
    ask_cell,
    book_of,
    find_cell,
    in_time,
    is_answered,
)
from desbench.protocol.steps import Outcome, arrive, decide

BREAKDOWN: Final = "breakdown"  #: the machine under the item went down
STRANDED: Final = "stranded"  #: no eligible machine of the cell is up, or patience ran out
LATE: Final = "late"  #: the promise has passed

PASS_ON, ANSWERED = "pass on", "answered"


def look(org: Organisation) -> None:
    """Note what failed since the last stop."""
    ledger, signals = book_of(org), book_of(org).signals
    ledger.read()
    # A repair, an admission, a dispatch end a stranding, and a stall asks again about it.
    stranded = () if org.stop.stalled else org.sim.stranded()
    for job in [job for job in signals if signals[job].cause == STRANDED and job not in stranded]:
        del signals[job]
    for job in org.stop.stranded:
        signals.pop(job, None)  # stranded once more, whatever was answered before
    for machine in org.stop.breakdowns:
        state, job = org.sim.machine(machine)[:2]
        if state == "down" and job in ledger.held and not _is_open(org, job):
            signals[job] = _signal(org, job, BREAKDOWN, NOTIFY)
    for job in ledger.held:
        held = ledger.lowest(job)
        by, promise = held.outcome.by, (held.id, held.version)
        has_passed = by is not None and by < org.now and promise not in ledger.late
        if has_passed and not _is_open(org, job):
            ledger.late.add(promise)
            signals[job] = _signal(org, job, LATE, NOTIFY)


def _signal(org: Organisation, job: int, cause: str, stage: str) -> Signal:
    return Signal(job, org.sim.operation(job), cause, stage)


def open_signals(org: Organisation) -> list[Signal]:
    """Return the signals that wait for an answer, by job."""
    signals = book_of(org).signals
    for job in org.sim.stranded():
        if job not in org.parking.kept and not (job in signals and signals[job].cause == STRANDED):
            signals[job] = _signal(org, job, STRANDED, PASS_ON)
    talked = org.talks.items
    return [signals[job] for job in sorted(signals) if _is_open(org, job) and job not in talked]


def _is_open(org: Organisation, job: int) -> bool:
    signal = book_of(org).signals.get(job)
    if signal is None or signal.stage == ANSWERED:
        return False
    return signal.cause != STRANDED or org.sim.can_unassign(job)


def _is_over(org: Organisation, signal: Signal) -> bool:
    """Whether nothing is left to answer: the work is done, or the item is stranded no more."""
    is_done = org.sim.operation(signal.job) != signal.operation
    if is_done or signal.job not in book_of(org).held:
        return True
    return signal.cause == STRANDED and signal.job not in org.sim.stranded()


def answer(org: Organisation, signals: list[Signal]) -> Step[bool]:
    """Take the first step that is open for some of the signals. True if the shop changed."""
    for stage, step in _STEPS.items():
        due = [signal for signal in signals if signal.stage == stage]
        if due:
            return (yield from step(org, due))
    raise AssertionError("a signal without a stage")


def _answered(org: Organisation, signal: Signal) -> None:
    signal.stage = ANSWERED
    if signal.cause == STRANDED:
        org.parking.kept.add(signal.job)


def _pass_on(org: Organisation, due: list[Signal]) -> Step[bool]:
    """The cell that has a stranded item may pass it on to a teammate, once a signal."""
    signal, ledger = due[0], book_of(org)
    job = signal.job
    signal.stage = NOTIFY
    held = ledger.lowest(job)
    holder = ledger.agent(held.delegatee)
    mode = org.mode_of(job)
    if not mode.recursive or len(ledger.holders(job)) > DEPTH:
        return False
    chain = {*held.chain, holder.id}
    siblings = org.eligible(job).cells_of_area[org.area_of(holder.number).number]
    mates = [cell for cell in org.with_room(job, siblings) if cell.id not in chain]
    if not mates:
        return False
    org.talks.present.is_over = lambda: _is_over(org, signal)
    ask = org.ask(DELEGATE, holder, job, mates, "keep")
    ask.extra = holder
    yield from decide(org, [ask])
    org.close(ask)
    if ask.declined or not org.sim.can_unassign(job):
        return False
    return (yield from ask_cell(org, job, holder, ask.choice, held.id))


def _notify(org: Organisation, due: list[Signal]) -> Step[bool]:
    """Each cell with a new signal tells the one it owes, or stays silent."""
    ledger = book_of(org)
    asks: list[Activation] = []
    for signal in due:
        holder = ledger.agent(ledger.lowest(signal.job).delegatee)
        if all(ask.agent is not holder for ask in asks):
            asks.append(_about(org, NOTIFY, holder, signal, [INFORM], "silent"))
    yield from decide(org, asks)
    signals = {signal.job: signal for signal in due}
    for ask in asks:
        signal = signals[ask.job]
        if _is_over(org, signal):
            org.refuse(ask)
            continue
        org.close(ask)
        if ask.declined:
            signal.stage = MONITOR
        else:
            _inform(org, signal, is_forced=False)
    yield from arrive(org)
    return False


def _inform(org: Organisation, signal: Signal, *, is_forced: bool) -> None:
    """Tell the area: the holder says it, and who passed the work on says it again, forced."""
    ledger = book_of(org)
    names = ledger.held[signal.job]
    for level in range(len(names) - 1, ledger.level(signal.job) - 1, -1):
        ledger.say(
            names[level],
            rcp.INFORM,
            ledger.book[names[level]].delegatee,
            is_forced=is_forced or level < len(names) - 1,
            cause=signal.cause,
        )
    signal.is_told, signal.stage = True, INTERVENE


def _monitor(org: Organisation, due: list[Signal]) -> Step[bool]:
    """Each area asks about what its own counts show and nobody told, or trusts."""
    ledger = book_of(org)
    asks: list[Activation] = []
    for signal in due:
        area = ledger.area(signal.job)
        if not (org.mode_of(signal.job).monitor and _is_visible(org, signal)):
            _answered(org, signal)
        elif all(ask.agent is not area for ask in asks):
            asks.append(_about(org, MONITOR, area, signal, [PROBE], "trust"))
    if not asks:
        return False
    yield from decide(org, asks)
    signals = {signal.job: signal for signal in due}
    for ask in asks:
        signal = signals[ask.job]
        if _is_over(org, signal):
            org.refuse(ask)
            continue
        org.close(ask)
        if ask.declined:
            _answered(org, signal)
        else:
            ledger.say(ledger.held[ask.job][ledger.level(ask.job)], rcp.PROBE, ask.agent)
            _inform(org, signal, is_forced=True)
    yield from arrive(org)  # the question
    yield from arrive(org)  # and the answer
    return False


def _is_visible(org: Organisation, signal: Signal) -> bool:
    """Whether the counts of the area show it: a machine down, or a promise that has passed."""
    if signal.cause != STRANDED:
        return True
    machines = org.eligible(signal.job).machines_of_cell[org.sim.assigned(signal.job)]
    return counts.machines_up(org, machines) == 0


def _intervene(org: Organisation, due: list[Signal]) -> Step[bool]:
    """The area that knows answers for one item: let stand, revise, replace, terminate."""
    signal, ledger = due[0], book_of(org)
    job = signal.job
    _answered(org, signal)
    if not org.mode_of(job).intervene:
        return False
    area = ledger.area(job)
    options = [REVISE]
    siblings = org.eligible(job).cells_of_area[area.number]
    if org.sim.can_unassign(job):
        options += [REPLACE] * bool(elsewhere(org, job)) + [TERMINATE]
    org.talks.present.is_over = lambda: _is_over(org, signal)
    ask = _about(org, INTERVENE, area, signal, options, "stand")
    yield from decide(org, [ask])
    org.close(ask)
    if ask.declined:
        return False
    if ask.choice == REVISE:
        yield from _revise(org, job, area)
        return False
    if not org.sim.can_unassign(job):
        org.refuse(ask)
        return False
    if ask.choice == TERMINATE:
        yield from arrive(org)
        if not org.sim.can_unassign(job):
            org.refuse(ask)
            return False
        org.withdraw(job)
        ledger.end(job, signal.cause)
        return True
    lower = ledger.held[job][ledger.level(job)]
    upper = ledger.book[lower].parent
    outcome = yield from find_cell(org, job, area, siblings, upper, replaces=lower)
    return outcome is Outcome.PLACED


def _revise(org: Organisation, job: int, area: Agent) -> Step[None]:
    """Offer the cell a later date; refused, the version in force stands."""
    ledger = book_of(org)
    name = ledger.held[job][ledger.level(job)]
    cell = ledger.agent(ledger.book[name].delegatee)
    by = later_date(org, job)
    ledger.say(name, rcp.REVISE, area, terms=ledger.later(name, by))
    if not (yield from in_time(org, name)):
        return
    yield from arrive(org)
    ask = org.ask(RESPOND, cell, job, [(AGREE, by)], "reject")
    yield from decide(org, [ask], ledger.closes(name))
    if not (yield from is_answered(org, ask, name)):
        return
    org.close(ask)
    if ask.declined:
        ledger.say(name, rcp.REJECT, cell)
    else:
        ledger.say(name, rcp.ACCEPT, cell, promise=by)
        org.promises[job] = cell.number, by


def later_date(org: Organisation, job: int) -> int:
    """Return the date of a revision: the cautious estimate from counts, after the old date."""
    ledger = book_of(org)
    cell = _place(org, job)
    old = ledger.book[ledger.held[job][ledger.level(job)]].outcome.by or 0
    return max(org.now + cautious(round(counts.cell_estimate(org, job, cell))), old + 1)


def elsewhere(org: Organisation, job: int) -> list[Agent]:
    """Return the cells of the area that could take an item and have not had it."""
    holders = book_of(org).holders(job)
    area = org.area_of(holders[0].number).number
    cells = org.with_room(job, org.eligible(job).cells_of_area[area])
    return [cell for cell in cells if cell not in holders]


def _place(org: Organisation, job: int) -> int:
    """Return the cell that has an item, assigned or on one of its machines."""
    assigned = org.sim.assigned(job)
    return assigned if assigned >= 0 else org.sim.place(job)[1]


def _about(
    org: Organisation, kind: str, agent: Agent, signal: Signal, options: list[str], decline: str
) -> Activation:
    ask = org.ask(kind, agent, signal.job, options, decline)
    ask.extra = signal.cause, org.facts.cells[_place(org, signal.job)]
    return ask


_STEPS: Final[dict[str, Callable[[Organisation, list[Signal]], Step[bool]]]] = {
    PASS_ON: _pass_on,
    NOTIFY: _notify,
    MONITOR: _monitor,
    INTERVENE: _intervene,
}
