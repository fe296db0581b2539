"""Statistics over cases."""

from __future__ import annotations

import pytest

from desbench.report.intervals import Interval, interval, replicate_sd, student_t


@pytest.mark.parametrize(
    "freedom, quantile",
    [
        (1, 12.7062),
        (2, 4.3027),
        (3, 3.1824),
        (4, 2.7764),
        (9, 2.2622),
        (29, 2.0452),
        (1000, 1.9623),
    ],
)
def test_quantiles_are_those_of_the_printed_tables(freedom: int, quantile: float) -> None:
    """The base install has no scipy, so our own formula must agree with every textbook."""
    assert student_t(0.975, freedom) == pytest.approx(quantile, abs=6e-5)


def test_interval_by_hand() -> None:
    """1, 2, 3, 4: mean 2.5, sd sqrt(5/3) = 1.29099; half width 3.18245 x 1.29099 / 2 = 2.05426."""
    found = interval([1, 2, 3, 4])
    assert (found.n, found.mean) == (4, 2.5)
    assert found.sd == pytest.approx(1.290994)
    assert found.low == pytest.approx(2.5 - 2.054260, abs=1e-5)
    assert found.high == pytest.approx(2.5 + 2.054260, abs=1e-5)


def test_undefined_is_none_and_never_nan() -> None:
    """One case has a mean and no spread; no case has neither."""
    assert interval([7.0]) == Interval(1, 7.0, None, None, None)
    assert interval([]).mean is None


def test_replicates_are_pooled_within_cases() -> None:
    """Cases 1, 3 and 10, 14: squares 2 + 8 over 2 degrees of freedom; cases must not mix."""
    assert replicate_sd([[1, 3], [10, 14], [5]]) == pytest.approx(5**0.5)
    assert replicate_sd([[1], [2]]) is None
