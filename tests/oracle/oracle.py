"""The clock: instants, limits, the end, and the rows handed out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from desbench.instances.instance import Instance
from oracle.events import (
    ARRIVAL,
    FINISH,
    HORIZON,
    PATIENCE,
    PICKUP,
    REPAIR,
    SETUP_COMPLETE,
    TRANSPORT_COMPLETE,
    WAKE,
    Key,
)
from oracle.plant import Item
from oracle.rows import NONE, Event, Interval, Stop, Violation
from oracle.settle import Settle

MOVES_ITEMS = (FINISH, SETUP_COMPLETE, TRANSPORT_COMPLETE, PICKUP, ARRIVAL, PATIENCE, WAKE)
STATES = ("idle", "setup", "processing", "blocked", "down")

Limit = tuple[str, int]  #: power or wip; area, -1 = plant


@dataclass
class Excess:
    """A violation that is open."""

    start: int
    peak: int


class Oracle(Settle):
    """The whole shop, with the interface of the engine's `Simulation`."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance)
        self.begun = False
        self.rounds = 0
        self.alarmed: set[Limit] = set()  #: limits with an alarm at this instant
        self.excesses: dict[Limit, Excess] = {}
        self.violations: list[Violation] = []
        self.drained = 0  #: intervals handed out

    # time

    def advance(self) -> Stop:
        """Run until there is something to decide, an alarm, a stall, or the end."""
        self._require(not self.ended, "advance()")
        again = self.accepted or not self.begun
        self.begun, self.accepted = True, False
        while True:
            if again and self._play_instant():
                return self._stop()
            if self._raise_alarms() or self._end_or_stall():
                return self._stop()
            self._move_time()
            again = True

    def _stop(self) -> Stop:
        stop, self.news = self.news, Stop()
        stop.time, stop.status = self.now, self.ended
        stop.cells = self._present_cells()
        return stop

    def _present_cells(self) -> list[int]:
        return [cell for cell in range(len(self.modes)) if self.pairs(cell)]

    def _due(self) -> Key | None:
        return min((key for key in self.live() if key[0] == self.now), default=None)

    def _play_instant(self) -> bool:
        """Steps 1 to 3; true when `advance` has to come back."""
        while True:
            self._count_round()
            while (key := self._due()) is not None:
                if key[1] == HORIZON:
                    self.settle()
                    self._end("done" if self._all_done() else "horizon")
                    return True
                self.apply(*key[1:])
            self.settle()
            if self._due() is None:
                return self._may_decide()

    def _may_decide(self) -> bool:
        if self.news.woken or self.news.review or (self.vehicle_stops and self.news.vehicles):
            return True
        return bool(self.ready() or self._present_cells() or self.stranded())

    def _count_round(self) -> None:
        self.rounds += 1
        if self.rounds > 1000 + 20 * len(self.items):
            raise RuntimeError(f"the instant {self.now} does not end")

    def _move_time(self) -> None:
        self._note_excess()
        self.now = min(self.live())[0]
        self.rounds = 0
        self.alarmed.clear()

    # limits

    def _limits(self) -> dict[Limit, tuple[int, int]]:
        """Every limit in the order of the alarms: (present value, cap)."""
        areas = range(len(self.instance.area_names))
        limits = {("power", a): (self.power(a), self.cap(a)) for a in areas}
        limits["power", NONE] = (self.power(NONE), self.cap(NONE))
        limits |= {("wip", a): (self.wip(a), int(self.instance.wip_cap[a])) for a in areas}
        return limits

    def _excess(self) -> dict[Limit, int]:
        limits = self._limits().items()
        return {limit: value - cap for limit, (value, cap) in limits if value > cap != NONE}

    def _raise_alarms(self) -> bool:
        for limit, amount in self._excess().items():
            if limit not in self.alarmed and limit not in self.excesses:
                self.alarmed.add(limit)
                self.row("alarm", area=limit[1], amount=amount, cause=limit[0])
                self.news.alarms.append(limit)
        return bool(self.news.alarms)

    def _note_excess(self) -> None:
        present = self._excess()
        for limit in [limit for limit in self.excesses if limit not in present]:
            self._close_violation(limit)
        for limit, amount in present.items():
            excess = self.excesses.setdefault(limit, Excess(self.now, amount))
            excess.peak = max(excess.peak, amount)

    def _close_violation(self, limit: Limit) -> None:
        excess = self.excesses.pop(limit)
        self.violations.append(Violation(*limit, excess.start, self.now, excess.peak))

    # the end

    def _all_done(self) -> bool:
        return all(item.place == "done" for item in self.items)

    def _end_or_stall(self) -> bool:
        if self._all_done():
            self._end("done")
        elif self.epoch >= self.instance.decision_limit:
            self._end("decision_limit")
        elif self._is_pending():
            return False
        elif not self._could_act():
            self.news.cycle = self._wait_cycle()
            self._end("deadlock")
        elif self.stalls >= self.instance.no_progress_limit:
            self._end("no_progress")
        else:
            self.stalls += 1
            self.news.stalled = True
        return True

    def _end(self, status: str) -> None:
        self.ended = status
        for limit in list(self.excesses):
            self._close_violation(limit)
        for entity, (start, shown) in self.open.items():
            self._close(entity, start, shown)
            self.open[entity] = (self.now, shown)

    def _is_pending(self) -> bool:
        return any(
            rank in MOVES_ITEMS or (rank == REPAIR and self._repair_moves_an_item(entity))
            for _, rank, entity in self.live()
        )

    def _repair_moves_an_item(self, machine: int) -> bool:
        m, cell = self.machines[machine], self.cell_of_machine[machine]
        if m.job != NONE:
            return m.works
        waiting = [job for job in self.inbound(cell) if self.items[job].assigned == cell]
        return any(machine in self.durations(job) for job in waiting)

    def _could_act(self) -> bool:
        jobs, cells = range(len(self.items)), range(len(self.modes))
        machines = range(len(self.machines))
        return (
            any(self.can_assign(job, cell) for job in jobs for cell in cells)
            or any(self.can_dispatch(job, m) for job in jobs for m in machines)
            or any(self._could_move(job, cell) for job in self.stranded() for cell in cells)
        )

    def _could_move(self, job: int, cell: int) -> bool:
        elsewhere = cell != self.items[job].assigned
        return elsewhere and bool(self.eligible(job, cell)) and self.room(cell, job) > 0

    def _wait_cycle(self) -> list[tuple[str, int]]:
        item = next(item for item in self.items if item.place != "done")
        cycle, seen = [("item", item.job)], set()
        while item.job not in seen:
            seen.add(item.job)
            kind, index, item = self._waits_for(item)
            cycle += [(kind, index), ("item", item.job)]
        return cycle

    def _waits_for(self, item: Item) -> tuple[str, int, Item]:
        """The thing an item waits for, and the item that it waits for there."""
        if self.is_ready(item):
            cell = min(self.cell_of_machine[m] for m in self.durations(item.job))
            there = [i for i in self.items if self.counts_in(i, cell)]
            return "commitment", cell, next(i for i in there if i is not item)
        if item.place == "gate":
            there = self.standing("inbound", item.cell)
            return "inbound", item.cell, next(i for i in there if i is not item)
        machine = self.eligible(item.job, item.cell)[0]
        return "machine", machine, self.items[self.machines[machine].job]

    # energy and rows

    def _no_energy(self) -> dict[str, npt.NDArray[np.int64]]:
        return {
            "machine": np.zeros((len(self.machines), len(STATES)), np.int64),
            "vehicle": np.zeros(len(self.vehicles), np.int64),
        }

    def energy(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Watt-ticks so far: the sum of power times length over all stretches."""
        stretches = [(i[0], i[1], i[2], (i.end - i.start) * i.power) for i in self.intervals]
        for (kind, entity), (start, (state, _, _, watts)) in self.open.items():
            stretches.append((kind, entity, state, (self.now - start) * watts))
        sums = self._no_energy()
        for kind, entity, state, amount in stretches:
            if kind == "machine":
                sums["machine"][entity, STATES.index(state)] += amount
            else:
                sums["vehicle"][entity] += amount
        return sums["machine"], sums["vehicle"]

    def carbon(self) -> tuple[npt.NDArray[np.int64], int]:
        """Watt-ticks times g/kWh so far, of areas and plant, stretch by stretch, step by step."""
        stretches = [(i[0], i[1], i.start, i.end, i.power) for i in self.intervals]
        for (kind, entity), (start, shown) in self.open.items():
            stretches.append((kind, entity, start, self.now, shown[-1]))
        areas, plant = np.zeros(len(self.caps), np.int64), 0
        for kind, entity, start, end, watts in stretches:
            amount = watts * sum(map(self._grid, range(start, end)))
            plant += amount
            if kind == "machine":
                areas[self.area_of_machine(entity)] += amount
        return areas, plant

    def _grid(self, time: int) -> int:
        """Intensity during one tick."""
        steps, period = self.instance.carbon, self.instance.carbon.period
        place = time % period if period != NONE else time
        begun = [g for start, g in zip(*steps[:2], strict=True) if start <= place]
        return begun[-1] if begun else 0

    def event_rows(self) -> list[Event]:
        rows, self.events = self.events, []
        return rows

    def interval_rows(self) -> list[Interval]:
        rows = self.intervals[self.drained :]
        self.drained = len(self.intervals)
        return rows

    def violation_rows(self) -> list[Violation]:
        rows, self.violations = self.violations, []
        return rows
