"""The law about strandings."""

from __future__ import annotations

from collections import Counter

from desbench.trace.trace import Trace
from desbench.verify.case import NONE, Case, Event, case_of, events_of
from desbench.verify.columns import law

Row = tuple[int, int, int, str]  #: time, job, cell, cause


@law
def strandings_have_their_cause(trace: Trace) -> list[str]:
    """An item is stranded when the last eligible machine breaks down or its patience ends."""
    due = _Due(case_of(trace))
    found: Counter[Row] = Counter()
    for event in events_of(trace):
        due.play(event)
        if event.kind == "stranded":
            found[event.time, event.job, event.cell, event.cause or ""] += 1
    due.wait_until(trace.end + 1)
    broken = [f"{row} is stranded without a cause" for row in sorted(found - due.rows)]
    return broken + [f"{row} is not told to be stranded" for row in sorted(due.rows - found)]


class _Due:
    """The strandings that must be told, row by row."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.rows: Counter[Row] = Counter()
        self.down: set[int] = set()
        self.assigned: dict[int, int] = {}
        self.operation: dict[int, int] = {}
        self.patient: dict[int, tuple[int, int]] = {}  #: job -> end of its patience, cell
        self.gate: dict[int, int] = {}  #: job -> cell

    def play(self, event: Event) -> None:
        # Patience ends among the events of an instant, before anything settles or is commanded.
        self.wait_until(event.time)
        job = event.job
        if event.kind == "assign":
            self.assigned[job], self.operation[job] = event.cell, event.operation
            if self.gate.get(job) == event.cell:
                self._start_patience(event)
        elif event.kind in ("unassign", "dispatch", "admission"):
            self._enough(event)
        elif event.kind == "buffer_wait":
            self.gate[job] = event.cell
            self._start_patience(event)
        elif event.kind == "transport_start":
            self.gate.pop(job, None)
        elif event.kind == "repair":
            self.down.discard(event.machine)
        elif event.kind == "breakdown":
            self.down.add(event.machine)
            self._break_down(event)

    def wait_until(self, time: int) -> None:
        """Let all patience end that ends before `time`."""
        for job, (end, cell) in list(self.patient.items()):
            if end < time:
                self.rows[end, job, cell, "patience"] += 1
                del self.patient[job]

    def _start_patience(self, event: Event) -> None:
        if self.case.patience[event.job] > 0:
            self.patient[event.job] = event.time + self.case.patience[event.job], event.cell

    def _enough(self, event: Event) -> None:
        end, cell = self.patient.pop(event.job, (NONE, NONE))
        if end == event.time:
            self.rows[end, event.job, cell, "patience"] += 1
        if event.kind == "admission":
            self.gate.pop(event.job, None)
        else:
            self.assigned.pop(event.job, None)

    def _break_down(self, event: Event) -> None:
        for job, cell in self.assigned.items():
            machines = self.case.eligible(job, self.operation[job])
            here = {m for m in machines if self.case.cell_of_machine[m] == cell}
            if event.machine in here and here <= self.down:
                self.rows[event.time, job, cell, "breakdown"] += 1
