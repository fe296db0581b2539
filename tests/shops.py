"""Small shops for tests: `shop(...)` by hand, `random_instance(seed)` at random.

`shop(jobs=[[{0: 5}, {1: 3}]])` is one job with two operations, 5 ticks on machine 0, then 3 on
machine 1, in a shop with one cell a machine. Every other keyword of `shop` has a default that stays
out of the way: no travel, no vehicles, no setups, no stops, no caps, roomy buffers. Where a list is
expected, one value stands for all entities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, TypeVar

import numpy as np

from desbench.instances.carbon import UNCOUNTED, Carbon
from desbench.instances.coordination import FROZEN_CLOCK
from desbench.instances.instance import CAUSES, INTERRUPTIONS, UNLIMITED, Instance

T = TypeVar("T")
Duration = int | tuple[int, int]  #: nominal = realised, or (nominal, realised)
Operation = Mapping[int, Duration]  #: by machine
#: start, end, cause (default breakdown), interruption (default that of the machine)
Stop = tuple[int, int] | tuple[int, int, str] | tuple[int, int, str, str]
Names = tuple[str, ...]

WATTS = {"idle": 1, "setup": 3, "blocked": 2, "down": 0, "processing": 5}


def each(value: T | Sequence[T], count: int) -> list[T]:
    """One value for all, or a value for each."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        assert len(value) == count, f"{len(value)} values for {count} entities"
        return list(value)
    return [value] * count


def _names(prefix: str, count: int) -> Names:
    return tuple(f"{prefix}{index}" for index in range(count))


def _offsets(groups: Sequence[Sequence[Any]]) -> np.ndarray:
    return np.cumsum([0, *map(len, groups)], dtype=np.int32)


def _ints(values: Any) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def _shorts(values: Any) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def shop(jobs: Sequence[Sequence[Operation]], **settings: Any) -> Instance:
    """Build an instance from a few keywords.

    Parameters
    ----------
    jobs
        Per job its operations, each `{machine: duration}` or `{machine: (nominal, realised)}`.
    cells
        Per cell its machines; default one cell a machine.
    areas
        Per area its cells; default one area with all.
    inbound, outbound, commitment
        Per cell; defaults 2, 1 and twice the inbound buffer.
    release, due, weight, patience
        Per job; defaults 0, -1, 1.0, 0.
    families
        Per job a family per operation; default all 0.
    setup
        Ticks of every change of family and from none (0 within a family), or `[M, F + 1, F]`.
    initial_family, mean_repair, interruption
        Per machine; defaults -1, 5, "resume" (of its stops that do not say it themselves).
    down
        `{machine: [(start, end), (start, end, cause), (start, end, cause, interruption), ..]}`.
    vehicles, vehicle_power, travel
        Number (0 = unlimited fleet), watts, and ticks between all places or an `[L, L]` matrix.
    watts
        By state, as `WATTS`, a value or one per machine; `processing` may be one per machine too.
    power_cap, wip_cap, plant_power_cap
        Per area, per area, plant; default -1.
    eco_duration, eco_power, horizon, decision_limit, no_progress_limit, options, deliver,
    coordination, review_period, carbon
        As in `Instance`; defaults (3, 2), (1, 2), -1, 10000, 30, 8, False, no time, -1, none.
    """
    known = dict(settings)
    machines = 1 + max(m for job in jobs for operation in job for m in operation)
    cells: Sequence[Sequence[int]] = known.pop("cells", [[m] for m in range(machines)])
    machines = sum(map(len, cells))
    fields = {
        **_job_fields(jobs, known),
        **_operation_fields(jobs, known, machines),
        **_machine_fields(cells, known),
        **_down_fields(machines, known),
        **_cell_fields(cells, known),
        **_transport_fields(len(cells), known),
        **_limit_fields(known),
    }
    assert not known, f"shop() does not know {sorted(known)}"
    return Instance(case="test-s0", time_unit="s", ticks_per_unit=1, **fields)


def _job_fields(jobs: Sequence[Sequence[Operation]], known: dict[str, Any]) -> dict[str, Any]:
    count = len(jobs)
    return {
        "job_names": _names("J", count),
        "release": _ints(each(known.pop("release", 0), count)),
        "due": _ints(each(known.pop("due", -1), count)),
        "weight": np.array(each(known.pop("weight", 1.0), count), dtype=np.float64),
        "patience": _ints(each(known.pop("patience", 0), count)),
        "operation_offset": _offsets(jobs),
    }


def _operation_fields(
    jobs: Sequence[Sequence[Operation]], known: dict[str, Any], machines: int
) -> dict[str, Any]:
    operations = [operation for job in jobs for operation in job]
    families = known.pop("families", None)
    flat = [0] * len(operations) if families is None else [f for job in families for f in job]
    rows = [(m, operation[m]) for operation in operations for m in sorted(operation)]
    durations = [d if isinstance(d, tuple) else (d, d) for _, d in rows]
    watts = each({**WATTS, **known.get("watts", {})}["processing"], machines)
    known["family_count"] = max(flat) + 1
    return {
        "family": _shorts(flat),
        "eligible_offset": _offsets([list(operation) for operation in operations]),
        "eligible_machine": _shorts([m for m, _ in rows]),
        "nominal": _ints([nominal for nominal, _ in durations]),
        "realised": _ints([realised for _, realised in durations]),
        "processing_power": _ints([watts[m] for m, _ in rows]),
    }


def _machine_fields(cells: Sequence[Sequence[int]], known: dict[str, Any]) -> dict[str, Any]:
    count = sum(map(len, cells))
    cell_of = {m: c for c, machines in enumerate(cells) for m in machines}
    watts = {**WATTS, **known.pop("watts", {})}
    return {
        "machine_names": _names("M", count),
        "machine_cell": _shorts([cell_of[m] for m in range(count)]),
        **{
            f"power_{state}": _ints(each(watts[state], count))
            for state in ("idle", "setup", "blocked", "down")
        },
        "initial_family": _shorts(each(known.pop("initial_family", -1), count)),
        "mean_repair": _ints(each(known.pop("mean_repair", 5), count)),
        "setup": _setup(known.pop("setup", 0), count, known.pop("family_count")),
    }


def _setup(setup: Any, machines: int, families: int) -> np.ndarray:
    if not isinstance(setup, int):
        return _ints(setup)
    ticks = np.full((machines, families + 1, families), setup, dtype=np.int64)
    ticks[:, range(1, families + 1), range(families)] = 0
    return ticks


def _down_fields(machines: int, known: dict[str, Any]) -> dict[str, Any]:
    down: Mapping[int, Sequence[Stop]] = known.pop("down", {})
    groups = [down.get(m, []) for m in range(machines)]
    usual = each(known.pop("interruption", "resume"), machines)
    stops = [
        (*stop, *("breakdown", usual[m])[len(stop) - 2 :])
        for m, group in enumerate(groups)
        for stop in group
    ]
    return {
        "down_offset": _offsets(groups),
        "down_start": _ints([start for start, _, _, _ in stops]),
        "down_end": _ints([end for _, end, _, _ in stops]),
        "down_cause": _shorts([CAUSES.index(cause) for _, _, cause, _ in stops]),
        "down_interruption": _shorts([INTERRUPTIONS.index(name) for _, _, _, name in stops]),
    }


def _cell_fields(cells: Sequence[Sequence[int]], known: dict[str, Any]) -> dict[str, Any]:
    count = len(cells)
    areas: Sequence[Sequence[int]] = known.pop("areas", [range(count)])
    area_of = {c: a for a, members in enumerate(areas) for c in members}
    inbound = each(known.pop("inbound", 2), count)
    twice = [min(UNLIMITED, 2 * places) for places in inbound]
    return {
        "cell_names": _names("C", count),
        "cell_area": _shorts([area_of[c] for c in range(count)]),
        "inbound": _shorts(inbound),
        "outbound": _shorts(each(known.pop("outbound", 1), count)),
        "commitment": _shorts(each(known.pop("commitment", twice), count)),
        "area_names": _names("A", len(areas)),
        "power_cap": _ints(each(known.pop("power_cap", -1), len(areas))),
        "wip_cap": _ints(each(known.pop("wip_cap", -1), len(areas))),
        "plant_power_cap": known.pop("plant_power_cap", -1),
    }


def _transport_fields(cells: int, known: dict[str, Any]) -> dict[str, Any]:
    count, travel = known.pop("vehicles", 0), known.pop("travel", 0)
    if isinstance(travel, int):
        travel = travel * (1 - np.eye(cells + 1, dtype=np.int64))
    return {
        "vehicle_names": _names("V", count),
        "vehicle_power": _ints(each(known.pop("vehicle_power", 4), count)),
        "travel": _ints(travel),
    }


def _limit_fields(known: dict[str, Any]) -> dict[str, Any]:
    defaults = {
        "eco_duration": (3, 2),
        "eco_power": (1, 2),
        "horizon": -1,
        "decision_limit": 10_000,
        "no_progress_limit": 30,
        "options": 8,
        "deliver": False,
        "coordination": FROZEN_CLOCK,
        "review_period": -1,
        "carbon": UNCOUNTED,
    }
    return {name: known.pop(name, value) for name, value in defaults.items()}


# at random


def random_instance(seed: int | Random, **traits: Any) -> Instance:
    """Draw a small shop in which rules meet often: short times, tight buffers, low caps.

    `traits` fixes what would be drawn: `jobs`, `cells`, `areas` (numbers), or any keyword of `shop`
    but the structural ones.
    """
    rng = seed if isinstance(seed, Random) else Random(seed)
    cells = traits.pop("cells", None) or rng.randint(1, 5)
    areas = min(cells, traits.pop("areas", None) or rng.randint(1, 4))
    jobs = traits.pop("jobs", None) or rng.randint(1, 8)
    sizes = [rng.choice((1, 1, 2, 3)) for _ in range(cells)]
    numbers = iter(_shuffled(rng, sum(sizes)))
    layout = [sorted(next(numbers) for _ in range(size)) for size in sizes]
    machines = sum(sizes)
    longest = rng.choice((1, 3, 6))
    routes = [_route(rng, machines, longest) for _ in range(jobs)]
    settings = {
        "cells": layout,
        "areas": _split(rng, cells, areas),
        **_draw_jobs(rng, routes),
        **_draw_machines(rng, machines),
        **_draw_cells(rng, cells),
        **_draw_transport(rng, cells),
        **_draw_limits(rng, areas, machines),
    }
    families = 1 + max(f for job in settings["families"] for f in job)
    settings["initial_family"] = [rng.randrange(-1, families) for _ in range(machines)]
    settings["setup"] = _draw_setup(rng, machines, families)
    if sum(cap >= 0 for cap in settings["power_cap"]) > 1:
        settings["review_period"] = rng.choice((-1, rng.randint(1, 9)))
    settings["carbon"] = _draw_carbon(rng)
    return shop(routes, **{**settings, **traits})


def _shuffled(rng: Random, count: int) -> list[int]:
    return rng.sample(range(count), count)


def _split(rng: Random, cells: int, areas: int) -> list[list[int]]:
    """Every area gets a cell, the other cells an area at random."""
    order = _shuffled(rng, cells)
    groups = [[order[area]] for area in range(areas)]
    for cell in order[areas:]:
        rng.choice(groups).append(cell)
    return groups


def _route(rng: Random, machines: int, longest: int) -> list[dict[int, Duration]]:
    return [
        {
            machine: _duration(rng, longest)
            for machine in rng.sample(range(machines), min(machines, rng.choice((1, 1, 2, 3))))
        }
        for _ in range(rng.randint(1, 4))
    ]


def _duration(rng: Random, longest: int) -> Duration:
    nominal = rng.randint(0, longest)
    return nominal if rng.random() < 0.6 else (nominal, rng.randint(0, longest))


def _draw_jobs(rng: Random, routes: Sequence[Sequence[Operation]]) -> dict[str, Any]:
    spread, families = rng.choice((0, 3, 12)), rng.randint(1, 3)
    hasty = rng.random() < 0.5
    return {
        "release": [rng.randint(0, spread) for _ in routes],
        "patience": [rng.choice((0, 1, 2, 4)) if hasty else 0 for _ in routes],
        "families": [[rng.randrange(families) for _ in route] for route in routes],
    }


def _draw_setup(rng: Random, machines: int, families: int) -> list[list[list[int]]]:
    longest = rng.choice((0, 1, 4))
    return [
        [[rng.randint(0, longest) for _ in range(families)] for _ in range(families + 1)]
        for _ in range(machines)
    ]


def _draw_machines(rng: Random, machines: int) -> dict[str, Any]:
    frail = rng.choice((0.0, 0.5, 1.0))
    return {
        "mean_repair": [rng.randint(0, 6) for _ in range(machines)],
        "down": {m: _stops(rng) for m in range(machines) if rng.random() < frail},
        "watts": {
            state: [rng.randint(low, high) for _ in range(machines)]
            for state, low, high in (
                ("idle", 0, 2),
                ("setup", 1, 5),
                ("blocked", 0, 3),
                ("down", 0, 1),
                ("processing", 1, 9),
            )
        },
    }


def _stops(rng: Random) -> list[Stop]:
    stops: list[Stop] = []
    end, apart = rng.randint(-1, 8), rng.choice((1, 3, 8))
    for _ in range(rng.randint(1, 4)):
        start = end + rng.randint(1, apart)
        end = start + rng.randint(1, 6)
        stops.append((start, end, rng.choice(CAUSES), rng.choice(INTERRUPTIONS)))
    return stops


def _draw_cells(rng: Random, cells: int) -> dict[str, Any]:
    tight = rng.random() < 0.6
    places = (1, 1, 2) if tight else (1, 2, 3, UNLIMITED)
    inbound = [rng.choice(places) for _ in range(cells)]
    extra = (0, 0, 1, 2) if tight else (0, 2, UNLIMITED)
    return {
        "inbound": inbound,
        "outbound": [rng.choice((0, 0, 1) if tight else (0, 1, 2, UNLIMITED)) for _ in inbound],
        "commitment": [min(UNLIMITED, i + rng.choice(extra)) for i in inbound],
    }


def _draw_transport(rng: Random, cells: int) -> dict[str, Any]:
    longest, vehicles = rng.choice((0, 1, 3)), rng.choice((0, 0, 1, 2, 3))
    places = range(cells + 1)
    return {
        "vehicles": vehicles,
        "vehicle_power": [rng.randint(0, 4) for _ in range(vehicles)],
        "travel": [[0 if a == b else rng.randint(0, longest) for b in places] for a in places],
    }


def _draw_limits(rng: Random, areas: int, machines: int) -> dict[str, Any]:
    return {
        "power_cap": [
            rng.choice((-1, rng.randint(0, 8), rng.randint(2, 15))) for _ in range(areas)
        ],
        "wip_cap": [rng.choice((-1, rng.randint(0, 4))) for _ in range(areas)],
        "plant_power_cap": rng.choice((-1, rng.randint(0, 5 * machines))),
        "eco_duration": rng.choice(((3, 2), (1, 1), (2, 1), (5, 3))),
        "eco_power": rng.choice(((1, 2), (1, 1), (0, 1), (2, 3))),
        "horizon": rng.choice((-1, -1, -1, rng.randint(1, 40))),
        "decision_limit": rng.choice((400, 400, 400, rng.randint(1, 30))),
        "no_progress_limit": rng.randint(1, 4),
        "deliver": rng.random() < 0.3,
    }


def _draw_carbon(rng: Random) -> Carbon:
    start = sorted({0, *(rng.randint(1, 9) for _ in range(rng.randint(0, 3)))})
    period = rng.choice((-1, start[-1] + rng.randint(1, 9)))
    steps = Carbon(tuple(start), tuple(rng.randint(0, 9) for _ in start), period)
    return rng.choice((UNCOUNTED, steps))
