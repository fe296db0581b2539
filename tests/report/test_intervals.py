"""Statistics over cases."""

from __future__ import annotations

import pytest

from desbench.report.intervals import Interval, interval, paired, replicate_sd


def test_interval_by_hand() -> None:
    """Of the 256 resamples of 1, 2, 3, 4 five have a mean <= 1.25 (0.0195), fifteen <= 1.5."""
    found = interval([1, 2, 3, 4])
    assert (found.n, found.mean, found.low, found.high) == (4, 2.5, 1.5, 3.5)
    assert found.sd == pytest.approx(1.290994), "sqrt(5 / 3)"
    assert found == interval([1, 2, 3, 4]), "the resampling is keyed"


def test_a_paired_difference_leaves_undefined_cases_out() -> None:
    """3 - 1, 5 - 2 and 7 - 3; the case without a value on one side tells nothing."""
    found = paired([1, 2, 3, None], [3, 5, 7, 9])
    assert (found.n, found.mean) == (3, 3.0)
    assert found.excludes_zero
    assert not paired([1, 2], [2, 1]).excludes_zero
    assert not paired([1], [2]).excludes_zero, "one case has no interval"


def test_undefined_is_none_and_never_nan() -> None:
    """One case has a mean and no spread; no case has neither."""
    assert interval([7.0]) == Interval(1, 7.0, None, None, None)
    assert interval([]).mean is None


def test_replicates_are_pooled_within_cases() -> None:
    """Cases 1, 3 and 10, 14: squares 2 + 8 over 2 degrees of freedom; cases must not mix."""
    assert replicate_sd([[1, 3], [10, 14], [5]]) == pytest.approx(5**0.5)
    assert replicate_sd([[1], [2]]) is None
