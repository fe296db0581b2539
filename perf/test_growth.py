"""Time per job must not grow with the number of jobs, nor with the length of a queue."""

import pytest
from ref import ref

from desbench._engine.simulation import Simulation


@pytest.mark.benchmark(group="growth")
@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("jobs", [2_000, 50_000])
def test_jobs(benchmark, jobs, at_once):
    instance = ref(jobs, at_once=at_once)
    benchmark.extra_info["jobs"] = jobs
    benchmark.pedantic(
        Simulation.run, setup=lambda: ((Simulation(instance, trace=False),), {}), rounds=5
    )


@pytest.mark.benchmark(group="growth")
@pytest.mark.parametrize("jobs", [2_000, 50_000])
def test_queued_items(benchmark, jobs):
    instance = ref(jobs, at_once=True, cells=1, length=1)
    benchmark.extra_info["jobs"] = jobs
    benchmark.pedantic(
        lambda sim: sim.run(dispatch="spt"),
        setup=lambda: ((Simulation(instance, trace=False),), {}),
        rounds=5,
    )
