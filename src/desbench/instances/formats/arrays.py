"""Shop -> Instance: each machine a cell of its own, room everywhere, nothing breaks or draws power.

What a file states about cells, stops, power and the like (`Shop.fields`) replaces these defaults.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from desbench.instances.formats.shop import Shop
from desbench.instances.instance import I32, I64, NONE, UNLIMITED, Instance

DECISIONS_PER_OPERATION = 50  #: the default limit of epochs
ECO = {"eco_duration": (5, 4), "eco_power": (3, 4)}


def to_instance(shop: Shop) -> Instance:
    """Give the Instance of a shop; linear in its operations, square in its machines."""
    fields = _jobs(shop) | _operations(shop) | _machines(shop) | _cells(shop) | _transport(shop)
    fields |= {
        "horizon": NONE,
        "decision_limit": DECISIONS_PER_OPERATION * shop.operations,
        "no_progress_limit": 30,
        "options": 16,
        "plant_power_cap": NONE,
        "time_unit": "s",
        **ECO,
        **shop.fields,
    }
    return Instance(case=f"{slug(shop.name)}-s00", ticks_per_unit=shop.ticks_per_unit, **fields)


def slug(name: str) -> str:
    """Give a profile id after a name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:100] or "shop"


def _names(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{index}" for index in range(count))


def _all(value: int, count: int) -> I64:
    return np.full(count, value, dtype=np.int64)


def _small(value: int, count: int) -> I32:
    return np.full(count, value, dtype=np.int32)


def _offsets(sizes: Iterable[int], count: int) -> I32:
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.fromiter(sizes, dtype=np.int64, count=count), out=offsets[1:])
    return offsets.astype(np.int32)


def _jobs(shop: Shop) -> dict[str, Any]:
    count = len(shop.jobs)
    return {
        "job_names": _names("J", count),
        "release": _all(0, count),
        "due": _all(NONE, count),
        "weight": np.ones(count),
        "patience": _all(0, count),
        "operation_offset": _offsets(map(len, shop.jobs), count),
    }


def _operations(shop: Shop) -> dict[str, Any]:
    operations = [sorted(operation) for job in shop.jobs for operation in job]
    total = sum(map(len, operations))
    flat = np.fromiter(
        chain.from_iterable(chain.from_iterable(operations)), dtype=np.int64, count=2 * total
    ).reshape(total, 2)
    families = chain.from_iterable(shop.families or [])
    return {
        "family": np.fromiter(families, dtype=np.int32, count=len(operations))
        if shop.families
        else _small(0, len(operations)),
        "eligible_offset": _offsets(map(len, operations), len(operations)),
        "eligible_machine": flat[:, 0].astype(np.int32),
        "nominal": flat[:, 1],
        "realised": flat[:, 1],
        "processing_power": _all(0, total),
    }


def _machines(shop: Shop) -> dict[str, Any]:
    count = shop.machines
    states = ("power_idle", "power_setup", "power_blocked", "power_down")
    return {
        "machine_names": _names("M", count),
        "machine_cell": np.arange(count, dtype=np.int32),
        **{state: _all(0, count) for state in states},
        "initial_family": _small(NONE, count),
        "mean_repair": _all(0, count),
        "setup": _setup(shop),
        "down_offset": _small(0, count + 1),
        "down_start": _all(0, 0),
        "down_end": _all(0, 0),
        "down_cause": _small(0, 0),
        "down_interruption": _small(0, 0),
    }


def _setup(shop: Shop) -> I64:
    """[M, F + 1, F]; the first operation of a machine needs no setup."""
    if shop.setups is None:
        return np.zeros((shop.machines, 2, 1), dtype=np.int64)
    matrices = np.array(shop.setups, dtype=np.int64)
    machines, families, _ = matrices.shape
    first = np.zeros((machines, 1, families), dtype=np.int64)
    return np.concatenate([first, matrices], axis=1)


def _cells(shop: Shop) -> dict[str, Any]:
    count = shop.machines
    return {
        "cell_names": _names("C", count),
        "cell_area": _small(0, count),
        "inbound": _small(UNLIMITED, count),
        "outbound": _small(UNLIMITED, count),
        "commitment": _small(UNLIMITED, count),
        "area_names": ("A0",),
        "power_cap": _all(NONE, 1),
        "wip_cap": _all(NONE, 1),
    }


def _transport(shop: Shop) -> dict[str, Any]:
    places = shop.machines + 1
    if "travel" in shop.fields:  # do not build a matrix that is replaced
        travel = shop.fields["travel"]
    elif shop.travel is None:
        travel = np.zeros((places, places), dtype=np.int64)
    else:
        travel = np.array(shop.travel, dtype=np.int64)
    return {
        "vehicle_names": tuple(f"V{k + 1}" for k in range(shop.vehicles)),
        "vehicle_power": _all(0, shop.vehicles),
        "travel": travel,
    }
