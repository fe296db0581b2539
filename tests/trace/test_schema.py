"""Tables keep their schema, and the hash of a trace depends on its values alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from desbench.errors import InputError
from desbench.trace import Trace, schema
from measures.handmade import done, event, small_trace, table

EVENTS = [
    event(0, "arrival", job=0),
    event(5, "alarm", area=1, amount=40, cause="power"),
    event(7, "setup_start", job=0, operation=0, machine=0, cell=0, area=0, epoch=3, amount=2),
]


@pytest.mark.parametrize("name", schema.ROW_TABLES)
def test_an_empty_table_has_the_full_schema(name: str) -> None:
    """Readers that glob a folder take the schema of the first file, which may be empty."""
    empty = table(name, [])
    assert empty.num_rows == 0
    assert empty.schema.equals(schema.SCHEMAS[name], check_metadata=True)
    assert empty.schema.metadata[b"schema_version"] == b"1"


def test_none_is_null() -> None:
    """-1 is the engine's word; tables that users load say null."""
    rows = table("events", EVENTS)
    assert rows.column("area").to_pylist() == [None, 1, 0]
    assert rows.column("cause").to_pylist() == [None, "power", None]
    assert schema.ints(rows, "area").tolist() == [-1, 1, 0]


def test_strings_by_code_equal_strings_by_value() -> None:
    """The shop speaks in codes of its own vocabulary; the rows must not show it."""
    vocabulary = ("unused", "setup_start", "alarm", "arrival")
    columns = {name: [] for name in schema.SCHEMAS["events"].names}
    for row in table("events", EVENTS).to_pylist():
        for name, value in row.items():
            columns[name].append(-1 if value is None else value)
    columns["kind"] = (np.array([3, 2, 1]), vocabulary)
    columns["cause"] = (np.array([-1, 0, -1]), ("power",))
    coded = schema.build("events", columns)
    assert coded.to_pylist() == table("events", EVENTS).to_pylist()
    assert schema.digest(coded) == schema.digest(table("events", EVENTS))


def test_the_digest_does_not_see_chunks() -> None:
    """Rows written in blocks and rows written at once are the same rows."""
    whole = table("events", EVENTS)
    blocks = pa.concat_tables([table("events", EVENTS[:0]), whole.slice(0, 1), whole.slice(1)])
    assert blocks.column("kind").num_chunks > 1
    assert schema.digest(blocks) == schema.digest(whole)
    assert schema.codes(blocks, "kind")[0].tolist() == schema.codes(whole, "kind")[0].tolist()


def test_the_digest_tells_null_from_zero_and_lists_apart() -> None:
    """[[1], [2, 3]] and [[1, 2], [3]] hold the same numbers in other places."""
    rows = [{"epoch": 0, "legal": legal} for legal in ([1], [2, 3])]
    moved = [{"epoch": 0, "legal": legal} for legal in ([1, 2], [3])]
    assert schema.digest(table("decisions", rows)) != schema.digest(table("decisions", moved))
    zero = table("events", [event(0, "arrival", job=0)])
    null = table("events", [event(0, "arrival")])
    assert schema.digest(zero) != schema.digest(null)


def _changed(trace: Trace, position: int, **columns: object) -> Trace:
    rows = trace.events.to_pylist()
    rows[position] |= columns
    return replace(trace, events=table("events", rows), _columns={})


@pytest.mark.parametrize(
    "columns", [{"time": 8}, {"kind": "start"}, {"cause": "x"}, {"epoch": None}, {"amount": 3}]
)
def test_one_changed_late_value_changes_the_hash(columns: dict[str, object]) -> None:
    """A check that cannot fail is no check: every column counts, down to the last row."""
    trace = small_trace(events=EVENTS)
    assert _changed(trace, 2).hash == trace.hash
    assert _changed(trace, 2, **columns).hash != trace.hash


def test_order_and_number_of_rows_count() -> None:
    """Two rows swapped, or one dropped, is another trace."""
    trace = small_trace(events=[done(0, 5), done(1, 5)])
    assert small_trace(events=[done(1, 5), done(0, 5)]).hash != trace.hash
    assert small_trace(events=[done(0, 5)]).hash != trace.hash


def test_a_row_moved_to_another_table_changes_the_hash() -> None:
    """The hash covers all five tables, empty ones included."""
    hashes = {small_trace(**{name: [{}]}).hash for name in schema.ROW_TABLES}
    assert len(hashes) == len(schema.ROW_TABLES)


def test_times_convert_and_other_columns_stay() -> None:
    """10 ticks are one minute: 5 ticks are 30 s. The amount of an alarm is in watts."""
    seconds = small_trace(events=EVENTS).table("events", unit="s")
    assert seconds.column("time").to_pylist() == [0.0, 30.0, 42.0]
    assert seconds.column("amount").to_pylist() == [None, 40.0, 12.0]
    assert seconds.column("job").to_pylist() == [0, None, 0]
    assert seconds.schema.field("time").metadata[b"unit"] == b"s"
    travel = small_trace().table("travel", unit="min")
    assert travel.column("ticks").to_pylist()[:3] == [0.0, 0.4, 0.6]


def test_unknown_names_are_refused() -> None:
    """A typing error must not look like an empty table."""
    with pytest.raises(InputError, match="table='event'"):
        small_trace().table("event")
    with pytest.raises(InputError, match="unit='sec'"):
        small_trace().table("events", unit="sec")
