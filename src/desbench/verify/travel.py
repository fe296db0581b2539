"""Laws about transport."""

from __future__ import annotations

from collections import defaultdict

from desbench.trace.trace import Trace
from desbench.verify.case import NONE, Case, Event, case_of, events_of
from desbench.verify.columns import law


@law
def travel_follows_the_matrix(trace: Trace) -> list[str]:
    """Every leg starts where item and vehicle stand and takes the travel time of the matrix."""
    legs = _Legs(case_of(trace))
    for event in events_of(trace):
        legs.play(event)
    # A leg that begins in the settle of the horizon ends with the episode, also when 0 long.
    last = trace.end if trace.setting("horizon") == trace.end else trace.end + 1
    for (owner, index), (kind, time, _) in legs.due.items():
        if time < last:
            legs.broken.append(f"{owner} {index}: {kind} is missing at {time}")
    return legs.broken


class _Legs:
    """Where items and vehicles are between cells, row by row."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.at: dict[int, int] = defaultdict(int)  #: location of items; the source is 0
        self.parked: dict[int, int] = defaultdict(int)  #: location of vehicles
        self.busy: set[int] = set()
        self.target: dict[int, int] = {}  #: cell an item waits to go to; NONE = the sink
        self.named: dict[int, int] = {}  #: vehicles that an assignment asked for
        self.due: dict[tuple[str, int], tuple[str, int, int]] = {}  #: next row, time, vehicle
        self.broken: list[str] = []

    def play(self, event: Event) -> None:
        job, here = event.job, event.cell + 1
        if event.kind == "assign":
            self.target[job], self.named[job] = event.cell, event.vehicle
        elif event.kind in ("unassign", "dispatch"):
            self.target.pop(job, None)
        elif event.kind == "finish" and self._is_through(event):
            self.target[job], self.named[job] = NONE, NONE
        elif event.kind == "vehicle_move":
            self._set_out(event, self.at[job] if job != NONE else here)
        elif event.kind == "transport_start":
            if event.vehicle != NONE or _owner(event) in self.due:
                self._timely(event)
            if self.target.get(job) != event.cell:
                self.broken.append(f"{event}: it waits to go to cell {self.target.get(job)}")
            self._leg(event, self.at[job], here)
            self.due[_owner(event)] = _next_row(event, "transport_complete")
            self.at[job] = self.parked[event.vehicle] = here
        elif event.kind == "transport_complete":
            self._timely(event)
            self.busy.discard(event.vehicle)
            goal = self.at[job] if job != NONE else self.parked[event.vehicle]
            if here != goal:
                self.broken.append(f"{event}: it was on its way to location {goal}")

    def _is_through(self, event: Event) -> bool:
        """The item asks by itself for the way to the sink."""
        return self.case.deliver and event.operation + 1 == self.case.operations[event.job]

    def _set_out(self, event: Event, goal: int) -> None:
        """An empty leg to an item, or one that was commanded."""
        if event.job == NONE and self.parked[event.vehicle] == goal:
            self.broken.append(f"{event}: it stands there already")
        if event.job != NONE and event.job not in self.target:
            self.broken.append(f"{event}: the item waits for no vehicle")
        if _owner(event) in self.due or event.vehicle in self.busy:
            self.broken.append(f"{event}: item or vehicle is on its way")
        if self.named.get(event.job, NONE) not in (NONE, event.vehicle):
            self.broken.append(f"{event}: it waits for vehicle {self.named[event.job]}")
        self._leg(event, self.parked[event.vehicle], goal)
        self.busy.add(event.vehicle)
        kind = "transport_start" if event.job != NONE else "transport_complete"
        self.due[_owner(event)] = _next_row(event, kind)
        self.parked[event.vehicle] = goal

    def _leg(self, event: Event, start: int, goal: int) -> None:
        ticks = self.case.travel[start, goal]
        if (event.amount, event.cell + 1) != (ticks, goal):
            told = f"amount={event.amount}, location {event.cell + 1}"
            self.broken.append(f"{event}: {told}, must be {ticks} to location {goal}")

    def _timely(self, event: Event) -> None:
        due = self.due.pop(_owner(event), None)
        if due != (event.kind, event.time, event.vehicle):
            self.broken.append(f"{event}: due was {due or 'nothing'}")


def _owner(event: Event) -> tuple[str, int]:
    """Whose leg it is: that of the item, or of a vehicle sent without one."""
    return ("vehicle", event.vehicle) if event.job == NONE else ("job", event.job)


def _next_row(event: Event, kind: str) -> tuple[str, int, int]:
    return kind, event.time + event.amount, event.vehicle
