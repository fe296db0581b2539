"""REF driven from Python, one call for each decision, with the events of the compiled rules."""

from __future__ import annotations

from collections.abc import Callable

from desbench._engine.simulation import Simulation
from desbench.instances.instance import Instance

Pairs = list[tuple[int, int]]  #: (machine, job), machines ascending, then first in
Rule = Callable[[Pairs], tuple[int, int]]


def first_pair(pairs: Pairs) -> tuple[int, int]:
    """The trivial controller: the first legal action, which is what fifo does."""
    return pairs[0]


class ShortestProcessing:
    """The rule spt over options as dicts, as a controller sees them."""

    def __init__(self, instance: Instance, sim: Simulation) -> None:
        self.sim = sim
        self.operation: list[int] = instance.operation_offset.tolist()
        self.first: list[int] = instance.eligible_offset.tolist()
        self.nominal: list[int] = instance.nominal.tolist()

    def __call__(self, pairs: Pairs) -> tuple[int, int]:
        options = [
            {"machine": machine, "job": job, "nominal": self._nominal(job)}
            for machine, job in pairs
            if machine == pairs[0][0]
        ]
        best = min(options, key=lambda option: option["nominal"])
        return best["machine"], best["job"]

    def _nominal(self, job: int) -> int:
        return self.nominal[self.first[self.operation[job] + self.sim.operation(job)]]


def play(instance: Instance, sim: Simulation, rule: Rule) -> None:
    """Play to the end: each cell dispatches by the rule, then ready items go to their only cell."""
    operation: list[int] = instance.operation_offset.tolist()
    first: list[int] = instance.eligible_offset.tolist()
    cell: list[int] = instance.machine_cell[instance.eligible_machine].tolist()
    stop = sim.advance()
    while not stop.status:
        cells = stop.cells
        for index in cells:
            while pairs := sim.pairs(index):
                machine, job = rule(pairs)
                sim.dispatch(job, machine)
        for job in () if cells else sim.ready():
            sim.assign(job, cell[first[operation[job] + sim.operation(job)]])
        stop = sim.advance()
