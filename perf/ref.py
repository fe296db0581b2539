"""REF, the reference workload, as an Instance, and what a run of it must end with.

12 cells x 3 machines; jobs of 8 operations on random routes, each operation eligible on all
machines of its cell; an unlimited fleet; setups between 4 families; down time by calendar with
resume; buffers without limit; inter-arrival times such that machines are loaded to about 0.85. All
draws are made beforehand with a keyed Philox, so that another simulator can be fed with the same
arrays (`ref_simpy.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from desbench._engine.simulation import EVENT_KINDS, MACHINE_STATES, Simulation
from desbench.instances.instance import UNLIMITED, Instance

TICKS = 1_000_000  #: per time unit; so fine that independent events practically never tie
CELLS, MACHINES_PER_CELL, OPERATIONS, FAMILIES = 12, 3, 8, 4
MACHINES = CELLS * MACHINES_PER_CELL
BETWEEN_ARRIVALS, MEAN_UP, MEAN_DOWN = 3.3, 200.0, 20.0

#: What counts as one physical event; the other rows happen together with one of these.
PHYSICAL = ("arrival", "transport_complete", "setup_complete", "finish", "breakdown", "repair")


@dataclass(frozen=True)
class Outcome:
    """What two simulators of REF must agree on, to the last tick."""

    events: int  #: physical ones
    end: int
    flow_time: int  #: sum over the jobs, in ticks
    energy: tuple[tuple[int, ...], ...]  #: watt-ticks by machine and state, MACHINE_STATES


def ref(
    jobs: int,
    seed: int = 0,
    *,
    at_once: bool = False,
    cells: int = CELLS,
    length: int = OPERATIONS,
) -> Instance:
    """Build REF with so many jobs.

    Parameters
    ----------
    at_once
        All jobs are released at time 0.
    cells, length
        How many cells the routes visit and how many operations they have; one and one make a
        single queue.
    """
    operations = jobs * length
    gaps = _draw(seed, 0).exponential(BETWEEN_ARRIVALS * TICKS, jobs)
    release = np.zeros(jobs, np.int64) if at_once else np.cumsum(gaps).astype(np.int64)
    cell = _draw(seed, 1).integers(0, cells, operations)
    duration = np.repeat(_uniform(seed, 2, 5, 15, operations), MACHINES_PER_CELL)
    machine = cell[:, None] * MACHINES_PER_CELL + np.arange(MACHINES_PER_CELL)
    # All at once keeps the machines busy for as long as the arrivals would, and a little longer.
    span = jobs * BETWEEN_ARRIVALS * 1.3 + 10 * MEAN_UP
    return Instance(
        case=f"ref-s{seed}",
        time_unit="min",
        ticks_per_unit=TICKS,
        job_names=_names("J", jobs),
        release=release,
        due=release + (_draw(seed, 7).integers(100, 300, jobs) * TICKS),
        weight=np.ones(jobs),
        patience=np.zeros(jobs, np.int64),
        operation_offset=np.arange(0, operations + 1, length, dtype=np.int32),
        family=_draw(seed, 3).integers(0, FAMILIES, operations).astype(np.int32),
        eligible_offset=np.arange(0, 3 * operations + 1, 3, dtype=np.int32),
        eligible_machine=machine.reshape(-1).astype(np.int32),
        nominal=duration,
        realised=duration,
        processing_power=(5 + machine % 4).reshape(-1).astype(np.int64),
        **_plant(seed),
        **_down(seed, span),
    )


def _plant(seed: int) -> dict[str, object]:
    index = np.arange(MACHINES)
    travel = _uniform(seed, 5, 1, 5, (CELLS + 1) ** 2).reshape(CELLS + 1, CELLS + 1)
    np.fill_diagonal(travel, 0)
    size = MACHINES * (FAMILIES + 1) * FAMILIES
    setup = _uniform(seed, 6, 1, 3, size).reshape(MACHINES, FAMILIES + 1, FAMILIES)
    setup[:, np.arange(1, FAMILIES + 1), np.arange(FAMILIES)] = 0
    return {
        "machine_names": _names("M", MACHINES),
        "machine_cell": (index // MACHINES_PER_CELL).astype(np.int32),
        "power_idle": 1 + index % 2,
        "power_setup": 3 + index % 3,
        "power_blocked": np.full(MACHINES, 2),
        "power_down": index % 2,
        "initial_family": np.full(MACHINES, -1, np.int32),
        "mean_repair": np.full(MACHINES, int(MEAN_DOWN) * TICKS),
        "setup": setup,
        "cell_names": _names("C", CELLS),
        "cell_area": (np.arange(CELLS) // 4).astype(np.int32),
        "inbound": np.full(CELLS, UNLIMITED, np.int32),
        "outbound": np.full(CELLS, UNLIMITED, np.int32),
        "commitment": np.full(CELLS, UNLIMITED, np.int32),
        "area_names": _names("A", 3),
        "power_cap": np.full(3, -1),
        "wip_cap": np.full(3, -1),
        "plant_power_cap": -1,
        "vehicle_names": (),
        "vehicle_power": np.zeros(0, np.int64),
        "travel": travel,
        "eco_duration": (1, 1),
        "eco_power": (1, 1),
        "horizon": -1,
        "decision_limit": 1,
        "no_progress_limit": 30,
        "options": 8,
    }


def _down(seed: int, span: float) -> dict[str, object]:
    """Stops of every machine until the span is over."""
    count = math.ceil(span / (MEAN_UP + MEAN_DOWN))
    draw = _draw(seed, 4)
    up = 1 + draw.exponential(MEAN_UP * TICKS, (MACHINES, count)).astype(np.int64)
    length = 1 + draw.exponential(MEAN_DOWN * TICKS, (MACHINES, count)).astype(np.int64)
    end = np.cumsum(up + length, axis=1)
    return {
        "down_offset": np.arange(MACHINES + 1, dtype=np.int32) * np.int32(count),
        "down_start": (end - length).reshape(-1),
        "down_end": end.reshape(-1),
        "down_cause": np.zeros(MACHINES * count, np.int32),
        "down_interruption": np.zeros(MACHINES * count, np.int32),
    }


def _draw(seed: int, quantity: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=np.array([seed, quantity], np.uint64)))


def _uniform(seed: int, quantity: int, low: int, high: int, size: int) -> np.ndarray:
    return _draw(seed, quantity).integers(low * TICKS, high * TICKS, size)


def _names(prefix: str, count: int) -> tuple[str, ...]:
    return tuple(f"{prefix}{index}" for index in range(count))


def physical_events(rows: dict[str, np.ndarray]) -> int:
    return int(np.isin(rows["kind"], [EVENT_KINDS.index(kind) for kind in PHYSICAL]).sum())


def outcome(instance: Instance, sim: Simulation) -> Outcome:
    """Read what a finished run with its trace ended with."""
    rows = sim.event_rows()
    completed = rows["kind"] == EVENT_KINDS.index("job_complete")
    flow = rows["time"][completed] - instance.release[rows["job"][completed]]
    machines, _ = sim.energy()
    assert machines.shape == (MACHINES, len(MACHINE_STATES))
    return Outcome(
        events=physical_events(rows),
        end=sim.time,
        flow_time=int(flow.sum()),
        energy=tuple(tuple(row) for row in machines.tolist()),
    )
