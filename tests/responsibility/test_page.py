"""The page says what the code does: its example runs, its table is the table."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from desbench.paradigms.responsibility import TABLE
from desbench.paradigms.responsibility.transitions import ANY
from responsibility.reference import GUARDS, KINDS

PAGE = (Path(__file__).resolve().parents[2] / "docs/rcm.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """The one code block of a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def test_the_example_prints_what_the_page_shows() -> None:
    """Three agents in plain Python; a reader copies it before reading anything else."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block("python"), "docs/rcm.md", "exec"), {})
    assert printed.getvalue() == block("text")


def test_the_table_of_the_page_is_the_table() -> None:
    """Row by row, in the same order."""
    rows = [
        f"| {row.status} | {row.kind} | {row.to} | {row.sender} | {row.version} "
        f"| {'' if row.evidence == ANY else row.evidence} | {', '.join(row.guards)} |"
        for row in TABLE.values()
    ]
    shown = PAGE.partition("<!-- transition table: begin -->")[2]
    shown = shown.partition("<!-- transition table: end -->")[0]
    assert shown.strip().splitlines()[2:] == rows


def test_guards_and_messages_are_all_explained() -> None:
    """In the order in which they are asked."""
    named = re.findall(r"^\| (\w+) \|", PAGE.partition("## Guards")[2].partition("\n## ")[0], re.M)
    assert named[1:] == GUARDS
    messages = PAGE.partition("## Messages")[2].partition("Fields:")[0]
    assert re.findall(r"`(\w+)`", messages) == KINDS
