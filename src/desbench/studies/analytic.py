"""Analytic: simulated figures beside exact ones, for shops small enough to be solved.

`desbench study analytic` prints the table. The engine is driven fifo; each row states the mean over
seeds 0, 1, .. with its 99 % interval and the exact value, which must lie within; deterministic rows
must be equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from desbench.errors import InputError
from desbench.studies import queues
from desbench.studies.queues import UNIT

LEVEL = 0.99
SEEDS, LEAST = 60, 30
MORE = 5  #: times as many seeds for short episodes


@dataclass(frozen=True)
class Check:
    """One quantity of one shop: simulated values by seed, and what they must be on average."""

    shop: str
    quantity: str
    exact: float
    values: tuple[float, ...]  #: one where nothing is drawn

    @property
    def mean(self) -> float:
        """Mean over the seeds."""
        return math.fsum(self.values) / len(self.values)

    @property
    def half(self) -> float:
        """Half the width of the interval; 0 where nothing is drawn."""
        n = len(self.values)
        if n == 1:
            return 0.0
        mean = self.mean
        variance = math.fsum((value - mean) ** 2 for value in self.values) / (n - 1)
        return NormalDist().inv_cdf((1 + LEVEL) / 2) * math.sqrt(variance / n)

    @property
    def is_met(self) -> bool:
        """Whether the exact value lies within the interval."""
        return abs(self.mean - self.exact) <= self.half


def checks(seeds: int = SEEDS) -> Iterator[Check]:
    """All checks, one shop after the other.

    Parameters
    ----------
    seeds
        Episodes of each queue, at least `LEAST`, for the interval is that of the normal
        distribution; `MORE` times as many of shorter shops.
    """
    if seeds < LEAST:
        raise InputError(f"seeds={seeds}, must be >= {LEAST}")
    for load, servers in ((0.5, 1), (0.8, 1), (2.0, 3)):
        yield from queue_checks(load, servers, 3000, seeds)
    for means, places in (((1.0, 1.0), (0, 1)), ((1.0, 1.25), (0, 3)), ((1.0, 0.8), (1, 1))):
        yield from line_checks(means, places, 200, MORE * seeds)
    yield from stop_checks(MORE * seeds)
    yield from vehicle_checks()


def queue_checks(load: float, servers: int, customers: int, seeds: int) -> Iterator[Check]:
    """Waiting in M/M/c: Erlang's formula, and the mean wait it gives.

    Source: A. K. Erlang 1917; L. Kleinrock, Queueing Systems I (1975), sections 3.2 and 3.5.
    """
    mean_waits, shares = [], []
    for seed in range(seeds):
        instance, present = queues.queue(load, servers, customers, seed)
        found = queues.waits(instance, queues.fifo(instance))[present:]
        mean_waits.append(sum(found) / len(found) / UNIT)
        shares.append(sum(wait > 0 for wait in found) / len(found))
    _, all_busy = queues.waiting_chances(load, servers)
    shop = f"M/M/{servers}, load {load / servers:.3g}, {customers} customers"
    yield Check(shop, "mean wait", all_busy / (servers - load), tuple(mean_waits))
    yield Check(shop, "share that waits", all_busy, tuple(shares))


def line_checks(
    means: tuple[float, float], places: tuple[int, int], items: int, seeds: int
) -> Iterator[Check]:
    """Two machines with room between them, blocking after service; first-step analysis."""
    ends, blocked = [], []
    for seed in range(seeds):
        sim = queues.fifo(queues.line(means, places, items, seed))
        ends.append(sim.time / UNIT)
        blocked.append(queues.time_in(sim, 0, "blocked") / UNIT)
    makespan, stuck = queues.line_exact(means, sum(places), items)
    shop = f"line, means {means[0]:g} and {means[1]:g}, outbound {places[0]} + inbound {places[1]}"
    yield Check(shop, f"makespan of {items}", makespan, tuple(ends))
    yield Check(shop, "time blocked", stuck, tuple(blocked))


def stop_checks(seeds: int) -> Iterator[Check]:
    """Availability from time 0 up, and how much longer work takes with resume and with restart.

    Source: R. E. Barlow and F. Proschan, Mathematical Theory of Reliability (1965), section 3.2;
    restart: D. P. Gaver, J. R. Stat. Soc. B 24 (1962) 73-90.
    """
    up, down, jobs, work = 10.0, 2.0, 50, 8.0
    ticks = [round(work * UNIT)] * jobs
    yield _availability(up, down, 500.0, seeds)
    resumed = jobs * work * (1 + down / up)
    restarted = jobs * (up + down) * math.expm1(work / up)
    for kind, exact in (("resume", resumed), ("restart", restarted)):
        restart = kind == "restart"
        instances = (
            queues.unreliable(ticks, up, down, 10 * exact, restart, seed) for seed in range(seeds)
        )
        ends = tuple(queues.fifo(instance).time / UNIT for instance in instances)
        shop = f"machine up {up:g}, down {down:g}, {jobs} jobs of {work:g}, {kind}"
        yield Check(shop, "makespan", exact, ends)


def _availability(up: float, down: float, horizon: float, seeds: int) -> Check:
    shares = []
    for seed in range(seeds):
        idle = queues.unreliable([UNIT], up, down, horizon, False, seed)
        sim = queues.fifo(queues.ended_at(idle, horizon))
        shares.append(1 - queues.time_in(sim, 0, "down") / UNIT / horizon)
    rate = 1 / up + 1 / down
    stationary = up / (up + down)
    early = (1 - stationary) * -math.expm1(-rate * horizon) / (rate * horizon)
    shop = f"machine up {up:g}, down {down:g}, watched for {horizon:g}"
    return Check(shop, "availability", stationary + early, tuple(shares))


def vehicle_checks() -> Iterator[Check]:
    """Deterministic flow: a shuttle of some vehicles, and items that circulate in a ring."""
    for vehicles, work in ((1, 1), (3, 1), (3, 4)):
        shuttle = (20, vehicles, 3 * UNIT, 2 * UNIT, work * UNIT)
        end = queues.fifo(queues.shuttle(*shuttle)).time / UNIT
        shop = f"20 items, {vehicles} vehicles, out 3, back 2, work {work}"
        yield Check(shop, "makespan", queues.shuttle_exact(*shuttle) / UNIT, (end,))
    for items in (3, 9):
        ring = (items, 4, 25, 2 * UNIT, 3 * UNIT)
        end = queues.fifo(queues.ring(*ring)).time / UNIT
        shop = f"ring of 4 machines, {items} items, 25 rounds, way 2, work 3"
        yield Check(shop, "makespan", queues.ring_exact(*ring) / UNIT, (end,))


# Table

HEAD = (
    "shop",
    "quantity",
    "exact",
    "simulated",
    f"{100 * LEVEL:.0f} % interval",
    "seeds",
    "within",
)


def rows(found: Sequence[Check]) -> list[list[str]]:
    """The table, its head first."""
    return [list(HEAD), *(_row(check) for check in found)]


def _row(check: Check) -> list[str]:
    drawn = len(check.values) > 1
    low, high = check.mean - check.half, check.mean + check.half
    between = f"{low:.4f} .. {high:.4f}" if drawn else "equal"
    return [
        *(check.shop, check.quantity, f"{check.exact:.4f}", f"{check.mean:.4f}", between),
        *(str(len(check.values)) if drawn else "-", "yes" if check.is_met else "NO"),
    ]
