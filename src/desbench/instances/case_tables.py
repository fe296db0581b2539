"""The case tables: an Instance as Arrow tables, the form in which traces keep it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from desbench.instances.instance import CAUSES, INTERRUPTIONS, UNLIMITED, Instance

Ints = npt.NDArray[np.int64] | npt.NDArray[np.int32]


def build(instance: Instance) -> dict[str, pa.Table]:
    """Build all case tables of `instance`, keyed by name; linear in its size."""
    return {name: make(instance) for name, make in _TABLES.items()}


def pieces(instance: Instance, jobs: int) -> Iterator[tuple[str, Iterator[pa.Table]]]:
    """Yield each case table in pieces; that of operations, the longest, by so many jobs."""
    for name, make in _TABLES.items():
        if name == "operations":
            firsts = range(0, max(1, len(instance.release)), jobs)
            yield name, (_operations(instance, first, first + jobs) for first in firsts)
        else:
            yield name, (make(instance) for _ in range(1))


def _ints(values: Ints | range, none: int | None = None) -> pa.Array:
    """Int64 column; `none` becomes null."""
    array = np.asarray(values, dtype=np.int64)
    return pa.array(array, mask=None if none is None else array == none)


def _names(values: tuple[str, ...]) -> pa.Array:
    return pa.array(values, type=pa.string())


def _codes(codes: Ints, texts: tuple[str, ...]) -> pa.Array:
    """Dictionary column: each text stored once."""
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, type=pa.int32()), pa.array(texts, type=pa.string())
    )


def _case(i: Instance) -> pa.Table:
    none_if_negative = {
        "plant_power_cap": i.plant_power_cap,
        "horizon": i.horizon,
        "deadline": i.coordination.deadline,
        "review_period": i.review_period,
        "carbon_period": i.carbon.period,
    }
    ints = {name: None if value < 0 else value for name, value in none_if_negative.items()}
    ints |= {
        "ticks_per_unit": i.ticks_per_unit,
        "eco_duration_num": i.eco_duration[0],
        "eco_duration_den": i.eco_duration[1],
        "eco_power_num": i.eco_power[0],
        "eco_power_den": i.eco_power[1],
        "decision_limit": i.decision_limit,
        "no_progress_limit": i.no_progress_limit,
        "options": i.options,
        "deliver": int(i.deliver),
        "message_delay": i.coordination.message_delay,
        "decision_delay_plant": i.coordination.plant,
        "decision_delay_area": i.coordination.area,
        "decision_delay_cell": i.coordination.cell,
        "decision_delay_measured": int(i.coordination.is_measured),
    }
    texts = {"case": i.case, "time_unit": i.time_unit, "digest": i.digest}
    columns = {name: _names((text,)) for name, text in texts.items()}
    columns |= {name: pa.array([value], type=pa.int64()) for name, value in ints.items()}
    return pa.table(columns)


def _jobs(i: Instance) -> pa.Table:
    return pa.table(
        {
            "job": _ints(range(len(i.job_names))),
            "release": _ints(i.release),
            "due": _ints(i.due, -1),
            "weight": pa.array(i.weight),
            "operations": _ints(np.diff(i.operation_offset)),
            "patience": _ints(i.patience),
            "name": _names(i.job_names),
        }
    )


def _operations(i: Instance, first: int = 0, last: int | None = None) -> pa.Table:
    """One row per alternative of the jobs from `first` until before `last`, default all.

    `operation` counts within the job.
    """
    starts = i.operation_offset[first:] if last is None else i.operation_offset[first : last + 1]
    sizes = np.diff(starts)
    job = np.repeat(np.arange(first, first + len(sizes)), sizes)
    operation = np.arange(starts[0], starts[-1]) - np.repeat(starts[:-1], sizes)
    rows = i.eligible_offset[starts[0] : starts[-1] + 1]
    alternatives, these = np.diff(rows), slice(rows[0], rows[-1])
    return pa.table(
        {
            "job": _ints(np.repeat(job, alternatives)),
            "operation": _ints(np.repeat(operation, alternatives)),
            "machine": _ints(i.eligible_machine[these]),
            "nominal": _ints(i.nominal[these]),
            "realised": _ints(i.realised[these]),
            "family": _ints(np.repeat(i.family[starts[0] : starts[-1]], alternatives)),
            "power": _ints(i.processing_power[these]),
        }
    )


def _machines(i: Instance) -> pa.Table:
    return pa.table(
        {
            "machine": _ints(range(len(i.machine_names))),
            "name": _names(i.machine_names),
            "cell": _ints(i.machine_cell),
            "power_idle": _ints(i.power_idle),
            "power_setup": _ints(i.power_setup),
            "power_blocked": _ints(i.power_blocked),
            "power_down": _ints(i.power_down),
            "initial_family": _ints(i.initial_family, -1),
            "mean_repair": _ints(i.mean_repair),
        }
    )


def _cells(i: Instance) -> pa.Table:
    return pa.table(
        {
            "cell": _ints(range(len(i.cell_names))),
            "name": _names(i.cell_names),
            "area": _ints(i.cell_area),
            "inbound": _ints(i.inbound, UNLIMITED),
            "outbound": _ints(i.outbound, UNLIMITED),
            "commitment": _ints(i.commitment, UNLIMITED),
        }
    )


def _areas(i: Instance) -> pa.Table:
    return pa.table(
        {
            "area": _ints(range(len(i.area_names))),
            "name": _names(i.area_names),
            "power_cap": _ints(i.power_cap, -1),
            "wip_cap": _ints(i.wip_cap, -1),
        }
    )


def _vehicles(i: Instance) -> pa.Table:
    return pa.table(
        {
            "vehicle": _ints(range(len(i.vehicle_names))),
            "name": _names(i.vehicle_names),
            "power": _ints(i.vehicle_power),
        }
    )


def _travel(i: Instance) -> pa.Table:
    """Every ordered pair of locations; 0 is the source, c + 1 the cell c."""
    locations = len(i.travel)
    start, end = np.divmod(np.arange(locations * locations), locations)
    return pa.table({"from": _ints(start), "to": _ints(end), "ticks": _ints(i.travel.ravel())})


def _setups(i: Instance) -> pa.Table:
    """Every machine and pair of families; `from` -1 is "no family yet"."""
    machine, start, end = (axis.ravel() for axis in np.indices(i.setup.shape))
    return pa.table(
        {
            "machine": _ints(machine),
            "from": _ints(start - 1),
            "to": _ints(end),
            "ticks": _ints(i.setup.ravel()),
        }
    )


def _downtimes(i: Instance) -> pa.Table:
    return pa.table(
        {
            "machine": _ints(np.repeat(np.arange(len(i.machine_names)), np.diff(i.down_offset))),
            "start": _ints(i.down_start),
            "end": _ints(i.down_end),
            "cause": _codes(i.down_cause, CAUSES),
            "interruption": _codes(i.down_interruption, INTERRUPTIONS),
        }
    )


def _carbon(i: Instance) -> pa.Table:
    """Steps of the grid; no rows where no carbon is counted."""
    columns = {"start": i.carbon.start, "intensity": i.carbon.intensity}
    return pa.table({name: pa.array(values, pa.int64()) for name, values in columns.items()})


_TABLES: dict[str, Callable[[Instance], pa.Table]] = {
    "case": _case,
    "jobs": _jobs,
    "operations": _operations,
    "machines": _machines,
    "cells": _cells,
    "areas": _areas,
    "vehicles": _vehicles,
    "travel": _travel,
    "setups": _setups,
    "downtimes": _downtimes,
    "carbon": _carbon,
}
