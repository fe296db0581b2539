"""The case tables and event rows of a trace, in the form in which the laws ask for them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from desbench.instances.coordination import Coordination
from desbench.instances.faults import read_faults, takes_time
from desbench.instances.jobs import Clock
from desbench.trace.trace import Trace

NONE = -1


class Alternative(NamedTuple):
    """One operation on one of its machines."""

    realised: int
    family: int
    power: int


class Down(NamedTuple):
    """A stop of a machine, as the calendar has it."""

    start: int
    end: int
    cause: str
    interruption: str


class Stop(NamedTuple):
    """A stop of a machine, as the rows tell it."""

    start: int
    end: int
    restarts: bool  #: the phase in work


class Event(NamedTuple):
    """An event row; -1 or None where a column is empty."""

    row: int
    time: int
    kind: str
    job: int
    operation: int
    machine: int
    cell: int
    area: int
    vehicle: int
    epoch: int
    amount: int
    cause: str | None

    def __str__(self) -> str:
        named = ("job", "operation", "machine", "cell", "vehicle")
        filled = [f"{n} {getattr(self, n)}" for n in named if getattr(self, n) != NONE]
        return f"events row {self.row} ({self.kind} at {self.time}, {', '.join(filled) or 'plant'})"


class Case:
    """Look-ups into the case tables."""

    def __init__(self, trace: Trace) -> None:
        def column(table: str, name: str) -> list[int]:
            numbers: list[int] = trace.ints(table, name).tolist()
            return numbers

        self.release = column("jobs", "release")
        self.patience = column("jobs", "patience")
        self.operations = column("jobs", "operations")
        self.alternatives: dict[tuple[int, int], dict[int, Alternative]] = defaultdict(dict)
        columns = ("job", "operation", "machine", *Alternative._fields)
        for job, operation, machine, *rest in zip(
            *(column("operations", name) for name in columns), strict=True
        ):
            self.alternatives[job, operation][machine] = Alternative(*rest)
        self.cell_of_machine = column("machines", "cell")
        self.initial_family = column("machines", "initial_family")
        states = ("idle", "setup", "blocked", "down")
        self.power = {state: column("machines", f"power_{state}") for state in states}
        self.area_of_cell = column("cells", "area")
        self.room = {
            name: [math.inf if n == NONE else n for n in column("cells", name)]
            for name in ("inbound", "outbound", "commitment")
        }
        self.wip_cap = column("areas", "wip_cap")
        self.vehicle_power = column("vehicles", "power")
        self.travel = dict(
            zip(
                zip(column("travel", "from"), column("travel", "to"), strict=True),
                column("travel", "ticks"),
                strict=True,
            )
        )
        names = ("machine", "from", "to")
        keys = zip(*(column("setups", name) for name in names), strict=True)
        self.setup = dict(zip(keys, column("setups", "ticks"), strict=True))
        self.downs: list[list[Down]] = [[] for _ in self.cell_of_machine]
        bounds = (column("downtimes", name) for name in ("machine", "start", "end"))
        words = (trace.texts("downtimes", name) for name in ("cause", "interruption"))
        for machine, start, end, cause, interruption in zip(*bounds, *words, strict=True):
            self.downs[machine].append(Down(start, end, cause or "", interruption or ""))
        row = trace.setting
        self.deliver = bool(row("deliver"))
        self.coordination = Coordination(
            row("message_delay") or 0,
            plant=row("decision_delay_plant") or 0,
            area=row("decision_delay_area") or 0,
            cell=row("decision_delay_cell") or 0,
            is_measured=bool(row("decision_delay_measured")),
            deadline=NONE if (deadline := row("deadline")) is None else deadline,
        )
        faults = read_faults(trace.info.get("faults"))
        self.takes_time = takes_time(self.coordination, faults)  #: to agree
        delay = faults.messages.delay if faults else 0.0
        self.delay = Clock(trace.ticks_per_unit).ticks(delay, "delay")  #: of a delayed answer
        self.eco_duration = (row("eco_duration_num") or 1, row("eco_duration_den") or 1)
        self.eco_power = (row("eco_power_num") or 0, row("eco_power_den") or 1)

    def eligible(self, job: int, operation: int) -> dict[int, Alternative]:
        """Return the alternatives of an operation by machine; empty if there is none such."""
        return self.alternatives.get((job, operation), {})

    def length(self, ticks: int, eco: bool) -> int:
        """Return how long a phase lasts in normal or eco mode."""
        num, den = self.eco_duration
        return -(-ticks * num // den) if eco else ticks

    def watts(self, power: int, eco: bool) -> int:
        """Return what a phase draws in normal or eco mode."""
        num, den = self.eco_power
        return power * num // den if eco else power


@lru_cache(maxsize=2)
def case_of(trace: Trace) -> Case:
    """Return the look-ups of a trace; laws are asked one after the other about the same one."""
    return Case(trace)


def followed(rows: Sequence[Event]) -> Iterator[tuple[Event, Event | None]]:
    """Yield every row with the next one."""
    return zip_longest(rows, rows[1:]) if rows else iter(())


@lru_cache(maxsize=2)
def events_of(trace: Trace) -> Sequence[Event]:
    """Return the event rows of a trace."""
    numbers = [trace.ints("events", name).tolist() for name in Event._fields[3:11]]
    times, kinds = trace.ints("events", "time").tolist(), trace.texts("events", "kind")
    columns = (range(len(times)), times, kinds, *numbers, trace.texts("events", "cause"))
    return [Event._make(row) for row in zip(*columns, strict=True)]


@lru_cache(maxsize=2)
def stops_of(trace: Trace) -> Sequence[Sequence[Stop]]:
    """Return by machine the stops that the rows tell; the calendar says what each does to work."""
    downs = case_of(trace).downs
    stops: list[list[Stop]] = [[] for _ in downs]
    for event in events_of(trace):
        if event.kind == "breakdown":
            told, calendar = stops[event.machine], downs[event.machine]
            # A row too many is told by the law about stops.
            is_known = len(told) < len(calendar)
            restarts = is_known and calendar[len(told)].interruption == "restart"
            told.append(Stop(event.time, event.time + event.amount, restarts))
    return stops
