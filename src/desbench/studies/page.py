"""Tables of studies on pages of documentation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desbench.errors import InputError


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; the first row is its head."""
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def between(text: str, name: str, table: str) -> str:
    """Replace what stands between the markers `<!-- NAME: begin -->` and `<!-- NAME: end -->`.

    Raises
    ------
    InputError
        When the page has no such markers.
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    marked = re.compile(f"{begin}.*?{end}", re.DOTALL)
    if not marked.search(text):
        raise InputError(f"the page needs a line {begin} and a line {end}")
    return marked.sub(lambda _: f"{begin}\n\n{table}\n{end}", text)
