"""Trace: all that an episode left behind, in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from desbench.errors import InputError
from desbench.trace import schema

SECONDS = {"s": 1, "min": 60, "h": 3600}  #: of a time unit

I64 = npt.NDArray[np.int64]


class RunKey(NamedTuple):
    """What names one run of a sweep, exactly as the user wrote it."""

    suite: str
    paradigm: str
    controller: str
    case: str
    replicate: int


@dataclass(frozen=True, eq=False)
class Trace:
    """The rows of one episode and the case it played. Nothing in it changes.

    `info` holds suite, case, paradigm, controller, replicate, status, time (ticks at the end),
    cycle (of a deadlock), and of the case its digest, time_unit and ticks_per_unit; of a compiled
    run also `compiled`, its rules by kind.
    """

    events: pa.Table
    intervals: pa.Table
    decisions: pa.Table
    messages: pa.Table
    violations: pa.Table
    commitments: pa.Table
    case: Mapping[str, pa.Table]
    info: Mapping[str, Any]
    #: what was asked of language models; not part of the hash
    llm_calls: pa.Table = field(default_factory=schema.SCHEMAS["llm_calls"].empty_table)
    _columns: dict[tuple[str, str], Any] = field(default_factory=dict, repr=False)

    @property
    def key(self) -> RunKey:
        """The run this trace belongs to."""
        info = self.info
        return RunKey(
            info["suite"],
            info["paradigm"],
            info["controller"],
            info["case"],
            int(info["replicate"]),
        )

    @cached_property
    def hash(self) -> str:
        """SHA-256 over the rows; the same decoded rows give the same hash, however stored."""
        digests = {name: schema.digest(self.raw(name)) for name in schema.ROW_TABLES}
        return schema.hash_of(digests, commitments=self.commitments.num_rows > 0)

    def raw(self, name: str) -> pa.Table:
        """Return a table by name, a row table or a case table, times in ticks."""
        if name in (*schema.ROW_TABLES, *schema.SIDE_TABLES):
            table: pa.Table = getattr(self, name)
            return table
        if name in self.case:
            return self.case[name]
        raise InputError(
            f"table={name!r} is not in the trace, must be one of "
            f"{', '.join((*schema.ROW_TABLES, *schema.SIDE_TABLES, *self.case))}"
        )

    def table(self, name: str, unit: str | None = None) -> pa.Table:
        """Return a table by name, times in ticks or, as floats, in `unit`.

        Parameters
        ----------
        name
            A row table or a case table.
        unit
            s, min, h, or None for ticks. `amount` of alarm and cap rows is no time and stays.
        """
        table = self.raw(name)
        if unit is None:
            return table
        if unit not in SECONDS:
            raise InputError(f"unit={unit!r}, must be one of {', '.join(SECONDS)} or None")
        divisor = self.ticks_per_unit * SECONDS[unit]
        for position, column in enumerate(table.schema):
            declared = (column.metadata or {}).get(b"unit", b"").decode()
            if not declared.startswith(schema.TICKS):
                continue
            values = pc.cast(table.column(position), pa.float64(), safe=False)
            # Multiply, then divide: 6 ticks of 0.1 are 0.6, not 0.6000000000000001.
            scaled = pc.divide(pc.multiply(values, SECONDS[self.info["time_unit"]]), divisor)
            if name == "events" and column.name == "amount":
                scaled = pc.if_else(
                    pa.array(self.mask(name, "kind", "alarm", "cap")), values, scaled
                )
            label = {"unit": declared.replace(schema.TICKS, unit)}
            floats = pa.field(column.name, pa.float64(), metadata=label)
            table = table.set_column(position, floats, scaled)
        return table

    @property
    def ticks_per_unit(self) -> int:
        """Ticks in one time unit of the suite."""
        return int(self.info["ticks_per_unit"])

    @property
    def end(self) -> int:
        """Ticks at the end of the episode."""
        return int(self.info["time"])

    def setting(self, name: str) -> int | None:
        """Return a number of the table `case`; None where there is none."""
        value: int | None = self.case["case"].column(name)[0].as_py()
        return value

    def ints(self, name: str, column: str) -> I64:
        """Return an integer column, null as -1; read once, then kept."""
        values: I64 = self._once(name, column, schema.ints)
        return values

    def codes(self, name: str, column: str) -> tuple[I64, list[str]]:
        """Return a string column as codes (null as -1) and their vocabulary; read once."""
        pair: tuple[I64, list[str]] = self._once(name, column, schema.codes)
        return pair

    def texts(self, name: str, column: str) -> list[str | None]:
        """Return a string column as a list."""
        numbers, vocabulary = self.codes(name, column)
        spoken: list[str | None] = [*vocabulary, None]
        return [spoken[code] for code in numbers.tolist()]

    def mask(self, name: str, column: str, *values: str) -> npt.NDArray[np.bool_]:
        """Where a string column holds one of `values`."""
        numbers, vocabulary = self.codes(name, column)
        # The last place answers code -1.
        return np.array([text in values for text in (*vocabulary, None)])[numbers]

    def _once(self, name: str, column: str, read: Any) -> Any:
        if (name, column) not in self._columns:
            self._columns[name, column] = read(self.raw(name), column)
        return self._columns[name, column]
