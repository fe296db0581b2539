"""Small sweeps with a language model: on `smoke`, only releases are asked unless told otherwise."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from desbench.language.settings import Economy
from desbench.sweep import Execution, Options, Outcome, sweep

#: The model answers releases, the rules all else: about 20 questions a case.
RELEASES = ("rules", "release=openai_compat")


def ask(
    folder: Path,
    url: str,
    economy: dict[str, Any] | None = None,
    execution: dict[str, Any] | None = None,
    **asked: Any,
) -> Outcome:
    """Run a sweep against a server."""
    wanted: dict[str, Any] = {
        "suites": ("smoke",),
        "paradigms": ("centralized_plant",),
        "controllers": RELEASES,
        "llm_models": ("M",),
        "base_url": url,
    }
    options = Options(**(wanted | asked))
    limits = Economy(**({"retries": 1} | (economy or {})))
    return sweep(options, Execution(folder, economy=limits, **(execution or {})))


def rows(folder: Path, name: str = "suite_summary.csv") -> list[dict[str, str]]:
    """Rows of a summary file."""
    with open(folder / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def calls(outcome: Outcome, number: int = 0) -> list[dict[str, Any]]:
    """Rows of llm_calls of a run."""
    from desbench.trace import read

    record = outcome.records[number]
    found: list[dict[str, Any]] = read(outcome.folder, record.key).llm_calls.to_pylist()
    return found


def sources(outcome: Outcome, number: int = 0) -> dict[str, int]:
    """Decisions of a run by source."""
    from desbench.trace import read

    found: dict[str, int] = {}
    for source in read(outcome.folder, outcome.records[number].key).texts("decisions", "source"):
        found[str(source)] = found.get(str(source), 0) + 1
    return found
