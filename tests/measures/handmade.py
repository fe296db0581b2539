"""A small case and traces of it, typed in by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from desbench.instances.instance import Instance
from desbench.trace import Trace, schema

EMPTY = {
    "legal": (),
    "source": "rule",
    "outcome": "ok",
    "attempts": 1,
    "authority": "plant_direct",
    "agent": "plant",
    "sender": "plant",
    "receiver": "cell:C1",
    "performative": "assign",
}


def i32(*values: int) -> Any:
    return np.array(values, dtype=np.int32)


def i64(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


def small_case(**changes: Any) -> Instance:
    """Three jobs; cells C1 (M1, M2) in area A1 and C2 (M3) in A2; one vehicle; 10 ticks a minute.

    Job 0: M1 or M2, then M3; due at 100. Job 1: M3, no due date. Job 2: M2, due at 50.
    """
    base = Instance(
        case="hand-s00",
        time_unit="min",
        ticks_per_unit=10,
        job_names=("J0", "J1", "J2"),
        release=i64(0, 10, 20),
        due=i64(100, -1, 50),
        weight=np.array([1.0, 1.0, 2.5]),
        patience=i64(0, 0, 0),
        operation_offset=i32(0, 2, 3, 4),
        family=i32(0, 1, 0, 1),
        eligible_offset=i32(0, 2, 3, 4, 5),
        eligible_machine=i32(0, 1, 2, 2, 1),
        nominal=i64(30, 40, 20, 20, 10),
        realised=i64(33, 44, 22, 20, 10),
        processing_power=i64(100, 110, 120, 120, 110),
        machine_names=("M1", "M2", "M3"),
        machine_cell=i32(0, 0, 1),
        power_idle=i64(10, 10, 10),
        power_setup=i64(20, 20, 20),
        power_blocked=i64(15, 15, 15),
        power_down=i64(1, 1, 1),
        initial_family=i32(-1, 0, 0),
        mean_repair=i64(0, 0, 0),
        setup=np.tile(np.array([[2, 3], [0, 5], [6, 0]], dtype=np.int64), (3, 1, 1)),
        down_offset=i32(0, 0, 0, 0),
        down_start=i64(),
        down_end=i64(),
        down_cause=i32(),
        down_interruption=i32(),
        cell_names=("C1", "C2"),
        cell_area=i32(0, 1),
        inbound=i32(1, 1),
        outbound=i32(1, 1),
        commitment=i32(2, 2),
        area_names=("A1", "A2"),
        power_cap=i64(-1, -1),
        wip_cap=i64(-1, -1),
        plant_power_cap=-1,
        vehicle_names=("V1",),
        vehicle_power=i64(50),
        travel=np.array([[0, 4, 6], [5, 0, 3], [7, 2, 0]], dtype=np.int64),
        eco_duration=(5, 4),
        eco_power=(1, 2),
        horizon=-1,
        decision_limit=1000,
        no_progress_limit=30,
        options=16,
    )
    return replace(base, **changes)


def _value(field: Any, value: Any) -> Any:
    return -1 if value is None and field.type == schema.INT else value


def table(name: str, rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows given as the columns that are filled."""
    columns = {
        field.name: [_value(field, row.get(field.name, EMPTY.get(field.name))) for row in rows]
        for field in schema.SCHEMAS[name]
    }
    if "seq" in columns:
        columns["seq"] = list(range(len(rows)))
    return schema.build(name, columns)


def small_trace(
    instance: Instance | None = None,
    status: str = "done",
    time: int = 100,
    **rows: Sequence[Mapping[str, Any]],
) -> Trace:
    """A trace of `instance` with the given rows, table by table."""
    instance = instance or small_case()
    return Trace(
        **{name: table(name, rows.get(name, ())) for name in schema.ROW_TABLES},
        case={name: schema.labelled(name, rows) for name, rows in instance.tables().items()},
        info={
            "suite": "hand",
            "paradigm": "centralized_plant",
            "controller": "native-rules",
            "replicate": 0,
            "status": status,
            "time": time,
            "cycle": [],
            "case": instance.case,
            "digest": instance.digest,
            "time_unit": instance.time_unit,
            "ticks_per_unit": instance.ticks_per_unit,
        },
    )


def event(time: int, kind: str, **columns: Any) -> dict[str, Any]:
    return {"time": time, "kind": kind, **columns}


def done(job: int, time: int) -> dict[str, Any]:
    return event(time, "job_complete", job=job)


def interval(entity: int, state: str, start: int, end: int, power: int) -> dict[str, Any]:
    """Of machine `entity`, or of vehicle -entity - 1 if negative."""
    kind = "machine" if entity >= 0 else "vehicle"
    entity = entity if entity >= 0 else -entity - 1
    return {
        "entity_kind": kind,
        "entity": entity,
        "state": state,
        "start": start,
        "end": end,
        "power": power,
    }
