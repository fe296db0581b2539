"""docs/formats.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from desbench.instances import formats
from desbench.instances.formats import table_files
from instances.formats.test_published_files import COUNTS
from instances.formats.typed import write

PAGE = Path(__file__).resolve().parents[3] / "docs" / "formats.md"


def cells() -> list[list[str]]:
    """Rows of all tables of the page."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [[c.strip() for c in line.strip("|").split("|")] for line in lines if line[:1] == "|"]


def test_every_format_is_described() -> None:
    """A new importer is a new row."""
    assert {row[0].strip("`") for row in cells()} >= set(formats.names())


def test_counts_are_the_tested_ones() -> None:
    """The published files, as the tests import them."""
    found = {row[0]: tuple(row[1:]) for row in cells() if row[0] in COUNTS}
    assert found == {name: tuple(map(str, counts)) for name, counts in COUNTS.items()}


def test_every_column_is_described() -> None:
    """The columns of the tables, and which of them are needed."""
    rows = {row[0]: row[1] for row in cells() if row[0] in table_files.COLUMNS}
    assert set(rows) == set(table_files.COLUMNS)
    for table, columns in table_files.COLUMNS.items():
        bold = ", ".join(re.findall(r"\*\*(.*?)\*\*", rows[table]))
        needed = [name[:-1] for name in columns.split() if name.endswith("!")]
        assert bold.split(", ") == (needed or [""])
        described = re.split(r",\s*", rows[table].replace("**", ""))
        assert all(
            any(
                name == word or (word[-1] == "*" and name.startswith(word[:-1]))
                for word in described
            )
            for name in columns.replace("!", "").split()
        )


def test_the_json_example_is_read(tmp_path: Path) -> None:
    """What a user copies must work."""
    text = PAGE.read_text(encoding="utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    (shop,) = formats.read(write(tmp_path, example, "mine.json"))
    assert (shop.name, shop.operations, shop.vehicles) == ("EX11", 4, 2)
