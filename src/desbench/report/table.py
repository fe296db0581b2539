"""The short table at the end of a run: plain ASCII, the same on a terminal and in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from desbench.measures import PRIMARY
from desbench.report.records import FAILURES, RESULTS, Record
from desbench.report.summary import ALL, paradigm_rows
from desbench.report.text import aligned, number


def overview(records: Sequence[Record]) -> list[str]:
    """Means of the fifteen over cases, a block per family of measures, a line per paradigm."""
    families: dict[str, list[str]] = {}
    units: dict[str, set[str]] = {}
    for definition in PRIMARY:
        families.setdefault(definition.family, []).append(definition.column)
        units.setdefault(definition.family, set()).add(definition.unit)
    shown = [definition.column for definition in PRIMARY]
    groups = [row for row in paradigm_rows(records, shown) if row["profile"] == ALL]
    several_suites = len({row["suite"] for row in groups}) > 1
    several_controllers = len({row["controller"] for row in groups}) > 1
    label = ["paradigm"]
    label = (["suite"] if several_suites else []) + label
    label = label + (["controller"] if several_controllers else [])
    lines: list[str] = []
    for family, names in families.items():
        cells = [[*label, *names]]
        cells += [
            [*(str(row[part]) for part in label), *(number(row[f"{name}_mean"]) for name in names)]
            for row in groups
        ]
        lines += ["", _title(family, units[family], records), *aligned(cells, left=len(label))]
    return lines


def _title(family: str, units: set[str], records: Sequence[Record]) -> str:
    """What the numbers of a family are; the suite's time unit is named where all share it."""
    times = sorted({record.time_unit for record in records if record.time_unit})
    told = [f"time in {' or '.join(times)}"] if "time" in units and times else []
    told += ["energy in kWh"] if "kWh" in units else []
    return f"{family} (mean over cases{'; ' if told else ''}{', '.join(told)})"


def statuses(records: Sequence[Record]) -> list[str]:
    """How the runs ended, per paradigm, and what the failed ones said."""
    present = {record.status for record in records}
    columns = [status for status in (*RESULTS, *FAILURES) if status in present]
    counts: dict[str, Counter[str]] = {}
    for record in records:
        counts.setdefault(record.key.paradigm, Counter())[record.status] += 1
    cells = [["paradigm", "runs", *columns]]
    cells += [
        [paradigm, str(count.total()), *(str(count[status]) for status in columns)]
        for paradigm, count in sorted(counts.items())
    ]
    return ["", "how the runs ended", *aligned(cells, left=1), *causes(records)]


def causes(records: Sequence[Record]) -> list[str]:
    """The sentences of failed runs, the most frequent first, with how often each occurred."""
    said = Counter(f"{record.status}: {record.cause}" for record in records if record.cause)
    return [f"  {count} x {text}" for text, count in said.most_common(5)]
