"""Carbon: how dirty the power of the grid is, as a step function of time; none unless stated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]


class Carbon(NamedTuple):
    """Steps of grid intensity. Without steps no carbon is counted."""

    start: tuple[int, ...] = ()  #: ticks, the first 0, strictly ascending
    intensity: tuple[int, ...] = ()  #: g/kWh from `start` on
    period: int = -1  #: ticks after which the steps begin again, > the last start; -1 = never

    @property
    def is_counted(self) -> bool:
        """Whether the case states any intensity."""
        return bool(self.start)

    def until(self, time: I64) -> I64:
        """Return the intensity summed over every tick from 0 to each time, in g/kWh x ticks.

        >>> Carbon((0, 8), (300, 500), 24).until(np.array([0, 8, 10, 24, 33])).tolist()
        [0, 2400, 3400, 10400, 13300]
        """
        start, intensity = np.array(self.start), np.array(self.intensity)
        before = np.cumsum([0, *(intensity[:-1] * np.diff(start))])
        times, rest = np.divmod(time, self.period) if self.period > 0 else (0, time)
        step = np.searchsorted(start, rest, side="right") - 1
        sums: I64 = before[step] + intensity[step] * (rest - start[step])
        if self.period > 0:
            sums += times * (before[-1] + intensity[-1] * (self.period - start[-1]))
        return sums


UNCOUNTED = Carbon()
