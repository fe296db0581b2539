"""A text file as rows of tokens, and a reader that accounts for each of them.

Every importer of text walks its file with a `Reader`: it takes tokens one by one, says what it
expected where one does not fit, and has to reach the end of each row and of the file. So nothing in
a file is skipped in silence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from desbench.errors import InputError
from desbench.instances.bounds import MAX_TICKS

MAX_COUNT = 10_000_000  #: jobs, operations of a job
MAX_MACHINES = 5_000  #: the travel matrix is square over them

_DECIMAL = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,2})?", re.ASCII)
_LONGEST = 40  #: characters of a number


class Refused(InputError):
    """A file that cannot be read as asked; (line, token) is how far it was understood."""

    def __init__(self, message: str, line: int = 0, token: int = 0) -> None:
        super().__init__(message)
        self.line = line
        self.token = token


@dataclass(frozen=True)
class Row:
    """One line that holds more than blanks and comments."""

    line: int  #: from 1
    tokens: list[str]


@dataclass(frozen=True)
class TextFile:
    """A file without its comments (`#` to the end of the line), blank lines and blanks."""

    path: Path
    rows: list[Row]
    text: str

    @property
    def is_numeric(self) -> bool:
        """Whether it begins with a number."""
        return self.rows[0].tokens[0][0] in "0123456789+-."


def read_text(path: Path) -> TextFile:
    """Read UTF-8 with or without byte order mark, any line ends, brackets as tokens of their own.

    Raises
    ------
    Refused
        For a file that cannot be read, is no text, or holds nothing.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise Refused(f"{path}: cannot be read ({error.strerror})") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        rule = "no text in UTF-8 (pickles and other binary files are never read)"
        raise Refused(f"{path}, line {line}, byte {error.start}: {rule}", line) from None
    rows = _rows(text)
    if not rows:
        raise Refused(f"{path}: holds nothing but blanks and comments")
    return TextFile(path, rows, text)


def _rows(text: str) -> list[Row]:
    found: list[Row] = []
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        content = line.partition("#")[0]
        if "(" in content or ")" in content:
            content = content.replace("(", " ( ").replace(")", " ) ")
        tokens = content.split()
        if tokens:
            found.append(Row(number, tokens))
    return found


class Reader:
    """Takes the tokens of a file in order.

    Parameters
    ----------
    ticks_per_unit
        Durations are multiplied by this and must then be whole.
    """

    def __init__(self, file: TextFile, ticks_per_unit: int = 1) -> None:
        self.file = file
        self.ticks_per_unit = ticks_per_unit
        self._next_row = 0
        self._row = Row(0, [])
        self._at = 0  #: tokens of the row that were taken

    @property
    def line(self) -> int:
        """Line of the row being read, from 1."""
        return self._row.line

    @property
    def rows_left(self) -> int:
        """Rows after the present one."""
        return len(self.file.rows) - self._next_row

    @property
    def tokens_left(self) -> int:
        """Tokens of the present row that were not taken yet."""
        return len(self._row.tokens) - self._at

    def place(self) -> str:
        """Name the token taken last: `FILE, line N, token K 'TEXT'`."""
        if self._at == 0:
            return f"{self.file.path}, line {self._row.line}"
        shown = self._row.tokens[self._at - 1][:_LONGEST]
        return f"{self.file.path}, line {self._row.line}, token {self._at} '{shown}'"

    def refuse(self, problem: str) -> Refused:
        """Give the error about the token taken last."""
        return Refused(f"{self.place()}: {problem}", self._row.line, self._at)

    # Rows

    def row(self, what: str) -> None:
        """Go to the next row."""
        if self._next_row == len(self.file.rows):
            error = self.refuse(f"the file ends here, expected {what}")
            error.token += 1  # the row itself was understood
            raise error
        self._row = self.file.rows[self._next_row]
        self._next_row += 1
        self._at = 0

    def end_row(self, after: str) -> None:
        """Refuse what is left of the row."""
        if self.tokens_left:
            left = self.tokens_left
            self._at += 1
            raise self.refuse(f"{left} token(s) too many, the line must end after {after}")

    def end_file(self, after: str) -> None:
        """Refuse what is left of the file."""
        if self.rows_left:
            left = self.rows_left
            self.row("")
            self._at = 1
            raise self.refuse(f"{left} line(s) too many, the file must end after {after}")

    def next_is_word(self) -> bool:
        """Whether the next row begins with a letter."""
        return self.rows_left > 0 and self.file.rows[self._next_row].tokens[0][0].isalpha()

    # Tokens

    def token(self, what: str) -> str:
        """Take the next token of the row."""
        if not self.tokens_left:
            raise self.refuse(f"the line ends here, expected {what}")
        self._at += 1
        return self._row.tokens[self._at - 1]

    def mark(self, text: str) -> None:
        """Take a token that must be `text`."""
        if self.token(f"'{text}'") != text:
            raise self.refuse(f"expected '{text}'")

    def whole(self, what: str, least: int, most: int) -> int:
        """Take a whole number `least` .. `most`."""
        text = self.token(what)
        if not (text.isascii() and text.isdigit()):
            raise self.refuse(f"{what} must be a whole number {least} .. {most}")
        value = int(text) if len(text) <= _LONGEST else most + 1
        if not least <= value <= most:
            raise self.refuse(f"{what} must be {least} .. {most}")
        return value

    def ticks(self, what: str) -> int:
        """Take a time: whole after multiplication with `ticks_per_unit`."""
        text = self.token(what)
        if text.isascii() and text.isdigit() and len(text) <= 18:
            value = int(text) * self.ticks_per_unit
        else:
            value = self._decimal(text, what)
        if value >= MAX_TICKS:
            raise self.refuse(f"{what} must be below 2**62 ticks")
        return value

    def number(self, what: str) -> None:
        """Take a number of any kind that is not needed."""
        text = self.token(what)
        if not _DECIMAL.fullmatch(text) or len(text) > _LONGEST:
            raise self.refuse(f"{what} must be a number")

    def _decimal(self, text: str, what: str) -> int:
        try:
            return exact_ticks(text, self.ticks_per_unit, what)
        except ValueError as error:
            raise self.refuse(str(error)) from None


def exact_ticks(text: str, ticks_per_unit: int, what: str) -> int:
    """Ticks of a number as it is written.

    Raises
    ------
    ValueError
        For what is no number, negative, or not whole in ticks; with the remedy.
    """
    if not _DECIMAL.fullmatch(text) or len(text) > _LONGEST:
        raise ValueError(f"{what} must be a number >= 0")
    exact = Fraction(text)
    if exact < 0:
        raise ValueError(f"{what} must be >= 0")
    ticks = exact * ticks_per_unit
    if ticks.denominator != 1:
        rule = f"{what} must be a whole number of ticks"
        power = next((p for p in range(1, 10) if (exact * 10**p).denominator == 1), None)
        remedy = f"--ticks-per-unit {10**power} makes it one" if power else "round it to 9 decimals"
        raise ValueError(f"{rule}; {remedy}")
    if ticks >= MAX_TICKS:
        raise ValueError(f"{what} must be below 2**62 ticks")
    return int(ticks)
