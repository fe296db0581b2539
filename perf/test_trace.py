"""REF with and without its rows in memory, and taking the rows."""

from itertools import count

import pytest
from ref import ref

from desbench._engine.simulation import Simulation


@pytest.mark.benchmark(group="trace")
@pytest.mark.parametrize("trace", [False, True])
def test_run(benchmark, trace):
    seeds = count()

    def prepare():
        return (Simulation(ref(2000, next(seeds)), trace=trace),), {}

    benchmark.pedantic(Simulation.run, setup=prepare, rounds=9)


@pytest.mark.benchmark(group="trace")
def test_taking_the_rows(benchmark):
    def prepare():
        sim = Simulation(ref(2000))
        sim.run()
        return (sim,), {}

    benchmark.pedantic(Simulation.event_rows, setup=prepare, rounds=9)
