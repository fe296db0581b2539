"""Result: a finished run folder, for notebooks."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from desbench.errors import InputError, TraceError
from desbench.report.records import Record, read_records
from desbench.report.summary import paradigm_rows, suite_rows
from desbench.trace import RunKey, Trace, read

if TYPE_CHECKING:
    import pyarrow as pa


class Result:
    """What a run folder holds, read when asked for.

    Parameters
    ----------
    folder
        The output folder of `desbench run`.

    Raises
    ------
    TraceError
        When the folder holds no finished run, or a damaged one.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.records, damaged = read_records(self.folder)
        if damaged:
            raise TraceError(damaged[0])
        if not self.records:
            raise TraceError(f"{self.folder}: no finished runs here; make some with `desbench run`")

    def __repr__(self) -> str:
        return f"Result({str(self.folder)!r}, {len(self.records)} runs)"

    @cached_property
    def summary(self) -> pa.Table:
        """One row per run: the columns of `suite_summary.csv`."""
        return _table(list(suite_rows(self.records)))

    @cached_property
    def paradigms(self) -> pa.Table:
        """Statistics over cases: the columns of `paradigm_summary.csv`."""
        return _table(paradigm_rows(self.records))

    def trace(
        self,
        case: str,
        paradigm: str | None = None,
        controller: str | None = None,
        suite: str | None = None,
        replicate: int = 0,
    ) -> Trace:
        """The trace of one run; what the folder holds only once need not be named.

        Raises
        ------
        InputError
            When no run, or more than one, has these properties.
        """
        wanted = {"case": case, "paradigm": paradigm, "controller": controller, "suite": suite}
        asked = {name: value for name, value in wanted.items() if value is not None}
        asked_text = ", ".join(f"{name}={value}" for name, value in asked.items())
        keys = [record.key for record in self.records if _fits(record, asked, replicate)]
        if not keys:
            raise InputError(f"{self.folder}: no run with {asked_text}, replicate={replicate}")
        if len(keys) > 1:
            raise InputError(
                f"{self.folder}: {len(keys)} runs with {asked_text}; name also {_differing(keys)}"
            )
        return read(self.folder, keys[0])

    def table(
        self,
        name: str,
        case: str,
        unit: str | None = None,
        paradigm: str | None = None,
        controller: str | None = None,
        suite: str | None = None,
        replicate: int = 0,
    ) -> pa.Table:
        """One table of a trace, times in ticks or, with `unit` s, min or h, as floats."""
        return self.trace(case, paradigm, controller, suite, replicate).table(name, unit=unit)


def _fits(record: Record, asked: dict[str, str], replicate: int) -> bool:
    key = record.key
    return key.replicate == replicate and all(
        getattr(key, name) == value for name, value in asked.items()
    )


def _differing(keys: list[RunKey]) -> str:
    return ", ".join(
        f"{name} ({' or '.join(sorted(values))})"
        for name in ("suite", "paradigm", "controller")
        if len(values := {str(getattr(key, name)) for key in keys}) > 1
    )


def _table(rows: list[dict[str, object]]) -> pa.Table:
    import pyarrow as pa

    columns = {}
    for name in rows[0]:
        column = pa.array([row[name] for row in rows])
        # A column without any value has no type of its own; all such ones here are measures.
        columns[name] = column.cast(pa.float64()) if pa.types.is_null(column.type) else column
    return pa.table(columns)
