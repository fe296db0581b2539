"""One shop and one seed become an Instance: the last place where anything is drawn or rounded."""

from __future__ import annotations

from typing import Any

import numpy as np

from desbench.instances import crossings
from desbench.instances.bounds import INT32_MAX
from desbench.instances.carbon import UNCOUNTED, Carbon
from desbench.instances.coordination import Coordination
from desbench.instances.draw import Streams
from desbench.instances.instance import I64, Instance
from desbench.instances.jobs import Clock, Job, JobSource
from desbench.instances.schema import DecisionDelay, Machine, Setup, Shop
from desbench.instances.stops import calendar, mean_repair


def build(shop: Shop, case: str, stream: str, seed: int) -> Instance:
    """Draw the case `case` of `shop`.

    Parameters
    ----------
    stream
        The stream key of the profile.
    seed
        0 <= seed < 2**63.
    """
    streams, clock = Streams(stream, seed), Clock(shop.ticks_per_unit)
    named = [(name, machine) for _, name, machine in crossings.machines(shop)]
    families = {name: f for f, name in enumerate(crossings.families(shop))}
    source = JobSource(shop, streams, [(name, machine.can) for name, machine in named])
    jobs = list(source.jobs())
    fields = _jobs(jobs) | _operations(jobs, families, [machine for _, machine in named])
    fields |= _machines(shop, named, families, clock) | _stops(shop, named, streams, clock)
    fields |= _cells(shop) | _limits(shop, len(fields["family"]), clock)
    return Instance(
        case=case, time_unit=shop.time_unit, ticks_per_unit=shop.ticks_per_unit, **fields
    )


def _int64(values: Any) -> I64:
    return np.array(list(values), dtype=np.int64)


def _int32(values: Any) -> Any:
    return np.array(list(values), dtype=np.int32)


def _offsets(sizes: Any) -> Any:
    return np.concatenate(([0], np.cumsum(list(sizes)))).astype(np.int32)


def _jobs(jobs: list[Job]) -> dict[str, Any]:
    return {
        "job_names": tuple(job.name for job in jobs),
        "release": _int64(job.release for job in jobs),
        "due": _int64(job.due for job in jobs),
        "weight": np.array([job.weight for job in jobs], dtype=np.float64),
        "patience": _int64(job.patience for job in jobs),
        "operation_offset": _offsets(len(job.operations) for job in jobs),
    }


def _operations(
    jobs: list[Job], families: dict[str, int], machines: list[Machine]
) -> dict[str, Any]:
    works = [work for job in jobs for work in job.operations]
    sizes = [len(work.machines) for work in works]
    machine = np.concatenate([work.machines for work in works])
    own = _int64(m.power.processing for m in machines)
    stated = np.repeat(_int64(-1 if w.power is None else w.power for w in works), sizes)
    return {
        "family": _int32(families[work.family] for work in works),
        "eligible_offset": _offsets(sizes),
        "eligible_machine": machine.astype(np.int32),
        "nominal": np.concatenate([work.nominal for work in works]),
        "realised": np.concatenate([work.realised for work in works]),
        "processing_power": np.where(stated >= 0, stated, own[machine]),
    }


def _machines(
    shop: Shop, named: list[tuple[str, Machine]], families: dict[str, int], clock: Clock
) -> dict[str, Any]:
    machines = [machine for _, machine in named]
    cells = [cell for area in shop.areas.values() for cell in area.cells.values()]
    initial = [m.initial_family for m in machines]
    return {
        "machine_names": tuple(name for name, _ in named),
        "machine_cell": _int32(c for c, cell in enumerate(cells) for _ in cell.machines),
        "power_idle": _int64(m.power.idle for m in machines),
        "power_setup": _int64(m.power.setup for m in machines),
        "power_blocked": _int64(m.power.blocked for m in machines),
        "power_down": _int64(m.power.down for m in machines),
        "initial_family": _int32(-1 if name is None else families[name] for name in initial),
        "setup": np.stack([_setup(m.setup, families, clock) for m in machines]),
    }


def _setup(setup: Setup, families: dict[str, int], clock: Clock) -> I64:
    """[F + 1, F] ticks; row 0 is "no family yet"."""
    matrix = np.full((len(families) + 1, len(families)), 0, dtype=np.int64)
    matrix[0] = clock.ticks(setup.initial, "setup")
    matrix[1:] = clock.ticks(setup.different, "setup")
    np.fill_diagonal(matrix[1:], clock.ticks(setup.same, "setup"))
    for start, row in setup.pairs.items():
        for end, time in row.items():
            matrix[families[start] + 1, families[end]] = clock.ticks(time, "setup")
    return matrix


def _stops(
    shop: Shop, named: list[tuple[str, Machine]], streams: Streams, clock: Clock
) -> dict[str, Any]:
    span = shop.horizon if shop.down_until is None else shop.down_until
    calendars = [calendar(name, m, span or 0.0, streams, clock) for name, m in named]
    stops = [stop for stops in calendars for stop in stops]
    means = (mean_repair(m, stops, clock) for (_, m), stops in zip(named, calendars, strict=True))
    return {
        "mean_repair": _int64(means),
        "down_offset": _offsets(len(stops) for stops in calendars),
        "down_start": _int64(stop.start for stop in stops),
        "down_end": _int64(stop.end for stop in stops),
        "down_cause": _int32(stop.cause for stop in stops),
        "down_interruption": _int32(stop.interruption for stop in stops),
    }


def _cells(shop: Shop) -> dict[str, Any]:
    areas = list(shop.areas.values())
    cells = [cell for area in areas for cell in area.cells.values()]
    doubled = [min(2 * cell.inbound, INT32_MAX) for cell in cells]
    commitments = [
        double if cell.commitment is None else cell.commitment
        for cell, double in zip(cells, doubled, strict=True)
    ]
    return {
        "cell_names": tuple(name for area in areas for name in area.cells),
        "cell_area": _int32(a for a, area in enumerate(areas) for _ in area.cells),
        "inbound": _int32(cell.inbound for cell in cells),
        "outbound": _int32(cell.outbound for cell in cells),
        "commitment": _int32(commitments),
        "area_names": tuple(shop.areas),
        "power_cap": _int64(_or_none(area.power_cap) for area in areas),
        "wip_cap": _int64(_or_none(area.wip_cap) for area in areas),
    }


def _limits(shop: Shop, operations: int, clock: Clock) -> dict[str, Any]:
    fleet = shop.vehicles.count
    return {
        "plant_power_cap": _or_none(shop.plant.power_cap),
        "vehicle_names": tuple(f"V{k + 1}" for k in range(fleet)),
        "vehicle_power": _int64([shop.vehicles.power] * fleet),
        "travel": _travel(shop, clock),
        "eco_duration": tuple(shop.eco.duration),
        "eco_power": tuple(shop.eco.power),
        "horizon": -1 if shop.horizon is None else max(1, clock.ticks(shop.horizon, "horizon")),
        "decision_limit": shop.decision_limit or 50 * operations,
        "no_progress_limit": shop.no_progress_limit,
        "options": shop.options,
        "deliver": shop.deliver,
        "coordination": _coordination(shop, clock),
        "review_period": -1
        if shop.review_period is None
        else max(1, clock.ticks(shop.review_period, "review_period")),
        "carbon": _carbon(shop, clock),
    }


def _coordination(shop: Shop, clock: Clock) -> Coordination:
    stated, where = shop.coordination, "coordination"
    roles = stated.decision_delay or DecisionDelay()
    return Coordination(
        clock.ticks(stated.message_delay, where),
        plant=clock.ticks(roles.plant, where),
        area=clock.ticks(roles.area, where),
        cell=clock.ticks(roles.cell, where),
        is_measured=stated.decision_delay is None,
        deadline=-1 if stated.deadline is None else clock.ticks(stated.deadline, where),
    )


def _carbon(shop: Shop, clock: Clock) -> Carbon:
    if shop.carbon is None:
        return UNCOUNTED
    steps, period = shop.carbon.intensity, shop.carbon.period
    return Carbon(
        tuple(clock.ticks(step.start, "carbon") for step in steps),
        tuple(step.g_per_kwh for step in steps),
        -1 if period is None else clock.ticks(period, "carbon"),
    )


def _or_none(value: int | None) -> int:
    return -1 if value is None else value


def _travel(shop: Shop, clock: Clock) -> I64:
    """[L, L] ticks; location 0 is the source."""
    travel = shop.travel
    areas = [a for a, area in enumerate(shop.areas.values()) for _ in area.cells]
    default = travel.default or 0.0

    def rule(stated: float | None) -> int:
        return clock.ticks(default if stated is None else stated, "travel")

    area = np.array(areas)
    matrix = np.full((len(areas) + 1, len(areas) + 1), rule(travel.source), dtype=np.int64)
    same = area[:, None] == area[None, :]
    matrix[1:, 1:] = np.where(same, rule(travel.within_area), rule(travel.between_areas))
    np.fill_diagonal(matrix, 0)
    names = [crossings.SOURCE, *(c for a in shop.areas.values() for c in a.cells)]
    index = {name: location for location, name in enumerate(names)}
    for pair in travel.pairs:
        matrix[index[pair.start], index[pair.end]] = clock.ticks(pair.time, "travel")
    return matrix
