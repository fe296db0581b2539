"""Long episodes: the trace goes to disk while the shop runs, in the memory of a few batches."""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from desbench.instances.case_tables import pieces
from desbench.trace import schema
from desbench.trace.batches import TableFile
from desbench.trace.recorder import event_table, facts_of, interval_table, violation_table
from desbench.trace.runs import Runs
from desbench.trace.trace import I64, RunKey
from desbench.trace.writer import atomic, path_of, refusals, require_compression

if TYPE_CHECKING:
    from desbench._engine.simulation import Simulation
    from desbench.instances.instance import Instance

PARADIGM = "compiled_rules"  #: in traces
TAKEN = schema.BATCH  #: event rows that the shop hands over at a time
AHEAD = 1  #: batches of rows that may wait for the writer
JOBS = 10_000  #: whose operations are one piece of their table


class Streamed(NamedTuple):
    """What is known of an episode that went to disk."""

    key: RunKey
    status: str
    time: int  #: ticks at the end
    hash: str  #: of the trace
    rows: Mapping[str, int]  #: of each row table


def play(
    instance: Instance,
    folder: str | os.PathLike[str],
    *,
    dispatch: str = "fifo",
    suite: str = "instance",
    replicate: int = 0,
    compression: str = "none",
) -> Streamed:
    """Play a case to its end by compiled rules and write its trace meanwhile.

    The trace is the one that `write` would write of the whole, byte for byte; `read` reads it. Its
    rows never are in memory together: full blocks of them go to a thread that writes, and one that
    digests. Only violations are kept, for they are sorted by their start.

    Parameters
    ----------
    instance
        The case.
    folder
        The run folder; tables stand under `folder`/traces.
    dispatch
        fifo, spt or edd: `Simulation.run`; in the trace the name of the controller.
    suite, replicate
        How the run is called in the trace; its paradigm is `compiled_rules`.
    compression
        none, lz4 or zstd.

    Raises
    ------
    TraceError
        The disk refused (full, read only, ...); no half file stands under a final name.
    """
    from desbench._engine.simulation import Simulation

    require_compression(compression)
    key = RunKey(suite, PARADIGM, dispatch, instance.case, replicate)
    simulation = Simulation(instance)
    with ExitStack() as stack:
        stream = Stream(stack, simulation, instance, Path(folder), key, compression)
        simulation.hand_over(stream.take, TAKEN)
        stop = simulation.run(dispatch)
        ended = {"status": stop.status, "time": stop.time, "cycle": stop.cycle}
        return stream.finish(ended)


class Stream:
    """The tables of one running episode on their way to disk.

    Parameters
    ----------
    stack
        Closes the files and stops the threads; after an error no file stays.
    """

    def __init__(
        self,
        stack: ExitStack,
        simulation: Simulation,
        instance: Instance,
        folder: Path,
        key: RunKey,
        compression: str,
    ) -> None:
        self.simulation, self.instance = simulation, instance
        self.folder, self.key, self.compression = folder, key, compression
        # events first, so that it is closed last: a run whose events are there has all its tables.
        files = {name: stack.enter_context(atomic(self._path(name))) for name in schema.ROW_TABLES}
        beside = self._path("intervals")
        with refusals(beside):
            kept = tempfile.TemporaryFile(dir=beside.parent)  # noqa: SIM115 - the stack closes it
        machines, vehicles = len(instance.machine_cell), len(instance.vehicle_power)
        self._runs = Runs(cast(Any, stack.enter_context(kept)), machines, vehicles)
        self._violations: list[Mapping[str, I64]] = []
        # Last, so that they stop before the files are closed.
        self._digesting = stack.enter_context(ThreadPoolExecutor(1, "digest"))
        self._writing = stack.enter_context(ThreadPoolExecutor(1, "write"))
        self._waiting: deque[Future[None]] = deque()
        self._tables = {name: self._table(file, name) for name, file in files.items()}

    def take(self) -> None:
        """Pass on the rows of the shop; wait while the writer is behind."""
        shop = self.simulation
        rows = shop.event_rows(), shop.interval_rows(), shop.violation_rows()
        self._waiting.append(self._writing.submit(self._write, *rows))
        self._wait(AHEAD)

    def finish(self, ended: Mapping[str, Any]) -> Streamed:
        """Write the rest after the end of the episode."""
        self.take()
        self._wait(0)
        key, tables = self.key, self._tables
        with refusals(self._path("intervals")):
            for rows in self._runs.merged(schema.BATCH):
                tables["intervals"].append(interval_table(rows))
        tables["violations"].append(violation_table(self._violations))
        info = {**facts_of(self.instance, {**key._asdict(), **ended}), **key._asdict()}
        self._write_case(info)
        digests = {name: self._close(tables[name], info) for name in reversed(schema.ROW_TABLES)}
        counts = {name: tables[name].rows for name in schema.ROW_TABLES}
        found = schema.hash_of(digests, commitments=False)
        return Streamed(key, ended["status"], ended["time"], found, counts)

    def _wait(self, left: int) -> None:
        while len(self._waiting) > left:
            self._waiting.popleft().result()

    def _write(
        self, events: Mapping[str, I64], intervals: Mapping[str, I64], violations: Mapping[str, I64]
    ) -> None:
        """In the thread that writes."""
        table = self._tables["events"]
        with refusals(self._path("events")):
            table.append(event_table(events, table.rows))
        with refusals(self._path("intervals")):
            self._runs.append(intervals)
        self._violations.append(violations)

    def _write_case(self, info: Mapping[str, Any]) -> None:
        for name, parts in pieces(self.instance, JOBS):
            with atomic(self._path(name)) as file:
                table = self._table(file, name)
                for part in parts:
                    table.append(schema.labelled(name, part))
                table.close(info)
        for name in schema.SIDE_TABLES:
            with atomic(self._path(name)) as file:
                self._close(self._table(file, name), info)

    def _close(self, table: TableFile, info: Mapping[str, Any]) -> str:
        with refusals(self._path(table.name)):
            return table.close(info)

    def _table(self, file: Any, name: str) -> TableFile:
        return TableFile(file, name, self.compression, self._digesting)

    def _path(self, name: str) -> Path:
        return path_of(self.folder, name, self.key)
