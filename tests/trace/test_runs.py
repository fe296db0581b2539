"""Runs: intervals come in blocks and leave in the order of the table."""

from __future__ import annotations

import io

import numpy as np
import pytest

from desbench.trace.recorder import BY_ENTITY, INTERVALS, joined, ordered
from desbench.trace.runs import Runs

Rows = dict[str, np.ndarray]


def blocks(machines: int, vehicles: int, count: int) -> list[Rows]:
    """Intervals in the order of their ends, as a shop closes them; one block has none."""
    draw = np.random.default_rng(7)
    rows: Rows = {name: draw.integers(0, 5, 200) for name in INTERVALS}
    rows["end"] = np.arange(200)
    rows["start"] = rows["end"] - 3
    entity = draw.integers(0, machines + vehicles, 200)
    rows["vehicle"] = (entity >= machines).astype(np.int64)
    rows["entity"] = entity - machines * rows["vehicle"]
    cuts = np.sort(draw.integers(0, 200, count - 1))
    empty = {name: column[:0] for name, column in rows.items()}
    parts = zip([0, *cuts], [*cuts, 200], strict=True)
    return [empty, *({n: c[a:b] for n, c in rows.items()} for a, b in parts)]


@pytest.mark.parametrize("machines, vehicles", [(3, 0), (3, 2), (300, 100)])
@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("size", [1, 50, 1000])
def test_runs_merge_to_the_sorted_table(
    machines: int, vehicles: int, count: int, size: int
) -> None:
    """The whole is never sorted, so that a long episode needs no room for it."""
    given = blocks(machines, vehicles, count)
    runs = Runs(io.BytesIO(), machines, vehicles)
    for block in given:
        runs.append(block)
    merged = list(runs.merged(size))
    assert all(len(block["start"]) >= size for block in merged[:-1])
    found, expected = joined(INTERVALS, merged), ordered(joined(INTERVALS, given), BY_ENTITY)
    for name in INTERVALS:
        assert found[name].tolist() == expected[name].tolist(), name


def test_no_intervals_are_no_blocks() -> None:
    """An episode may end before anything happened."""
    assert list(Runs(io.BytesIO(), 1, 0).merged(10)) == []
