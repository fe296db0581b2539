"""Published makespans: `best_known.csv` beside this file, found by name or by content.

An instance is known by its content, so a file may have any name and any dialect, and a file with a
famous name but other numbers gets no reference. A missing value gives none: no gap, not 0.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from desbench.instances.formats.shop import Shop

SHOWN = 16  #: digits of the content digest kept in the table


@dataclass(frozen=True)
class Reference:
    """What is known about the makespan of an instance, in its own unit of time."""

    name: str
    lower: int
    upper: int
    source: str
    date: str

    @property
    def kind(self) -> Literal["optimum", "best_known"]:
        """`optimum` where the bounds meet; else `upper` is the best makespan known."""
        return "optimum" if self.lower == self.upper else "best_known"

    def gap(self, makespan: float) -> float:
        """Give makespan / upper - 1; negative means a new best or a wrong reference."""
        return makespan / self.upper - 1


def reference(name: str) -> Reference | None:
    """Look up an instance by its published name, such as ft06, mk01, la01_edata, EX11."""
    return _by_name().get(name.lower())


def reference_of(shop: Shop) -> Reference | None:
    """Look up an instance by its content."""
    return _by_content().get(shop.content[:SHOWN])


def names() -> list[str]:
    """All names with a reference."""
    return [row.name for row, _ in _table()]


@cache
def _table() -> list[tuple[Reference, str]]:
    file = resources.files(__package__).joinpath("best_known.csv")
    rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    return [
        (
            Reference(
                row["name"], int(row["lower"]), int(row["upper"]), row["source"], row["date"]
            ),
            row["content"],
        )
        for row in rows
    ]


@cache
def _by_name() -> dict[str, Reference]:
    return {row.name.lower(): row for row, _ in _table()}


@cache
def _by_content() -> dict[str, Reference]:
    return {content: row for row, content in reversed(_table())}
