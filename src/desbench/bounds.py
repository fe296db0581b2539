"""Bounds: what no schedule of a case can beat, and how far a makespan is from the best known.

`lower_bound` is arithmetic over the arrays of the instance. `bound` asks CP-SAT (extra `ortools`)
for a better bound and for a schedule that `desbench.replay` plays.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from desbench.errors import MissingExtra
from desbench.instances.yardstick import load_bound

if TYPE_CHECKING:
    from desbench.instances.instance import Instance

INSTALL = "bound needs OR-Tools: pip install 'desbench[ortools]'"


def lower_bound(instance: Instance) -> int:
    """Return the larger of job load and machine load, in ticks; no makespan is below it."""
    return load_bound(
        instance.release,
        instance.operation_offset,
        instance.eligible_offset,
        instance.eligible_machine,
        instance.realised,
    )


# CP-SAT


@dataclass(frozen=True)
class Bound:
    """What the solver found, in ticks."""

    lower: int
    upper: (
        int | None
    )  #: makespan of its best schedule; None if it has none, or leaves something out
    schedule: dict[str, Any] | None  #: machine_sequences and vehicle_trips, for `desbench.replay`
    left_out: tuple[str, ...]  #: of the case by the model; `lower` holds all the same

    @property
    def is_proved(self) -> bool:
        """Whether the schedule is optimal."""
        return self.lower == self.upper


def bound(instance: Instance, seconds: float = 60.0, workers: int = 1) -> Bound:
    """Bound the makespan with CP-SAT.

    Modelled: routes, alternatives, releases, machines, travel times, and a limited fleet where
    every operation can be done in one cell only.

    Raises
    ------
    MissingExtra
        Without OR-Tools.
    """
    try:
        from ortools.sat.python import cp_model
    except ModuleNotFoundError:
        raise MissingExtra(INSTALL) from None
    model = _Model(instance, cp_model.CpModel())
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = workers
    status = solver.solve(model.cp)
    simple = lower_bound(instance)
    lower = max(simple, round(solver.best_objective_bound))
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE) or model.left_out:
        return Bound(max(simple, lower), None, None, model.left_out)
    return Bound(lower, round(solver.objective_value), model.schedule(solver), ())


class _Model:
    """The variables of a shop and how they hang together."""

    def __init__(self, instance: Instance, cp: Any) -> None:
        self.instance = instance
        self.cp = cp
        self.cell_of: list[int] = instance.machine_cell.tolist()
        self.travel: list[list[int]] = instance.travel.tolist()
        self.latest = _latest(instance)
        self.start: list[Any] = []
        self.end: list[Any] = []
        self.present: list[dict[int, Any]] = []  #: by operation: machine -> literal
        self.on_machine: list[list[Any]] = [[] for _ in instance.machine_names]
        offset: list[int] = instance.operation_offset.tolist()
        self.jobs = [range(first, end) for first, end in pairwise(offset)]
        for operation in range(instance.operations):
            self._operation(operation)
        for intervals in self.on_machine:
            cp.add_no_overlap(intervals)
        for job, release in zip(self.jobs, instance.release.tolist(), strict=True):
            self._route(job, release)
        self.left_out = tuple(_left_out(instance))
        self.trips: dict[int, tuple[int, int]] = {}  #: operation -> from, to
        self.rides: dict[tuple[int, int], Any] = {}  #: trip after trip; -1 the beginning, the end
        if instance.vehicle_names:
            self._fleet()
        makespan = cp.new_int_var(lower_bound(instance), self.latest, "makespan")
        cp.add_max_equality(makespan, [self.end[job[-1]] for job in self.jobs])
        cp.minimize(makespan)

    def _operation(self, operation: int) -> None:
        cp, instance = self.cp, self.instance
        rows = range(*instance.eligible_offset[operation : operation + 2].tolist())
        start = cp.new_int_var(0, self.latest, "")
        end = cp.new_int_var(0, self.latest, "")
        literals = {}
        for row in rows:
            machine, ticks = int(instance.eligible_machine[row]), int(instance.realised[row])
            literal = cp.new_constant(1) if len(rows) == 1 else cp.new_bool_var("")
            interval = cp.new_optional_interval_var(start, ticks, end, literal, "")
            self.on_machine[machine].append(interval)
            literals[machine] = literal
        cp.add_exactly_one(literals.values())
        self.start.append(start)
        self.end.append(end)
        self.present.append(literals)

    def _route(self, job: range, release: int) -> None:
        """Begin after the operation before and the way from there."""
        for operation in job:
            before = self.present[operation - 1] if operation > job[0] else {-1: None}
            ready = self.end[operation - 1] if operation > job[0] else release
            self.cp.add(self.start[operation] >= ready)
            for machine, literal in before.items():
                for following, other in self.present[operation].items():
                    ticks = self.travel[self._location(machine)][self._location(following)]
                    if ticks:
                        both = [one for one in (literal, other) if one is not None]
                        late = self.start[operation] >= ready + ticks
                        self.cp.add(late).only_enforce_if(both)

    def _location(self, machine: int) -> int:
        return self.cell_of[machine] + 1 if machine >= 0 else 0

    def _fleet(self) -> None:
        """Each move is a trip of one vehicle; trips of a vehicle form a path from location 0."""
        cells = [{self.cell_of[m] for m in machines} for machines in self.present]
        if any(len(eligible) > 1 for eligible in cells):
            self.left_out = (*self.left_out, "the fleet, for an operation has cells to choose from")
            return
        for job in self.jobs:
            places = [0, *(next(iter(cells[operation])) + 1 for operation in job)]
            moves = zip(job, pairwise(places), strict=True)
            self.trips |= {operation: ends for operation, ends in moves if ends[0] != ends[1]}
        pick = {trip: self._pick_up(trip) for trip in self.trips}
        arcs = []
        for number, (trip, (origin, _)) in enumerate(self.trips.items(), 1):
            first, last = self.cp.new_bool_var(""), self.cp.new_bool_var("")
            arcs += [(0, number, first), (number, 0, last)]
            self.rides[-1, trip] = first
            self.cp.add(pick[trip] >= self.travel[0][origin]).only_enforce_if(first)
            for other, (following, (place, _)) in enumerate(self.trips.items(), 1):
                if following == trip:
                    continue
                ride = self.rides[trip, following] = self.cp.new_bool_var("")
                arcs.append((number, other, ride))
                arrival = pick[trip] + self.travel[origin][self.trips[trip][1]]
                later = pick[following] >= arrival + self.travel[self.trips[trip][1]][place]
                self.cp.add(later).only_enforce_if(ride)
        if arcs:
            self.cp.add_multiple_circuit(arcs)
            begun = sum(self.rides[-1, trip] for trip in self.trips)
            self.cp.add(begun <= len(self.instance.vehicle_names))

    def _pick_up(self, operation: int) -> Any:
        origin, destination = self.trips[operation]
        job = int(np.searchsorted(self.instance.operation_offset, operation, side="right")) - 1
        is_first = operation == self.jobs[job][0]
        ready = int(self.instance.release[job]) if is_first else self.end[operation - 1]
        pick = self.cp.new_int_var(0, self.latest, "")
        self.cp.add(pick >= ready)
        self.cp.add(self.start[operation] >= pick + self.travel[origin][destination])
        return pick

    def schedule(self, solver: Any) -> dict[str, Any]:
        """Sequences by name of machine, and trips by vehicle."""
        step = {
            operation: [number, operation - job[0]]
            for number, job in enumerate(self.jobs)
            for operation in job
        }
        on: list[list[tuple[int, int, int]]] = [[] for _ in self.on_machine]
        for operation, literals in enumerate(self.present):
            machine = next(m for m, literal in literals.items() if solver.boolean_value(literal))
            times = solver.value(self.start[operation]), solver.value(self.end[operation])
            on[machine].append((*times, operation))
        names = self.instance.machine_names
        found: dict[str, Any] = {
            "machine_sequences": {
                names[machine]: [step[operation] for *_, operation in sorted(rows)]
                for machine, rows in enumerate(on)
                if rows
            }
        }
        if self.instance.vehicle_names:
            after = {a: b for (a, b), ride in self.rides.items() if a >= 0 and solver.value(ride)}
            heads = [b for (a, b), ride in self.rides.items() if a < 0 and solver.value(ride)]
            paths = [[step[trip] for trip in _path(head, after)] for head in heads]
            paths += [[] for _ in range(len(self.instance.vehicle_names) - len(paths))]
            found["vehicle_trips"] = paths
        return found


def _path(head: int, after: dict[int, int]) -> list[int]:
    path = [head]
    while path[-1] in after:
        path.append(after[path[-1]])
    return path


def _latest(instance: Instance) -> int:
    """When a schedule that does one thing after the other has ended."""
    longest = np.maximum.reduceat(instance.realised, instance.eligible_offset[:-1])
    moves = 2 * instance.operations * int(instance.travel.max(initial=0))
    return int(instance.release.max(initial=0)) + int(longest.sum()) + moves


def _left_out(instance: Instance) -> list[str]:
    """What the model does not know of a case; all of it can only lengthen a schedule."""
    jobs = len(instance.job_names)
    tight = min(instance.inbound.min(), instance.outbound.min(), instance.commitment.min()) < jobs
    found = ["buffers"] if tight else []
    found += ["stops"] if len(instance.down_start) else []
    found += ["setups"] if instance.setup.any() else []
    found += ["delivery"] if instance.deliver else []
    return found
