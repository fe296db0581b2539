"""The order of the decisions of an episode: budget, mode, reroute, dispatch, release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desbench.protocol.authority import MEDIATED_CNP, PLANT_DIRECT, RESPONSIBILITY
from desbench.protocol.budget import budget
from desbench.protocol.conversations import (
    Conversation,
    Epochs,
    Step,
    break_off_all,
    converse,
    resume,
)
from desbench.protocol.decision import DISPATCH, MODE, RELEASE, Activation, Agent
from desbench.protocol.failures import answer, look, open_signals
from desbench.protocol.organisation import RETRIES, Organisation
from desbench.protocol.responsibility import delegate
from desbench.protocol.steps import by_area, by_cell, decide, think
from desbench.protocol.stranding import reroute

if TYPE_CHECKING:
    from desbench._engine.simulation import Stop

MODES = ("normal", "eco", "pause")


def episode(org: Organisation) -> Epochs[None]:
    """Drive the shop to its end; every yield is one epoch."""
    advance = org.sim.advance
    stop = advance()
    while not stop.status:
        _look(org, stop)
        yield from instant(org)
        stop = advance()
    _look(org, stop)
    break_off_all(org)
    if org.ledger is not None:
        org.ledger.close_all()


def _look(org: Organisation, stop: Stop) -> None:
    org.look(stop)
    if org.ledger is not None:
        look(org)


def instant(org: Organisation) -> Epochs[None]:
    """Everything that is decided until the shop changes or nothing is open any more."""
    moved = False
    while True:
        if org.talks.woken:
            changed = yield from resume(org)
        elif org.review:
            org.review = False
            changed = yield from begin(org, budget(org))
        elif org.alarms:
            changed = yield from begin(org, mode(org, org.alarms.popleft()))
        elif org.ledger is not None and (signals := open_signals(org)):
            # All failures of an instant are one batch: the shop settles after the last answer.
            moved = (yield from begin(org, answer(org, signals))) or moved
            changed = moved and not open_signals(org)
        elif org.ledger is None and (job := org.stranded_item()) >= 0:
            changed = yield from begin(org, reroute(org, job))
        elif cells := org.open_cells():
            changed = yield from begin(org, dispatch(org, cells))
        elif items := org.open_items():
            changed = yield from begin(org, release(org, items))
        else:
            return
        if changed:
            return


def begin(org: Organisation, step: Step[bool]) -> Epochs[bool]:
    """Play a step as a conversation of its own. True if the shop changed."""
    return converse(org, Conversation(step))


def release(org: Organisation, items: list[int]) -> Step[bool]:
    """Ask the plant which item to place; place it. True if the shop changed."""
    ask = org.ask(RELEASE, org.facts.plant, -1, items, "hold")
    yield [ask]
    org.close(ask)
    if ask.declined:
        for job in ask.candidates:
            org.parking.decline(job)
        return False
    job = ask.choice
    org.take_in_hand(job)
    yield from think(org, [ask])
    mode = org.mode_of(job)
    if mode.routing_authority_mode == RESPONSIBILITY:
        return (yield from delegate(org, job))
    if mode.by_area:
        return (yield from by_area(org, job))
    return (yield from by_cell(org, job))


def mode(org: Organisation, area: int) -> Step[bool]:
    """Answer a power alarm of an area: one change of mode, or one by each of its cells."""
    changed = False
    open_asks = _mode_asks(org, area)
    for _ in range(1 + RETRIES):
        if not open_asks:
            break
        yield from decide(org, open_asks)
        superseded = set()
        for ask in open_asks:
            if ask.declined:
                org.close(ask)
            elif org.stands(ask, org.sim.set_mode, *ask.choice):
                changed = True
            elif org.now == ask.time:
                superseded.add(ask.agent)
        open_asks = [ask for ask in _mode_asks(org, area) if ask.agent in superseded]
    return changed


def _mode_asks(org: Organisation, area: int) -> list[Activation]:
    facts = org.facts
    cells = facts.cells_of_area[area]
    routing = org.mode_of(-1).routing_authority_mode
    if routing in (MEDIATED_CNP, RESPONSIBILITY):
        groups = [(facts.cells[c], [c]) for c in cells if facts.machines_of_cell[c]]
    else:
        groups = [(facts.plant if routing == PLANT_DIRECT else facts.areas[area], cells)]
    asks = []
    for agent, group in groups:
        options = [(c, m) for c in group for m in MODES if org.sim.can_set_mode(c, m)]
        if options:
            asks.append(org.ask(MODE, agent, -1, options, "keep"))
            asks[-1].extra = area
    return asks


def dispatch(org: Organisation, cells: list[int]) -> Step[bool]:
    """Ask each of the cells for one pair (machine, item). True if the shop changed."""
    sim, slots = org.sim, org.facts.cells
    asks = [_dispatch_ask(org, slots[cell]) for cell in cells]
    yield from decide(org, asks)
    changed = False
    for ask in asks:
        cell = ask.agent.number
        if ask.declined:
            org.close(ask)
            org.parking.cells.add(cell)
            continue
        machine, job = ask.choice
        if org.stands(ask, sim.dispatch, job, machine):
            org.promises.pop(job, None)
            changed = True
        else:
            org.refusals[cell] = org.refusals.get(cell, 0) + 1
            if org.refusals[cell] > RETRIES:
                org.parking.cells.add(cell)
    return changed


def _dispatch_ask(org: Organisation, cell: Agent) -> Activation:
    decline = "wait" if org.sim.coming(cell.number) else ""
    return org.ask(DISPATCH, cell, -1, org.sim.pairs(cell.number), decline)
