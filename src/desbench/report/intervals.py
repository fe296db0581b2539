"""Mean, spread and 95 % interval of a measure over cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

LEVEL = 0.95
RESAMPLES = 4000
#: Resamples x cases at most: of many cases the mean is known so well that fewer resamples do.
MAX_PICKS = 4_000_000
_AT_ONCE = 1_000_000  #: values gathered at once, 8 MB


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
    picks = _picks(n)
    parts = [
        sample[part].mean(axis=1) for part in np.array_split(picks, -(-picks.size // _AT_ONCE))
    ]
    low, high = np.quantile(np.concatenate(parts), [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return Interval(n, mean, float(sample.std(ddof=1)), low, high)


@lru_cache(maxsize=4)
def _picks(n: int) -> npt.NDArray[np.int32]:
    """The cases of every resample: the same for all measures of a group, drawn once."""
    resamples = min(RESAMPLES, max(RESAMPLES // 10, MAX_PICKS // n))
    generator = np.random.Generator(np.random.Philox(0))
    picks = np.empty((resamples, n), dtype=np.int32)
    for row in picks:  # the same numbers as all at once, in half the memory
        row[:] = generator.integers(0, n, n)
    return picks


def paired(one: Sequence[float | None], other: Sequence[float | None]) -> Interval:
    """Interval of other - one, case by case; cases in which either is undefined are left out."""
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
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
