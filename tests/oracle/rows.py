"""What the oracle hands out: rows and stops, with names where the engine has codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

NONE = -1


class Event(NamedTuple):
    """One event row; -1 (for `cause` the empty string) where a column is empty."""

    time: int
    kind: str
    job: int = NONE
    operation: int = NONE
    machine: int = NONE
    cell: int = NONE
    area: int = NONE
    vehicle: int = NONE
    epoch: int = NONE
    amount: int = NONE
    cause: str = ""


class Interval(NamedTuple):
    """One stretch of one shown state of a machine or vehicle."""

    entity_kind: str
    entity: int
    state: str
    job: int
    operation: int
    start: int
    end: int
    power: int


class Violation(NamedTuple):
    """One stretch of time above a power or WIP cap."""

    kind: str
    entity: int
    start: int
    end: int
    magnitude: int


@dataclass
class Stop:
    """Why `advance` came back, and what has changed since it last did."""

    time: int = 0
    status: str = ""
    stalled: bool = False
    ready: list[int] = field(default_factory=list)
    cells: list[int] = field(default_factory=list)
    stranded: list[int] = field(default_factory=list)
    alarms: list[tuple[str, int]] = field(default_factory=list)
    breakdowns: list[int] = field(default_factory=list)
    repairs: list[int] = field(default_factory=list)
    vehicles: list[int] = field(default_factory=list)
    woken: list[int] = field(default_factory=list)
    review: bool = False
    cycle: list[tuple[str, int]] = field(default_factory=list)


def _rows(columns: Mapping[str, Any], names: Sequence[str]) -> list[tuple[int, ...]]:
    return list(zip(*(columns[name].tolist() for name in names), strict=True))


def named_events(
    columns: Mapping[str, Any], kinds: Sequence[str], causes: Sequence[str]
) -> list[Event]:
    """Rows of the engine's `event_rows()`, with its codes turned into names."""
    order = [name for name in Event._fields if name not in ("kind", "cause")]
    numbers = _rows(columns, ["kind", "cause", *order])
    return [
        Event(
            kind=kinds[kind],
            cause=causes[cause] if cause != NONE else "",
            **dict(zip(order, rest, strict=True)),
        )
        for kind, cause, *rest in numbers
    ]


def named_intervals(
    columns: Mapping[str, Any], machine_states: Sequence[str], vehicle_states: Sequence[str]
) -> list[Interval]:
    """Rows of the engine's `interval_rows()`, with its codes turned into names."""
    names = ["vehicle", "entity", "state", "job", "operation", "start", "end", "power"]
    return [
        Interval(
            "vehicle" if vehicle else "machine",
            entity,
            (vehicle_states if vehicle else machine_states)[state],
            *rest,
        )
        for vehicle, entity, state, *rest in _rows(columns, names)
    ]


def named_violations(columns: Mapping[str, Any]) -> list[Violation]:
    """Rows of the engine's `violation_rows()`, with the limit named."""
    names = ["wip", "entity", "start", "end", "magnitude"]
    return [Violation("wip" if wip else "power", *rest) for wip, *rest in _rows(columns, names)]
