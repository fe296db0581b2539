"""Organisation: the shop as the protocol steps see it, with what they remember of the episode.

Everything it remembers follows from the recorded actions, so an episode can be driven again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from heapq import nsmallest
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from desbench.errors import IllegalAction
from desbench.instances.faults import takes_time
from desbench.protocol.absence import Absence
from desbench.protocol.authority import (
    MEDIATED_CNP,
    PLANT_DIRECT,
    RESPONSIBILITY,
    AuthorityMode,
    ShiftingAuthority,
)
from desbench.protocol.conversations import Conversations
from desbench.protocol.decision import (
    AWARD,
    BID,
    BUDGET,
    COMMIT,
    DELEGATE,
    DISPATCH,
    FORCED,
    INTERVENE,
    LOST,
    MODE,
    MONITOR,
    NOTIFY,
    OK,
    RELEASE,
    REROUTE,
    RESPOND,
    ROUTE_AREA,
    ROUTE_CELL,
    STALE,
    SUPERSEDED,
    Activation,
    Agent,
)
from desbench.protocol.facts import Facts, OperationFacts
from desbench.protocol.ledger import Ledger
from desbench.protocol.news import News
from desbench.protocol.parking import Parking
from desbench.protocol.ranking import RANKS
from desbench.protocol.shifting import Shifting

if TYPE_CHECKING:
    from desbench._engine.simulation import Simulation, Stop
    from desbench.instances.faults import Faults
    from desbench.instances.instance import Instance
    from desbench.trace.recorder import Recorder

SECONDS = {"s": 1, "min": 60, "h": 3600}  #: of a time unit
RETRIES = 3  #: how often an agent is asked again after a superseded action


class Organisation:
    """One shop under one authority mode."""

    def __init__(
        self,
        sim: Simulation,
        instance: Instance,
        mode: AuthorityMode | ShiftingAuthority,
        recorder: Recorder,
        faults: Faults | None = None,
    ) -> None:
        self.sim = sim
        self.shifting: Shifting | None = None
        if isinstance(mode, ShiftingAuthority):
            self.shifting = Shifting(self, mode, instance)
        else:
            self.mode = mode
        self.recorder = recorder
        self.facts = Facts(instance)
        self.absence = Absence(instance, faults)
        self.parking = Parking(sim.growth)
        self.news = News(sim, self.facts)
        self.stop: Stop
        self.now = -1
        self.epochs = 0  #: so far
        self.epoch = 0  #: that rows belong to: the last one of who speaks
        self.is_open = False  #: whether the present epoch waits for answers
        self.coordination = instance.coordination
        self.takes_time = takes_time(instance.coordination, faults)
        self.ticks_per_s = instance.ticks_per_unit / SECONDS[instance.time_unit]
        self.talks = Conversations()
        self.present: list[int] = []  #: cells with a dispatch pair at the last stop
        self.alarms: deque[int] = deque()  #: areas above their power cap, not yet answered
        self.review = False  #: a budget review has fallen due and is not answered yet
        self.up = [True] * len(self.facts.machine_ids)
        self.up_in_area = [len(machines) for machines in self.facts.machines_of_area]
        self.promises: dict[int, tuple[int, int]] = {}  #: job -> (cell, promised finish)
        #: of a mode in which agents commit themselves
        commits = self.shifting is None and self.mode.routing_authority_mode == RESPONSIBILITY
        self.ledger = Ledger(self) if commits else None
        self.strandings = 0  #: so far
        self.refusals: dict[int, int] = {}  #: cell -> superseded dispatches of this instant

    # authority

    def mode_of(self, job: int) -> AuthorityMode:
        """Return the mode in force for an item (-1 = none): the one place that decides it."""
        return self.mode if self.shifting is None else self.shifting.mode_of(job)

    def mediator(self, job: int) -> Agent:
        """Return who mediates: the area if all eligible cells lie in one, else the plant."""
        areas = self.eligible(job).areas
        return self.facts.areas[areas[0]] if len(areas) == 1 else self.facts.plant

    def superior(self, job: int, cell: int) -> Agent:
        """Return who is told when an item is stranded in a cell: who is asked, or owns it."""
        mode = self.mode_of(job)
        if not mode.area_local_reroute_enabled:
            if mode.routing_authority_mode == PLANT_DIRECT:
                return self.facts.plant
            if mode.routing_authority_mode == MEDIATED_CNP:
                return self.mediator(job)
        return self.area_of(cell)

    def area_of(self, cell: int) -> Agent:
        """Return the area of a cell."""
        return self.facts.areas[self.facts.area_of_cell[cell]]

    # coordination time

    @property
    def conversation(self) -> int:
        """Number of the conversation that speaks."""
        return self.talks.number()

    def begin_epoch(self) -> None:
        """Count one more epoch."""
        self.epochs += 1
        self.turn_to(self.epochs)

    def turn_to(self, epoch: int) -> None:
        """Let the rows to come belong to an epoch; 0 = the last one."""
        epoch = epoch or self.epochs
        if epoch != self.epoch:
            self.epoch = self.sim.epoch = epoch

    def take_in_hand(self, job: int) -> None:
        """Let the present conversation be about an item: nobody else is asked about it."""
        talk = self.talks.present
        talk.mode = self.mode_of(job)
        talk.items.add(job)
        self.talks.number()

    def thinking(self, ask: Activation) -> int:
        """Return how long an answer takes, delay included; none if it is forced, or lost."""
        if ask.source == FORCED or ask.outcome == LOST:
            return 0
        if self.coordination.is_measured:
            return ask.delay + round(ask.latency_s * self.ticks_per_s)
        return ask.delay + int(getattr(self.coordination, ask.agent.role))

    def closes(self) -> int:
        """Return when a call or request that is sent now closes, at its deadline; -1 = never."""
        deadline = self.coordination.deadline
        return self.now + deadline if deadline >= 0 else -1

    # looking

    def look(self, stop: Stop) -> None:
        """Take note of what happened since the last stop."""
        self.stop = stop
        if stop.time != self.now:
            self.now = stop.time
            self.parking.time_moved()
            self.alarms.clear()
            self.review = False
            self.refusals.clear()
            self.news.clear()
        if stop.stalled:
            self.parking.lift()
        self.strandings += len(stop.stranded)
        if stop.stranded:
            self.parking.kept.difference_update(stop.stranded)
        for machine in (*stop.breakdowns, *stop.repairs):
            area = self.facts.area_of_cell[self.facts.cell_of_machine[machine]]
            is_up = self.sim.machine(machine)[0] != "down"
            self.up_in_area[area] += is_up - self.up[machine]
            self.up[machine] = is_up
        areas = (area for limit, area in stop.alarms if limit == "power" and area >= 0)
        self.alarms.extend(area for area in areas if area not in self.talks.areas)
        self.review |= stop.review and self.facts.plant.number not in self.talks.areas
        self.talks.woken.extend(stop.woken)
        self.present = stop.cells
        self.news.read(stop)

    def eligible(self, job: int) -> OperationFacts:
        """Return where the current operation of an item can be done."""
        return self.facts.operation(job, self.sim.operation(job))

    def with_room(self, job: int, cells: Iterable[int]) -> list[Agent]:
        """Return the cells that have room for an item."""
        room, agents = self.sim.room, self.facts.cells
        return [agents[cell] for cell in cells if room(cell, job) > 0]

    def open_areas(self, job: int) -> list[int]:
        """Return the areas the plant may still name for an item."""
        is_open = self.parking.is_open
        return [area for area in self.eligible(job).areas if is_open(job, area)]

    def open_items(self) -> list[int]:
        """Return the ready items the plant may release now, ascending."""
        return [job for job in self.sim.ready() if self._is_offered(job)]

    def _is_offered(self, job: int) -> bool:
        if job in self.talks.items or not self.parking.is_open(job):
            return False
        mode = self.mode_of(job)
        if mode.by_area:
            return bool(self.open_areas(job))
        if mode.routing_authority_mode == PLANT_DIRECT:
            room = self.sim.room
            return any(room(cell, job) > 0 for cell in self.eligible(job).cells)
        return True

    def open_cells(self) -> list[int]:
        """Return the cells that may dispatch now, ascending."""
        closed, asked = self.parking.cells, self.talks.cells
        return [cell for cell in self.present if cell not in closed and cell not in asked]

    def promised(self, job: int) -> int | None:
        """Return the date the cell of an item has promised, where agents commit themselves."""
        if self.ledger is None or job not in self.ledger.held:
            return None
        return self.ledger.lowest(job).outcome.by

    def stranded_item(self) -> int:
        """Return the lowest stranded item that is to be asked about, or -1."""
        kept, talked = self.parking.kept, self.talks.items
        stranded = (job for job in self.sim.stranded() if job not in kept)
        return next((job for job in stranded if job not in talked), -1)

    # asking

    def ask(
        self, kind: str, agent: Agent, job: int, candidates: list[Any], decline: str
    ) -> Activation:
        """Return an activation; of more candidates than slots the best by the default rule stay.

        Parameters
        ----------
        job
            The item concerned, or -1.
        decline
            A key of `DECLINES`, or "" where declining is not legal.
        """
        operation = self.sim.operation(job) if job >= 0 else -1
        slot, offered = self.facts.slot, candidates
        if len(candidates) > slot:
            offered = self._best(kind, job, candidates, slot)
        ask = Activation(kind, agent, job, operation, offered, decline, slot)
        ask.not_offered = len(candidates) - len(offered)
        ask.time = self.now
        return ask

    def _best(self, kind: str, job: int, candidates: list[Any], count: int) -> list[Any]:
        # The option to escalate stands last and is never left out.
        last = candidates[-1:] if candidates[-1] is self.facts.plant else []
        rank = RANKS[kind](self, job)
        keys = [(rank(c), place) for place, c in enumerate(candidates[: -1 if last else None])]
        best = sorted(nsmallest(count - len(last), keys), key=itemgetter(1))
        return [candidates[place] for _, place in best] + last

    def close(self, ask: Activation, outcome: str = "") -> None:
        """Record an answer, once; an outcome that turns up later is added to it."""
        if ask.row >= 0:
            if outcome:
                ask.outcome = outcome
                self.recorder.amend(ask.row, outcome)
                self.news.hear(ask.agent, outcome)
            return
        job, operation = ask.job, ask.operation
        if ask.declined:
            target = ask.decline
        else:
            choice = ask.choice
            target = self.target(ask, choice)
            if job < 0 and ask.kind in ITEM_OF:
                job = ITEM_OF[ask.kind](choice)
                operation = self.sim.operation(job)
        outcome = outcome or ask.outcome
        if outcome not in (OK, LOST):  # who never got a message does not know of it
            self.news.hear(ask.agent, outcome)
        ask.row = self.recorder.decision(
            self.epoch,
            self.now,
            ask.agent.id,
            ask.kind,
            self.mode_of(job).mode_id,
            job,
            operation,
            ask.legal,
            ask.action,
            target,
            ask.source,
            outcome,
            ask.attempts,
            ask.latency_s,
        )

    def target(self, ask: Activation, candidate: Any) -> str:
        """Return what a candidate is called in views and rows."""
        return TARGETS[ask.kind](self.facts, candidate)

    def refuse(self, ask: Activation) -> None:
        """Record an answer that the shop does not accept any more."""
        self.close(ask, SUPERSEDED if self.now == ask.time else STALE)

    def stands(self, ask: Activation, command: Callable[..., None], *arguments: Any) -> bool:
        """Give the command of an answer and record it, also where the shop refuses it."""
        try:
            command(*arguments)
        except IllegalAction:
            self.refuse(ask)
            return False
        self.close(ask)
        return True

    def tell(
        self, sender: Agent, receiver: Agent, performative: str, job: int, promise: int = -1
    ) -> None:
        """Send a message about the current operation of an item, or (-1) about none."""
        self.recorder.message(
            self.epoch,
            self.now,
            sender.id,
            receiver.id,
            performative,
            job,
            self.sim.operation(job) if job >= 0 else -1,
            self.conversation,
            promise=promise,
        )

    # commands

    def can_place(self, job: int, cell: int) -> bool:
        """Whether `assign`, or of an assigned item `move`, would be accepted now."""
        if self.sim.assigned(job) < 0:
            return self.sim.can_assign(job, cell)
        return self.sim.can_unassign(job) and self.sim.room(cell, job) > 0

    def assign(self, job: int, cell: int, promise: int) -> None:
        """Assign an item; a promise of -1 is none."""
        self.sim.assign(job, cell)
        self._settled(job, cell, promise)

    def move(self, job: int, cell: int, promise: int) -> None:
        """Unassign a stranded item and assign it to another cell, at once."""
        if self.sim.room(cell, job) <= 0:
            raise IllegalAction(f"cell {cell} has no room for job {job}")
        self.sim.unassign(job)
        self.sim.assign(job, cell)
        self._settled(job, cell, promise)

    def withdraw(self, job: int) -> None:
        """Unassign a stranded item; it returns to the backlog of the plant."""
        self.sim.unassign(job)
        self.promises.pop(job, None)

    def _settled(self, job: int, cell: int, promise: int) -> None:
        self.parking.settled(job)
        if promise >= 0:
            self.promises[job] = cell, promise
        else:
            self.promises.pop(job, None)


def _agent_id(_: Facts, agent: Agent) -> str:
    return agent.id


def _word(_: Facts, word: str) -> str:
    return word


#: What a candidate is called, by kind.
TARGETS: dict[str, Callable[[Facts, Any], str]] = {
    RELEASE: lambda facts, job: facts.job_ids[job],
    ROUTE_AREA: _agent_id,
    ROUTE_CELL: _agent_id,
    REROUTE: _agent_id,
    BID: _word,
    COMMIT: _word,
    AWARD: lambda facts, bid: facts.cells[bid[1]].id,
    DISPATCH: lambda facts, pair: facts.machine_ids[pair[0]],
    DELEGATE: _agent_id,
    RESPOND: lambda _, promise: str(promise[0]),
    NOTIFY: _word,
    MONITOR: _word,
    INTERVENE: _word,
    BUDGET: _word,
    MODE: lambda facts, option: f"{facts.cells[option[0]].id}:{option[1]}",
}
#: The item an option stands for, where the activation itself concerns none.
ITEM_OF: dict[str, Callable[[Any], int]] = {RELEASE: int, DISPATCH: itemgetter(1)}
