"""Distributions: means, cuts, bounds, refusals."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from desbench.instances.distribution import Distribution

MEANS: list[tuple[Any, float]] = [
    (7, 7.0),
    ({"uniform": [4, 9]}, 6.5),
    ({"exponential": 60}, 60.0),
    ({"triangular": [2, 5, 11]}, 6.0),
    ({"lognormal": [12, 0.5]}, 12.0),
    ({"normal": [50, 5], "min": 0}, 50.0),
    # A normal cut at its mean has mean m + s * sqrt(2 / pi).
    ({"normal": [5, 5], "min": 5}, 5 + 5 * math.sqrt(2 / math.pi)),
    # An exponential without the values below m has mean 2 m: it forgets.
    ({"exponential": 10, "min": 10}, 20.0),
]


def make(written: Any) -> Distribution:
    return Distribution.model_validate(written)


@pytest.mark.parametrize("written, mean", MEANS)
def test_mean_is_the_average_of_the_quantiles(written: Any, mean: float) -> None:
    """The stated mean and the values that are drawn belong to the same distribution."""
    one = make(written)
    steps = 20_000
    average = math.fsum(one.value((k + 0.5) / steps) for k in range(steps)) / steps
    assert one.mean() == pytest.approx(mean, rel=2e-3)
    assert average == pytest.approx(mean, rel=2e-3)


@given(st.sampled_from([written for written, _ in MEANS]), st.floats(0, 1), st.floats(0, 1))
def test_values_are_finite_never_negative_and_rise_with_the_quantile(
    written: Any, first: float, second: float
) -> None:
    """No quantile gives NaN, infinity or a negative time, and order is kept."""
    low, high = (
        make(written).value(min(max(u, 1e-18), 1 - 1e-16)) for u in sorted((first, second))
    )
    assert 0 <= low <= high < math.inf


def test_a_cut_is_kept_without_a_pile_at_its_edge() -> None:
    """Values between min and max only, and (unlike clamping) almost none exactly on them."""
    one = make({"normal": [5, 5], "min": 1, "max": 8})
    values = [one.value((k + 0.5) / 1000) for k in range(1000)]
    assert 1 < min(values) < max(values) < 8
    assert len(set(values)) == 1000


@pytest.mark.parametrize(
    "written, problem",
    [
        ({"normal": [5, 5]}, "normal needs min"),
        ({"normal": [5, 0.1], "min": 9}, "min and max leave a share of 0"),
        ({"exponential": 5, "min": 3, "max": 2}, "leave a share of 0"),
        ({"uniform": [9, 4]}, "must ascend"),
        ({"triangular": [1, 9, 4]}, "must ascend"),
        ({"uniform": [4, 9], "min": 5}, "do not apply to uniform"),
        ({"lognormal": [0, 1]}, "mean of lognormal=0"),
        ({"uniform": [4, 9], "exponential": 3}, "exactly one of"),
        ({}, "exactly one of"),
        ({"uniform": [4]}, "at least 2"),
        ({"gauss": [4, 2]}, "gauss"),
        (-1, "greater than or equal to 0"),
        (math.nan, "finite"),
        (math.inf, "finite"),
        (True, "must be a number or one distribution"),
        ("fast", "must be a number or one distribution"),
    ],
)
def test_what_could_give_a_wrong_time_is_refused(written: Any, problem: str) -> None:
    """Refused at load, never clamped at the draw."""
    with pytest.raises(ValidationError, match=problem):
        make(written)
