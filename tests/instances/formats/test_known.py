"""Published makespans: with source and date, found by content, never a gap of nothing."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from desbench.instances import formats
from desbench.instances.formats import known, report
from instances.formats.typed import FT06, write


@pytest.mark.parametrize(
    "name, lower, upper",
    [
        ("ft06", 55, 55),
        ("ft10", 930, 930),
        ("orb07", 397, 397),
        ("abz8", 667, 667),  # 665 stands in another list and is impossible
        ("k4", 11, 11),  # 12 stands in another list
        ("mk10", 189, 193),
        ("MK01", 40, 40),
        ("ta80", 5183, 5183),
        ("EX11", 96, 96),
        ("fjsp05", 94, 94),
    ],
)
def test_values(name: str, lower: int, upper: int) -> None:
    """Each value says whose it is and when it was known."""
    found = formats.reference(name)
    assert found is not None
    assert (found.lower, found.upper) == (lower, upper)
    assert found.kind == ("optimum" if lower == upper else "best_known")
    assert found.source
    assert found.date[:2] == "20"


def test_no_value_is_none() -> None:
    """Not 0 and not NaN."""
    assert formats.reference("Fattahi_setup_20") is None
    assert formats.reference("nobody's") is None


def test_gap() -> None:
    """Against the best known makespan; a negative one is for the reader to doubt."""
    found = formats.reference("mk10")
    assert found is not None
    assert found.gap(193) == 0
    assert found.gap(386) == 1
    assert found.gap(190) < 0


def test_the_table_is_clean() -> None:
    """Lower <= upper; every name and every content once."""
    rows = known._table()
    assert all(0 < row.lower <= row.upper for row, _ in rows)
    assert len({row.name.lower() for row, _ in rows}) == len(rows)
    contents = sorted(content for _, content in rows)
    assert all(a != b for a, b in pairwise(contents))


def test_a_famous_name_on_other_figures(tmp_path: Path) -> None:
    """A gap against the optimum of another instance would be worse than none."""
    found = formats.read_one(write(tmp_path, FT06.replace("2 1 0 3", "2 2 0 3"), "ft06.txt"))
    assert formats.reference_of(found) is None
    lines = list(report.describe(found))
    assert "reference     none: its content is not that of the published ft06" in lines


def test_famous_figures_under_another_name(tmp_path: Path) -> None:
    """mt06 is ft06."""
    found = formats.read_one(write(tmp_path, FT06, "mt06"))
    assert any("makespan 55 (optimum; ft06; " in line for line in report.describe(found))
