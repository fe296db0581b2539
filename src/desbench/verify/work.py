"""Laws about work: routes, durations, setups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from desbench.trace.trace import Trace
from desbench.verify.case import NONE, Case, Event, case_of, events_of, followed, stops_of
from desbench.verify.columns import law

#: What may follow on a machine for one operation.
_NEXT = {
    "dispatch": ("setup_start", "start"),
    "setup_start": ("setup_complete",),
    "setup_complete": ("start",),
    "start": ("finish",),
}
_WORK = (*_NEXT, "finish")


class Phase(NamedTuple):
    """A setup or processing phase as the rows tell it."""

    start: Event
    end: Event | None
    eco: bool


@law
def route_is_followed(trace: Trace) -> list[str]:
    """Operations of a job run in order, each once, on one eligible machine, one step at a time."""
    case = case_of(trace)
    broken = []
    before: dict[int, Event] = {}
    for event in events_of(trace):
        if event.kind not in _WORK:
            continue
        last = before.get(event.job)
        if event.machine not in case.eligible(event.job, event.operation):
            broken.append(f"{event}: the machine is not eligible")
        elif event.kind == "dispatch":
            due = 0 if last is None else last.operation + 1
            if event.operation != due or (last is not None and last.kind != "finish"):
                broken.append(f"{event}: operation {due} is not to be dispatched now")
        elif last is None or event.kind not in _NEXT.get(last.kind, ()) or _moved(last, event):
            broken.append(f"{event}: it cannot follow {last or 'nothing'}")
        before[event.job] = event
    return broken


def _moved(last: Event, event: Event) -> bool:
    return (last.machine, last.operation) != (event.machine, event.operation)


@law
def rows_name_the_present_operation(trace: Trace) -> list[str]:
    """A row about a job names the operation that is its next one not finished."""
    finished: dict[int, int] = {}
    broken = []
    for event in events_of(trace):
        if event.operation < 0:
            continue
        present = finished.get(event.job, 0) - (event.kind == "job_complete")
        if event.operation != present:
            broken.append(f"{event}: the job is at operation {present}")
        if event.kind == "finish":
            finished[event.job] = event.operation + 1
    return broken


@law
def jobs_complete_at_their_last_finish(trace: Trace) -> list[str]:
    """A job is complete at its last finish or delivery; before that its next operation is ready."""
    case = case_of(trace)
    rows = events_of(trace)
    broken = []
    expected = 0
    for event, after in followed(rows):
        due = _announced(case, event)
        if due is None:
            continue
        expected += 1
        told = after and (after.kind, after.operation, after.job, after.time)
        if told != (*due, event.job, event.time):
            broken.append(f"{event}: {due[0]} of operation {due[1]} must follow, not {after}")
    if expected != sum(row.kind in ("job_complete", "stage_release_ready") for row in rows):
        broken.append("job_complete or stage_release_ready without a reason")
    return broken


def _announced(case: Case, event: Event) -> tuple[str, int] | None:
    """Return the row that must follow, and its operation; None if none need."""
    if event.kind == "arrival":
        return "stage_release_ready", 0
    if event.kind == "finish" and event.operation + 1 < case.operations[event.job]:
        return "stage_release_ready", event.operation + 1
    if event.kind == "finish" and not case.deliver:
        return "job_complete", event.operation
    if event.kind == "transport_complete" and event.job != NONE and event.cell == NONE:
        return "job_complete", event.operation - 1
    return None


def phases(trace: Trace, first: str, last: str) -> Iterator[Phase]:
    """Yield the phases from `first` rows to `last` rows, with the mode in which they began."""
    mode: dict[int, str] = {}
    running: dict[int, tuple[Event, bool]] = {}
    for event in events_of(trace):
        if event.kind == "mode":
            mode[event.cell] = event.cause or ""
        elif event.kind == first:
            running[event.machine] = event, mode.get(event.cell) == "eco"
        elif event.kind == last and event.machine in running:
            start, eco = running.pop(event.machine)
            yield Phase(start, event, eco)
    for start, eco in running.values():
        yield Phase(start, None, eco)


@law
def processing_takes_its_time(trace: Trace) -> list[str]:
    """An operation lasts its realised duration (longer in eco) plus what the stops add."""
    case = case_of(trace)
    broken = []
    for phase in phases(trace, "start", "finish"):
        start = phase.start
        alternative = case.eligible(start.job, start.operation).get(start.machine)
        if alternative is not None:
            planned = case.length(alternative.realised, phase.eco)
            broken += _late(trace, phase, planned)
    return broken


@law
def setups_follow_the_matrix(trace: Trace) -> list[str]:
    """A setup lasts what the matrix says for the families (longer in eco); none is skipped."""
    case = case_of(trace)
    family = list(case.initial_family)
    broken = []
    began = {phase.start.row: phase for phase in phases(trace, "setup_start", "setup_complete")}
    rows = events_of(trace)
    for event, after in followed(rows):
        alternative = case.eligible(event.job, event.operation).get(event.machine)
        if event.kind != "dispatch" or alternative is None:
            continue
        planned = case.setup[event.machine, family[event.machine], alternative.family]
        family[event.machine] = alternative.family
        expected = "setup_start" if planned else "start"
        if after is None or (after.kind, after.machine) != (expected, event.machine):
            broken.append(f"{event}: {expected} must follow, not {after}")
        elif after.epoch != event.epoch:
            broken.append(f"{after}: epoch={after.epoch}, must be that of the dispatch")
        elif planned and after.row in began:
            phase = began[after.row]
            broken += _late(trace, phase, case.length(planned, phase.eco))
    return broken


def _late(trace: Trace, phase: Phase, planned: int) -> list[str]:
    """Say where a phase differs from its planned length and its end."""
    start, end = phase.start, phase.end
    broken = []
    if start.amount != planned:
        broken.append(f"{start}: amount={start.amount}, must be {planned}")
    due = _phase_end(trace, start.machine, start.time, planned)
    if end is None and due <= trace.end:
        broken.append(f"{start}: it must end at {due}")
    if end is not None and end.time != due:
        broken.append(f"{end}: must be at {due}")
    return broken


def _phase_end(trace: Trace, machine: int, start: int, length: int) -> int:
    """Return when a phase ends, given the stops of its machine.

    Work that ends at the instant of a stop has ended; a stop before `start` is over.
    """
    time, left = start, length
    for stop in stops_of(trace)[machine]:
        if stop.start < start:
            continue
        if time + left <= stop.start:
            break
        left = length if stop.restarts else left - (stop.start - time)
        time = stop.end
    return time + left
