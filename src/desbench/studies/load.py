"""How heavily a case is loaded, read from one trace; the figures of `docs/suites.md`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

if TYPE_CHECKING:
    from desbench.trace.trace import Trace

#: What each figure means; shares are of 1.
FIGURES = {
    "agent decisions": "actions that were not forced",
    "real choices": "share of the dispatches with more than one legal action",
    "vehicles busy": "share of the fleet's time on empty and loaded legs",
    "gate waits": "share of the arrivals at a gate that had to wait there",
    "blockings": "finished items that could not leave their machine",
    "machines busy": "share of the machines' time in setup and processing",
    "strandings": "rows",
    "reroute rounds": "strandings about which somebody was asked, or that were withdrawn",
    "moved": "stranded items reassigned to another cell",
    "kept": "rounds after which the item stayed",
    "withdrawn": "stranded items that went back to the plant's backlog",
    "plant cap exceeded": "share of the cases with a violation of the plant's power cap",
}


def load_figures(trace: Trace) -> dict[str, float]:
    """Return the FIGURES of one episode."""
    kinds = _counts(trace, "events", "kind")
    chosen = ~trace.mask("decisions", "source", "forced")
    dispatches = trace.mask("decisions", "kind", "dispatch")
    plant = trace.ints("violations", "entity") < 0
    moved, kept, withdrawn = _rounds(trace)
    return {
        "agent decisions": float(chosen.sum()),
        "real choices": _ratio(float((chosen & dispatches).sum()), float(dispatches.sum())),
        "vehicles busy": _share(trace, "vehicle", "empty", "loaded"),
        "gate waits": _ratio(kinds.get("buffer_wait", 0), kinds.get("admission", 0)),
        "blockings": float(kinds.get("blocking_start", 0)),
        "machines busy": _share(trace, "machine", "setup", "processing"),
        "strandings": float(kinds.get("stranded", 0)),
        "reroute rounds": float(moved + kept + withdrawn),
        "moved": float(moved),
        "kept": float(kept),
        "withdrawn": float(withdrawn),
        "plant cap exceeded": float(
            (plant & trace.mask("violations", "entity_kind", "power")).any()
        ),
    }


def operations(trace: Trace) -> int:
    """Operations of the case."""
    return int(pc.sum(trace.case["jobs"]["operations"]).as_py())


def _rounds(trace: Trace) -> tuple[int, int, int]:
    """How the rounds after a stranding ended: moved, kept, withdrawn."""
    epochs, jobs = trace.ints("events", "epoch"), trace.ints("events", "job")
    pairs = {
        kind: set(zip(epochs[m].tolist(), jobs[m].tolist(), strict=True))
        for kind in ("unassign", "assign")
        for m in (trace.mask("events", "kind", kind),)
    }
    moved = len(pairs["unassign"] & pairs["assign"])
    kept = trace.mask("decisions", "kind", "reroute") & trace.mask("decisions", "target", "keep")
    return moved, int(kept.sum()), len(pairs["unassign"]) - moved


def _counts(trace: Trace, table: str, column: str) -> dict[str, int]:
    codes, vocabulary = trace.codes(table, column)
    found = np.bincount(codes[codes >= 0], minlength=len(vocabulary))
    return {name: int(count) for name, count in zip(vocabulary, found, strict=True)}


def _share(trace: Trace, kind: str, *states: str) -> float:
    """Share of the time of all machines, or vehicles, that was spent in the states."""
    of_kind = trace.mask("intervals", "entity_kind", kind)
    length = trace.ints("intervals", "end") - trace.ints("intervals", "start")
    in_state = trace.mask("intervals", "state", *states)
    return _ratio(float(length[of_kind & in_state].sum()), float(length[of_kind].sum()))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
