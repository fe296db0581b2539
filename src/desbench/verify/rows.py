"""Laws about single tables: order, gaps, and what the calendar of the case says."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from desbench.trace.trace import Trace
from desbench.verify.case import NONE, case_of, events_of
from desbench.verify.columns import law


def time_never_falls(trace: Trace) -> list[str]:
    """Rows are numbered 0, 1, 2, ..., their times never fall and lie between 0 and the end."""
    broken = []
    for name in ("events", "messages"):
        seq = trace.ints(name, "seq")
        wrong = np.flatnonzero(seq != np.arange(len(seq))).tolist()
        broken += [f"{name} row {row}: seq={seq[row]}, must be {row}" for row in wrong]
    for name in ("events", "messages", "decisions"):
        time = trace.ints(name, "time")
        falls = np.flatnonzero(np.diff(time) < 0).tolist()
        broken += [f"{name} row {row + 1}: {time[row + 1]} follows {time[row]}" for row in falls]
        outside = np.flatnonzero((time < 0) | (time > trace.end)).tolist()
        broken += [f"{name} row {row}: time={time[row]}, end={trace.end}" for row in outside]
    return broken


def epochs_are_instants(trace: Trace) -> list[str]:
    """Epochs never fall; one has one time; rows that name it lie before the time of the next.

    Where coordination takes time, messages and commands come later than the epoch they belong to.
    """
    broken = []
    takes_time = case_of(trace).takes_time
    for name in ("decisions",) if takes_time else ("decisions", "messages", "events"):
        epochs = trace.ints(name, "epoch")
        rows = np.flatnonzero(epochs != NONE)
        falls = rows[1:][np.diff(epochs[rows]) < 0].tolist()
        broken += [f"{name} row {row}: epoch falls to {epochs[row]}" for row in falls]
    known, first = np.unique(trace.ints("decisions", "epoch"), return_index=True)
    if broken or not len(known):
        return broken
    times = trace.ints("decisions", "time")[first]
    for name in ("decisions", "messages", "events"):
        epochs, at = trace.ints(name, "epoch"), trace.ints(name, "time")
        last = np.searchsorted(known, epochs, side="right") - 1
        until = np.append(times, trace.end)[last + 1]
        if takes_time:
            until = np.full_like(until, trace.end)
        since = np.where(last >= 0, times[last], 0)
        latest = since if name == "decisions" else until
        wrong = np.flatnonzero((epochs != NONE) & ((at < since) | (at > latest))).tolist()
        broken += [
            f"{name} row {row}: epoch {epochs[row]} at {at[row]}, must be in "
            f"{since[row]} .. {latest[row]}"
            for row in wrong
        ]
    return broken


@law
def jobs_are_conserved(trace: Trace) -> list[str]:
    """Jobs in = done + unfinished: each arrives and completes at most once; `done` means all."""
    broken = []
    arrived: set[int] = set()
    done: set[int] = set()
    for event in events_of(trace):
        if event.kind == "arrival":
            if event.job in arrived:
                broken.append(f"{event}: it has arrived before")
            arrived.add(event.job)
        elif event.kind == "job_complete":
            if event.job not in arrived or event.job in done:
                broken.append(f"{event}: it is not in the shop")
            done.add(event.job)
    jobs, status = len(case_of(trace).release), trace.info["status"]
    if (status == "done") != (len(done) == jobs):
        broken.append(f"status={status}, but {len(done)} of {jobs} jobs are complete")
    return broken


@law
def arrivals_are_releases(trace: Trace) -> list[str]:
    """Every job released up to the end arrives, at its release time."""
    release = case_of(trace).release
    expected = Counter((job, time) for job, time in enumerate(release) if time <= trace.end)
    found = Counter((e.job, e.time) for e in events_of(trace) if e.kind == "arrival")
    return [f"job {j} arrives at {t}, its release is {release[j]}" for j, t in found - expected] + [
        f"job {j} does not arrive at its release {t}" for j, t in expected - found
    ]


@law
def intervals_leave_no_gap(trace: Trace) -> list[str]:
    """The intervals of each machine and vehicle follow each other from 0 to the end."""
    kinds = trace.texts("intervals", "entity_kind")
    columns = (trace.ints("intervals", name).tolist() for name in ("entity", "start", "end"))
    stretches: dict[tuple[str, int], list[tuple[int, int]]] = {
        (kind, entity): []
        for kind in ("machine", "vehicle")
        for entity in range(trace.case[f"{kind}s"].num_rows)
    }
    broken = []
    for kind, entity, start, end in zip(kinds, *columns, strict=True):
        stretches[kind or "", entity].append((start, end))
        if start >= end:
            broken.append(f"{kind} {entity}: an interval from {start} to {end}")
    for (kind, entity), pieces in stretches.items():
        bounds = [(0, 0), *pieces, (trace.end, trace.end)]
        for (_, end), (start, _) in pairwise(bounds):
            if start != end:
                broken.append(f"{kind} {entity}: {start} follows {end}")
    return broken
