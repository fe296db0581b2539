"""Robustness: what was left undone."""

from __future__ import annotations

import numpy as np

from desbench.measures.definition import Value, primary, secondary
from desbench.measures.effectiveness import completion
from desbench.trace.trace import Trace


@primary("G_tr")
def truncated(trace: Trace) -> Value:
    """1 if the episode ended in any other way than done (the cause is its status), else 0."""
    return int(trace.info["status"] != "done")


@primary("G_dj")
def unfinished_jobs(trace: Trace) -> Value:
    """Jobs not done at the end."""
    return int(np.count_nonzero(completion(trace) < 0))


@primary("G_ut", "time")
def unfinished_tardiness(trace: Trace) -> Value:
    """Sum over unfinished jobs with due dates of max(0, end - due)."""
    due = trace.ints("jobs", "due")
    open_ = (completion(trace) < 0) & (due >= 0)
    return int(np.maximum(0, trace.end - due[open_]).sum()) / trace.ticks_per_unit


@primary("G_do")
def remaining_operations(trace: Trace) -> Value:
    """Operations not finished at the end."""
    finished = int(np.count_nonzero(trace.mask("events", "kind", "finish")))
    return int(trace.ints("jobs", "operations").sum()) - finished


@secondary()
def strandings(trace: Trace) -> Value:
    """Strandings of items, by a breakdown or out of patience."""
    return int(np.count_nonzero(trace.mask("events", "kind", "stranded")))


@secondary()
def breakdowns(trace: Trace) -> Value:
    """Stops of machines that began, of every cause."""
    return int(np.count_nonzero(trace.mask("events", "kind", "breakdown")))
