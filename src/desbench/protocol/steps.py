"""The path of an item: route, bid round, commitment, as small generators.

A step yields the activations of one epoch, finds their answers in them afterwards, and commands
the shop. `instant` (in `instants.py`) strings the steps together.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from desbench.protocol import messages
from desbench.protocol.authority import MEDIATED_CNP, PLANT_DIRECT
from desbench.protocol.conversations import Pause, Step
from desbench.protocol.decision import (
    ACCEPT,
    AWARD,
    BID,
    BIDS,
    BUDGET,
    COMMIT,
    DISPATCH,
    LATE,
    LOST,
    MODE,
    REROUTE,
    ROUTE_AREA,
    ROUTE_CELL,
    Activation,
    Agent,
)
from desbench.protocol.estimate import cautious
from desbench.protocol.organisation import RETRIES, Organisation

Bid = tuple[int, int]  #: (promised finish, cell)
Command = Callable[[int, int, int], None]  #: of an acceptance: job, cell, promise
PassOn = Callable[[Organisation, int, Agent, list[int]], Step["Outcome"]]


class Outcome(Enum):
    """How the search for a cell ended."""

    PLACED = "placed"
    DECLINED = "declined"  #: at least one answer was a choice
    FULL = "full"  #: nobody who could take the item had room


def decide(org: Organisation, asks: list[Activation], until: int = -1) -> Step[None]:
    """Ask, and wait until the answers are there, or until a time."""
    yield asks
    if org.takes_time:
        yield from think(org, asks, until)


def think(org: Organisation, asks: list[Activation], until: int = -1) -> Step[None]:
    """Wait for answers that are given; they are on record, and nobody is asked again meanwhile."""
    if not org.takes_time:
        return
    talk = org.talks.present
    for ask in asks:
        org.close(ask)
        if ask.kind == DISPATCH:
            talk.cells.add(ask.agent.number)
        elif ask.kind == MODE:
            talk.areas.add(ask.extra)
        elif ask.kind == BUDGET:
            talk.areas.add(ask.agent.number)
        elif ask.job >= 0:
            talk.items.add(ask.job)
    yield from wait(org, max(map(org.thinking, asks)), until)


def arrive(org: Organisation, until: int = -1) -> Step[None]:
    """Wait until what was just told has arrived; messages of one round travel side by side."""
    if org.takes_time:
        yield from wait(org, org.coordination.message_delay, until)


def wait(org: Organisation, ticks: int, until: int = -1) -> Step[None]:
    """Let the plant go on, at most until a time (-1 = none)."""
    if until >= 0:
        ticks = min(ticks, until - org.now)
    if ticks > 0:
        yield Pause(ticks)


def by_area(
    org: Organisation,
    job: int,
    kind: str = ROUTE_AREA,
    pass_on: PassOn | None = None,
    chooser: Agent | None = None,
) -> Step[bool]:
    """The plant names an area, the area finds a cell; a failed pair is closed, the next one tried.

    `pass_on` is how the area is told and answers, default by an order; `chooser` is who names the
    area in the place of the plant.
    """
    chooser = chooser or org.facts.plant
    tried: set[int] = set()  # what closes a pair may open again when time moves
    while areas := [area for area in org.open_areas(job) if area not in tried]:
        ask = org.ask(kind, chooser, job, [org.facts.areas[a] for a in areas], "defer")
        yield from decide(org, [ask])
        org.close(ask)
        if ask.declined:
            org.parking.decline(job)
            return False
        area = ask.choice
        tried.add(area.number)
        cells = org.eligible(job).cells_of_area[area.number]
        outcome = yield from (pass_on or _by_order)(org, job, area, cells)
        if outcome is Outcome.PLACED:
            return True
        park(org, job, chooser, area, outcome)
    return False


def park(org: Organisation, job: int, chooser: Agent, area: Agent, outcome: Outcome) -> None:
    """Close the pair of an item and an area that did not find it a cell."""
    if outcome is Outcome.FULL:
        org.news.hear(chooser, "no room")
        org.parking.fail(job, area.number, org.eligible(job).cells_of_area[area.number])
    else:
        org.news.hear(chooser, "escalated")
        org.parking.decline(job, area.number)


def _by_order(org: Organisation, job: int, area: Agent, cells: list[int]) -> Step[Outcome]:
    org.tell(org.facts.plant, area, messages.DELEGATE, job)
    yield from arrive(org)
    outcome = yield from _place(org, job, area, cells)
    if outcome is not Outcome.PLACED:
        org.tell(area, org.facts.plant, messages.ESCALATE, job)
        yield from arrive(org)
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
        yield from arrive(org)
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
    choice = yield from _choose_cell(org, job, chooser, cells)
    if choice is None:
        return Outcome.DECLINED if org.with_room(job, cells) else Outcome.FULL
    org.tell(chooser, choice.choice, messages.ASSIGN, job)
    if (yield from commit(org, job, choice, choice.choice, org.assign)):
        return Outcome.PLACED
    return (yield from _local_reroute(org, job, choice.choice))


def _choose_cell(
    org: Organisation, job: int, chooser: Agent, cells: list[int]
) -> Step[Activation | None]:
    """Return the answer that names a cell; None if there is none that stands."""
    decline = "escalate" if chooser.role == "area" else "defer"
    for _ in range(1 + RETRIES):
        ask = org.ask(ROUTE_CELL, chooser, job, org.with_room(job, cells), decline)
        yield from decide(org, [ask])
        if ask.declined:
            org.close(ask)
            return None
        if org.sim.can_assign(job, ask.choice.number):
            org.close(ask)
            return ask
        org.refuse(ask)
        if org.now > ask.time:
            break  # stale: it counts as a refusal
    return None


def commit(
    org: Organisation,
    job: int,
    choice: Activation,
    cell: Agent,
    command: Command,
    promise: int = -1,
) -> Step[bool]:
    """Ask the cell that a choice names to accept an item; reply and command. True if it has it.

    `promise` is that of an awarded bid; without one the cell promises its expected finish where it
    may refuse, and nothing where it must obey.
    """
    mode, chooser = org.mode_of(job), choice.agent
    awarded = promise >= 0
    yes, no = (messages.INFORM, messages.FAILURE) if awarded else (messages.ACCEPT, messages.REJECT)
    yield from arrive(org)
    if not mode.may_reject and (yield from is_lost(org, cell)):
        if awarded:  # silence counts as this answer
            org.tell(cell, chooser, messages.FAILURE, job)
        return False
    if not org.can_place(job, cell.number):
        return (yield from turn_down(org, job, choice, cell, no))
    if not mode.may_reject and not awarded and mode.routing_authority_mode == PLANT_DIRECT:
        command(job, cell.number, -1)  # an order, answered by nobody
        return True
    if mode.may_reject and not awarded:
        promise = org.now + org.sim.estimate(job, cell.number)[0]
    ask = org.ask(COMMIT, cell, job, [ACCEPT], "reject" if mode.may_reject else "")
    ask.extra = promise
    yield from decide(org, [ask])
    accepted = not ask.declined
    org.tell(cell, chooser, yes if accepted else no, job, promise if accepted else -1)
    yield from arrive(org)
    if ask.declined:
        org.close(ask)
    else:
        accepted = org.stands(ask, command, job, cell.number, promise)
    org.news.hear(chooser, "accepted" if accepted else "rejected")
    return accepted


def is_lost(org: Organisation, cell: Agent) -> Step[bool]:
    """Whether an order to a cell that must obey is lost; one that is delayed comes later."""
    lost, delay = org.absence.exchange(cell)
    if not lost:
        yield from wait(org, delay)
    return lost


def turn_down(
    org: Organisation, job: int, choice: Activation, cell: Agent, word: str
) -> Step[bool]:
    """A choice that arrives when it is no longer possible counts as refused by the cell."""
    org.refuse(choice)
    org.tell(cell, choice.agent, word, job)
    yield from arrive(org)
    org.news.hear(choice.agent, "rejected")
    return False


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
        yield from decide(org, [ask])
        org.close(ask)
        if ask.declined:
            break
        cell = ask.choice
        asked.add(cell)
        org.tell(area, cell, messages.REROUTE, job)
        if (yield from commit(org, job, ask, cell, org.assign)):
            return Outcome.PLACED
    if len(asked) > 1 and not mode.by_area:  # nobody delegated, so nobody else tells the plant
        org.tell(area, org.facts.plant, messages.ESCALATE, job)
        yield from arrive(org)
    return Outcome.DECLINED


def _bid_round(org: Organisation, job: int, mediator: Agent, cells: list[Agent]) -> Step[Outcome]:
    """A contract net over some cells (FIPA order): call, bids of one epoch, awards."""
    if not cells:
        return Outcome.FULL
    for cell in cells:
        org.tell(mediator, cell, messages.CFP, job)
    closes = org.closes()
    yield from arrive(org)
    asks = [_ask_bid(org, job, cell) for cell in cells]
    bids, late = yield from _hear_bids(org, job, mediator, asks, closes)
    if bids:
        outcome = yield from _award(org, job, mediator, bids)
    else:
        someone_chose = any(ask.candidates for ask in asks)
        outcome = Outcome.DECLINED if someone_chose else Outcome.FULL
    for cell in late:
        org.tell(mediator, cell, messages.REJECT_PROPOSAL, job)
    return outcome


def _hear_bids(
    org: Organisation, job: int, mediator: Agent, asks: list[Activation], closes: int
) -> Step[tuple[list[Bid], list[Agent]]]:
    """Return the bids that are in when the call closes (-1 = when all are), and who is too late."""
    asked, hop = org.now, org.coordination.message_delay
    yield from decide(org, asks, closes)
    if closes >= 0 and any(ask.outcome == LOST for ask in asks):
        yield from wait(org, closes - org.now, closes)  # for those who will not be heard
    bids: list[Bid] = []
    late: list[Agent] = []
    for ask in asks:
        is_late = 0 <= closes < asked + org.thinking(ask) + hop
        org.close(ask, LATE if is_late else "")
        if ask.declined:
            org.tell(ask.agent, mediator, messages.REFUSE, job)
            continue
        promise = asked + ask.extra[ask.action]
        org.tell(ask.agent, mediator, messages.PROPOSE, job, promise)
        if is_late:
            late.append(ask.agent)
        else:
            bids.append((promise, ask.agent.number))
    yield from arrive(org, closes)
    bids.sort()  # ties by cell index, whatever the order of the replies
    return bids, late


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
        yield from decide(org, [ask])
        if ask.declined:
            org.close(ask)
            break
        bid = ask.choice
        bids = [other for other in bids if other is not bid]
        promise, index = bid
        cell = org.facts.cells[index]
        if not org.sim.can_assign(job, index):
            org.refuse(ask)
            org.tell(mediator, cell, messages.REJECT_PROPOSAL, job)
            continue
        org.close(ask)
        org.tell(mediator, cell, messages.ACCEPT_PROPOSAL, job)
        org.news.hear(cell, "awarded")
        if (yield from commit(org, job, ask, cell, org.assign, promise)):
            outcome = Outcome.PLACED
    for _, loser in bids:
        org.tell(mediator, org.facts.cells[loser], messages.REJECT_PROPOSAL, job)
    return outcome
