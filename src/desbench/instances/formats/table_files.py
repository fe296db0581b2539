"""CSV files with the columns of the case tables: what they may hold, read and written strictly."""

from __future__ import annotations

import csv
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from desbench.errors import InputError
from desbench.instances.bounds import MAX_TICKS
from desbench.instances.complaints import near
from desbench.instances.formats.source import Refused
from desbench.instances.instance import I64, Instance

#: Table -> columns; those that must be there are marked with `!`.
COLUMNS = {
    "case": "case time_unit digest plant_power_cap horizon deadline review_period carbon_period "
    "ticks_per_unit "
    "eco_duration_num eco_duration_den eco_power_num eco_power_den decision_limit "
    "no_progress_limit options deliver message_delay decision_delay_plant decision_delay_area "
    "decision_delay_cell decision_delay_measured",
    "jobs": "job! release due weight operations patience name",
    "operations": "job! operation! machine! nominal! realised family power",
    "machines": "machine! name cell power_idle power_setup power_blocked power_down "
    "initial_family mean_repair",
    "cells": "cell! name area inbound outbound commitment",
    "areas": "area! name power_cap wip_cap",
    "vehicles": "vehicle! name power",
    "travel": "from! to! ticks!",
    "setups": "machine! from! to! ticks!",
    "downtimes": "machine! start! end! cause interruption",
    "carbon": "start! intensity!",
}
_WHOLE = re.compile(r"-?\d{1,19}(\.0*)?", re.ASCII)


class Table:
    """One CSV file: a header with known columns, then rows of the same length."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.columns: list[str] = []
        self.lines: list[int] = []
        self.rows: list[list[str]] = []
        for line, row in _rows(path):
            if not self.columns:
                self.columns = self._header([cell.strip() for cell in row], line)
            elif len(row) != len(self.columns):
                columns = f"{len(row)} cells, must be {len(self.columns)} as in the header"
                raise Refused(f"{path}, line {line}: {columns}", line)
            else:
                self.lines.append(line)
                self.rows.append(row)
        if not self.columns:
            raise Refused(f"{path}: holds no header line")

    def __len__(self) -> int:
        return len(self.rows)

    def _header(self, columns: list[str], line: int) -> list[str]:
        where = f"{self.path}, line {line}"
        known = COLUMNS[self.path.stem].split()
        names = [name.rstrip("!") for name in known]
        for column in columns:
            if ";" in column:
                raise Refused(f"{where}: cells must be separated by commas, not semicolons", line)
            if column not in names:
                raise Refused(f"{where}: no column '{column}'{near(column, names)}", line)
            if columns.count(column) > 1:
                raise Refused(f"{where}: column '{column}' is given twice", line)
        for name in known:
            if name.endswith("!") and name[:-1] not in columns:
                raise Refused(f"{where}: lacks the column '{name[:-1]}'", line)
        return columns

    def refuse(self, row: int, column: str, rule: str) -> Refused:
        """Give the error about one cell."""
        line, text = self.lines[row], self.texts(column)[row][:40]
        token = self.columns.index(column) + 1
        place = f"{self.path}, line {line}, token {token} ({column}) '{text}'"
        return Refused(f"{place}: {rule}", line)

    def texts(self, column: str) -> list[str]:
        """Cells of a column exactly as they are."""
        at = self.columns.index(column)
        return [row[at] for row in self.rows]

    def has(self, column: str) -> bool:
        """Whether the column is there."""
        return column in self.columns

    def ints(
        self, column: str, default: int | None = None, least: int = 0, most: int = MAX_TICKS - 1
    ) -> I64:
        """Whole numbers of a column; `default`, if there is one, where it or the cell is empty."""
        if not self.has(column):
            return np.full(len(self.rows), 0 if default is None else default, dtype=np.int64)
        values = []
        for row, text in enumerate(self.texts(column)):
            text = text.strip()
            if not text and default is not None:
                values.append(default)
                continue
            if not _WHOLE.fullmatch(text):
                raise self.refuse(row, column, f"must be a whole number {_range(least, most)}")
            value = int(text.partition(".")[0])
            if not least <= value <= most:
                raise self.refuse(row, column, f"must be {_range(least, most)}")
            values.append(value)
        return np.array(values, dtype=np.int64)

    def numbers(self, column: str, default: float) -> Any:
        """Finite numbers >= 0 of a column."""
        if not self.has(column):
            return np.full(len(self.rows), default)
        values = []
        for row, text in enumerate(self.texts(column)):
            try:
                value = float(text) if text.strip() else default
            except ValueError:
                value = -1.0
            if not 0 <= value < float("inf"):
                raise self.refuse(row, column, "must be a number >= 0")
            values.append(value)
        return np.array(values, dtype=np.float64)

    def codes(self, column: str, choices: tuple[str, ...], default: str) -> Any:
        """Index of each word of a column among `choices`."""
        words = self.texts(column) if self.has(column) else [default] * len(self.rows)
        for row, word in enumerate(words):
            if (word.strip() or default) not in choices:
                raise self.refuse(row, column, f"must be one of {', '.join(choices)}")
        found = [choices.index(word.strip() or default) for word in words]
        return np.array(found, dtype=np.int32)

    def names(self, default: Callable[[int], str]) -> tuple[str, ...]:
        """Names of all entities, `default(index)` where the cell is empty or the column absent."""
        texts = self.texts("name") if self.has("name") else [""] * len(self.rows)
        found = [text or default(index) for index, text in enumerate(texts)]
        first: dict[str, int] = {}
        for row, name in enumerate(found):
            if name in first:
                twice = f"the name '{name[:40]}' is given twice, first in line"
                where = f"{self.path}, line {self.lines[row]}"
                raise Refused(f"{where}: {twice} {self.lines[first[name]]}", self.lines[row])
            first[name] = row
        return tuple(found)

    def in_order(self, column: str) -> Table:
        """Give the same table sorted by `column`, whose values must be 0, 1, 2, ..., each once."""
        count = len(self.rows)
        numbers = self.ints(column, least=0, most=max(count - 1, 0))
        at: dict[int, int] = {}
        for row, number in enumerate(numbers.tolist()):
            if number in at:
                line = self.lines[at[number]]
                raise self.refuse(row, column, f"is given twice, first in line {line}")
            at[number] = row
        order = [at[number] for number in range(count)]
        self.lines = [self.lines[row] for row in order]
        self.rows = [self.rows[row] for row in order]
        return self


def _range(least: int, most: int) -> str:
    return f">= {least} and < 2**62" if most == MAX_TICKS - 1 else f"{least} .. {most}"


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Rows with their (last) line; blank lines and lines that begin with `#` are left out."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            for row in reader:
                if any(cell.strip() for cell in row) and not row[0].lstrip().startswith("#"):
                    yield reader.line_num, row
    except csv.Error as error:
        line = reader.line_num
        raise Refused(f"{path}, line {line}: no CSV ({error})", line) from None
    except UnicodeDecodeError as error:
        raise Refused(f"{path}, byte {error.start}: no text in UTF-8") from None
    except OSError as error:
        raise Refused(f"{path}: cannot be read ({error.strerror})") from None


def write(instance: Instance, folder: str | Path) -> Path:
    """Write the case tables of any instance as CSV files; reading them gives the same digest.

    The folder must not exist yet, or be empty; it appears complete or not at all. Tables without
    content (no vehicles, no travel time, ...) are left out.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: exists and is not an empty folder; name a new one")
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for name, table in instance.tables().items():
            if _has_content(name, instance) and table.num_rows:
                _write_table(scratch / f"{name}.csv", table)
        if folder.exists():
            folder.rmdir()  # empty; os.replace refuses a folder on Windows
        os.replace(scratch, folder)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    folder.chmod(0o755)  # mkdtemp made it private
    return folder


def _has_content(name: str, instance: Instance) -> bool:
    """Whether a table says more than reading would assume without it."""
    if name == "travel":
        return bool(instance.travel.any())
    if name == "setups":
        used = 1 + max(int(instance.family.max()), int(instance.initial_family.max()))
        return bool(instance.setup.any()) or instance.families > used
    return True


def _write_table(path: Path, table: Any) -> None:
    columns = [table.column(name).to_pylist() for name in table.column_names]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.column_names)
        writer.writerows(zip(*columns, strict=True))
