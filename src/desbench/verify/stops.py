"""The law about stops of machines."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from desbench.trace.trace import Trace
from desbench.verify.case import NONE, Down, case_of, events_of
from desbench.verify.columns import law

Work = list[float]  #: from the dispatch to the finish of an operation; infinite if there is none

#: Rows after which a stop that is late must begin at once.
_ENDS = ("finish", "stage_release_ready", "job_complete", "repair")


@law
def stops_are_the_calendar(trace: Trace) -> list[str]:
    """Every stop begins when it is due, or right after what it waits for, and lasts its length."""
    downs = case_of(trace).downs
    expected: Counter[tuple[str, int, float, int, str]] = Counter()
    for machine, works in enumerate(_works(trace, len(downs))):
        for start, down in _begun(downs[machine], works):
            length = down.end - down.start
            if start <= trace.end:
                expected["breakdown", machine, start, length, down.cause] += 1
            if start + length <= trace.end:
                expected["repair", machine, start + length, NONE, down.cause] += 1
    found = Counter(
        (e.kind, e.machine, float(e.time), e.amount, e.cause or "")
        for e in events_of(trace)
        if e.kind in ("breakdown", "repair")
    )
    broken = [f"{row} is not in the calendar" for row in sorted(found - expected)]
    broken += [f"{row} is missing" for row in sorted(expected - found)]
    return broken + _dawdling(trace, downs)


def _works(trace: Trace, machines: int) -> list[list[Work]]:
    """Return by machine the spans in which an operation was in work."""
    works: list[list[Work]] = [[] for _ in range(machines)]
    for event in events_of(trace):
        if event.kind == "dispatch":
            works[event.machine].append([event.time, math.inf])
        elif event.kind == "finish" and works[event.machine]:
            works[event.machine][-1][1] = event.time
    return works


def _begun(downs: Sequence[Down], works: Sequence[Work]) -> Iterator[tuple[float, Down]]:
    """Yield each stop with the time at which it must begin.

    What is dispatched at the instant at which a stop may begin comes too late to hold it up.
    """
    over = 0.0  # the stop before
    for down in downs:
        start = max(down.start, over)
        if down.interruption == "wait":
            start = next((finish for begun, finish in works if begun < start < finish), start)
        yield start, down
        over = start + down.end - down.start


def _dawdling(trace: Trace, downs: Sequence[Sequence[Down]]) -> list[str]:
    """Late stops that do not begin right after the work or the stop they waited for."""
    broken = []
    told: dict[int, int] = defaultdict(int)
    rows = events_of(trace)
    for event in rows:
        if event.kind != "breakdown":
            continue
        number, calendar = told[event.machine], downs[event.machine]
        told[event.machine] += 1
        before = rows[event.row - 1]  # late stops are never the first row
        ended = before.machine == event.machine and before.kind in _ENDS
        is_late = number < len(calendar) and event.time > calendar[number].start
        if is_late and not (ended and before.time == event.time):
            broken.append(f"{event}: it must follow what it waited for, not {before}")
    return broken
