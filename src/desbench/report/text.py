"""Numbers and columns as plain text; light, for commands that must answer at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MISSING = "-"


def number(value: float | None) -> str:
    """Four significant digits without an exponent, `-` where undefined."""
    if value is None:
        return MISSING
    if abs(value) >= 1000 or value == int(value):
        return f"{value:.0f}"
    return f"{value:.4g}" if abs(value) >= 0.001 else f"{value:.4f}"


def aligned(cells: Sequence[Sequence[Any]], left: int) -> list[str]:
    """Columns of equal width; the first `left` columns flush left, numbers flush right."""
    widths = [max(len(str(row[column])) for row in cells) for column in range(len(cells[0]))]
    return [
        "  ".join(
            str(text).ljust(width) if column < left else str(text).rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
