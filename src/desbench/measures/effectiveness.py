"""Effectiveness: how good the schedule was."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from desbench.instances import yardstick
from desbench.measures.definition import Value, add, primary, secondary
from desbench.trace.trace import Trace

I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]

MACHINE_STATES = ("idle", "setup", "processing", "blocked", "down")


@primary("G_mk", "time")
def makespan(trace: Trace) -> Value:
    """Time at the end of the episode."""
    return trace.end / trace.ticks_per_unit


@primary("G_td", "time")
def total_tardiness(trace: Trace) -> Value:
    """Sum over completed jobs with due dates of max(0, completion - due)."""
    return _units(trace, np.maximum(0, _lateness(trace)))


@primary("G_cj")
def completed_jobs(trace: Trace) -> Value:
    """Jobs done."""
    return int(np.count_nonzero(completion(trace) >= 0))


@secondary("time")
def cmax(trace: Trace) -> Value:
    """Completion time of the last job; null unless all jobs are done."""
    done = completion(trace)
    if trace.info["status"] != "done" or not len(done):
        return None
    return int(done.max()) / trace.ticks_per_unit


@secondary("time")
def lower_bound(trace: Trace) -> Value:
    """Larger of job load and machine load of the case; no makespan is below it."""
    if trace.case["jobs"].num_rows == 0:
        return None
    job, operation = trace.ints("operations", "job"), trace.ints("operations", "operation")
    first = np.flatnonzero(np.diff(job, prepend=-1) | np.diff(operation, prepend=-1))
    found = yardstick.load_bound(
        trace.ints("jobs", "release"),
        np.concatenate(([0], np.cumsum(trace.ints("jobs", "operations")))),
        np.append(first, len(job)),
        trace.ints("operations", "machine"),
        trace.ints("operations", "realised"),
    )
    return found / trace.ticks_per_unit


@secondary()
def gap(trace: Trace) -> Value:
    """Cmax over the reference of the suite - 1; null without a reference or where cmax is."""
    return yardstick.gap(cmax(trace), trace.info.get("reference"))


@secondary("time")
def tardiness_all(trace: Trace) -> Value:
    """Total tardiness with unfinished jobs counted at the horizon; null without a horizon."""
    done, due = completion(trace), trace.ints("jobs", "due")
    horizon = trace.setting("horizon")
    if horizon is None and np.any((done < 0) & (due >= 0)):
        return None
    finish = np.where(done >= 0, done, -1 if horizon is None else horizon)
    return _units(trace, np.maximum(0, finish - due)[due >= 0])


@secondary("time")
def weighted_tardiness(trace: Trace) -> Value:
    """Sum over completed jobs with due dates of weight x max(0, completion - due)."""
    weight: F64 = trace.case["jobs"].column("weight").to_numpy()[_judged(trace)]
    return float(np.dot(weight, np.maximum(0, _lateness(trace)))) / trace.ticks_per_unit


@secondary()
def on_time_share(trace: Trace) -> Value:
    """Jobs done by their due date, among all jobs with one; null if none has one."""
    with_due = int(np.count_nonzero(trace.ints("jobs", "due") >= 0))
    if not with_due:
        return None
    return int(np.count_nonzero(_lateness(trace) <= 0)) / with_due


@secondary("time")
def mean_flow_time(trace: Trace) -> Value:
    """Mean over completed jobs of completion - release; null if none is done."""
    done = completion(trace)
    flow = (done - trace.ints("jobs", "release"))[done >= 0]
    return float(flow.mean()) / trace.ticks_per_unit if len(flow) else None


@secondary()
def mean_wip(trace: Trace) -> Value:
    """Time average of the number of jobs released and not done; null if no time passed."""
    if not trace.end:
        return None
    done = completion(trace)
    until = np.where(done >= 0, done, trace.end)
    return int(np.maximum(0, until - trace.ints("jobs", "release")).sum()) / trace.end


@secondary("1/time")
def throughput(trace: Trace) -> Value:
    """Jobs done per time unit; null if no time passed."""
    done = np.count_nonzero(completion(trace) >= 0)
    return int(done) * trace.ticks_per_unit / trace.end if trace.end else None


@secondary("time")
def setup_time(trace: Trace) -> Value:
    """Time machines show setup, summed over machines."""
    return _state_time(trace, "setup") / trace.ticks_per_unit


@secondary("time")
def transport_time(trace: Trace) -> Value:
    """Time items travel, from pick-up to arrival or the end, summed over items."""
    loaded = trace.mask("events", "kind", "transport_start")
    start = trace.ints("events", "time")[loaded]
    length = trace.ints("events", "amount")[loaded]
    return int(np.minimum(length, trace.end - start).sum()) / trace.ticks_per_unit


@secondary("time")
def blocking_time(trace: Trace) -> Value:
    """Time machines show blocked, summed over machines (down wins over blocked)."""
    return _state_time(trace, "blocked") / trace.ticks_per_unit


@secondary("time")
def gate_wait_time(trace: Trace) -> Value:
    """Time items stand at a gate: from buffer_wait to admission, pick-up or the end."""
    rows = trace.mask("events", "kind", "buffer_wait", "admission", "transport_start")
    job, time = trace.ints("events", "job")[rows], trace.ints("events", "time")[rows]
    waits = trace.mask("events", "kind", "buffer_wait")[rows]
    order = np.argsort(job, kind="stable")
    job, time, waits = job[order], time[order], waits[order]
    until = np.full(len(time), trace.end)
    same = job[1:] == job[:-1]
    until[:-1][same] = time[1:][same]
    return int((until - time)[waits].sum()) / trace.ticks_per_unit


def _utilisation(state: str) -> None:
    def share(trace: Trace) -> Value:
        capacity = trace.case["machines"].num_rows * trace.end
        return _state_time(trace, state) / capacity if capacity else None

    sentence = f"Share of machine time in state {state}; null if no time passed."
    add("", f"utilisation_{state}", sentence, "1", share)


for _state in MACHINE_STATES:
    _utilisation(_state)


def completion(trace: Trace) -> I64:
    """Return the completion time of every job in ticks, -1 if unfinished."""
    done = np.full(trace.case["jobs"].num_rows, -1, dtype=np.int64)
    rows = trace.mask("events", "kind", "job_complete")
    done[trace.ints("events", "job")[rows]] = trace.ints("events", "time")[rows]
    return done


def _judged(trace: Trace) -> npt.NDArray[np.bool_]:
    """Completed jobs with due dates."""
    judged: npt.NDArray[np.bool_] = (completion(trace) >= 0) & (trace.ints("jobs", "due") >= 0)
    return judged


def _lateness(trace: Trace) -> I64:
    """Completion less due date of the judged jobs, in ticks."""
    return (completion(trace) - trace.ints("jobs", "due"))[_judged(trace)]


def _units(trace: Trace, ticks: I64) -> float:
    return int(ticks.sum()) / trace.ticks_per_unit


def _state_time(trace: Trace, state: str) -> int:
    """Machine ticks in a shown state."""
    rows = trace.mask("intervals", "state", state)
    rows = rows & trace.mask("intervals", "entity_kind", "machine")
    length = trace.ints("intervals", "end") - trace.ints("intervals", "start")
    return int(length[rows].sum())
