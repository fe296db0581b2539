"""Distributions of suite files: one number in (0, 1) becomes one value, by the inverse function.

One uniform number per value keeps draws independent of each other: draw k of an entity is number
k of its stream, and a changed parameter stretches the values but leaves their order.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

Number = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
Pair = Annotated[list[Number], Field(min_length=2, max_length=2)]
Triple = Annotated[list[Number], Field(min_length=3, max_length=3)]

KINDS = ("constant", "uniform", "exponential", "triangular", "lognormal", "normal")
_NORMAL = NormalDist()
_STEPS = 4096  #: quantiles whose average is the mean of a cut distribution


class Distribution(BaseModel):
    """A number, or exactly one kind; never negative.

    `min` and `max` cut `exponential`, `lognormal` and `normal`: values beyond them do not occur,
    the rest is scaled up (no clamping, so no pile of values at the cut). `normal` needs a `min`.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    constant: Number | None = None
    uniform: Pair | None = None  #: [low, high]
    exponential: Number | None = None  #: mean
    triangular: Triple | None = None  #: [low, most likely, high]
    lognormal: Pair | None = None  #: [mean, standard deviation / mean]
    normal: Pair | None = None  #: [mean, standard deviation], before the cut
    min: Number | None = None
    max: Number | None = None

    @model_validator(mode="before")
    @classmethod
    def _number_is_constant(cls, value: Any) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return {"constant": value}
        if not isinstance(value, dict | Distribution):
            raise ValueError("must be a number or one distribution such as {uniform: [4, 9]}")
        return value

    @model_validator(mode="after")
    def _check(self) -> Distribution:
        given = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ValueError(f"must state exactly one of {', '.join(KINDS)}")
        values = getattr(self, given[0])
        if given[0] in ("uniform", "triangular") and sorted(values) != values:
            raise ValueError(f"{given[0]}={values}, must ascend")
        if self.lognormal and self.lognormal[0] <= 0:
            raise ValueError(f"mean of lognormal={self.lognormal[0]:g}, must be > 0")
        if self.normal and self.min is None:
            raise ValueError("normal needs min: (0 or more), values below it do not occur")
        if self.is_cut:
            self._check_cut(given[0])
        return self

    def _check_cut(self, kind: str) -> None:
        if kind not in ("exponential", "lognormal", "normal"):
            raise ValueError(f"min and max do not apply to {kind}; state its own limits instead")
        low, high = self._cut()
        if high - low < 1e-6:
            raise ValueError(f"min and max leave a share of {max(0.0, high - low):g} of {kind}")

    @property
    def is_cut(self) -> bool:
        """Whether `min` or `max` is stated."""
        return self.min is not None or self.max is not None

    def value(self, uniform: float) -> float:
        """Value at the quantile `uniform`, in (0, 1); in the unit of the suite."""
        if self.is_cut:
            low, high = self._cut()
            found = self._inverse(low + uniform * (high - low))
            return min(max(found, self.min or 0.0), math.inf if self.max is None else self.max)
        return self._inverse(uniform)

    def mean(self) -> float:
        """Mean; exact unless cut."""
        if self.is_cut:
            return math.fsum(self.value((k + 0.5) / _STEPS) for k in range(_STEPS)) / _STEPS
        for values in (self.uniform, self.triangular):
            if values is not None:
                return math.fsum(values) / len(values)
        if self.lognormal is not None:
            return self.lognormal[0]
        return self.exponential if self.constant is None else self.constant  # type: ignore[return-value]

    def _cut(self) -> tuple[float, float]:
        """Probabilities below `min` and below `max`."""
        low = 0.0 if self.min is None else self._below(self.min)
        return low, 1.0 if self.max is None else self._below(self.max)

    def _below(self, value: float) -> float:
        """Probability of a smaller value, for the kinds that can be cut."""
        if self.exponential is not None:
            return -math.expm1(-value / self.exponential) if self.exponential > 0 else 1.0
        if self.lognormal is not None:
            mu, sigma = self._log_normal()
            if value <= 0 or sigma == 0:
                return float(value > 0 and math.log(value) >= mu)
            return _NORMAL.cdf((math.log(value) - mu) / sigma)
        mean, deviation = self.normal or (0.0, 0.0)
        return _NORMAL.cdf((value - mean) / deviation) if deviation > 0 else float(value >= mean)

    def _inverse(self, uniform: float) -> float:
        if self.constant is not None:
            return self.constant
        if self.uniform is not None:
            low, high = self.uniform
            return low + uniform * (high - low)
        if self.triangular is not None:
            return _triangular(self.triangular, uniform)
        if self.exponential is not None:
            return -self.exponential * math.log1p(-min(uniform, _BELOW_ONE))
        score = _NORMAL.inv_cdf(min(max(uniform, _ABOVE_ZERO), _BELOW_ONE))
        if self.lognormal is not None:
            mu, sigma = self._log_normal()
            return math.exp(mu + sigma * score)
        mean, deviation = self.normal or (0.0, 0.0)
        return mean + deviation * score

    def _log_normal(self) -> tuple[float, float]:
        """Mean and deviation of the logarithm."""
        mean, variation = self.lognormal or (1.0, 0.0)
        variance = math.log1p(variation * variation)
        return math.log(mean) - variance / 2, math.sqrt(variance)


_ABOVE_ZERO, _BELOW_ONE = 2.0**-60, 1 - 2.0**-53


def _triangular(corners: list[float], uniform: float) -> float:
    low, mode, high = corners
    if high == low:
        return low
    if uniform * (high - low) < mode - low:
        return low + math.sqrt(uniform * (high - low) * (mode - low))
    return high - math.sqrt((1 - uniform) * (high - low) * (high - mode))
