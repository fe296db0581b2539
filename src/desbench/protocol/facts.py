"""Facts: the static tables of an instance as plain lists, for the hot path.

NumPy scalars cost ten times a list access; nothing here changes during an episode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from desbench.protocol.decision import MIN_OPTIONS, Agent

if TYPE_CHECKING:
    from desbench.instances.instance import Instance


class OperationFacts:
    """Where one operation can be done, with nominal durations in ticks."""

    __slots__ = ("areas", "cells", "cells_of_area", "fastest", "machines_of_cell", "nominal")

    def __init__(self, cells_of: dict[int, list[tuple[int, int]]], area_of: list[int]) -> None:
        self.machines_of_cell = cells_of  #: cell -> (machine, nominal), machines ascending
        self.cells = sorted(cells_of)
        self.nominal = {c: min([n for _, n in cells_of[c]]) for c in self.cells}
        self.fastest = min(self.nominal.values())
        self.cells_of_area: dict[int, list[int]] = {}
        for cell in self.cells:
            self.cells_of_area.setdefault(area_of[cell], []).append(cell)
        self.areas = sorted(self.cells_of_area)


class Facts:
    """What never changes in an episode; operations are read when they are first needed."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.unit = instance.ticks_per_unit
        self.slot = max(instance.options, MIN_OPTIONS)  #: K
        self.plant = Agent("plant", "plant", -1)
        self.areas = [Agent(f"area:{n}", "area", a) for a, n in enumerate(instance.area_names)]
        self.cells = [Agent(f"cell:{n}", "cell", c) for c, n in enumerate(instance.cell_names)]
        self.cell_of_id = {cell.id: cell for cell in self.cells}
        self.machine_ids = [f"machine:{name}" for name in instance.machine_names]
        self.job_ids = [f"job:{name}" for name in instance.job_names]
        self.area_of_cell: list[int] = instance.cell_area.tolist()
        self.cell_of_machine: list[int] = instance.machine_cell.tolist()
        self.cells_of_area: list[list[int]] = [[] for _ in self.areas]
        for cell, area in enumerate(self.area_of_cell):
            self.cells_of_area[area].append(cell)
        self.machines_of_cell: list[list[int]] = [[] for _ in self.cells]
        for machine, cell in enumerate(self.cell_of_machine):
            self.machines_of_cell[cell].append(machine)
        self.machines_of_area = [
            [machine for cell in cells for machine in self.machines_of_cell[cell]]
            for cells in self.cells_of_area
        ]
        self.mean_repair: list[int] = instance.mean_repair.tolist()
        self.release: list[int] = instance.release.tolist()
        self.due: list[int] = instance.due.tolist()
        self.weight: list[float] = instance.weight.tolist()
        self.family: list[int] = instance.family.tolist()
        self.offset: list[int] = instance.operation_offset.tolist()
        self.travel: list[list[int]] = instance.travel.tolist()
        self._setup: dict[int, list[list[int]]] = {}
        self._eligible_offset: list[int] = instance.eligible_offset.tolist()
        self._machine: list[int] = instance.eligible_machine.tolist()
        self._nominal: list[int] = instance.nominal.tolist()
        self._operations: list[OperationFacts | None] = [None] * instance.operations
        self._rest: dict[int, list[int]] = {}

    def operation(self, job: int, operation: int) -> OperationFacts:
        """Return what is known of an operation of a job."""
        index = self.offset[job] + operation
        return self._operations[index] or self._read(index)

    def _read(self, index: int) -> OperationFacts:
        first, end = self._eligible_offset[index], self._eligible_offset[index + 1]
        cells: dict[int, list[tuple[int, int]]] = {}
        for machine, nominal in zip(
            self._machine[first:end], self._nominal[first:end], strict=True
        ):
            cells.setdefault(self.cell_of_machine[machine], []).append((machine, nominal))
        facts = self._operations[index] = OperationFacts(cells, self.area_of_cell)
        return facts

    def length(self, job: int) -> int:
        """Return the number of operations of a job."""
        return self.offset[job + 1] - self.offset[job]

    def rest(self, job: int, operation: int) -> int:
        """Return the shortest nominal work from this operation to the last, in ticks."""
        sums = self._rest.get(job)
        if sums is None:
            backwards = [0]
            for later in reversed(range(self.length(job))):
                backwards.append(backwards[-1] + self.operation(job, later).fastest)
            sums = self._rest[job] = backwards[::-1]
        return sums[operation]

    def setup(self, machine: int, present: int, following: int) -> int:
        """Return the setup ticks of a machine between two families; present may be -1."""
        if machine not in self._setup:
            self._setup[machine] = self.instance.setup[machine].tolist()
        return self._setup[machine][present + 1][following]

    def urgency(self, job: int, operation: int) -> tuple[float, int, int]:
        """Order of urgency: latest start (none last), then release, then job."""
        due = self.due[job]
        latest = due - self.rest(job, operation) if due >= 0 else float("inf")
        return latest, self.release[job], job
