"""Scaling: what coordination costs as the factory grows, with the same work per cell.

`desbench study scaling --output-dir DIR` plays the `scale_` suites under every paradigm and rules,
with faults or without, and leaves one CSV and one SVG for each quantity.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desbench.errors import MissingExtra
from desbench.paradigms import ALIASES
from desbench.report.intervals import interval

if TYPE_CHECKING:
    from desbench.instances.faults import Faults
    from desbench.trace.trace import Trace

SUITES = ("scale_a3c9", "scale_a5c12", "scale_a8c24", "scale_a16c64", "scale_a32c256")
PARADIGMS = tuple(ALIASES.values())
HEAD = ("level", "paradigm", "cells", "cases", "mean", "low", "high")
INSTALL = "study scaling draws with matplotlib: pip install 'desbench[plot]'"


@dataclass(frozen=True)
class Quantity:
    """What is drawn against cells."""

    title: str
    of: Callable[[Mapping[str, Any]], float | None]  #: of the measures of a run
    scale: str = "log"


def _per_operation(name: str) -> Callable[[Mapping[str, Any]], float | None]:
    return lambda run: run[name] / run["operations"] if run["operations"] else None


QUANTITIES = {
    "messages": Quantity("messages per operation", _per_operation("messages")),
    "decisions": Quantity("agent decisions per operation", _per_operation("agent_decisions")),
    "tardiness": Quantity(
        "tardiness per operation (min)", _per_operation("tardiness_all"), "linear"
    ),
    "responsibility": Quantity("responsibility", lambda run: run["responsibility"], "linear"),
    "rejected": Quantity("share of rejected requests", lambda run: run["rejected"], "linear"),
}
#: What is asked of cells and areas, and the words that turn it down.
ASKED = ("request", "assign", "reroute", "cfp")
TURNED_DOWN = ("reject", "refuse")
Row = tuple[str, str, int, int, float | None, float | None, float | None]


def play(suite: str, case: str, paradigm: str, faults: Faults | None = None) -> dict[str, Any]:
    """Play one case under rules and return its measures, with level, cells and operations."""
    from desbench.controllers.backends.rules import Rules
    from desbench.controllers.frameworks.native import Native
    from desbench.episode import Episode

    episode = Episode(suite, case, paradigm, faults=faults)
    episode.play(Native(Rules()), strict=True)
    trace = episode.trace
    return {
        **episode.measures,
        "paradigm": paradigm,
        "level": level_of(case.rpartition("-")[0]),
        "cells": trace.case["cells"].num_rows,
        "operations": int(trace.mask("events", "kind", "finish").sum()),
        "rejected": rejected(trace),
    }


def level_of(profile: str) -> str:
    """Return easy, hard or harder: the last word of a profile."""
    return profile.rpartition("-")[2]


def rejected(trace: Trace) -> float | None:
    """Share of the requests that were turned down or expired; None without requests."""
    asked, refused = (
        sum(int(trace.mask("messages", "performative", word).sum()) for word in words)
        for words in (ASKED, TURNED_DOWN)
    )
    expired = int(trace.mask("commitments", "after", "expired").sum())
    return (refused + expired) / asked if asked else None


def runs(
    suites: Sequence[str],
    workers: int,
    said: Callable[[int, int], None],
    faults: Faults | None = None,
    level: str | None = None,
) -> list[dict[str, Any]]:
    """Play every test case of the suites, of one level or all, under every paradigm."""
    from desbench.instances.suite import load_suite

    asked = [
        (name, case.id, paradigm, faults)
        for name in suites
        for case in load_suite(name).cases("test")
        if level in (None, level_of(case.profile))
        for paradigm in PARADIGMS
    ]
    found = []
    with ProcessPoolExecutor(workers) as pool:
        for run in pool.map(play, *zip(*asked, strict=True)):
            found.append(run)
            said(len(found), len(asked))
    return found


def rows(found: Iterable[Mapping[str, Any]], quantity: Quantity) -> list[Row]:
    """Mean and 95 % interval over cases of a quantity, by level, paradigm and cells."""
    groups: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for run in found:
        value = quantity.of(run)
        if value is not None:
            groups[run["level"], run["paradigm"], run["cells"]].append(value)
    told = []
    for (level, paradigm, cells), values in sorted(groups.items()):
        over = interval(values)
        told.append((level, paradigm, cells, over.n, over.mean, over.low, over.high))
    return told


def as_csv(table: Iterable[Row]) -> str:
    """Return rows as CSV with a head."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([HEAD, *table])
    return text.getvalue()


def need_library() -> None:
    """Raise MissingExtra, with the install line, where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise MissingExtra(INSTALL)


def draw(table: Sequence[Row], quantity: Quantity) -> bytes:
    """Return a picture as SVG: one panel a level, one line a paradigm."""
    import matplotlib
    from matplotlib.figure import Figure

    levels = sorted({row[0] for row in table})
    with matplotlib.rc_context({"svg.hashsalt": "desbench", "font.size": 9}):
        figure = Figure(figsize=(3.2 * max(2, len(levels)), 3.4), layout="constrained")
        panels = figure.subplots(1, len(levels), sharey=True, squeeze=False)[0]
        for panel, level in zip(panels, levels, strict=True):
            _panel(panel, level, [row for row in table if row[0] == level], quantity)
        panels[0].set_ylabel(quantity.title)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
        drawn = io.BytesIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


def _panel(panel: Any, level: str, table: Sequence[Row], quantity: Quantity) -> None:
    for number, paradigm in enumerate(PARADIGMS):
        line = [row for row in table if row[1] == paradigm]
        if not line:
            continue
        cells = [row[2] for row in line]
        means = [row[4] for row in line]
        panel.plot(cells, means, marker="os^Dv"[number], markersize=4, linewidth=1, label=paradigm)
        if all(row[5] is not None for row in line):
            low, high = ([row[at] for row in line] for at in (5, 6))
            panel.fill_between(cells, low, high, alpha=0.15)
    panel.set_title(level)
    panel.set_xscale("log", base=2)
    sizes = sorted({row[2] for row in table})
    panel.set_xticks(sizes, [str(size) for size in sizes])
    panel.set_xlabel("cells")
    panel.set_yscale(quantity.scale)
    panel.grid(visible=True, linewidth=0.3)


def write(found: Sequence[Mapping[str, Any]], folder: Path) -> list[Path]:
    """Write one CSV and one SVG for each quantity; return their paths."""
    from desbench.trace import atomic_write

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, quantity in QUANTITIES.items():
        table = rows(found, quantity)
        for path, content in (
            (folder / f"{name}.csv", as_csv(table).encode()),
            (folder / f"{name}.svg", draw(table, quantity)),
        ):
            atomic_write(path, content)
            written.append(path)
    return written
