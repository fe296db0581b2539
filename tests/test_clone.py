"""A copy of a running episode is the same episode, and another one."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from desbench._engine.simulation import Simulation
from desbench.errors import IllegalAction
from desbench.instances.instance import Instance
from shops import random_instance, shop
from test_compiled import both_played, rows
from test_oracle import POLICIES, next_command, views


def running(seed: int) -> tuple[Random, Instance, Simulation] | None:
    """Draw an episode somewhere in its middle, its rows taken; None if it has ended."""
    rng = Random(seed)
    instance = random_instance(rng, jobs=rng.randint(1, 10))
    sim = Simulation(instance)
    if not both_played(rng, instance, sim):
        return None
    rows(sim)
    return rng, instance, sim


def command(rng: Random, instance: Instance, *sims: Simulation) -> None:
    """The same random command to all."""
    given = next_command(rng, POLICIES["mixed"], sims[0], instance)
    for sim in sims if given is not None else ():
        with suppress(IllegalAction):
            getattr(sim, given[0])(*given[1])


def look(sim: Simulation, instance: Instance) -> dict[str, object]:
    return {name: view() for name, view in views(sim, instance).items()}


def test_the_same_commands_lead_to_the_same_rows() -> None:
    """Nothing that decides may be left out of the copy."""
    copied = 0
    for seed in range(200):
        drawn = running(seed)
        if drawn is None:
            continue
        rng, instance, sim = drawn
        twin = sim.clone()
        copied += 1
        assert look(sim, instance) == look(twin, instance)
        for _ in range(60):
            command(rng, instance, sim, twin)
            if rng.random() < 0.5 and sim.advance().status == twin.advance().status != "":
                break
        assert look(sim, instance) == look(twin, instance)
        assert rows(sim) == rows(twin), f"seed {seed}"
    assert copied > 100


def test_original_and_copy_do_not_touch_each_other() -> None:
    """Look-ahead must leave the episode as it was."""
    for seed in range(100):
        drawn = running(seed)
        if drawn is None:
            continue
        _, instance, sim = drawn
        before = look(sim, instance)
        twin = sim.clone()
        twin.run()
        assert look(sim, instance) == before
        assert not any(rows(sim).values())
        after = look(twin, instance)
        sim.run(dispatch="spt")
        assert look(twin, instance) == after


def test_a_copy_begins_without_rows_and_may_stay_without() -> None:
    """The rows of the past belong to the original."""
    sim = Simulation(shop([[{0: 2}]]))
    sim.advance()
    twin, quiet = sim.clone(), sim.clone(trace=False)
    assert not any(rows(twin).values())
    assert twin.run().time == quiet.run().time == 2
    assert any(rows(twin).values())
    assert not any(rows(quiet).values())
    assert "event.time" in rows(sim)


def test_a_copy_outlives_its_original() -> None:
    """They share the arrays of the instance, which must stay alive."""
    sim = Simulation(shop([[{0: 2}, {1: 3}]]))
    sim.advance()
    twin = sim.clone()
    del sim
    assert twin.run().time == 5


@pytest.mark.parametrize("at_end", [False, True])
def test_a_copy_has_the_status_of_its_original(at_end: bool) -> None:
    sim = Simulation(shop([[{0: 2}]]))
    if at_end:
        sim.run()
    assert sim.clone().status == sim.status
