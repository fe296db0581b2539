"""Down time: drawn, periodic and recorded stops become one disjoint calendar."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from desbench.instances.draw import Streams
from desbench.instances.instance import CAUSES, INTERRUPTIONS
from desbench.instances.jobs import Clock
from desbench.instances.schema import Machine
from desbench.instances.stops import Stop, calendar, mean_repair

CODE = {cause: code for code, cause in enumerate(CAUSES)}


def drawn(down: dict[str, Any], span: float = 100, seed: int = 0) -> list[Stop]:
    machine = Machine.model_validate({"down": down})
    return calendar("M1", machine, span, Streams("main", seed), Clock(10))


def stops(down: dict[str, Any], span: float = 100, seed: int = 0) -> list[tuple[int, int, str]]:
    return [(stop.start, stop.end, CAUSES[stop.cause]) for stop in drawn(down, span, seed)]


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


def test_each_stop_says_what_it_does_to_running_work() -> None:
    """A breakdown may spoil the piece, a shift ends after it; a recorded stop says it itself."""
    found = drawn(
        {
            "breakdown": {"up": 70, "repair": 2, "interruption": "restart"},
            "maintenance": {"first": 5, "every": 99, "lasts": 3},
            "shift": {"first": 30, "every": 99, "lasts": 9, "interruption": "wait"},
            "recorded": [[10, 20, "wait"], [50, 51]],
        }
    )
    told = [(CAUSES[stop.cause], INTERRUPTIONS[stop.interruption]) for stop in found]
    assert told == [
        ("maintenance", "resume"),
        ("recorded", "wait"),
        ("shift", "wait"),
        ("recorded", "resume"),
        ("breakdown", "restart"),
    ]


def test_stops_that_become_one_do_what_the_first_does() -> None:
    """The shift at 25 waits, the outage from 30 on only makes it longer."""
    shift = {"first": 25, "every": 100, "lasts": 10, "interruption": "wait"}
    (stop,) = drawn({"shift": shift, "recorded": [[30, 50, "restart"]]})
    assert (stop.start, stop.end) == (250, 500)
    assert INTERRUPTIONS[stop.interruption] == "wait"


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
