"""Simulated figures lie where exact ones say, over many seeds, and the page shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from desbench.errors import InputError
from desbench.studies import analytic, queues
from desbench.studies.page import markdown

PAGE = Path(__file__).resolve().parents[2] / "docs" / "validation.md"


@pytest.mark.analytic
def test_every_exact_value_lies_in_its_interval_and_on_the_page() -> None:
    """Queues, a line, stops and vehicles: the engine knows none of the formulas."""
    found = list(analytic.checks())
    assert [check for check in found if not check.is_met] == []
    table = markdown(analytic.rows(found))
    assert table in PAGE.read_text(encoding="utf-8")


def test_a_wrong_engine_would_be_seen() -> None:
    """One per cent more work in each service moves the mean wait out of a sharp interval."""
    right = analytic.Check("", "", 1.0, tuple(1 + 0.01 * (-1) ** seed for seed in range(60)))
    wrong = analytic.Check("", "", 0.99, right.values)
    assert right.is_met
    assert not wrong.is_met
    assert not analytic.Check("", "", 1.0, (1.0001,)).is_met  # nothing drawn: equal or not
    assert analytic.rows([wrong])[1][-1] == "NO"
    with pytest.raises(InputError, match="seeds=2, must be >= 30"):
        next(analytic.checks(2))


@pytest.mark.parametrize("load, servers, busy", [(0.8, 1, 0.8), (2.0, 3, 4 / 9), (1.0, 2, 1 / 3)])
def test_erlang(load: float, servers: int, busy: float) -> None:
    """Known values: load / 1 server; three servers at 2; two at 1."""
    chances, all_busy = queues.waiting_chances(load, servers)
    assert all_busy == pytest.approx(busy)
    assert sum(chances) + all_busy == pytest.approx(1)


@pytest.mark.parametrize("room", [0, 1, 4])
def test_a_long_balanced_line(room: int) -> None:
    """Each further item adds (room + 3) / (room + 2), the inverse of the known throughput.

    With equal rates the room + 3 states between the machines are equally likely, and the second
    machine works in all but one of them.
    """
    more, _ = queues.line_exact((1, 1), room, 401)
    less, _ = queues.line_exact((1, 1), room, 400)
    assert more - less == pytest.approx((room + 3) / (room + 2))


def test_a_line_of_one_and_of_two_items() -> None:
    """One: 1 + 1. Two: the first machine works for 1, then both until one is done (1/2): with
    equal chance the first (then 2 wait for the second machine) or the second (then 1 + 1).
    """
    assert queues.line_exact((1, 1), 1, 1) == (pytest.approx(2), 0)
    assert queues.line_exact((1, 1), 1, 2)[0] == pytest.approx(1 + 0.5 + 0.5 * 2 + 0.5 * 2)


def test_deterministic_formulas_against_arithmetic() -> None:
    """A shuttle of two vehicles brings two items at 3, 8, 13; a ring is counted round by round."""
    ends = 0
    for arrival in (3, 3, 8, 8, 13):
        ends = max(ends, arrival) + 1
    assert queues.shuttle_exact(5, 2, 3, 2, 1) == ends == 14
    assert queues.ring_exact(1, 2, 2, 1, 5) == 4 * (1 + 5)


def test_queues_begin_in_their_stationary_state() -> None:
    """The mean number present at 0 is load / (1 - load) = 1 at a load of a half."""
    counts = [queues.queue(0.5, 1, 1, seed)[1] for seed in range(500)]
    assert sum(counts) / 500 == pytest.approx(1, abs=3 * 2**0.5 / 500**0.5)


def test_seeds_are_independent_of_each_other() -> None:
    """Another seed is another case; the same seed the same bytes."""
    one, other = queues.queue(0.5, 1, 50, 1)[0], queues.queue(0.5, 1, 50, 2)[0]
    assert one.digest != other.digest
    assert one.digest == queues.queue(0.5, 1, 50, 1)[0].digest
