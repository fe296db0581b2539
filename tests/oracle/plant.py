"""The state of the shop and everything that can be read from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from desbench.instances.instance import CAUSES, INTERRUPTIONS, Instance
from oracle.rows import NONE, Event, Interval


class Alternative(NamedTuple):
    """One operation on one machine."""

    nominal: int
    realised: int
    power: int


class Outage(NamedTuple):
    """A stop of a machine, as the calendar has it."""

    due: int
    length: int
    cause: str
    interruption: str


@dataclass
class Item:
    """A job with its current operation, standing in exactly one place."""

    job: int
    operation: int = 0
    place: str = "nowhere"
    cell: int = NONE  #: it stands at the gate, inbound, on a machine or outbound of
    machine: int = NONE
    vehicle: int = NONE  #: allotted to it or carrying it
    assigned: int = NONE
    requested_at: int = NONE
    requests: bool = False  #: waits for a vehicle, or for a move within its cell
    wanted: int = NONE  #: the vehicle that its request names
    pickup_at: int | None = None
    arrive_at: int | None = None
    entered: int = 0  #: running number of its entry into the inbound or outbound buffer
    arrived: int = NONE  #: at the gate
    waited: bool = False  #: this stay at the gate has its buffer_wait
    patience_at: int | None = None
    unassigned_at: int = NONE
    strandings: set[str] = field(default_factory=set)


@dataclass
class Machine:
    """A machine and the phase of the item on it."""

    family: int
    job: int = NONE
    operation: int = NONE  #: in work, or just finished
    phase: str = ""  #: setup, processing, finished
    length: int = 0  #: of the phase, in ticks
    nominal: int = 0  #: of the phase, as agents see it
    spent: int = 0  #: of the phase, before `since`
    since: int = 0
    eco: bool = False
    finished_at: int = NONE
    blocking: bool = False  #: blocking_start is logged
    down_since: int = NONE
    due: int = 0  #: stops that have fallen due
    stops: int = 0  #: of these begun

    @property
    def works(self) -> bool:
        return self.phase in ("setup", "processing")


@dataclass
class Vehicle:
    """A vehicle, where it stands or drives to."""

    state: str = "idle"
    job: int = NONE
    location: int = 0
    arrive_at: int | None = None  #: where it was sent without an item


class Plant:
    """State, look-ups and the views of the interface."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.epoch = 0
        self.now = 0
        self.ended = ""
        self.vehicle_stops = False  #: `advance` also comes back where a vehicle has become idle
        self.items = [Item(job) for job in range(len(instance.job_names))]
        self.machines = [Machine(int(family)) for family in instance.initial_family]
        self.vehicles = [Vehicle() for _ in instance.vehicle_names]
        self.modes = ["normal"] * len(instance.cell_names)
        self.mode_before_pause = ["normal"] * len(instance.cell_names)
        self.caps: list[int] = instance.power_cap.tolist()
        self.entries = 0
        self.events: list[Event] = []
        self.intervals: list[Interval] = []
        self._read(instance)
        self._begin_intervals()
        self._decreases = [0] * len(self.modes)
        self._counted = [0] * len(self.modes)

    def _read(self, instance: Instance) -> None:
        self.area_of_cell: list[int] = instance.cell_area.tolist()
        self.cell_of_machine: list[int] = instance.machine_cell.tolist()
        self.travel: list[list[int]] = instance.travel.tolist()
        self.setup: list[list[list[int]]] = instance.setup.tolist()
        self.first: list[int] = instance.operation_offset.tolist()
        self.family: list[int] = instance.family.tolist()
        columns = zip(
            instance.eligible_machine.tolist(),
            instance.nominal.tolist(),
            instance.realised.tolist(),
            instance.processing_power.tolist(),
            strict=True,
        )
        rows = [(machine, Alternative(*rest)) for machine, *rest in columns]
        offset = instance.eligible_offset.tolist()
        self.alternatives = [dict(rows[offset[o] : offset[o + 1]]) for o in range(len(self.family))]
        self.powers = {
            "idle": instance.power_idle.tolist(),
            "setup": instance.power_setup.tolist(),
            "blocked": instance.power_blocked.tolist(),
            "down": instance.power_down.tolist(),
        }
        self.vehicle_power: list[int] = instance.vehicle_power.tolist()
        outages = zip(
            instance.down_start.tolist(),
            instance.down_end.tolist(),
            instance.down_cause.tolist(),
            instance.down_interruption.tolist(),
            strict=True,
        )
        stops = [
            Outage(start, end - start, CAUSES[cause], INTERRUPTIONS[interruption])
            for start, end, cause, interruption in outages
        ]
        offset = instance.down_offset.tolist()
        self.calendar = [stops[a:b] for a, b in pairwise(offset)]

    # look-ups

    def operations_of(self, job: int) -> int:
        return self.first[job + 1] - self.first[job]

    def is_through(self, item: Item) -> bool:
        """All operations are finished: it is done, or waits for its delivery."""
        return item.operation == self.operations_of(item.job)

    def family_of(self, job: int) -> int:
        return self.family[self.first[job] + self.items[job].operation]

    def durations(self, job: int) -> dict[int, Alternative]:
        """The alternatives of the current operation of a job, by machine."""
        item = self.items[job]
        if self.is_through(item):
            return {}
        return self.alternatives[self.first[job] + item.operation]

    def eligible(self, job: int, cell: int) -> list[int]:
        return [m for m in self.durations(job) if self.cell_of_machine[m] == cell]

    def is_up(self, machine: int) -> bool:
        return self.machines[machine].down_since == NONE

    def is_free(self, machine: int) -> bool:
        return self.is_up(machine) and self.machines[machine].job == NONE

    def location(self, item: Item) -> int:
        return item.cell + 1 if item.cell != NONE else 0

    def in_eco(self, amount: int, ratio: tuple[int, int], *, up: bool) -> int:
        numerator, denominator = ratio
        product = amount * numerator
        return -(-product // denominator) if up else product // denominator

    # what is shown

    def shown(self, machine: int) -> str:
        m = self.machines[machine]
        if m.down_since != NONE:
            return "down"
        if m.works:
            return m.phase
        return "blocked" if m.blocking else "idle"

    def machine_power(self, machine: int) -> int:
        m, state = self.machines[machine], self.shown(machine)
        if state == "processing":
            operation = self.first[m.job] + m.operation
            watts = self.alternatives[operation][machine].power
        else:
            watts = self.powers[state][machine]
        if m.eco and state in ("setup", "processing"):
            return self.in_eco(watts, self.instance.eco_power, up=False)
        return int(watts)

    def power_of_vehicle(self, vehicle: int) -> int:
        return 0 if self.vehicles[vehicle].state == "idle" else self.vehicle_power[vehicle]

    def power(self, area: int) -> int:
        machines = range(len(self.machines))
        if area == NONE:
            moving = sum(map(self.power_of_vehicle, range(len(self.vehicles))))
            return sum(map(self.machine_power, machines)) + moving
        return sum(self.machine_power(m) for m in machines if self.area_of_machine(m) == area)

    def area_of_machine(self, machine: int) -> int:
        return self.area_of_cell[self.cell_of_machine[machine]]

    def cap(self, area: int) -> int:
        return self.instance.plant_power_cap if area == NONE else self.caps[area]

    def wip(self, area: int) -> int:
        cells = {c for c, a in enumerate(self.area_of_cell) if a == area}
        return sum(item.assigned in cells or item.cell in cells for item in self.items)

    # commitment

    def counts_in(self, item: Item, cell: int) -> bool:
        stands = item.place in ("gate", "inbound") and item.cell == cell
        return item.assigned == cell or stands

    def committed(self, cell: int) -> int:
        return sum(self.counts_in(item, cell) for item in self.items)

    def room(self, cell: int, job: int = NONE) -> int:
        others = sum(self.counts_in(item, cell) for item in self.items if item.job != job)
        return int(self.instance.commitment[cell]) - others

    def growth(self, cell: int) -> int:
        return self._decreases[cell]

    # views

    @property
    def time(self) -> int:
        return self.now

    @property
    def status(self) -> str:
        return self.ended

    def mode(self, cell: int) -> str:
        return self.modes[cell]

    def operation(self, job: int) -> int:
        return self.items[job].operation

    def assigned(self, job: int) -> int:
        return self.items[job].assigned

    def place(self, job: int) -> tuple[str, int, int]:
        item = self.items[job]
        carrier = item.vehicle if item.place == "vehicle" else item.machine
        return item.place, item.cell, carrier

    def machine(self, machine: int) -> tuple[str, int, int, int]:
        m = self.machines[machine]
        return self.shown(machine), m.job, m.family, m.down_since

    def vehicle(self, vehicle: int) -> tuple[str, int, int]:
        v = self.vehicles[vehicle]
        return v.state, v.job, v.location

    def is_ready(self, item: Item) -> bool:
        if item.place == "nowhere" or item.assigned != NONE or self.is_through(item):
            return False
        return not (item.place == "machine" and self.machines[item.machine].works)

    def ready(self) -> list[int]:
        return [item.job for item in self.items if self.is_ready(item)]

    def standing(self, place: str, cell: int) -> list[Item]:
        return [item for item in self.items if item.place == place and item.cell == cell]

    def gate(self, cell: int) -> list[int]:
        there = self.standing("gate", cell)
        return [item.job for item in sorted(there, key=lambda i: (i.arrived, i.job))]

    def inbound(self, cell: int) -> list[int]:
        there = self.standing("inbound", cell)
        return [item.job for item in sorted(there, key=lambda i: i.entered)]

    def outbound(self, cell: int) -> list[int]:
        there = self.standing("outbound", cell)
        return [item.job for item in sorted(there, key=lambda i: i.entered)]

    def coming(self, cell: int) -> list[int]:
        items = [item for item in self.items if item.assigned == cell]
        return [item.job for item in items if (item.place, item.cell) != ("inbound", cell)]

    def pairs(self, cell: int) -> list[tuple[int, int]]:
        if self.modes[cell] == "pause":
            return []
        free = [m for m, c in enumerate(self.cell_of_machine) if c == cell and self.is_free(m)]
        waiting = [job for job in self.inbound(cell) if self.items[job].assigned == cell]
        return [(m, job) for m in free for job in waiting if m in self.durations(job)]

    # rows and intervals

    def row(self, kind: str, **columns: int | str) -> None:
        if "cell" in columns and columns["cell"] != NONE:
            columns["area"] = self.area_of_cell[int(columns["cell"])]
        self.events.append(Event(self.now, kind, **columns))  # type: ignore[arg-type]

    def _begin_intervals(self) -> None:
        entities = [("machine", m) for m in range(len(self.machines))]
        entities += [("vehicle", v) for v in range(len(self.vehicles))]
        self.open = {entity: (0, self._shown_tuple(*entity)) for entity in entities}

    def _shown_tuple(self, kind: str, entity: int) -> tuple[str, int, int, int]:
        if kind == "machine":
            m = self.machines[entity]
            operation = m.operation if m.job != NONE else NONE
            return self.shown(entity), m.job, operation, self.machine_power(entity)
        v = self.vehicles[entity]
        operation = self.items[v.job].operation if v.job != NONE else NONE
        return v.state, v.job, operation, self.power_of_vehicle(entity)

    def changed(self) -> None:
        """Look at the whole plant after one change: close intervals, count decreases."""
        for entity, (start, before) in self.open.items():
            after = self._shown_tuple(*entity)
            if after != before:
                self._close(entity, start, before)
                self.open[entity] = (self.now, after)
        counted = [self.committed(cell) for cell in range(len(self.modes))]
        for cell, (old, new) in enumerate(zip(self._counted, counted, strict=True)):
            self._decreases[cell] += max(0, old - new)
        self._counted = counted

    def _close(self, entity: tuple[str, int], start: int, shown: tuple[str, int, int, int]) -> None:
        state, job, operation, watts = shown
        if start < self.now:
            self.intervals.append(Interval(*entity, state, job, operation, start, self.now, watts))
