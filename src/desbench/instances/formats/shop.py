"""Shop: what an importer returns, as plain lists, before it becomes an Instance or a suite."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

Alternative = tuple[int, int]  #: machine from 0, ticks
Operation = list[Alternative]
Job = list[Operation]
Matrix = list[list[int]]


@dataclass(frozen=True)
class Shop:
    """One shop as a file states it; machines and jobs count from 0, times are ticks."""

    name: str  #: of the instance, usually the file's without its ending
    format: str
    machines: int  #: those that no operation uses included
    jobs: list[Job]
    families: list[list[int]] | None = None  #: per job and operation; None = all alike
    setups: list[Matrix] | None = None  #: [machine][family before][family after]; None = no setups
    travel: Matrix | None = None  #: [from][to], 0 = source, m + 1 = machine m; None = no time
    vehicles: int = 0  #: 0 = unlimited
    ticks_per_unit: int = 1
    base: int | None = None  #: number of the first machine in the file, None where it has names
    notes: tuple[str, ...] = ()  #: what a reader of the report should know
    fields: Mapping[str, Any] = field(default_factory=dict)  #: fields of the Instance, stated whole

    @property
    def operations(self) -> int:
        """Number of operations."""
        return sum(map(len, self.jobs))

    @property
    def alternatives(self) -> int:
        """Number of pairs of an operation and a machine that can do it."""
        return sum(len(operation) for job in self.jobs for operation in job)

    @property
    def revisits(self) -> int:
        """Jobs that may come to a machine more than once."""
        return sum(_revisits(job) for job in self.jobs)

    @property
    def unused(self) -> list[int]:
        """Machines that no operation can use."""
        used = {machine for job in self.jobs for operation in job for machine, _ in operation}
        return sorted(set(range(self.machines)) - used)

    @cached_property
    def content(self) -> str:
        """SHA-256 (hex) of what decides the makespan: not of names, nor of unused last machines.

        It is how a published instance is known again under any file name and in any dialect.
        """
        last = 1 + max(m for job in self.jobs for operation in job for m, _ in operation)
        scale = self.ticks_per_unit
        parts = [
            [[[[m, _units(t, scale)] for m, t in sorted(o)] for o in job] for job in self.jobs],
            self.families if self.setups else None,
            [_scaled(matrix, scale) for matrix in self.setups[:last]] if self.setups else None,
            _scaled([row[: last + 1] for row in self.travel[: last + 1]], scale)
            if self.travel
            else None,
            self.vehicles if self.travel else None,
        ]
        return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()


def _revisits(job: Job) -> bool:
    visited = [machine for operation in job for machine, _ in operation]
    return len(set(visited)) < len(visited)


def _units(ticks: int, ticks_per_unit: int) -> int | str:
    return ticks if ticks_per_unit == 1 else _exact(Fraction(ticks, ticks_per_unit))


def _exact(value: Fraction) -> int | str:
    return int(value) if value.denominator == 1 else str(value)


def _scaled(matrix: Matrix, ticks_per_unit: int) -> list[list[int | str]]:
    return [[_units(ticks, ticks_per_unit) for ticks in row] for row in matrix]
