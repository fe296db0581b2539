"""Laws about places: nothing holds more than it may. Places are replayed from the event rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache

from desbench.trace.trace import Trace
from desbench.verify.case import NONE, Case, Event, case_of, events_of
from desbench.verify.columns import law

Place = tuple[str, int]  #: source, vehicle, gate, inbound, machine, outbound, done; its index

NOWHERE: Place = ("nowhere", NONE)
PAST = ("gate", "inbound")  #: where an item stands in front of the machines of a cell


class Places:
    """Where every item stands, row by row.

    Two moves write no row: a finished item enters the outbound buffer, and an item goes to the
    gate of the cell it already stands in. Both happen in the settle of the instant, so they are
    done here when another row needs them, at the latest when time moves.
    """

    def __init__(self, case: Case) -> None:
        self.case = case
        jobs = len(case.release)
        self.place = [NOWHERE] * jobs
        self.assigned = [NONE] * jobs  #: to a cell, and not dispatched
        self.finished: dict[int, int] = {}  #: machine -> finished item that may leave unseen
        self.blocked: dict[int, int] = {}  #: machine -> finished item that stayed
        self.unseen: set[int] = set()  #: arrived at a gate; admission or buffer_wait must follow
        self.gate: dict[int, set[int]] = defaultdict(set)
        self.count: Counter[Place] = Counter()
        self.committed: Counter[int] = Counter()
        self.wip: Counter[int] = Counter()
        self.broken: list[str] = []
        self.touched: set[Place] = set()

    def play(self, event: Event) -> None:
        """Apply one row."""
        job = event.job
        if event.kind in ("assign", "unassign"):
            self._commit(event)
        elif event.kind == "arrival":
            self._move(job, ("source", NONE))
        elif event.kind == "transport_start":
            self._leave(job)
            carrier = job if event.vehicle == NONE else event.vehicle
            self._move(job, ("vehicle", carrier))
        elif event.kind == "transport_complete" and event.cell != NONE and job != NONE:
            self._move(job, ("gate", event.cell))
            self.unseen.add(job)
        elif event.kind == "buffer_wait":
            self._wait(event)
        elif event.kind == "admission":
            self._admit(event)
        elif event.kind == "dispatch":
            self._dispatch(event)
        elif event.kind == "finish":
            self.finished[event.machine] = job
        elif event.kind == "blocking_start":
            if self.finished.pop(event.machine, NONE) != job:
                self.broken.append(f"{event}: the machine holds no such finished item")
            self.blocked[event.machine] = job
        elif event.kind == "blocking_release":
            if self.blocked.pop(event.machine, NONE) != job:
                self.broken.append(f"{event}: the item does not block the machine")
            self._move(job, ("outbound", event.cell))
        elif event.kind == "job_complete":
            self._leave(job)
            self._move(job, ("done", NONE))

    def settle(self, time: int) -> None:
        """Time moves: what left unseen has left, and every place must be within its bound."""
        for job in list(self.finished.values()):
            self._leave(job)
        for place in sorted(self.touched):
            kind, index = place
            bound = 1.0 if kind in ("machine", "vehicle") else self.case.room[kind][index]
            if kind == "outbound" and self.count[place] > bound:
                self._move_on(index)
            if self.count[place] > bound:
                self.broken.append(
                    f"at {time} {kind} {index} holds {self.count[place]}, at most {bound:.0f}"
                )
        self.touched.clear()
        for job in sorted(self.unseen):
            self.broken.append(f"at {time} job {job} stands at a gate without buffer_wait")
        self.unseen.clear()
        for cell, jobs in self.gate.items():
            waits = any(self.assigned[job] == cell for job in jobs)
            if waits and self.count["inbound", cell] < self.case.room["inbound"][cell]:
                self.broken.append(f"at {time} an item waits at cell {cell}, which has room")

    def _commit(self, event: Event) -> None:
        job, cell = event.job, event.cell
        if event.kind == "unassign":
            if self.assigned[job] != cell:
                self.broken.append(f"{event}: it is assigned to {self.assigned[job]}")
            self._assign(job, NONE)
            return
        # The item itself does not count; it may stand there, withdrawn.
        others = self.committed[cell] - (cell in self._holds(job))
        if others >= self.case.room["commitment"][cell]:
            self.broken.append(f"{event}: {others} items are committed to the cell already")
        alternatives = self.case.eligible(job, event.operation)
        if not any(self.case.cell_of_machine[m] == cell for m in alternatives):
            self.broken.append(f"{event}: no machine of the cell is eligible")
        if self.assigned[job] != NONE or self.place[job][0] in ("nowhere", "vehicle", "done"):
            self.broken.append(f"{event}: it is not ready")
        self._assign(job, cell)

    def _wait(self, event: Event) -> None:
        job, cell = event.job, event.cell
        self._leave(job)
        self.unseen.discard(job)
        if self.place[job] not in (("gate", cell), ("outbound", cell)):
            self.broken.append(f"{event}: it stands at {self.place[job]}")
        self._move(job, ("gate", cell))

    def _admit(self, event: Event) -> None:
        job, cell = event.job, event.cell
        self._leave(job)
        self.unseen.discard(job)
        kind, where = self.place[job]
        same_cell = kind in ("gate", "outbound") and where == cell
        if self.assigned[job] != cell or not same_cell:
            self.broken.append(f"{event}: it stands at {kind} {where}")
        self._move(job, ("inbound", cell))

    def _dispatch(self, event: Event) -> None:
        job, machine = event.job, event.machine
        if machine in self.finished:
            self._leave(self.finished[machine])
        cell = self.case.cell_of_machine[machine]
        if self.place[job] != ("inbound", cell) or self.assigned[job] != cell:
            self.broken.append(f"{event}: it stands at {self.place[job]}")
        if self.count["machine", machine]:
            self.broken.append(f"{event}: the machine holds another item")
        self._assign(job, NONE)
        self._move(job, ("machine", machine))

    def _leave(self, job: int) -> None:
        """Take a finished item off its machine, into the outbound buffer."""
        kind, machine = self.place[job]
        if kind == "machine" and self.finished.get(machine) == job:
            del self.finished[machine]
            self._move(job, ("outbound", self.case.cell_of_machine[machine]))

    def _move_on(self, cell: int) -> None:
        """Take items that go on in their own cell out of its outbound buffer."""
        for job, place in enumerate(self.place):
            if place == ("outbound", cell) and self.assigned[job] == cell:
                self._move(job, ("gate", cell))

    def _move(self, job: int, place: Place) -> None:
        before = self._counted(job)
        kind, where = self.place[job]
        self.count[kind, where] -= 1
        if kind == "gate":
            self.gate[where].discard(job)
        if place[0] == "gate":
            self.gate[place[1]].add(job)
        self.place[job] = place
        self.count[place] += 1
        if place[0] in ("machine", "vehicle", "inbound", "outbound"):
            self.touched.add(place)
        self._recount(job, before)

    def _assign(self, job: int, cell: int) -> None:
        before = self._counted(job)
        self.assigned[job] = cell
        self._recount(job, before)

    def _holds(self, job: int) -> set[int]:
        """Cells whose commitment counts the item."""
        kind, where = self.place[job]
        return ({where} if kind in PAST else set()) | ({self.assigned[job]} - {NONE})

    def _counted(self, job: int) -> tuple[set[int], set[int]]:
        """Cells that count the item as committed, areas that count it as WIP."""
        committed = self._holds(job)
        kind, where = self.place[job]
        inside = set(committed)
        if kind == "machine":
            inside.add(self.case.cell_of_machine[where])
        elif kind == "outbound":
            inside.add(where)
        return committed, {self.case.area_of_cell[cell] for cell in inside}

    def _recount(self, job: int, before: tuple[set[int], set[int]]) -> None:
        committed, areas = self._counted(job)
        self.committed.subtract(before[0])
        self.committed.update(committed)
        self.wip.subtract(before[1])
        self.wip.update(areas)


@lru_cache(maxsize=2)
def _replayed(trace: Trace) -> tuple[list[str], dict[int, list[tuple[int, int]]]]:
    """Return broken bounds and, by area, the WIP after each instant in which it changed."""
    places = Places(case_of(trace))
    steps: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for time, events in _instants(trace):
        for event in events:
            places.play(event)
        places.settle(time)
        for area, wip in places.wip.items():
            if not steps[area] or steps[area][-1][1] != wip:
                steps[area].append((time, wip))
    return places.broken, steps


def _instants(trace: Trace) -> Iterator[tuple[int, list[Event]]]:
    together: list[Event] = []
    for event in events_of(trace):
        if together and together[0].time != event.time:
            yield together[0].time, together
            together = []
        together.append(event)
    if together:
        yield together[0].time, together


@law
def nothing_holds_too_much(trace: Trace) -> list[str]:
    """No buffer, machine, vehicle or commitment holds more than it may; every move is possible."""
    return _replayed(trace)[0]


def wip_steps(trace: Trace) -> dict[int, list[tuple[int, int]]]:
    """Return, by area, (time, WIP from then on)."""
    return _replayed(trace)[1]
