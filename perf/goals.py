"""Measure the goals of the engine, print each with its must and aim, write them to results.json.

`python perf/goals.py [--quick] [--output FILE]`; a goal counts as reached at its must. All figures
are ratios within one run (see measuring.py), but the memory of an episode. Goal 9 goes by the
clock: it says something only on an idle machine with two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from measuring import (
    ROUNDS,
    equal_outcomes,
    halfway,
    hold_ratio,
    play_by,
    ratio,
    seconds,
    seconds_of_run,
    speed_up,
    sweep_by,
)
from ref import ref
from ref_simpy import Shop

from desbench._engine.simulation import Simulation, build


@dataclass(frozen=True)
class Goal:
    """One measured goal."""

    goal: str
    must: float
    aim: float
    measured: float
    better: str  #: higher or lower

    @property
    def verdict(self) -> str:
        sign = 1 if self.better == "higher" else -1
        if sign * self.measured >= sign * self.aim:
            return "aim"
        return "must" if sign * self.measured >= sign * self.must else "missed"


def speed(jobs: int) -> Goal:
    measured = ratio(
        lambda seed: seconds(Shop(ref(jobs, seed)).run),
        lambda seed: min(seconds_of_run(ref(jobs, seed)) for _ in range(2)),
    )
    return Goal("1 events/s on REF over SimPy", 60, 90, measured, "higher")


def queue(pending: int) -> Goal:
    name = f"3 queue over std::priority_queue, {pending} pending"
    return Goal(name, 0.85, 0.65, hold_ratio(pending), "lower")


def trace(jobs: int) -> Goal:
    measured = ratio(
        lambda seed: seconds_of_run(ref(jobs, seed), trace=True),
        lambda seed: seconds_of_run(ref(jobs, seed)),
        2 * ROUNDS,
    )
    return Goal("7 trace in memory, extra time", 0.12, 0.06, measured - 1, "lower")


def sweeps(cases: int) -> Goal:
    name = f"9 two processes over one, {cases} cases by rules"
    measured = speed_up(lambda: sweep_by(1, cases), lambda: sweep_by(2, cases), 3)
    return Goal(name, 1.7, 1.9, measured, "higher")


def threads(jobs: int) -> Goal:
    instances = [ref(jobs, seed) for seed in range(8)]
    name = "9 two threads over one, runs by compiled rules"
    measured = speed_up(lambda: play_by(1, instances), lambda: play_by(2, instances), ROUNDS)
    return Goal(name, 1.8, 1.92, measured, "higher")


def growth(large: int, *, at_once: bool) -> Goal:
    """Nanoseconds per job, which have the same number of events on average."""
    instance = ref(large, at_once=at_once)
    slow = median(seconds_of_run(instance) for _ in range(3)) / large
    fast = median(seconds_of_run(ref(2000, s, at_once=at_once)) for s in range(ROUNDS)) / 2000
    kind, must, aim = ("at once", 4, 2.8) if at_once else ("stationary", 1.25, 1.05)
    return Goal(f"10 growth, {large} jobs over 2000, {kind}", must, aim, slow / fast, "lower")


def dispatches(large: int) -> Goal:
    def per_job(jobs: int, seed: int) -> float:
        instance = ref(jobs, seed, at_once=True, cells=1, length=1)
        return seconds_of_run(instance, dispatch="spt") / jobs

    measured = ratio(lambda seed: per_job(large, seed), lambda seed: per_job(2000, seed), 5)
    return Goal(f"11 dispatch from {large} queued items over 2000", 4, 2, measured, "lower")


def memory() -> Goal:
    sim = Simulation(ref(200), trace=False)
    sim.run()
    return Goal("12 mutable memory of a 200-job episode, kB", 32, 12, sim.memory() / 1000, "lower")


def clone(events_per_job: float) -> Goal:
    instance = ref(200)
    sim = halfway(instance)
    per_event = median(seconds_of_run(ref(2000, seed)) for seed in range(ROUNDS))
    per_event /= 2000 * events_per_job
    copies = 1000
    taken = median(seconds(lambda: [sim.clone() for _ in range(copies)]) for _ in range(ROUNDS))
    return Goal("13 clone, in events' worth of time", 400, 100, taken / copies / per_event, "lower")


def all_goals(quick: bool) -> list[Callable[[], Goal]]:
    per_job = equal_outcomes(2000).events / 2000
    large, queued = (50_000, 50_000) if quick else (1_000_000, 200_000)
    return [
        lambda: speed(2000),
        *(lambda pending=pending: queue(pending) for pending in (50, 500, 5000)),
        lambda: trace(2000),
        lambda: sweeps(200 if quick else 1000),
        lambda: threads(20_000),
        lambda: growth(large, at_once=False),
        lambda: growth(large, at_once=True),
        lambda: dispatches(queued),
        memory,
        lambda: clone(per_job),
    ]


def machine() -> dict[str, object]:
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "engine": build(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller growth goals")
    default = Path(__file__).with_name("results.json")
    parser.add_argument("--output", type=Path, default=default)
    options = parser.parse_args()
    goals = []
    print(f"{'goal':<52}{'must':>8}{'aim':>8}{'measured':>10}")
    for measure in all_goals(options.quick):
        goal = measure()
        goals.append(goal)
        line = f"{goal.goal:<52}{goal.must:>8}{goal.aim:>8}{goal.measured:>10.3g}"
        print(f"{line}  {goal.verdict}", flush=True)
    results = {"goals": [asdict(goal) for goal in goals], "machine": machine()}
    options.output.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return int(any(goal.verdict == "missed" for goal in goals))


if __name__ == "__main__":
    sys.exit(main())
