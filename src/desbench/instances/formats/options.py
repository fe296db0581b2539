"""What the user may say about a file that the file does not say itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from desbench.errors import InputError


@dataclass(frozen=True)
class Options:
    """How to read a file; every None is found out."""

    format: str | None = None  #: name of an importer
    base: int | None = None  #: number of the first machine, 0 or 1
    layout: Path | None = None  #: file with the travel matrix
    vehicles: int | None = None  #: 0 = unlimited
    ticks_per_unit: int = 1
    instance: str | None = None  #: which one, where a file holds several

    def __post_init__(self) -> None:
        if self.base not in (None, 0, 1):
            raise InputError(f"base={self.base}, must be auto, 0 or 1")
        if self.vehicles is not None and not 0 <= self.vehicles <= 100_000:
            raise InputError(f"vehicles={self.vehicles}, must be 0 (unlimited) .. 100000")
        if not 1 <= self.ticks_per_unit <= 1_000_000_000:
            raise InputError(f"ticks_per_unit={self.ticks_per_unit}, must be 1 .. 1000000000")
