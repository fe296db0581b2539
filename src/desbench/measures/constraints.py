"""Constraint alignment: what the run drew, and what it drew beyond the caps."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from desbench.instances.carbon import Carbon
from desbench.measures.definition import Value, primary, secondary
from desbench.trace.trace import SECONDS, Trace

I64 = npt.NDArray[np.int64]

PLANT = -1
JOULES_PER_KWH = 3_600_000
G_PER_KG = 1000


class Excess(NamedTuple):
    """Pieces of time during which the power of one entity is above its cap, in order."""

    start: I64
    end: I64
    watts: I64  #: above the cap, constant within a piece


class Cap(NamedTuple):
    """A power cap: `watts` from `start` on; of several at one time the last holds."""

    start: I64
    watts: I64


@primary("G_vc")
def violations(trace: Trace) -> Value:
    """Violation rows, of power and WIP."""
    return int(trace.violations.num_rows)


@primary("G_eo", "kWh")
def energy_overshoot(trace: Trace) -> Value:
    """Energy above power caps, areas plus plant."""
    return sum(overshoot_by_entity(trace).values(), 0.0)


@primary("G_ed", "time")
def overshoot_duration(trace: Trace) -> Value:
    """Time during which at least one power cap is exceeded."""
    pieces = list(excesses(trace).values())
    if not pieces:
        return 0.0
    start = np.sort(np.concatenate([piece.start for piece in pieces]))
    end = np.sort(np.concatenate([piece.end for piece in pieces]))
    # The union of intervals: a gap lies where the k-th end comes before the (k+1)-th start.
    gaps = np.maximum(0, start[1:] - end[:-1]).sum()
    span = end[-1] - start[0] - gaps if len(start) else 0
    return int(span) / trace.ticks_per_unit


@primary("G_en", "kWh")
def energy(trace: Trace) -> Value:
    """Energy of machines and vehicles in the episode."""
    length = trace.ints("intervals", "end") - trace.ints("intervals", "start")
    return kwh(trace, _dot(length, trace.ints("intervals", "power")))


@secondary("kWh")
def energy_per_operation(trace: Trace) -> Value:
    """Energy per finished operation; null if none is finished."""
    finished = int(np.count_nonzero(trace.mask("events", "kind", "finish")))
    total = energy(trace)
    return None if not finished or total is None else total / finished


@secondary("kg")
def carbon(trace: Trace) -> Value:
    """Carbon of the energy by the intensity of the grid at its time; null if none is stated."""
    grid = grid_of(trace)
    if not grid.is_counted:
        return None
    end, start = trace.ints("intervals", "end"), trace.ints("intervals", "start")
    grams = _dot(grid.until(end) - grid.until(start), trace.ints("intervals", "power"))
    return kwh(trace, grams) / G_PER_KG


@secondary("kWh")
def overshoot_areas(trace: Trace) -> Value:
    """Energy above the power caps of areas."""
    return sum((e for area, e in overshoot_by_entity(trace).items() if area != PLANT), 0.0)


@secondary("kWh")
def overshoot_plant(trace: Trace) -> Value:
    """Energy above the power cap of the plant."""
    return overshoot_by_entity(trace).get(PLANT, 0.0)


@secondary()
def violations_power(trace: Trace) -> Value:
    """Violation rows of power caps."""
    return int(np.count_nonzero(trace.mask("violations", "entity_kind", "power")))


@secondary()
def violations_wip(trace: Trace) -> Value:
    """Violation rows of WIP caps."""
    return int(np.count_nonzero(trace.mask("violations", "entity_kind", "wip")))


@secondary("time")
def violation_time(trace: Trace) -> Value:
    """Length of all violations, summed."""
    length = trace.ints("violations", "end") - trace.ints("violations", "start")
    return int(length.sum()) / trace.ticks_per_unit


def overshoot_by_entity(trace: Trace) -> dict[int, float]:
    """Return kWh above the cap of each capped area, and of the plant under -1."""
    return {
        entity: kwh(trace, _dot(piece.end - piece.start, piece.watts))
        for entity, piece in excesses(trace).items()
    }


@lru_cache(maxsize=1)  # all measures of a trace are taken in a row
def excesses(trace: Trace) -> dict[int, Excess]:
    """Return the pieces of time above each power cap in force, by area; the plant under -1."""
    machine = trace.mask("intervals", "entity_kind", "machine")
    area_of_machine = trace.ints("cells", "area")[trace.ints("machines", "cell")]
    entity = trace.ints("intervals", "entity")
    area = np.full(len(entity), PLANT)
    area[machine] = area_of_machine[entity[machine]]
    # Vehicles count to the plant alone, so their area is -1 and no area selects them.
    return {
        owner: _above(trace, None if owner == PLANT else area == owner, cap)
        for owner, cap in caps_of(trace).items()
    }


def caps_of(trace: Trace) -> dict[int, Cap]:
    """Return the power cap of each area that has one, over time; the plant under -1."""
    first = dict(enumerate(trace.ints("areas", "power_cap").tolist()))
    plant = trace.setting("plant_power_cap")
    first[PLANT] = -1 if plant is None else plant
    moved = trace.mask("events", "kind", "cap")
    time, area, watts = (trace.ints("events", name)[moved] for name in ("time", "area", "amount"))
    return {
        owner: Cap(
            np.concatenate([[0], time[area == owner]]),
            np.concatenate([[cap], watts[area == owner]]),
        )
        for owner, cap in first.items()
        if cap >= 0
    }


def grid_of(trace: Trace) -> Carbon:
    """Return the intensity of the grid that the case states."""
    start, intensity = (tuple(trace.ints("carbon", n).tolist()) for n in ("start", "intensity"))
    period = trace.setting("carbon_period") if start else None
    return Carbon(start, intensity, -1 if period is None else period)


def _above(trace: Trace, rows: npt.NDArray[np.bool_] | None, cap: Cap) -> Excess:
    """Pieces where the summed power of the chosen intervals is above `cap`."""
    chosen = slice(None) if rows is None else rows
    start, end = trace.ints("intervals", "start")[chosen], trace.ints("intervals", "end")[chosen]
    power = trace.ints("intervals", "power")[chosen]
    if not len(start):
        return Excess(start, start, start)
    # A piece also ends where the cap moves.
    time, where = np.unique(np.concatenate([start, end, cap.start]), return_inverse=True)
    where = where[: 2 * len(start)]
    step = np.zeros(len(time), dtype=np.int64)
    np.add.at(step, where, np.concatenate([power, -power]))
    in_force = cap.watts[np.searchsorted(cap.start, time, side="right") - 1]
    excess = (np.cumsum(step) - in_force)[:-1]
    above = excess > 0
    return Excess(time[:-1][above], time[1:][above], excess[above])


def kwh(trace: Trace, watt_ticks: int) -> float:
    """Convert watt-ticks."""
    seconds = SECONDS[trace.info["time_unit"]]
    return watt_ticks * seconds / (trace.ticks_per_unit * JOULES_PER_KWH)


def _dot(ticks: I64, watts: I64) -> int:
    """Exact sum of products; Python integers where int64 would overflow."""
    if float(np.dot(ticks.astype(float), watts.astype(float))) < 2.0**62:
        return int(np.dot(ticks, watts))
    return sum(t * w for t, w in zip(ticks.tolist(), watts.tolist(), strict=True))
