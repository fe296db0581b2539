"""Coordination efficiency: what it cost to decide."""

from __future__ import annotations

import numpy as np

from desbench.measures.definition import Value, add, primary, secondary
from desbench.trace.trace import Trace

KINDS = (
    "release",
    "route_area",
    "route_cell",
    "bid",
    "award",
    "commit",
    "reroute",
    "dispatch",
    "mode",
    "budget",
    "delegate",
    "respond",
    "notify",
    "monitor",
    "intervene",
)


@primary("G_ds")
def decision_steps(trace: Trace) -> Value:
    """Epochs in which at least one action was not forced."""
    chosen = ~trace.mask("decisions", "source", "forced")
    return len(np.unique(trace.ints("decisions", "epoch")[chosen]))


@primary("G_cm")
def messages(trace: Trace) -> Value:
    """Protocol messages."""
    return int(trace.messages.num_rows)


@primary("G_fb")
def fallback_decisions(trace: Trace) -> Value:
    """Actions with source fallback."""
    return _count(trace, "fallback")


@primary("G_llm")
def llm_decisions(trace: Trace) -> Value:
    """Actions with source llm."""
    return _count(trace, "llm")


@secondary()
def decisions(trace: Trace) -> Value:
    """Actions of agents, forced ones included."""
    return int(trace.decisions.num_rows)


@secondary()
def agent_decisions(trace: Trace) -> Value:
    """Actions that were not forced."""
    return int(trace.decisions.num_rows) - _count(trace, "forced")


@secondary()
def forced_decisions(trace: Trace) -> Value:
    """Actions with source forced: one legal action, nobody asked."""
    return _count(trace, "forced")


@secondary()
def superseded_decisions(trace: Trace) -> Value:
    """Actions that another action of the same epoch made illegal before their turn."""
    return int(np.count_nonzero(trace.mask("decisions", "outcome", "superseded")))


@secondary()
def stale_decisions(trace: Trace) -> Value:
    """Actions that the shop no longer accepted when they arrived (coordination time)."""
    return int(np.count_nonzero(trace.mask("decisions", "outcome", "stale")))


@secondary()
def messages_per_operation(trace: Trace) -> Value:
    """Protocol messages per finished operation; null if none is finished."""
    finished = int(np.count_nonzero(trace.mask("events", "kind", "finish")))
    return trace.messages.num_rows / finished if finished else None


def _by_kind(kind: str, forced: bool) -> None:
    def count(trace: Trace) -> Value:
        rows = trace.mask("decisions", "kind", kind)
        return int(np.count_nonzero(rows & (trace.mask("decisions", "source", "forced") == forced)))

    prefix = "forced" if forced else "agent"
    sentence = f"Actions of kind {kind} that were {'' if forced else 'not '}forced."
    add("", f"{prefix}_{kind}", sentence, "1", count)


for _kind in KINDS:
    _by_kind(_kind, forced=False)
    _by_kind(_kind, forced=True)


def _count(trace: Trace, source: str) -> int:
    return int(np.count_nonzero(trace.mask("decisions", "source", source)))
