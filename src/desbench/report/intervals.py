"""Mean, spread and 95 % interval of a measure over cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

LEVEL = 0.95
RESAMPLES = 4000


@dataclass(frozen=True)
class Interval:
    """Statistics of one measure over cases; None where they are undefined."""

    n: int  #: cases in which the measure is defined
    mean: float | None
    sd: float | None  #: sample standard deviation, needs two cases
    low: float | None
    high: float | None

    @property
    def excludes_zero(self) -> bool:
        """Whether a difference is told from none; False where no interval is defined."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


def student_t(probability: float, freedom: int) -> float:
    """Quantile of Student's t distribution.

    Parameters
    ----------
    probability
        Between 0.5 and 1.
    freedom
        Degrees of freedom, at least 1.

    Notes
    -----
    Exact for one and two degrees of freedom, else accurate to about six digits.
    Source: G. W. Hill, Algorithm 396: Student's t-quantiles, CACM 13 (1970) 619-620.
    """
    p = 2.0 * (1.0 - probability)
    n = float(freedom)
    if freedom == 1:
        return 1.0 / math.tan(p * math.pi / 2.0)
    if freedom == 2:
        return math.sqrt(2.0 / (p * (2.0 - p)) - 2.0)
    a = 1.0 / (n - 0.5)
    b = 48.0 / (a * a)
    c = ((20700.0 * a / b - 98.0) * a - 16.0) * a + 96.36
    d = ((94.5 / (b + c) - 3.0) / b + 1.0) * math.sqrt(a * math.pi / 2.0) * n
    y = (d * p) ** (2.0 / n)
    if y > 0.05 + a:
        x = NormalDist().inv_cdf(p / 2.0)
        y = x * x
        if freedom < 5:
            c += 0.3 * (n - 4.5) * (x + 0.6)
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x
        y = math.expm1(a * y * y)
    else:
        tail = ((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0
        y = ((1.0 / tail + 0.5 / (n + 4.0)) * y - 1.0) * (n + 1.0) / (n + 2.0) + 1.0 / y
    return math.sqrt(n * y)


def interval(values: Sequence[float]) -> Interval:
    """Mean over cases with its 95 % bootstrap interval (percentiles of RESAMPLES means).

    The cases of a suite are independent draws, so the interval is over cases; replicates of one
    case are averaged before they come here. The resampling is keyed, so the figures repeat.
    """
    n = len(values)
    if n == 0:
        return Interval(0, None, None, None, None)
    mean = math.fsum(values) / n
    if n == 1:
        return Interval(1, mean, None, None, None)
    sample = np.asarray(values, dtype=np.float64)
    picks = np.random.Generator(np.random.Philox(0)).integers(0, n, (RESAMPLES, n))
    means = sample[picks].mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return Interval(n, mean, float(sample.std(ddof=1)), low, high)


def paired(one: Sequence[float | None], other: Sequence[float | None]) -> Interval:
    """Interval of other - one, case by case; cases in which either is undefined are left out."""
    pairs = [
        (a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None
    ]
    return interval([b - a for a, b in pairs])


def replicate_sd(groups: Sequence[Sequence[float]]) -> float | None:
    """Pooled standard deviation within cases; None unless some case has two replicates."""
    squares, freedom = 0.0, 0
    for group in groups:
        if len(group) > 1:
            mean = math.fsum(group) / len(group)
            squares += math.fsum((value - mean) ** 2 for value in group)
            freedom += len(group) - 1
    return math.sqrt(squares / freedom) if freedom else None
