"""The event queue alone: hold model."""

import numpy as np
import pytest
from desbench._engine.queue import hold


@pytest.mark.benchmark(group="queue")
@pytest.mark.parametrize("pending", [50, 500, 5000])
def test_hold(benchmark, pending):
    increments = np.random.default_rng(1).exponential(1e6, 200_000).astype(np.int64)
    benchmark(hold, increments, pending)
