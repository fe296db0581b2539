"""Small shops with an exact answer, built as arrays with keyed draws, and a driver that is fifo.

Every duration, gap and stop is drawn by inversion from a Philox stream of its own; one time unit is
`UNIT` ticks, so rounding to ticks stays below 1e-4 of a mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from desbench.instances.draw import Streams
from desbench.instances.formats import Shop, to_instance
from desbench.instances.instance import INTERRUPTIONS, NONE, UNLIMITED, Instance

if TYPE_CHECKING:
    from desbench._engine.simulation import Simulation

UNIT = 10_000  #: ticks of a time unit


def exponentials(streams: Streams, quantity: str, mean: float, count: int) -> list[int]:
    """The first draws of a stream, in ticks."""
    draws = streams.uniforms(quantity, "", count)
    return [round(-mean * UNIT * math.log(draw)) for draw in draws]


# Queues


def waiting_chances(load: float, servers: int) -> tuple[list[float], float]:
    """Stationary chances of 0 .. servers - 1 in an M/M/c system, and that all servers are busy.

    Parameters
    ----------
    load
        Arrival rate times mean service time, below `servers`.
    """
    terms = [load**n / math.factorial(n) for n in range(servers)]
    all_busy = load**servers / math.factorial(servers) / (1 - load / servers)
    total = sum(terms) + all_busy
    return [term / total for term in terms], all_busy / total


def queue(load: float, servers: int, customers: int, seed: int) -> tuple[Instance, int]:
    """M/M/c with mean service 1, and how many customers it begins with.

    Those present at time 0 are drawn from the stationary distribution. So every customer who comes
    later meets it exactly (Poisson arrivals see time averages), and nothing is warm-up.
    """
    streams = Streams(f"M/M/{servers} load {load}", seed)
    present = _present(load, servers, streams.uniforms("present", "", 1)[0])
    gaps = exponentials(streams, "gap", 1 / load, customers)
    services = exponentials(streams, "service", 1, present + customers)
    machines = range(servers)
    jobs = [[[(machine, ticks) for machine in machines]] for ticks in services]
    one_cell: dict[str, Any] = {
        "release": np.concatenate([np.zeros(present, np.int64), np.cumsum(gaps, dtype=np.int64)]),
        "machine_cell": np.zeros(servers, np.int32),
        "cell_names": ("C0",),
        "cell_area": np.zeros(1, np.int32),
        **{name: np.array([UNLIMITED], np.int32) for name in ("inbound", "outbound", "commitment")},
        "travel": np.zeros((2, 2), np.int64),
    }
    return _instance(jobs, servers, one_cell), present


def _present(load: float, servers: int, draw: float) -> int:
    chances, _ = waiting_chances(load, servers)
    chance, number, below = chances[0], 0, 0.0
    while draw > below + chance:
        below += chance
        number += 1
        chance *= load / min(number, servers)
    return number


# Line


def line(means: tuple[float, float], places: tuple[int, int], items: int, seed: int) -> Instance:
    """Two machines in a row; between them `places` = (outbound of the first, inbound) at most.

    All items are there at time 0. The first machine holds what it finished while there is no room.
    """
    streams = Streams(f"line {means} {places}", seed)
    first = exponentials(streams, "first", means[0], items)
    second = exponentials(streams, "second", means[1], items)
    jobs = [[[(0, a)], [(1, b)]] for a, b in zip(first, second, strict=True)]
    buffers: dict[str, Any] = {
        "inbound": np.array([UNLIMITED, places[1]], np.int32),
        "commitment": np.array([UNLIMITED, places[1]], np.int32),
        "outbound": np.array([places[0], UNLIMITED], np.int32),
    }
    return _instance(jobs, 2, buffers)


def line_exact(means: tuple[float, float], room: int, items: int) -> tuple[float, float]:
    """Expected makespan and expected time the first machine is blocked.

    First-step analysis of the Markov chain (to do, between): `to_do` items not yet finished by the
    first machine, `between` finished there and not by the second; at between = room + 2 one of them
    blocks the first machine. Every step lowers 2 x to_do + between, so it is a sum, not a system.
    """
    full = room + 2
    time = [[0.0] * (full + 1) for _ in range(items + 1)]
    blocked = [[0.0] * (full + 1) for _ in range(items + 1)]
    for to_do in range(items + 1):
        for between in range(full + 1):
            first = 1 / means[0] if to_do and between < full else 0.0
            second = 1 / means[1] if between else 0.0
            rate = first + second
            if not rate:
                continue  # the end
            stay = 1 / rate
            for table, here in ((time, stay), (blocked, stay * (between == full))):
                onward = first * table[to_do - 1][between + 1] if first else 0.0
                onward += second * table[to_do][between - 1] if second else 0.0
                table[to_do][between] = here + onward / rate
    return time[items][0], blocked[items][0]


# Stops


def unreliable(
    work: Sequence[int], up: float, down: float, until: float, restart: bool, seed: int
) -> Instance:
    """One machine with exponential times up and down by calendar, from time 0 up, and its jobs.

    Parameters
    ----------
    work
        Ticks of each job; all are there at time 0.
    until
        The calendar ends at this time.
    """
    streams = Streams(f"unreliable {up} {down} {len(work)} {restart}", seed)
    stops = list(_stops(streams, up, down, round(until * UNIT)))
    fields: dict[str, Any] = {
        "down_offset": np.array([0, len(stops)], np.int32),
        "down_start": np.array([start for start, _ in stops], np.int64),
        "down_end": np.array([end for _, end in stops], np.int64),
        "down_cause": np.zeros(len(stops), np.int32),
        "down_interruption": np.full(
            len(stops), INTERRUPTIONS.index("restart" if restart else "resume"), np.int32
        ),
    }
    return _instance([[[(0, ticks)]] for ticks in work], 1, fields)


def _stops(streams: Streams, up: float, down: float, until: int) -> Iterator[tuple[int, int]]:
    ups, downs = streams.endless("up", ""), streams.endless("down", "")
    start = end = 0
    while True:
        start = end + max(1, round(-up * UNIT * math.log(next(ups))))
        end = start + max(1, round(-down * UNIT * math.log(next(downs))))
        if start >= until:
            return
        yield start, end


def ended_at(instance: Instance, horizon: float) -> Instance:
    """The same shop, watched up to a horizon; its jobs come too late to be done."""
    ticks = round(horizon * UNIT)
    late = np.full(len(instance.job_names), ticks, np.int64)
    return replace(instance, release=late, horizon=ticks)


# Vehicles


def shuttle(items: int, vehicles: int, out: int, back: int, work: int) -> Instance:
    """Items of one operation of `work` ticks; `vehicles` bring them and return empty."""
    fields: dict[str, Any] = {
        "vehicle_names": tuple(f"V{number + 1}" for number in range(vehicles)),
        "vehicle_power": np.zeros(vehicles, np.int64),
        "travel": np.array([[0, out], [back, 0]], np.int64),
    }
    return _instance([[[(0, work)]]] * items, 1, fields)


def shuttle_exact(items: int, vehicles: int, out: int, back: int, work: int) -> int:
    """Makespan: `vehicles` items come each out + back; fleet or machine, the slower, decides."""
    if vehicles * work >= out + back:
        return out + items * work
    rounds = -(-items // vehicles) - 1
    return out + rounds * (out + back) + (items - rounds * vehicles) * work


def ring(items: int, machines: int, rounds: int, way: int, work: int) -> Instance:
    """Items that go `rounds` times round a ring of machines; ways and operations all last alike."""
    route = [[(machine, work)] for _ in range(rounds) for machine in range(machines)]
    places = machines + 1
    travel = np.full((places, places), way, np.int64)
    np.fill_diagonal(travel, 0)
    return _instance([route] * items, machines, {"travel": travel})


def ring_exact(items: int, machines: int, rounds: int, way: int, work: int) -> int:
    """Makespan: items follow each other `work` apart; where they come back in time nothing waits,
    else the first machine never rests and the last item goes on from it.
    """
    if items * work <= machines * (work + way):
        steps = rounds * machines
        return way + (items - 1) * work + steps * work + (steps - 1) * way
    return way + items * rounds * work + (machines - 1) * (work + way)


# Driving


def _instance(jobs: list[list[list[tuple[int, int]]]], machines: int, fields: Any) -> Instance:
    shop = Shop("made", "arrays", machines, jobs, ticks_per_unit=UNIT)
    operations = shop.operations
    names = tuple(f"J{number}" for number in range(len(jobs)))
    limits = {"job_names": names, "decision_limit": 4 * operations, "horizon": NONE}
    return to_instance(replace(shop, fields={**limits, **fields}))


def fifo(instance: Instance) -> Simulation:
    """Play a shop to its end: assign what is ready, dispatch what came first."""
    from desbench._engine.simulation import Simulation

    sim = Simulation(instance)
    offset, first = instance.operation_offset.tolist(), instance.eligible_offset.tolist()
    cells = instance.machine_cell[instance.eligible_machine].tolist()
    stop = sim.advance()
    while not stop.status:
        for job in sim.ready():
            cell = cells[first[offset[job] + sim.operation(job)]]
            if sim.can_assign(job, cell):
                sim.assign(job, cell)
        for cell in stop.cells:
            machines, jobs = set(), set()
            for machine, job in sim.pairs(cell):
                if machine not in machines and job not in jobs:
                    sim.dispatch(job, machine)
                    machines.add(machine)
                    jobs.add(job)
        stop = sim.advance()
    return sim


def waits(instance: Instance, sim: Simulation) -> list[int]:
    """Ticks from release to the first start, by job."""
    from desbench._engine.simulation import EVENT_KINDS

    rows = sim.event_rows()
    begun = (rows["kind"] == EVENT_KINDS.index("start")) & (rows["operation"] == 0)
    start = np.zeros(len(instance.job_names), np.int64)
    start[rows["job"][begun]] = rows["time"][begun]
    found: list[int] = (start - instance.release).tolist()
    return found


def time_in(sim: Simulation, machine: int, state: str) -> int:
    """Ticks a machine showed a state."""
    from desbench._engine.simulation import MACHINE_STATES

    rows = sim.interval_rows()
    shown = (rows["vehicle"] == 0) & (rows["entity"] == machine)
    shown &= rows["state"] == MACHINE_STATES.index(state)
    return int((rows["end"] - rows["start"])[shown].sum())
