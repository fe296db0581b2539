"""What it costs to decide in Python: REF from outside, and whole episodes of a contract net."""

from __future__ import annotations

from itertools import count

import pytest
from boundary import ShortestProcessing, first_pair, play
from ref import outcome, ref

from desbench._engine.simulation import Simulation
from desbench.episode import Episode, make_runner


def rule_of(name, instance, sim):
    return first_pair if name == "fifo" else ShortestProcessing(instance, sim)


@pytest.mark.parametrize("name", ["fifo", "spt"])
def test_both_sides_play_the_same_ref(name):
    """A decision made in Python must be the one the compiled rule makes."""
    instance = ref(300)
    compiled, driven = Simulation(instance), Simulation(instance)
    compiled.run(dispatch=name)
    play(instance, driven, rule_of(name, instance, driven))
    assert outcome(instance, driven) == outcome(instance, compiled)


@pytest.mark.benchmark(group="boundary")
@pytest.mark.parametrize("name", ["fifo", "spt"])
def test_driven_by_python(benchmark, name):
    seeds = count()

    def prepare():
        instance = ref(500, next(seeds))
        sim = Simulation(instance, trace=False)
        return (instance, sim, rule_of(name, instance, sim)), {}

    benchmark.pedantic(play, setup=prepare, rounds=9)


@pytest.mark.benchmark(group="boundary")
def test_episode_of_a_contract_net(benchmark):
    def prepare():
        episode = Episode("intercell_a5c12_harder", paradigm="heterarchical_cnp")
        return (episode, make_runner()), {}

    benchmark.pedantic(Episode.play, setup=prepare, rounds=9)
