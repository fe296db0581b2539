"""The compiled rules against a plain loop over the public interface, and what `run` promises."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pytest

from desbench._engine.simulation import Simulation, Stop
from desbench.errors import IllegalAction, InputError
from desbench.instances.instance import Instance
from shops import random_instance, shop
from test_oracle import POLICIES, next_command

RULES = ("fifo", "spt", "edd")
Priority = Callable[[int, int], float]


def play_by_rule(sim: Simulation, instance: Instance, rule: str) -> Stop:
    """What `run` documents, command by command."""
    stop = sim.advance()
    while not stop.status:
        if not dispatch_idle(sim, instance, rule):
            assign_ready(sim, instance)
        stop = sim.advance()
    return stop


def dispatch_idle(sim: Simulation, instance: Instance, rule: str) -> bool:
    found = False
    for cell in range(len(instance.cell_names)):
        for machine in np.flatnonzero(instance.machine_cell == cell).tolist():
            jobs = [job for m, job in sim.pairs(cell) if m == machine]
            if jobs:
                sim.dispatch(min(jobs, key=lambda job: priority(sim, instance, rule, job)), machine)
                found = True
    return found


def priority(sim: Simulation, instance: Instance, rule: str, job: int) -> float:
    """Equal ones stay in the order of admission, that of `pairs`."""
    if rule == "fifo":
        return 0
    if rule == "edd":
        return float("inf") if instance.due[job] < 0 else int(instance.due[job])
    cell = sim.place(job)[1]
    return min(int(instance.nominal[row]) for row in eligible(sim, instance, job, cell))


def eligible(sim: Simulation, instance: Instance, job: int, cell: int) -> list[int]:
    operation = int(instance.operation_offset[job]) + sim.operation(job)
    rows = range(*instance.eligible_offset[operation : operation + 2].tolist())
    return [r for r in rows if instance.machine_cell[instance.eligible_machine[r]] == cell]


def assign_ready(sim: Simulation, instance: Instance) -> None:
    for job in sorted(sim.ready(), key=lambda job: (instance.release[job], job)):
        cells = [c for c in range(len(instance.cell_names)) if sim.can_assign(job, c)]
        if cells:
            sim.assign(job, min(cells, key=lambda c: (sim.estimate(job, c)[0], c)))


def rows(sim: Simulation) -> dict[str, list[int]]:
    return {
        f"{table}.{name}": values.tolist()
        for table in ("event", "interval", "violation")
        for name, values in getattr(sim, f"{table}_rows")().items()
    }


def played_rows(instance: Instance) -> dict[str, list[int]]:
    sim = Simulation(instance)
    sim.run()
    return rows(sim)


def with_due_dates(seed: int, **traits: Any) -> Instance:
    rng = Random(seed)
    jobs = traits.setdefault("jobs", rng.randint(1, 12))
    due = [rng.choice((-1, rng.randint(12, 40))) for _ in range(jobs)]
    return random_instance(rng, due=due, **traits)


@pytest.mark.parametrize("rule", RULES)
def test_run_and_the_plain_loop_write_the_same_rows(rule: str) -> None:
    """One call without Python in between must not decide otherwise than the documented loop."""
    ends = set()
    for seed in range(300):
        instance = with_due_dates(seed)
        compiled, plain = Simulation(instance), Simulation(instance)
        stop, other = compiled.run(dispatch=rule), play_by_rule(plain, instance, rule)
        assert (stop.status, stop.time, stop.cycle) == (other.status, other.time, other.cycle)
        assert rows(compiled) == rows(plain), f"seed {seed}"
        ends.add(stop.status)
    assert {"done", "deadlock", "horizon"} <= ends


@pytest.mark.parametrize("rule", RULES)
def test_run_goes_on_from_any_state(rule: str) -> None:
    """A running episode may have withdrawn items, paused cells and eco phases."""
    for seed in range(150):
        instance = with_due_dates(seed)
        compiled, plain = Simulation(instance), Simulation(instance)
        rng = Random(seed)
        if not both_played(rng, instance, compiled, plain):
            continue
        compiled.run(dispatch=rule)
        play_by_rule(plain, instance, rule)
        assert rows(compiled) == rows(plain), f"seed {seed}"


def both_played(rng: Random, instance: Instance, *sims: Simulation) -> bool:
    """Give both the same random commands for a while; False if the episode has ended by then."""
    for _ in range(rng.randint(1, 12)):
        stops = [sim.advance() for sim in sims]
        if stops[0].status:
            return False
        for _ in range(rng.randint(0, 4)):
            command = next_command(rng, POLICIES["eager"], sims[0], instance)
            for sim in sims if command is not None else ():
                with suppress(IllegalAction):
                    getattr(sim, command[0])(*command[1])
    return True


def test_long_queues_of_a_cell_with_different_machines() -> None:
    """Items for other machines are put aside and back, and keep their turn."""
    rng = Random(5)
    jobs = [[{rng.randrange(3): rng.randint(1, 9)}] for _ in range(60)]
    instance = shop(jobs, cells=[[0, 1, 2]], inbound=80, due=[rng.randint(1, 99) for _ in jobs])
    for rule in RULES:
        compiled, plain = Simulation(instance), Simulation(instance)
        compiled.run(dispatch=rule)
        play_by_rule(plain, instance, rule)
        assert rows(compiled) == rows(plain)


def test_without_a_trace_nothing_but_the_rows_is_missing() -> None:
    """Speed is measured without a trace, so that run must be the same run."""
    for seed in range(100):
        instance = with_due_dates(seed)
        traced, bare = Simulation(instance), Simulation(instance, trace=False)
        assert traced.run().time == bare.run().time
        assert [part.tolist() for part in traced.energy()] == [p.tolist() for p in bare.energy()]
        assert not any(rows(bare).values())


def test_an_episode_leaves_nothing_to_the_next_one() -> None:
    """Rows go into the blocks of an episode that is gone; nothing of it may show."""
    instances = [with_due_dates(seed) for seed in range(40)]
    together = [Simulation(instance) for instance in instances]
    for sim in together:
        sim.run()
    expected = [rows(sim) for sim in together]
    del together, sim
    for instance, of_instance in zip(instances, expected, strict=True):
        assert played_rows(instance) == of_instance


def test_the_memory_of_an_episode_is_small() -> None:
    """Oversized buffers would halve the throughput of a batch of episodes."""
    jobs = [[dict.fromkeys(range(3), 5), dict.fromkeys(range(3, 6), 4)] for _ in range(200)]
    sim = Simulation(shop(jobs, cells=[[0, 1, 2], [3, 4, 5]], release=list(range(0, 800, 4))))
    before = sim.memory()
    sim.run()
    assert before <= sim.memory() < 32_000


def test_run_names_what_it_does_not_know() -> None:
    sim = Simulation(shop([[{0: 1}]]))
    with pytest.raises(InputError, match="dispatch='lpt', must be one of fifo, spt, edd"):
        sim.run(dispatch="lpt")
    with pytest.raises(InputError, match="routing='nearest'"):
        sim.run(routing="nearest")


def test_run_after_the_end_is_refused() -> None:
    sim = Simulation(shop([[{0: 1}]]))
    assert sim.run().status == "done"
    with pytest.raises(IllegalAction, match="the episode has ended"):
        sim.run()


@pytest.mark.parametrize("events", [1, 7, 10**6])
def test_rows_can_be_taken_during_a_run(events: int) -> None:
    """A long episode must not keep its rows; taken in blocks they are the same rows."""
    instance = random_instance(11)
    whole, parts = Simulation(instance), Simulation(instance)
    whole.run()
    blocks: list[dict[str, np.ndarray]] = []
    parts.hand_over(lambda: blocks.append(parts.event_rows()), events)
    parts.run()
    assert {len(block["time"]) for block in blocks} <= {events}
    blocks.append(parts.event_rows())
    expected = whole.event_rows()
    assert len(expected["time"]) > 7
    for name, column in expected.items():
        assert np.concatenate([block[name] for block in blocks]).tolist() == column.tolist(), name


def test_rows_that_nobody_takes_stay() -> None:
    """Whoever is called and takes none loses none."""
    instance = random_instance(11)
    whole, kept = Simulation(instance), Simulation(instance)
    calls: list[int] = []
    kept.hand_over(lambda: calls.append(1), 2)
    whole.run()
    kept.run()
    assert calls
    assert kept.event_rows()["time"].tolist() == whole.event_rows()["time"].tolist()


def test_an_error_of_the_one_who_takes_rows_ends_the_run() -> None:
    """A full disk or Ctrl-C must not be noticed only at the end of a long episode."""
    sim = Simulation(random_instance(11))

    def refuse() -> None:
        raise OSError("no room")

    sim.hand_over(refuse, 5)
    with pytest.raises(OSError, match="no room"):
        sim.run()
    assert not sim.status
    with pytest.raises(InputError, match="events=0"):
        sim.hand_over(refuse, 0)
