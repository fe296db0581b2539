"""The path of an item: route, bid round, commitment, as small generators.

A step yields the activations of one epoch, finds their answers in them afterwards, and commands
the shop. `instant` (in `instants.py`) strings the steps together.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from enum import Enum
from typing import TypeVar

from desbench.protocol import messages
from desbench.protocol.authority import MEDIATED_CNP, PLANT_DIRECT
from desbench.protocol.decision import (
    ACCEPT,
    AWARD,
    BID,
    BIDS,
    COMMIT,
    REROUTE,
    ROUTE_AREA,
    ROUTE_CELL,
    SUPERSEDED,
    Activation,
    Agent,
)
from desbench.protocol.estimate import cautious
from desbench.protocol.organisation import RETRIES, Organisation

T = TypeVar("T")
Step = Generator[list[Activation], None, T]

Bid = tuple[int, int]  #: (promised finish, cell)
Command = Callable[[int, int, int], None]  #: of an acceptance: job, cell, promise
PassOn = Callable[[Organisation, int, Agent, list[int]], Step["Outcome"]]


class Outcome(Enum):
    """How the search for a cell ended."""

    PLACED = "placed"
    DECLINED = "declined"  #: at least one answer was a choice
    FULL = "full"  #: nobody who could take the item had room


def by_area(
    org: Organisation, job: int, kind: str = ROUTE_AREA, pass_on: PassOn | None = None
) -> Step[bool]:
    """The plant names an area, the area finds a cell; a failed pair is closed, the next one tried.

    `pass_on` is how the area is told and answers; default by an order.
    """
    plant = org.facts.plant
    while areas := org.open_areas(job):
        ask = org.ask(kind, plant, job, [org.facts.areas[a] for a in areas], "defer")
        yield [ask]
        org.close(ask)
        if ask.declined:
            org.parking.decline(job)
            return False
        area = ask.choice
        cells = org.eligible(job).cells_of_area[area.number]
        outcome = yield from (pass_on or _by_order)(org, job, area, cells)
        if outcome is Outcome.PLACED:
            return True
        if outcome is Outcome.FULL:
            org.news.hear(plant, "no room")
            org.parking.fail(job, area.number, cells)
        else:
            org.news.hear(plant, "escalated")
            org.parking.decline(job, area.number)
    return False


def _by_order(org: Organisation, job: int, area: Agent, cells: list[int]) -> Step[Outcome]:
    org.tell(org.facts.plant, area, messages.DELEGATE, job)
    outcome = yield from _place(org, job, area, cells)
    if outcome is not Outcome.PLACED:
        org.tell(area, org.facts.plant, messages.ESCALATE, job)
    return outcome


def by_cell(org: Organisation, job: int) -> Step[bool]:
    """The plant, or a mediator, finds a cell among all eligible ones."""
    plant_direct = org.mode_of(job).routing_authority_mode == PLANT_DIRECT
    chooser = org.facts.plant if plant_direct else org.mediator(job)
    cells = org.eligible(job).cells
    outcome = yield from _place(org, job, chooser, cells)
    if outcome is Outcome.PLACED:
        return True
    if chooser.role == "area" and not org.mode_of(job).mediated_bid_round_enabled:
        org.tell(chooser, org.facts.plant, messages.ESCALATE, job)
    if outcome is Outcome.FULL:
        org.news.hear(org.facts.plant, "no room")
        org.parking.fail(job, -1, cells)
    else:
        org.parking.decline(job)
    return False


def _place(org: Organisation, job: int, chooser: Agent, cells: list[int]) -> Step[Outcome]:
    """Let the chooser find one of the eligible cells, by bids or by its own choice."""
    mode = org.mode_of(job)
    if mode.mediated_bid_round_enabled:
        # A contract net calls all eligible cells, and those without room must refuse.
        everyone = mode.routing_authority_mode == MEDIATED_CNP
        bidders = [org.facts.cells[c] for c in cells] if everyone else org.with_room(job, cells)
        return (yield from _bid_round(org, job, chooser, bidders))
    cell = yield from _choose_cell(org, job, chooser, cells)
    if cell is None:
        return Outcome.DECLINED if org.with_room(job, cells) else Outcome.FULL
    org.tell(chooser, cell, messages.ASSIGN, job)
    if (yield from commit(org, job, cell, chooser, org.assign)):
        return Outcome.PLACED
    return (yield from _local_reroute(org, job, cell))


def _choose_cell(
    org: Organisation, job: int, chooser: Agent, cells: list[int]
) -> Step[Agent | None]:
    decline = "escalate" if chooser.role == "area" else "defer"
    for _ in range(1 + RETRIES):
        ask = org.ask(ROUTE_CELL, chooser, job, org.with_room(job, cells), decline)
        yield [ask]
        if ask.declined:
            org.close(ask)
            return None
        cell: Agent = ask.choice
        if org.sim.can_assign(job, cell.number):
            org.close(ask)
            return cell
        org.close(ask, SUPERSEDED)
    return None


def commit(
    org: Organisation,
    job: int,
    cell: Agent,
    chooser: Agent,
    command: Command,
    promise: int = -1,
) -> Step[bool]:
    """Ask a cell to accept an item; command and reply. True if it accepted.

    `promise` is that of an awarded bid; without one the cell promises its expected finish where it
    may refuse, and nothing where it must obey.
    """
    mode = org.mode_of(job)
    awarded = promise >= 0
    if not mode.may_reject and org.absence.loses(cell):
        if awarded:  # silence counts as this answer
            org.tell(cell, chooser, messages.FAILURE, job)
        return False
    if not mode.may_reject and not awarded and mode.routing_authority_mode == PLANT_DIRECT:
        command(job, cell.number, -1)  # an order, answered by nobody
        return True
    if mode.may_reject and not awarded:
        promise = org.now + org.sim.estimate(job, cell.number)[0]
    ask = org.ask(COMMIT, cell, job, [ACCEPT], "reject" if mode.may_reject else "")
    ask.extra = promise
    yield [ask]
    yes, no = (messages.INFORM, messages.FAILURE) if awarded else (messages.ACCEPT, messages.REJECT)
    if ask.declined:
        org.close(ask)
        accepted = False
    else:
        accepted = org.stands(ask, command, job, cell.number, promise)
    org.tell(cell, chooser, yes if accepted else no, job, promise if accepted else -1)
    org.news.hear(chooser, "accepted" if accepted else "rejected")
    return accepted


def _local_reroute(org: Organisation, job: int, refused: Agent) -> Step[Outcome]:
    """After a refusal the area looks among the siblings of the cell, where it may."""
    mode = org.mode_of(job)
    if not mode.area_local_reroute_enabled:
        return Outcome.DECLINED
    area = org.area_of(refused.number)
    siblings = org.eligible(job).cells_of_area[area.number]
    asked = {refused}
    while options := [c for c in org.with_room(job, siblings) if c not in asked]:
        ask = org.ask(REROUTE, area, job, options, "escalate")
        yield [ask]
        org.close(ask)
        if ask.declined:
            break
        cell = ask.choice
        asked.add(cell)
        org.tell(area, cell, messages.REROUTE, job)
        if (yield from commit(org, job, cell, area, org.assign)):
            return Outcome.PLACED
    if len(asked) > 1 and not mode.by_area:  # nobody delegated, so nobody else tells the plant
        org.tell(area, org.facts.plant, messages.ESCALATE, job)
    return Outcome.DECLINED


def _bid_round(org: Organisation, job: int, mediator: Agent, cells: list[Agent]) -> Step[Outcome]:
    """A contract net over some cells (FIPA order): call, bids of one epoch, awards."""
    if not cells:
        return Outcome.FULL
    for cell in cells:
        org.tell(mediator, cell, messages.CFP, job)
    asks = [_ask_bid(org, job, cell) for cell in cells]
    yield asks
    bids: list[Bid] = []
    for ask in asks:
        org.close(ask)
        if ask.declined:
            org.tell(ask.agent, mediator, messages.REFUSE, job)
        else:
            promise = org.now + ask.extra[ask.action]
            org.tell(ask.agent, mediator, messages.PROPOSE, job, promise)
            bids.append((promise, ask.agent.number))
    if not bids:
        someone_chose = any(ask.candidates for ask in asks)
        return Outcome.DECLINED if someone_chose else Outcome.FULL
    bids.sort()  # ties by cell index, whatever the order of the replies
    return (yield from _award(org, job, mediator, bids))


def _ask_bid(org: Organisation, job: int, cell: Agent) -> Activation:
    if org.sim.room(cell.number, job) <= 0:
        return org.ask(BID, cell, job, [], "no bid")
    ask = org.ask(BID, cell, job, [*BIDS], "no bid")
    expected, optimistic, _ = org.sim.estimate(job, cell.number)
    ask.extra = optimistic, expected, cautious(expected)
    return ask


def _award(org: Organisation, job: int, mediator: Agent, bids: list[Bid]) -> Step[Outcome]:
    """Award bid after bid until a cell accepts, none is wanted or none is left."""
    outcome = Outcome.DECLINED
    while bids and outcome is Outcome.DECLINED:
        ask = org.ask(AWARD, mediator, job, bids, "none")
        yield [ask]
        if ask.declined:
            org.close(ask)
            break
        bid = ask.choice
        bids = [other for other in bids if other is not bid]
        promise, index = bid
        cell = org.facts.cells[index]
        if not org.sim.can_assign(job, index):
            org.close(ask, SUPERSEDED)
            org.tell(mediator, cell, messages.REJECT_PROPOSAL, job)
            continue
        org.close(ask)
        org.tell(mediator, cell, messages.ACCEPT_PROPOSAL, job)
        org.news.hear(cell, "awarded")
        if (yield from commit(org, job, cell, mediator, org.assign, promise)):
            outcome = Outcome.PLACED
    for _, loser in bids:
        org.tell(mediator, org.facts.cells[loser], messages.REJECT_PROPOSAL, job)
    return outcome
