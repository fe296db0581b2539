"""Intervals of a long episode: kept on disk as they come, given back entity by entity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO

import numpy as np

from desbench.trace.trace import I64

_ROW = np.dtype(
    [
        ("start", "<i8"),
        ("end", "<i8"),
        ("power", "<i8"),
        ("job", "<i4"),
        ("operation", "<i4"),
        ("state", "<i4"),
    ]
)


class Runs:
    """Runs of intervals, each sorted by entity.

    The shop closes the intervals of one entity in the order of their starts. So one run after the
    other, entity by entity, is the order (vehicle, entity, start), without sorting all of them.

    Parameters
    ----------
    file
        Open for writing and reading, empty.
    machines, vehicles
        Their numbers.
    """

    def __init__(self, file: BinaryIO, machines: int, vehicles: int) -> None:
        self.file = file
        self.machines, self.entities = machines, machines + vehicles
        self._runs: list[I64] = []  # first row of each entity, and the end
        self._end = 0

    def append(self, rows: Mapping[str, I64]) -> None:
        """Add what the shop wrote since the last call, as one run."""
        entity = rows["entity"] + rows["vehicle"] * self.machines
        # Short numbers are sorted by counting.
        order = np.argsort(entity.astype(np.min_scalar_type(self.entities)), kind="stable")
        run = np.empty(len(entity), _ROW)
        for name in _ROW.names or ():
            run[name] = rows[name][order]
        self.file.write(run.data)
        counts = np.bincount(entity, minlength=self.entities)
        self._runs.append(self._end + np.concatenate([[0], np.cumsum(counts)]))
        self._end += len(entity)

    def merged(self, rows: int) -> Iterator[dict[str, I64]]:
        """Yield all intervals in their order, in blocks of at least so many but the last."""
        block: list[tuple[int, np.ndarray]] = []
        waiting = 0
        for entity in range(self.entities):
            for run in self._runs:
                first, last = run[entity : entity + 2]
                if first < last:
                    block.append((entity, self._read(int(first), int(last))))
                    waiting += int(last - first)
                if waiting >= rows:
                    yield self._columns(block)
                    block, waiting = [], 0
        if block:
            yield self._columns(block)

    def _read(self, first: int, last: int) -> np.ndarray:
        self.file.seek(first * _ROW.itemsize)
        return np.frombuffer(self.file.read((last - first) * _ROW.itemsize), _ROW)

    def _columns(self, block: list[tuple[int, np.ndarray]]) -> dict[str, I64]:
        rows = np.concatenate([part for _, part in block])
        entity = np.repeat([entity for entity, _ in block], [len(part) for _, part in block])
        vehicle = (entity >= self.machines).astype(np.int64)
        columns = {name: rows[name].astype(np.int64) for name in _ROW.names or ()}
        return {**columns, "vehicle": vehicle, "entity": entity - vehicle * self.machines}
