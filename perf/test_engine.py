"""REF by compiled rules, in SimPy, and the copy of a running episode."""

from itertools import count

import pytest
from measuring import equal_outcomes, halfway
from ref import ref
from ref_simpy import Shop

from desbench._engine.simulation import Simulation


def test_both_sides_play_the_same_ref():
    """A race between different workloads would mean nothing."""
    assert equal_outcomes(500).events > 500 * 20


@pytest.mark.benchmark(group="engine")
@pytest.mark.parametrize("dispatch", ["fifo", "spt", "edd"])
def test_run(benchmark, dispatch):
    seeds = count()

    def prepare():
        return (Simulation(ref(2000, next(seeds)), trace=False),), {}

    benchmark.pedantic(lambda sim: sim.run(dispatch=dispatch), setup=prepare, rounds=9)


@pytest.mark.benchmark(group="engine")
def test_simpy(benchmark):
    seeds = count()
    benchmark.pedantic(Shop.run, setup=lambda: ((Shop(ref(2000, next(seeds))),), {}), rounds=3)


@pytest.mark.benchmark(group="engine")
def test_clone(benchmark):
    benchmark(halfway(ref(200)).clone)
