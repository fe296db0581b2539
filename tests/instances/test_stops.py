"""Down time: drawn, periodic and recorded stops become one disjoint calendar."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from desbench.instances.draw import Streams
from desbench.instances.jobs import Clock
from desbench.instances.schema import Machine
from desbench.instances.stops import CAUSES, calendar, mean_repair

CODE = {cause: code for code, cause in enumerate(CAUSES)}


def stops(down: dict[str, Any], span: float = 100, seed: int = 0) -> list[tuple[int, int, str]]:
    machine = Machine.model_validate({"down": down})
    found = calendar("M1", machine, span, Streams("main", seed), Clock(10))
    return [(start, end, CAUSES[cause]) for start, end, cause in found]


def test_periodic_stops_repeat_until_the_span() -> None:
    """First at 30, every 40, so 30 and 70 before 100; each 5 long; 10 ticks a unit."""
    found = stops({"maintenance": {"first": 30, "every": 40, "lasts": 5}})
    assert found == [(300, 350, "maintenance"), (700, 750, "maintenance")]


def test_stops_that_overlap_or_touch_become_one() -> None:
    """[10, 20] and [20, 30] touch; the shift at 25 lies inside; the first cause stays."""
    found = stops(
        {
            "recorded": [[10, 20], [20, 30], [50, 51]],
            "shift": {"first": 25, "every": 100, "lasts": 10},
        }
    )
    assert found == [(100, 350, "recorded"), (500, 510, "recorded")]


def test_a_stop_shorter_than_half_a_tick_is_none() -> None:
    """[5.00, 5.04] rounds to [50, 50]: no interval of length 0 may reach the engine."""
    assert stops({"recorded": [[5.0, 5.04]]}) == []


@given(st.integers(0, 2**40), st.floats(0.01, 30), st.floats(0, 30))
def test_any_calendar_is_disjoint_and_a_tick_apart(seed: int, up: float, repair: float) -> None:
    """The bound of Instance holds for whatever is drawn, after rounding."""
    found = stops(
        {
            "breakdown": {"up": {"exponential": up}, "repair": {"exponential": repair}},
            "shift": {"first": 0, "every": 20, "lasts": 7},
        },
        seed=seed,
    )
    for (start, end, _), (following, _, _) in pairwise(found):
        assert start < end < following


def test_mean_repair_is_stated_drawn_or_counted() -> None:
    """A stop's length: the stated one, else the mean of its draw, else of the stops."""
    breakdown = {"breakdown": {"up": 5, "repair": {"uniform": [2, 4]}}}
    recorded = {"recorded": [[0, 1], [5, 8]]}
    for written, expected in (
        ({"mean_repair": 9, "down": breakdown}, 90),
        ({"down": breakdown}, 30),
        ({"down": recorded}, 20),
        ({}, 0),
    ):
        machine = Machine.model_validate(written)
        found = calendar("M1", machine, 100, Streams("main", 0), Clock(10))
        assert mean_repair(machine, found, Clock(10)) == expected
