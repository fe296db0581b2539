"""The two summary files of a run folder.

`suite_summary.csv` has one row per run key; times are in the suite's `time_unit`, energy in kWh;
an undefined value is an empty field; the columns after `trace_hash` change from one execution to
the next. `paradigm_summary.csv` has one row per suite, profile (and `all`), paradigm, controller;
only results count in it, failed runs are counted beside them. Each measure has `_n` (cases in
which it is defined), `_mean`, `_sd`, `_low`, `_high` (95 %, bootstrap over cases) and
`_replicate_sd`.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from desbench.measures import PRIMARY, SECONDARY
from desbench.report.intervals import interval, replicate_sd
from desbench.report.records import FAILURES, RESULTS, Record, row_order

IDENTITY = (
    "suite",
    "profile",
    "case",
    "seed",
    "paradigm",
    "controller",
    "replicate",
    "status",
    "cause",
)
PROVENANCE = ("time_unit", "ticks_per_unit", "instance_digest", "trace_hash")
EXECUTION = ("attempts", "wall_time_s")
#: Of language models, over all attempts; kept answers cost nothing.
PAID = ("calls", "input_tokens", "output_tokens", "cost")
#: Of an external program, as it told them.
USAGE = ("messages", "input_tokens", "output_tokens", "cost")
ALL = "all"

Row = dict[str, Any]


def measure_names(records: Iterable[Record]) -> list[str]:
    """The fifteen, the secondary ones, then any that only these records know, by name."""
    known = [definition.column for definition in (*PRIMARY, *SECONDARY)]
    others = {name for record in records for name in record.measures} - set(known)
    return [*known, *sorted(others)]


def suite_rows(records: Sequence[Record]) -> Iterator[Row]:
    """One row per run, in the documented order; one at a time, for there may be very many."""
    names = measure_names(records)
    return (suite_row(record, names) for record in sorted(records, key=row_order))


def suite_row(record: Record, names: Sequence[str]) -> Row:
    """The row of one run; a failed run has no measures unless it recorded some."""
    key = record.key
    identity = (
        key.suite,
        record.profile,
        key.case,
        record.seed,
        key.paradigm,
        key.controller,
        key.replicate,
        record.status,
        record.cause,
    )
    row: Row = dict(zip(IDENTITY, identity, strict=True))
    row |= {name: record.measures.get(name) for name in names}
    row |= {name: getattr(record, name) for name in (*PROVENANCE, *EXECUTION)}
    row |= {f"paid_{name}": record.paid.get(name) for name in PAID}
    row |= {f"controller_{name}": record.usage.get(name) for name in USAGE}
    return row


def paradigm_rows(records: Sequence[Record], names: Sequence[str] | None = None) -> list[Row]:
    """Statistics over cases per suite, profile (and `all`), paradigm and controller.

    Parameters
    ----------
    names
        Of measures; default all.
    """
    groups: dict[tuple[str, str, str, str], list[Record]] = defaultdict(list)
    for record in records:
        for profile in (ALL, record.profile):
            key = record.key
            groups[key.suite, profile, key.paradigm, key.controller].append(record)
    if names is None:
        names = measure_names(records)
    return [
        {
            **dict(zip(("suite", "profile", "paradigm", "controller"), group, strict=True)),
            **counts(members),
            **statistics(members, names),
        }
        for group, members in sorted(groups.items(), key=lambda item: group_order(item[0]))
    ]


def group_order(group: tuple[str, str, str, str]) -> tuple[Any, ...]:
    """`all` before the profiles it sums up."""
    suite, profile, paradigm, controller = group
    return (suite, profile != ALL, profile, paradigm, controller)


def counts(records: Sequence[Record]) -> Row:
    """How many runs there are and how they ended, every status named."""
    row: Row = {
        "runs": len(records),
        "cases": len({record.key.case for record in records if record.is_result}),
    }
    for status in (*RESULTS, *FAILURES):
        row[status] = sum(record.status == status for record in records)
    return row


def statistics(records: Sequence[Record], names: Sequence[str]) -> Row:
    """Columns of every measure; replicates of one case are averaged first."""
    row: Row = {}
    results = sorted((record for record in records if record.is_result), key=row_order)
    for name in names:
        by_case: dict[str, list[float]] = defaultdict(list)
        for record in results:
            value = record.measures.get(name)
            if value is not None:
                by_case[record.key.case].append(float(value))
        groups = list(by_case.values())
        found = interval([sum(group) / len(group) for group in groups])
        row[f"{name}_n"] = found.n
        row[f"{name}_mean"] = found.mean
        row[f"{name}_sd"] = found.sd
        row[f"{name}_low"] = found.low
        row[f"{name}_high"] = found.high
        row[f"{name}_replicate_sd"] = replicate_sd(groups)
    return row


def to_csv(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """UTF-8 with one header line; floats in their shortest exact form, None as an empty field."""
    text = io.StringIO()
    writer: Any = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(text, fieldnames=list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)
    return text.getvalue().encode()
