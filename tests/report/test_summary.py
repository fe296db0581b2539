"""Rows of the summary files and of the table on the screen, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from desbench.errors import TraceError
from desbench.report.records import Record, read_record
from desbench.report.summary import paradigm_rows, suite_rows, to_csv
from desbench.report.table import overview, statuses
from desbench.report.text import number
from desbench.trace import RunKey


def record(case: str, makespan: float | None, replicate: int = 0, **known: Any) -> Record:
    """A run of profile `p` with one measure."""
    key = RunKey("shop", known.pop("paradigm", "holonic_hybrid"), "native-rules", case, replicate)
    facts: dict[str, Any] = {"status": "done", "profile": "p", "seed": int(case[-1])} | known
    measures = {"makespan": makespan} if facts["status"] == "done" else {}
    return Record(key=key, digest=f"{case}{replicate}", measures=measures, **facts)


def row_of(records: list[Record], profile: str = "all") -> dict[str, Any]:
    """The only row of a profile."""
    (row,) = (row for row in paradigm_rows(records) if row["profile"] == profile)
    return row


def test_cases_are_averaged_over_their_replicates_first() -> None:
    """Case 0: 10 and 14 = 12, case 1: 20; mean 16, sd 5.65685; pooled within: sqrt(8)."""
    row = row_of([record("c0", 10), record("c0", 14, 1), record("c1", 20)])
    assert (row["runs"], row["cases"], row["makespan_n"], row["makespan_mean"]) == (3, 2, 2, 16)
    assert row["makespan_sd"] == pytest.approx(32**0.5)
    assert row["makespan_replicate_sd"] == pytest.approx(8**0.5)


def test_failed_runs_are_counted_and_never_scored() -> None:
    """A worker that was killed says nothing about how agents should be organised."""
    row = row_of([record("c0", 10), record("c1", None, status="killed", cause="x")])
    assert (row["runs"], row["done"], row["killed"], row["makespan_mean"]) == (2, 1, 1, 10)


def test_profiles_have_rows_of_their_own_and_all_comes_first() -> None:
    """Two profiles of one suite: the reader finds the total first, then what it is made of."""
    rows = paradigm_rows([record("c0", 1), record("d1", 3, profile="q")])
    assert [(row["profile"], row["makespan_mean"]) for row in rows] == [
        ("all", 2), ("p", 1), ("q", 3),
    ]  # fmt: skip


def test_undefined_measures_are_empty_fields() -> None:
    """NaN or 0 in a table would be averaged by whoever reads it."""
    lines = to_csv(suite_rows([record("c0", None), record("c1", 2.5)])).decode().splitlines()
    place = lines[0].split(",").index("makespan")
    assert [line.split(",")[place] for line in lines[1:]] == ["", "2.5"]


def test_order_of_rows_does_not_follow_the_order_of_finishing() -> None:
    """With several workers runs finish in any order; seed 10 comes after seed 9, not after 1."""
    shuffled = [record("c3", 1), record("c9", 1), record("c0", 1)]
    shuffled.append(record("c1", 1, seed=10))
    assert [row["seed"] for row in suite_rows(shuffled)] == [0, 3, 9, 10]


def test_a_record_survives_its_file(tmp_path: Any) -> None:
    """What resume reads is exactly what was written; a cut file is not a record."""
    path = tmp_path / "r.json"
    one = record("c0", 0.1 + 0.2)
    path.write_bytes(one.to_json())
    assert read_record(path) == one
    path.write_bytes(one.to_json()[:-20])
    with pytest.raises(TraceError, match="not a complete run file"):
        read_record(path)


def test_table_is_ascii_and_tells_failures() -> None:
    """The last thing on the screen: how many runs ended how, and what the failed ones said."""
    lines = statuses([record("c0", 1), record("c1", None, status="error", cause="no key")])
    assert lines[2:] == [
        "paradigm        runs  done  error",
        "holonic_hybrid     2     1      1",
        "  1 x error: no key",
    ]
    assert "\n".join(overview([record("c0", 1)])).isascii()


@pytest.mark.parametrize(
    "value, text",
    [(None, "-"), (0, "0"), (24.0, "24"), (381.51, "381.5"), (2099.4, "2099"), (0.12104, "0.121"),
     (0.00042, "0.0004"), (123456.7, "123457"), (-3.25, "-3.25")],
)  # fmt: skip
def test_numbers_have_four_digits_and_no_exponent(value: float | None, text: str) -> None:
    """Columns of a table must be comparable at a glance."""
    assert number(value) == text
