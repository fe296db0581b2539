"""Instance: what it refuses, what its digest covers, what its tables hold."""

from __future__ import annotations

import pickle
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from desbench.errors import InstanceError
from desbench.instances.carbon import Carbon
from desbench.instances.instance import UNLIMITED, Instance
from shops import shop

PLAIN = shop(
    jobs=[[{0: 5, 1: 6}, {1: 3}], [{0: 4}]],
    due=[20, -1],
    vehicles=1,
    down={0: [(2, 4), (6, 9)], 1: [(3, 5, "shift")]},
)


def ints(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


def shorts(*values: int) -> Any:
    return np.array(values, dtype=np.int32)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"release": ints(0, -1)}, "job J1: release=-1, must be >= 0"),
        ({"release": ints(30, 0)}, "job J0: due=20, must be >= release=30, or -1 for none"),
        ({"due": ints(-2, 5)}, "job J0: due=-2, must be >= -1"),
        ({"weight": np.array([1.0, np.nan])}, "job J1: weight=nan, must be finite"),
        ({"patience": ints(0, -3)}, "job J1: patience=-3"),
        ({"release": shorts(0, 0)}, "dtype of release=int32, must be int64"),
        ({"release": ints(0)}, "shape of release=(1,), must be (2,)"),
        ({"release": [0, 0]}, "dtype of release=list"),
        ({"job_names": ("J0", "J0")}, "job name=J0, must be unique"),
        ({"machine_names": ("M0", "")}, "machine_names="),
        ({"operation_offset": shorts(0, 0, 3)}, "job J0: operations=0, must be >= 1"),
        ({"operation_offset": shorts(0, 2, 4)}, "operation_offset=0 .. 4, must be 0 .. 3"),
        ({"eligible_offset": shorts(0, 2, 2, 4)}, "job J0, operation 1: eligible machines=0"),
        ({"eligible_machine": shorts(1, 0, 1, 0)}, "job J0, operation 0 on machine M0"),
        ({"eligible_machine": shorts(0, 0, 1, 0)}, "must be strictly ascending"),
        ({"eligible_machine": shorts(0, 9, 1, 0)}, "on machine 9: eligible_machine=9, must be 0"),
        ({"nominal": ints(5, -6, 3, 4)}, "job J0, operation 0 on machine M1: nominal=-6"),
        ({"realised": ints(5, 6, 3, -4)}, "job J1, operation 0 on machine M0: realised=-4"),
        ({"family": shorts(0, 7, 0)}, "job J0, operation 1: family=7, must be 0 .. 0"),
        ({"machine_cell": shorts(0, 2)}, "machine M1: machine_cell=2"),
        ({"initial_family": shorts(-2, 0)}, "machine M0: initial_family=-2"),
        ({"power_idle": ints(-1, 0)}, "machine M0: power_idle=-1"),
        ({"setup": np.full((2, 2, 1), -1)}, "setup from family -1 to 0=-1"),
        ({"down_end": ints(2, 9, 5)}, "machine M0, stop 0: down_end=2, must be > its down_start"),
        ({"down_start": ints(2, 4, 3)}, "machine M0, stop 1: down_start=4, must be at least one"),
        ({"down_cause": shorts(0, 0, 4)}, "machine M1, stop 0: down_cause=4"),
        ({"down_interruption": shorts(0, 3, 0)}, "machine M0, stop 1: down_interruption=3"),
        ({"inbound": shorts(0, 2)}, "cell C0: inbound=0, must be >= 1"),
        ({"outbound": shorts(0, -1)}, "cell C1: outbound=-1"),
        ({"commitment": shorts(4, 1)}, "cell C1: commitment=1, must be >= inbound"),
        ({"cell_area": shorts(0, 1)}, "cell C1: cell_area=1"),
        ({"power_cap": ints(-2)}, "area A0: power_cap=-2"),
        ({"travel": np.ones((3, 3), np.int64)}, "travel from source to source: ticks=1"),
        ({"vehicle_power": ints(-4)}, "vehicle V0: vehicle_power=-4"),
        ({"horizon": 0}, "horizon=0, must be > 0, or -1"),
        ({"time_unit": "days"}, "time_unit=days"),
        ({"options": 0}, "options=0"),
        ({"deliver": 1}, "deliver=1, must be True or False"),
        ({"decision_limit": 1.5}, "decision_limit=1.5"),
        ({"eco_duration": (1, 2)}, "eco_duration=1/2, must be a fraction >= 1"),
        ({"eco_power": (3, 2)}, "eco_power=3/2"),
        ({"eco_power": (0, 0)}, "eco_power=0/0"),
        ({"review_period": 0}, "review_period=0, must be a whole number >= 1"),
        ({"review_period": 5}, "review_period=5, must be -1 where fewer than two areas have a"),
        ({"carbon": Carbon((0,), (-1,))}, "carbon.intensity=(-1,), must be whole numbers >= 0"),
        ({"carbon": Carbon((0, 4), (9,))}, "carbon.intensity=(9,), must be one value for each of"),
        ({"carbon": Carbon((1,), (9,))}, "carbon.start=(1,), must be 0 first, then strictly"),
        ({"carbon": Carbon((0, 4, 4), (9, 8, 7))}, "carbon.start=(0, 4, 4), must be 0 first"),
        ({"carbon": Carbon((0, 4), (9, 8), 4)}, "carbon.period=4, must be a whole number > 4"),
        ({"carbon": Carbon((0,), (2**61,))}, "largest possible intensity in g/kWh x ticks"),
        ({"carbon": Carbon((0,), (2**55,))}, "largest possible carbon in watt-ticks x g/kWh"),
        ({"nominal": ints(2**61, 2**61, 2**61, 2**61)}, "longest possible episode"),
        ({"processing_power": ints(*[2**61] * 4)}, "largest possible energy in watt-ticks"),
        ({"power_idle": ints(2**61, 2**61)}, "largest possible energy in watt-ticks"),
    ],
)
def test_each_bound_is_checked_and_named(change: dict[str, Any], message: str) -> None:
    """One broken bound at a time; the message names entity, field, value and rule."""
    with pytest.raises(InstanceError) as caught:
        replace(PLAIN, **change)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_arrays_are_frozen_copies() -> None:
    """Neither the caller's array nor a holder of the instance can change it, pickled or not."""
    mine = ints(0, 0)
    instance = replace(PLAIN, release=mine)
    mine[0] = 7
    assert instance.release[0] == 0
    for one in (instance, pickle.loads(pickle.dumps(instance))):
        with pytest.raises(ValueError, match="read-only"):
            one.release[0] = 1


def test_digest_covers_content_and_not_the_case_id() -> None:
    """Each changed field changes it; a copy, a pickle and another case id do not."""
    assert replace(PLAIN, case="other").digest == PLAIN.digest
    assert pickle.loads(pickle.dumps(PLAIN)).digest == PLAIN.digest
    changes: list[dict[str, Any]] = [
        {"release": ints(0, 1)},
        {"machine_names": ("M0", "M2")},
        {"job_names": ("J", "0J1")},
        {"horizon": 100},
        {"eco_power": (1, 3)},
        {"time_unit": "min"},
        {"down_cause": shorts(0, 0, 0)},
        {"down_interruption": shorts(0, 0, 2)},
        {"deliver": True},
    ]
    digests = {replace(PLAIN, **change).digest for change in changes}
    assert len(digests | {PLAIN.digest}) == len(changes) + 1


def test_case_tables_hold_the_documented_columns() -> None:
    """Columns as documented, int64, null for "none" and "unlimited"."""
    instance = replace(PLAIN, outbound=shorts(1, UNLIMITED))
    tables = instance.tables()
    assert {name: table.column_names for name, table in tables.items() if name != "case"} == {
        "jobs": ["job", "release", "due", "weight", "operations", "patience", "name"],
        "operations": ["job", "operation", "machine", "nominal", "realised", "family", "power"],
        "machines": [
            *("machine", "name", "cell", "power_idle", "power_setup", "power_blocked"),
            *("power_down", "initial_family", "mean_repair"),
        ],
        "cells": ["cell", "name", "area", "inbound", "outbound", "commitment"],
        "areas": ["area", "name", "power_cap", "wip_cap"],
        "vehicles": ["vehicle", "name", "power"],
        "travel": ["from", "to", "ticks"],
        "setups": ["machine", "from", "to", "ticks"],
        "downtimes": ["machine", "start", "end", "cause", "interruption"],
        "carbon": ["start", "intensity"],
    }
    assert tables["jobs"]["due"].to_pylist() == [20, None]
    assert tables["cells"]["outbound"].to_pylist() == [1, None]
    assert tables["areas"]["power_cap"].to_pylist() == [None]
    assert tables["case"]["horizon"].to_pylist() == [None]
    assert tables["case"]["digest"].to_pylist() == [instance.digest]
    assert tables["operations"].select(["job", "operation", "machine"]).to_pydict() == {
        "job": [0, 0, 0, 1],
        "operation": [0, 0, 1, 0],
        "machine": [0, 1, 1, 0],
    }
    assert tables["downtimes"]["cause"].to_pylist() == ["breakdown", "breakdown", "shift"]
    numbers = [f for t in tables.values() for f in t.schema if str(f.type).startswith("int")]
    assert {str(field.type) for field in numbers} == {"int64"}


def test_a_hundred_thousand_operations_take_a_moment() -> None:
    """Checks, digest and tables are linear; ten times the usual time still passes."""
    jobs, each = 20_000, 5
    count = jobs * each
    small = shop(jobs=[[{0: 1}]])
    fields: dict[str, Any] = {
        "job_names": tuple(f"J{j}" for j in range(jobs)),
        "release": np.zeros(jobs, np.int64),
        "due": np.full(jobs, -1),
        "weight": np.ones(jobs),
        "patience": np.zeros(jobs, np.int64),
        "operation_offset": np.arange(0, count + 1, each, dtype=np.int32),
        "family": np.zeros(count, np.int32),
        "eligible_offset": np.arange(count + 1, dtype=np.int32),
        "eligible_machine": np.zeros(count, np.int32),
        **dict.fromkeys(("nominal", "realised", "processing_power"), np.ones(count, np.int64)),
    }
    start = time.perf_counter()
    instance: Instance = replace(small, **fields)
    assert len(instance.digest) == 64
    assert instance.tables()["operations"].num_rows == count
    assert time.perf_counter() - start < 3
