"""How heavily a case is loaded, read from one trace; the figures of `docs/suites.md`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

if TYPE_CHECKING:
    from desbench.trace.trace import Trace


def load_figures(trace: Trace) -> dict[str, float]:
    """Return the load figures of one episode.

    Returns
    -------
    dict
        jobs, operations; agent_decisions (not forced); choice_share of the dispatches in which
        more than one action was legal; vehicle_busy share of the fleet's time; gate_share of the
        arrivals at a gate that had to wait; blockings; strandings; setup_share and busy share of
        the machines' time (busy = setup and processing).
    """
    kinds = _counts(trace, "events", "kind")
    chosen = ~trace.mask("decisions", "source", "forced")
    dispatches = trace.mask("decisions", "kind", "dispatch")
    arrived = kinds.get("admission", 0)
    return {
        "jobs": float(trace.case["jobs"].num_rows),
        "operations": float(_operations(trace)),
        "agent_decisions": float(chosen.sum()),
        "choice_share": _ratio(float((chosen & dispatches).sum()), float(dispatches.sum())),
        "vehicle_busy": _share(trace, "vehicle", "empty", "loaded"),
        "gate_share": _ratio(kinds.get("buffer_wait", 0), arrived),
        "blockings": float(kinds.get("blocking_start", 0)),
        "strandings": float(kinds.get("stranded", 0)),
        "machine_busy": _share(trace, "machine", "setup", "processing"),
        "setup_share": _share(trace, "machine", "setup"),
    }


def _operations(trace: Trace) -> int:
    return int(pc.sum(trace.case["jobs"]["operations"]).as_py())


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
