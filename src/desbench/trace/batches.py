"""A table on its way to disk: cut into batches, each digested and written, none kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any, BinaryIO

import pyarrow as pa

from desbench.errors import TraceError
from desbench.trace import schema

ROOM = 1 << 16  #: bytes for the facts in the head of a file that is begun before they are known
_UNKNOWN = {"digest": "0" * 64, "info": "?" * ROOM}


class TableFile:
    """One table of a trace in one Arrow file, whatever the pieces in which it comes.

    A table that fits into one batch is written as it is closed. A longer one is begun with its
    first full batch; what is known only at the end is then put into the head and the foot.

    Parameters
    ----------
    file
        Open for writing and reading, empty.
    name
        Of the table.
    compression
        none, lz4 or zstd.
    digesting
        Where batches are digested; default at once.
    """

    def __init__(
        self, file: BinaryIO, name: str, compression: str, digesting: Executor | None = None
    ) -> None:
        self.file, self.name = file, name
        self.rows = 0
        codec = None if compression == "none" else compression
        self._options = pa.ipc.IpcWriteOptions(compression=codec)
        self._digesting = digesting
        self._digests: list[Callable[[], str]] = []
        self._held: list[pa.Table] = []  # the rows after the last whole batch, at least one
        self._held_rows = 0
        self._writer: Any = None

    def append(self, table: pa.Table) -> None:
        """Add rows; whole batches go to the disk as soon as more follows."""
        self._held.append(table)
        self._held_rows += table.num_rows
        self.rows += table.num_rows
        while self._held_rows > schema.BATCH:
            waiting = pa.concat_tables(self._held)
            self._held = [waiting.slice(schema.BATCH)]
            self._held_rows -= schema.BATCH
            batch = _one_chunk(waiting.slice(0, schema.BATCH))
            self._digest(batch, narrow=True)
            if self._writer is None:
                self._begin(batch.schema, _UNKNOWN)
            self._writer.write_table(batch)

    def close(self, info: Mapping[str, Any]) -> str:
        """Write what is left and what is known only now; return the digest of the table."""
        if not self._held:
            self.append(schema.SCHEMAS[self.name].empty_table())
        batch = _one_chunk(pa.concat_tables(self._held))
        is_begun = self._writer is not None
        self._digest(batch, narrow=is_begun)
        digest = schema.joined_digest(self.rows, [told() for told in self._digests])
        text = json.dumps(info, allow_nan=False)
        if not is_begun:
            self._begin(batch.schema, {"digest": digest, "info": text})
        self._writer.write_table(batch)
        self._writer.close()
        if is_begun:
            self._tell({"digest": digest, "info": text.ljust(ROOM)})
        return digest

    def _begin(self, columns: pa.Schema, facts: Mapping[str, str]) -> None:
        metadata = {**(columns.metadata or {}), "table": self.name, **facts}
        self._columns = columns.with_metadata(metadata)
        self._writer = pa.ipc.new_file(self.file, self._columns, options=self._options)

    def _digest(self, batch: pa.Table, *, narrow: bool) -> None:
        if self._digesting is None:
            told = schema.digest_of_batch(batch, narrow=narrow)
            self._digests.append(lambda: told)
            return
        if len(self._digests) > 1:
            self._digests[-2]()  # at most two batches are held for their digest
        submitted = self._digesting.submit(schema.digest_of_batch, batch, narrow=narrow)
        self._digests.append(submitted.result)

    def _tell(self, facts: Mapping[str, str]) -> None:
        """Put facts where as many bytes were left for them: in the head and in the foot."""
        for name, fact in facts.items():
            if len(fact) > len(_UNKNOWN[name]):
                raise TraceError(f"{self.name}: {name} has {len(fact)} bytes, must be <= {ROOM}")
        size = self.file.seek(0, 2)
        foot = self._number_at(size - 10)
        # Magic and a mark stand before the size of the head; magic stands after that of the foot.
        for start, length in ((16, self._number_at(12)), (size - 10 - foot, foot)):
            self.file.seek(start)
            block = self.file.read(length)
            for name, fact in facts.items():
                self.file.seek(start + block.index(_UNKNOWN[name].encode()))
                self.file.write(fact.encode())

    def _number_at(self, place: int) -> int:
        self.file.seek(place)
        return int.from_bytes(self.file.read(4), "little")


def _one_chunk(table: pa.Table) -> pa.Table:
    return table.combine_chunks().unify_dictionaries()
