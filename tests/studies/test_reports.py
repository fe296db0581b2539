"""Public reports about other simulators: what is right here, worked by hand or enumerated."""

from __future__ import annotations

import os
from collections import Counter
from itertools import permutations, product
from pathlib import Path
from random import Random

import numpy as np
import pytest

from desbench import replay
from desbench.bounds import lower_bound
from desbench.errors import InputError
from desbench.instances import formats
from desbench.instances.formats import Shop
from desbench.instances.instance import Instance
from desbench.studies.queues import fifo, waits
from shops import shop

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("DESBENCH_DATA") or ROOT.parent / "shared" / "data")

# Operations of length zero

TOUCHING = [
    *([{1: 10}, {2: 0}, {0: 0}], [{2: 2}, {1: 0}, {0: 3}], [{2: 3}, {1: 0}, {0: 2}]),
]


def test_an_operation_of_length_zero_needs_its_machine() -> None:
    """All 216 sequences: the best is 14. Were such operations skipped it would be 10."""
    instance = shop(TOUCHING, inbound=9, outbound=9)
    steps = [
        [
            [j, k]
            for j, job in enumerate(TOUCHING)
            for k, operation in enumerate(job)
            if m in operation
        ]
        for m in range(3)
    ]
    reached: Counter[int | float | None] = Counter()
    for orders in product(*map(permutations, steps)):
        try:
            found = replay.play(instance, {"machine_sequences": [list(order) for order in orders]})
        except InputError:
            reached[None] += 1  # the order goes round in a circle
        else:
            reached[found.makespan] += 1
    assert reached.total() == 6**3
    assert min(made for made in reached if made is not None) == 14
    assert reached[None] == 84


def test_start_and_finish_of_length_zero_are_both_there() -> None:
    """At one time, in order, and no machine counts as busy for them."""
    found = replay.play(
        shop(TOUCHING, inbound=9, outbound=9),
        {
            "machine_sequences": [
                *([[1, 2], [0, 2], [2, 2]], [[1, 1], [0, 0], [2, 1]]),
                [[1, 0], [2, 0], [0, 1]],
            ]
        },
    )
    events = found.trace.events.to_pylist()
    rows = [(e["time"], e["kind"]) for e in events if e["job"] == 0 and e["operation"] == 1]
    times = [time for time, kind in rows if kind in ("start", "finish")]
    assert [kind for _, kind in rows if kind in ("start", "finish")] == ["start", "finish"]
    assert times[0] == times[1]
    zero = [i for i in found.trace.intervals.to_pylist() if i["start"] == i["end"]]
    assert zero == []


def test_orb07_has_one_of_them() -> None:
    """A classic file, and its optimum is reached all the same (see the replay tests)."""
    if not (FOLDER / "jsp/orb07.txt").exists():
        pytest.skip(f"no published files in {FOLDER}")
    instance = formats.load(FOLDER / "jsp/orb07.txt")
    assert int((instance.realised == 0).sum()) == 1
    known = formats.reference("orb07")
    assert known is not None
    assert known.upper == 397
    sim = fifo(instance)
    assert (sim.status, sim.time >= 397) == ("done", True)


# What a setup is

#: From family (row) to family (column), and the first setup of each, from none (row 0). The
#: diagonal is not 0, and 1 -> 2 -> 0 takes less (17 + 37) than its legs suggest for 0 -> 1 -> 0.
SETUPS = [[[16, 43, 38], [16, 3, 1], [20, 43, 17], [37, 32, 38]]]
RELEASES = [23, 121, 52]


def setups(**settings: object) -> Instance:
    """Three jobs of 10 on one machine, family k for job k, released at 23, 121 and 52."""
    families = [[0], [1], [2]]
    jobs = [[{0: 10}], [{0: 10}], [{0: 10}]]
    return shop(jobs, families=families, setup=SETUPS, release=RELEASES, **settings)


def test_first_setups_changes_and_no_setup_before_the_item() -> None:
    """J0 comes at 23: first setup 16, 39, done 49. J2 at 52: 0 -> 2 takes 1, 53, done 63. J1 at
    121: 2 -> 1 takes 32, 153, done 163; a setup before it had come would have made it 131.
    """
    instance = setups()
    sim = fifo(instance)
    assert (sim.status, sim.time) == ("done", 121 + 32 + 10)
    assert waits(instance, sim) == [39 - 23, 153 - 121, 53 - 52]


def test_a_machine_that_is_set_up_already() -> None:
    """With initial family 2 J0 pays 2 -> 0, 37 instead of 16: 60, done 70; J2 then waits for it and
    pays 0 -> 2: 71, done 81.
    """
    instance = setups(initial_family=2)
    assert waits(instance, fifo(instance)) == [60 - 23, 153 - 121, 71 - 52]


def test_the_same_family_costs_what_the_matrix_says() -> None:
    """0 -> 0 is 16 here, not 0: 16 + 5 + 16 + 5."""
    instance = shop([[{0: 5}], [{0: 5}]], families=[[0], [0]], setup=SETUPS)
    assert fifo(instance).time == 16 + 5 + 16 + 5


@pytest.mark.parametrize("interruption, end", [("resume", 16 + 5 + 10), ("restart", 15 + 16 + 10)])
def test_a_stop_in_a_setup(interruption: str, end: int) -> None:
    """Setup 16 from 0, down 10 .. 15: 6 left from 15 on, or 16 again."""
    settings = {"setup": SETUPS, "down": {0: [(10, 15)]}, "interruption": interruption}
    assert fifo(shop([[{0: 10}]], **settings)).time == end


def test_a_setup_has_its_own_state() -> None:
    """Of the 163 the machine is set up for 16 + 1 + 32 and works for 30."""
    from desbench.studies.queues import time_in

    assert time_in(fifo(setups()), 0, "setup") == 16 + 1 + 32
    assert time_in(fifo(setups()), 0, "processing") == 30


# Very large, with revisits


@pytest.mark.slow
def test_a_hundred_thousand_operations_with_revisits() -> None:
    """1000 jobs of 100 operations on 1000 machines, most jobs come back to one; all are done."""
    rng = Random(20260801)
    jobs = [
        [[(rng.randrange(1000), rng.randint(1, 70_000))] for _ in range(100)] for _ in range(1000)
    ]
    made = Shop("large", "made", 1000, jobs)
    assert made.operations == 100_000
    assert made.revisits > 900
    instance = formats.to_instance(made)
    sim = fifo(instance)
    assert sim.status == "done"
    assert sim.time >= lower_bound(instance)
    assert all(sim.operation(job) == 100 for job in range(1000))


def test_a_job_may_come_back_at_once() -> None:
    """Twice in a row on one machine, and once more later: 3 + 4 + 5 + 6, and nobody else waits."""
    instance = shop([[{0: 3}, {0: 4}, {1: 5}, {0: 6}]])
    assert fifo(instance).time == 3 + 4 + 5 + 6
    plan = {"machine_sequences": [[[0, 0], [0, 1], [0, 3]], [[0, 2]]]}
    assert replay.play(instance, plan).makespan == 18
    assert np.diff(instance.operation_offset).tolist() == [4]
