"""How two sides are timed: in one run, turn by turn, by processor time, as a median of ratios.

Processor time, because other programs share the machine; turn by turn, because its speed drifts;
fresh seeds, because a branch predictor learns a workload that is replayed.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from time import perf_counter, thread_time

import numpy as np
from desbench._engine.queue import hold
from ref import Outcome, outcome, ref
from ref_simpy import Shop

from desbench._engine.simulation import Simulation
from desbench.instances.instance import Instance
from desbench.sweep import Execution, Options, sweep

HERE = Path(__file__).parent
ROUNDS = 9
Side = Callable[[int], float]  #: seconds, for the seed of a round


def ratio(side: Side, against: Side, rounds: int = ROUNDS) -> float:
    """Median over the rounds of `side(round) / against(round)`."""
    return median(side(seed) / against(seed) for seed in range(rounds))


def seconds(action: Callable[[], object]) -> float:
    start = thread_time()
    action()
    return thread_time() - start


def seconds_of_run(instance: Instance, *, trace: bool = False, dispatch: str = "fifo") -> float:
    """Play the instance by compiled rules; its preparation does not count."""
    sim = Simulation(instance, trace=trace)
    return seconds(lambda: sim.run(dispatch=dispatch))


def speed_up(alone: Callable[[], object], side_by_side: Callable[[], object], rounds: int) -> float:
    """Median of how much sooner the second ends, by the clock: the machine must be idle."""

    def wall(action: Callable[[], object]) -> float:
        start = perf_counter()
        action()
        return perf_counter() - start

    return median(wall(alone) / wall(side_by_side) for _ in range(rounds))


def sweep_by(workers: int, cases: int, controller: str = "rules") -> None:
    """Play cases of a shipped suite and keep nothing."""
    with tempfile.TemporaryDirectory() as folder:
        options = Options(
            ("intercell_a5c12_harder",),
            ("centralized_plant",),
            seeds=f"0:{cases}",
            limit=cases,
            controllers=(controller,),
            traces="none",
        )
        sweep(options, Execution(Path(folder, "out"), workers=workers))


def play_by(threads: int, instances: Sequence[Instance]) -> None:
    """Play instances by compiled rules, which hold no lock of the interpreter."""
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda instance: Simulation(instance, trace=False).run(), instances))


def equal_outcomes(jobs: int) -> Outcome:
    """Play REF on both sides before anything is timed; they must agree to the last tick."""
    instance = ref(jobs)
    sim = Simulation(instance)
    sim.run()
    found = outcome(instance, sim)
    assert found == Shop(instance).run(), "the engine and SimPy do not play the same REF"
    return found


def halfway(instance: Instance, stops: int = 400) -> Simulation:
    """A running episode: what `run` does, from outside, for so many stops."""
    sim = Simulation(instance, trace=False)
    for _ in range(stops):
        sim.advance()
        for cell in range(len(instance.cell_names)):
            while pairs := sim.pairs(cell):
                machine, job = pairs[0]
                sim.dispatch(job, machine)
        for job in sim.ready():
            cells = (cell for cell in range(len(instance.cell_names)) if sim.can_assign(job, cell))
            sim.assign(job, next(cells))
    return sim


class HoldModel:
    """The queue of the engine and std::priority_queue on the same increments."""

    def __init__(self, folder: Path, holds: int = 1_000_000) -> None:
        draw = np.random.Generator(np.random.Philox(key=np.array([1, 0], np.uint64)))
        self.increments = draw.exponential(1e6, holds).astype(np.int64)
        self.file, self.program = folder / "increments.bin", folder / "hold_model"
        self.increments.tofile(self.file)
        source = HERE / "hold_model.cpp"
        subprocess.run(["g++", "-O2", "-o", str(self.program), str(source)], check=True)

    def engine(self, pending: int) -> float:
        """Nanoseconds per hold."""
        return 1e9 * seconds(lambda: hold(self.increments, pending)) / len(self.increments)

    def standard(self, pending: int) -> float:
        """Nanoseconds per hold of std::priority_queue; both must stand at the same time."""
        command = [str(self.program), str(self.file), str(pending), "1"]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        assert int(out[1]) == hold(self.increments, pending), "the two queues differ"
        return float(out[0])


def hold_ratio(pending: int, rounds: int = ROUNDS) -> float:
    with tempfile.TemporaryDirectory() as folder:
        model = HoldModel(Path(folder))
        return ratio(lambda _: model.engine(pending), lambda _: model.standard(pending), rounds)
