"""The tables of a trace: one fixed schema each, whatever the episode did.

Time columns are int64 ticks, strings are dictionary encoded with one dictionary per file, and
"none" is null. The unit of a column stands in its field's metadata, the schema version and the
name of the table in the metadata of the schema.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

I64 = npt.NDArray[np.int64]

SCHEMA_VERSION = 1
#: Rows of a record batch on disk and of one digest; shorter tables are one batch. A multiple of
#: 512, so that a column of a batch fills whole buffers of Arrow, whatever it was cut from.
BATCH = 1 << 18
ROW_TABLES = ("events", "intervals", "decisions", "messages", "violations", "commitments")
#: Rows beside the episode: not part of its hash, for they tell of clocks and bills.
SIDE_TABLES = ("llm_calls",)
CASE_TABLES = (
    "case",
    "jobs",
    "operations",
    "machines",
    "cells",
    "areas",
    "vehicles",
    "travel",
    "setups",
    "downtimes",
    "carbon",
)
#: Case tables that older folders lack, by their columns: there they have no rows.
LATER_TABLES = {"carbon": ("start", "intensity")}

INT = pa.int64()
FLOAT = pa.float64()
TEXT = pa.dictionary(pa.int32(), pa.string())
INTS = pa.list_(pa.int64())
TICKS = "ticks"

_COLUMNS: dict[str, dict[str, tuple[Any, str]]] = {
    "events": {
        "seq": (INT, ""),
        "time": (INT, TICKS),
        "kind": (TEXT, ""),
        "job": (INT, ""),
        "operation": (INT, ""),
        "machine": (INT, ""),
        "cell": (INT, ""),
        "area": (INT, ""),
        "vehicle": (INT, ""),
        "epoch": (INT, ""),
        "amount": (INT, "ticks; alarm: watts or items; cap: watts"),
        "cause": (TEXT, ""),
    },
    "intervals": {
        "entity_kind": (TEXT, ""),
        "entity": (INT, ""),
        "state": (TEXT, ""),
        "job": (INT, ""),
        "operation": (INT, ""),
        "start": (INT, TICKS),
        "end": (INT, TICKS),
        "power": (INT, "watts"),
    },
    "decisions": {
        "epoch": (INT, ""),
        "time": (INT, TICKS),
        "agent": (TEXT, ""),
        "kind": (TEXT, ""),
        "authority": (TEXT, ""),
        "job": (INT, ""),
        "operation": (INT, ""),
        "legal": (INTS, ""),
        "action": (INT, ""),
        "target": (TEXT, ""),
        "source": (TEXT, ""),
        "outcome": (TEXT, ""),
        "attempts": (INT, ""),
    },
    "messages": {
        "seq": (INT, ""),
        "epoch": (INT, ""),
        "time": (INT, TICKS),
        "sender": (TEXT, ""),
        "receiver": (TEXT, ""),
        "performative": (TEXT, ""),
        "job": (INT, ""),
        "operation": (INT, ""),
        "conversation": (INT, ""),
        "commitment": (INT, ""),
        "version": (INT, ""),
        "promise": (INT, TICKS),
    },
    "violations": {
        "entity_kind": (TEXT, ""),
        "entity": (INT, ""),
        "start": (INT, TICKS),
        "end": (INT, TICKS),
        "magnitude": (INT, "power: watts; wip: items"),
    },
    "commitments": {
        "seq": (INT, ""),
        "epoch": (INT, ""),
        "time": (INT, TICKS),
        "commitment": (INT, ""),
        "parent": (INT, ""),
        "job": (INT, ""),
        "operation": (INT, ""),
        "sender": (TEXT, ""),
        "receiver": (TEXT, ""),
        "kind": (TEXT, ""),
        "version": (INT, ""),
        "before": (TEXT, ""),
        "after": (TEXT, ""),
        "result": (TEXT, ""),
        "guard": (TEXT, ""),
        "forced": (INT, ""),
        "cause": (TEXT, ""),
        "entry": (TEXT, "JSON"),
    },
    "llm_calls": {
        "epoch": (INT, ""),
        "agent": (TEXT, ""),
        "kind": (TEXT, ""),
        "attempt": (INT, ""),
        "model": (TEXT, ""),
        "outcome": (TEXT, ""),
        "action": (INT, ""),
        "text": (TEXT, ""),
        "finish_reason": (TEXT, ""),
        "input_tokens": (INT, ""),
        "output_tokens": (INT, ""),
        "latency_s": (FLOAT, "s"),
        "retries": (INT, ""),
        "cached": (INT, ""),
        "cost": (FLOAT, "as in the price file"),
        "request": (TEXT, ""),
    },
}


#: Units of the columns of case tables, which `Instance.tables()` defines.
_CASE_UNITS: dict[str, dict[str, str]] = {
    "case": {
        "plant_power_cap": "watts",
        "horizon": TICKS,
        "message_delay": TICKS,
        "deadline": TICKS,
        "review_period": TICKS,
        "carbon_period": TICKS,
    },
    "jobs": {"release": TICKS, "due": TICKS, "patience": TICKS},
    "operations": {"nominal": TICKS, "realised": TICKS, "power": "watts"},
    "machines": {
        "power_idle": "watts",
        "power_setup": "watts",
        "power_blocked": "watts",
        "power_down": "watts",
        "mean_repair": TICKS,
    },
    "areas": {"power_cap": "watts", "wip_cap": "items"},
    "vehicles": {"power": "watts"},
    "travel": {"ticks": TICKS},
    "setups": {"ticks": TICKS},
    "downtimes": {"start": TICKS, "end": TICKS},
    "carbon": {"start": TICKS, "intensity": "g/kWh"},
}


def _schema(name: str, columns: Mapping[str, tuple[Any, str]]) -> Any:
    fields = [
        pa.field(column, kind, metadata={"unit": unit} if unit else None)
        for column, (kind, unit) in columns.items()
    ]
    return pa.schema(fields, metadata={"table": name, "schema_version": str(SCHEMA_VERSION)})


#: The schema of each row table and side table.
SCHEMAS: dict[str, Any] = {name: _schema(name, columns) for name, columns in _COLUMNS.items()}


def build(name: str, columns: Mapping[str, Any]) -> pa.Table:
    """Make a row table of its columns.

    Parameters
    ----------
    name
        One of `ROW_TABLES` or `SIDE_TABLES`.
    columns
        Every column of the table: integers (-1 becomes null), strings or None, lists of integers,
        or for a string column a pair (codes, vocabulary) with code -1 for null.
    """
    schema = SCHEMAS[name]
    arrays = [_array(field.type, columns[field.name]) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def labelled(name: str, table: pa.Table) -> pa.Table:
    """Return a case table with its units and the schema version in the metadata."""
    units = _CASE_UNITS.get(name, {})
    columns = {field.name: (field.type, units.get(field.name, "")) for field in table.schema}
    return table.cast(_schema(name, columns))


def empty(name: str) -> pa.Table:
    """Return one of `LATER_TABLES` without rows."""
    return labelled(name, pa.table({column: pa.array([], INT) for column in LATER_TABLES[name]}))


def _array(kind: Any, values: Any) -> pa.Array:
    if kind == INT:
        numbers = np.ascontiguousarray(values, dtype=np.int64)
        return _masked(INT, numbers, numbers != -1)
    if kind in (INTS, FLOAT):
        return pa.array(values, kind)
    if isinstance(values, tuple) and len(values) == 2 and isinstance(values[0], np.ndarray):
        codes = values[0].astype(np.int32)
        # Under a null stands 0: polars refuses a whole column for a -1 that nobody sees.
        indices = _masked(pa.int32(), np.maximum(codes, 0), codes >= 0)
        return pa.DictionaryArray.from_arrays(indices, pa.array(values[1], pa.string()))
    return pa.array(values, pa.string()).dictionary_encode()


def _masked(kind: Any, numbers: Any, valid: npt.NDArray[np.bool_]) -> pa.Array:
    """Make numbers a column without copying them, null where they are not valid.

    A third of the time of `pa.array` with a mask, and the same bits.
    """
    bits = np.packbits(valid, bitorder="little")
    nulls = len(numbers) - int(np.count_nonzero(valid))
    buffers = [pa.py_buffer(bits) if nulls else None, pa.py_buffer(numbers)]
    return pa.Array.from_buffers(kind, len(numbers), buffers, nulls)


def ints(table: pa.Table, column: str) -> I64:
    """Return an integer column as int64, null as -1."""
    values = table.column(column)
    if values.null_count:
        values = pc.fill_null(values, pa.scalar(-1, values.type))
    numbers: I64 = values.to_numpy().astype(np.int64, copy=False)
    return numbers


def codes(table: pa.Table, column: str) -> tuple[I64, list[str]]:
    """Return a string column as codes (null as -1) into a vocabulary, also returned."""
    values = table.column(column)
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    values = values.unify_dictionaries()
    if not values.num_chunks:
        return np.empty(0, np.int64), []
    vocabulary = values.chunk(0).dictionary.to_pylist()
    indices = pa.chunked_array([chunk.indices for chunk in values.chunks])
    numbers = pc.fill_null(indices, pa.scalar(-1, indices.type)).to_numpy()
    return numbers.astype(np.int64, copy=False), vocabulary


def digest(table: pa.Table) -> str:
    """SHA-256 over the decoded rows; chunks and the order of a dictionary do not matter.

    A table of more than `BATCH` rows has the SHA-256 of the digests of its batches, so that nobody
    needs all its rows at once.
    """
    if table.num_rows <= BATCH:
        return digest_of_batch(table)
    batches = (table.slice(first, BATCH) for first in range(0, table.num_rows, BATCH))
    return joined_digest(table.num_rows, [digest_of_batch(batch, narrow=True) for batch in batches])


def joined_digest(rows: int, digests: Sequence[str]) -> str:
    """Return the digest of a table of so many rows from those of its batches, in order."""
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("\n".join([f"{rows}", *digests]).encode()).hexdigest()


def digest_of_batch(table: pa.Table, *, narrow: bool = False) -> str:
    """SHA-256 over the decoded rows, column by column.

    Parameters
    ----------
    narrow
        One batch of several: integers count with the least width that holds the column, for
        SHA-256 costs more than anything else that is done with a row.
    """
    sha = hashlib.sha256(f"{table.num_rows}".encode())
    for field in table.schema:
        sha.update(f"|{field.name}:".encode())
        for part in _canonical(table, field):
            sha.update(_narrowed(part) if narrow else part)
    return sha.hexdigest()


def _narrowed(part: Any) -> Any:
    """Integers in the least width that holds them all; the width is told by the length."""
    if not isinstance(part, np.ndarray) or part.dtype.kind != "i" or len(part) == 0:
        return part
    low, high = part.min(), part.max()
    widths = (np.dtype("<i1"), np.dtype("<i2"), np.dtype("<i4"), np.dtype("<i8"))
    enough = next(w for w in widths if np.iinfo(w).min <= low and high <= np.iinfo(w).max)
    return part.astype(enough, copy=False)


def hash_of(digests: Mapping[str, str], *, commitments: bool) -> str:
    """Return the hash of a trace from the digests of its row tables.

    Parameters
    ----------
    commitments
        Whether that table has rows; an episode without has no line of it.
    """
    names = [name for name in ROW_TABLES if name != "commitments" or commitments]
    lines = [f"{name} {digests[name]}" for name in names]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _canonical(table: pa.Table, field: Any) -> Sequence[Any]:
    """Bytes that depend on the values of a column alone, as bytes or arrays."""
    if pa.types.is_dictionary(field.type) or pa.types.is_string(field.type):
        numbers, vocabulary = codes(table, field.name)
        # The last place answers code -1.
        present = np.zeros(len(vocabulary) + 1, np.bool_)
        present[numbers] = True
        used = sorted({vocabulary[code] for code in np.flatnonzero(present[:-1])})
        rank = {text: position for position, text in enumerate(used)}
        order = np.array([rank.get(text, -1) for text in vocabulary] + [-1], dtype="<i4")
        return json.dumps(used).encode(), order[numbers]
    values = table.column(field.name).combine_chunks()
    if pa.types.is_list(field.type):
        lengths = pc.fill_null(pc.list_value_length(values), -1).to_numpy(zero_copy_only=False)
        flat = values.flatten().to_numpy(zero_copy_only=False)
        return lengths.astype("<i4"), flat.astype("<i8")
    valid = _valid(values)
    if pa.types.is_floating(field.type):
        numbers = pc.fill_null(values, 0.0).to_numpy().astype("<f8", copy=False)
    else:
        numbers = np.frombuffer(values.buffers()[1], np.int64)[values.offset :][: len(values)]
        if values.null_count:
            numbers = numbers * valid  # 0 for null
        numbers = numbers.astype("<i8", copy=False)
    return np.packbits(~valid), numbers


def _valid(values: pa.Array) -> npt.NDArray[np.bool_]:
    """Where a column is not null; from its bits, which Arrow itself unpacks one by one."""
    bits = values.buffers()[0]
    if bits is None:
        return np.ones(len(values), np.bool_)
    last = values.offset + len(values)
    unpacked = np.unpackbits(np.frombuffer(bits, np.uint8), count=last, bitorder="little")
    return unpacked[values.offset :].view(np.bool_)
