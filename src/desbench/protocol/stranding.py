"""After a stranding: the round of reroute for one item (`docs/protocols.md`, Strandings)."""

from __future__ import annotations

from typing import Final

from desbench.protocol import messages
from desbench.protocol.conversations import Step
from desbench.protocol.decision import REROUTE, Activation, Agent
from desbench.protocol.organisation import Organisation
from desbench.protocol.steps import arrive, commit, decide, turn_down, wait

MOVED: Final = "moved"
KEPT: Final = "kept"
ESCALATED: Final = "escalated"


def reroute(org: Organisation, job: int) -> Step[bool]:
    """One round for a stranded item: moved, kept or withdrawn. True if the shop changed."""
    org.take_in_hand(job)
    # Dispatched, admitted or repaired while this sleeps, the item needs nothing of it any more.
    org.talks.present.is_over = lambda: job not in org.sim.stranded()
    mode = org.mode_of(job)
    old = org.facts.cells[org.sim.assigned(job)]
    superior = org.superior(job, old.number)
    org.tell(old, superior, messages.FAILURE, job)
    yield from arrive(org)
    verdict = ESCALATED
    if mode.area_local_reroute_enabled:
        area = org.area_of(old.number)
        siblings = org.eligible(job).cells_of_area[area.number]
        escalation = [org.facts.plant]
        verdict = yield from _search(org, job, area, old, siblings, escalation)
    if verdict == ESCALATED and mode.plant_reroute_required:
        if superior.role == "area":
            org.tell(superior, org.facts.plant, messages.ESCALATE, job)
            yield from arrive(org)
        verdict = yield from _ask_plant(org, job, old)
    if verdict == ESCALATED:
        yield from _withdraw(org, job, old, superior)
    if verdict == KEPT:
        org.parking.kept.add(job)
    return verdict != KEPT


def _withdraw(org: Organisation, job: int, old: Agent, superior: Agent) -> Step[None]:
    org.tell(superior, old, messages.CANCEL, job)
    if superior.role == "area":
        org.tell(superior, org.facts.plant, messages.ESCALATE, job)
    yield from arrive(org)
    org.withdraw(job)


def _ask_plant(org: Organisation, job: int, old: Agent) -> Step[str]:
    """The plant picks a cell, or an area that then picks one of its cells or keeps."""
    eligible = org.eligible(job)
    plant = org.facts.plant
    if not org.mode_of(job).by_area:
        return (yield from _search(org, job, plant, old, eligible.cells, []))
    areas = [a for a in eligible.areas if eligible.cells_of_area[a] != [old.number]]
    ask = org.ask(REROUTE, plant, job, [org.facts.areas[a] for a in areas], "keep")
    ask.extra = old
    yield from decide(org, [ask])
    org.close(ask)
    if ask.declined:
        return KEPT
    area = ask.choice
    org.tell(plant, area, messages.DELEGATE, job)
    yield from arrive(org)
    cells = eligible.cells_of_area[area.number]
    return (yield from _search(org, job, area, old, cells, []))


def _search(
    org: Organisation,
    job: int,
    chooser: Agent,
    old: Agent,
    cells: list[int],
    escalation: list[Agent],
) -> Step[str]:
    """Ask for another cell with room, each at most once, until one takes the item or none may."""
    asked = {old}
    while True:
        options = [c for c in org.with_room(job, cells) if c not in asked]
        ask = org.ask(REROUTE, chooser, job, options + escalation, "keep")
        ask.extra = old
        yield from decide(org, [ask])
        if ask.declined:
            org.close(ask)
            return KEPT
        cell = ask.choice
        if cell is org.facts.plant:
            org.close(ask)
            return ESCALATED
        asked.add(cell)
        if not org.can_place(job, cell.number):
            org.refuse(ask)
            continue
        org.close(ask)
        if (yield from _move(org, job, ask, old)):
            return MOVED


def _move(org: Organisation, job: int, choice: Activation, old: Agent) -> Step[bool]:
    """Send the item to another cell; the old one is told as soon as it has lost it."""
    chooser, cell = choice.agent, choice.choice
    superior = org.superior(job, old.number)
    if org.mode_of(job).may_reject:
        org.tell(chooser, cell, messages.REROUTE, job)
        if not (yield from commit(org, job, choice, cell, org.move)):
            return False
        org.tell(superior, old, messages.CANCEL, job)
        return True
    lost, delay = org.absence.exchange(cell)
    if lost:
        org.tell(chooser, cell, messages.REROUTE, job)
        yield from arrive(org)
        return False
    org.tell(superior, old, messages.CANCEL, job)
    org.tell(chooser, cell, messages.REROUTE, job)
    yield from arrive(org)
    yield from wait(org, delay)
    if not org.can_place(job, cell.number):
        return (yield from turn_down(org, job, choice, cell, messages.REJECT))
    org.move(job, cell.number, -1)
    return True
