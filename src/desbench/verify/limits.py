"""Laws about shown states, power and caps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from desbench.measures.constraints import excesses
from desbench.trace.trace import Trace
from desbench.verify.case import NONE, Case, Event, case_of, events_of, followed
from desbench.verify.columns import law
from desbench.verify.places import wip_steps
from desbench.verify.work import phases

Shown = tuple[str, int, int]  #: state, job, operation
Stretch = tuple[int, Shown]  #: start, what is shown from then on

IDLE: Shown = ("idle", NONE, NONE)
_VEHICLE_STATES = {
    "vehicle_move": "empty",
    "transport_start": "loaded",
    "transport_complete": "idle",
}


@law
def states_follow_events(trace: Trace) -> list[str]:
    """Intervals show the states that the event rows set: the schedule and the log agree."""
    case = case_of(trace)
    told = {("machine", m): [(0, IDLE)] for m in range(len(case.cell_of_machine))}
    told |= {("vehicle", v): [(0, IDLE)] for v in range(len(case.vehicle_power))}
    shown = _Shown()
    changed: set[tuple[str, int]] = set()
    rows = events_of(trace)
    for event, after in followed(rows):
        changed |= shown.play(event)
        if after is None or after.time > event.time:
            for owner in changed & told.keys():
                told[owner].append((event.time, shown.state(owner)))
            changed.clear()
    found = _found(trace)
    broken = []
    for owner, stretches in told.items():
        expected = _merged(s for s in stretches if s[0] < trace.end)
        if expected != found.get(owner, []):
            difference = _first_difference(expected, found.get(owner, []))
            broken.append(f"{owner[0]} {owner[1]}: {difference}")
    return broken


class _Shown:
    """What machines and vehicles show, row by row."""

    def __init__(self) -> None:
        self.phase: dict[int, Shown] = {}
        self.down: set[int] = set()
        self.finished: dict[int, tuple[int, int]] = {}
        self.vehicle: dict[int, Shown] = {}

    def play(self, event: Event) -> set[tuple[str, int]]:
        m, item = event.machine, (event.job, event.operation)
        if event.kind in ("setup_start", "start"):
            self.phase[m] = ("setup" if event.kind == "setup_start" else "processing", *item)
        elif event.kind == "finish":
            self.finished[m] = item
            self.phase[m] = IDLE
        elif event.kind == "blocking_start":
            self.phase[m] = ("blocked", *self.finished.get(m, item))
        elif event.kind == "blocking_release":
            self.phase[m] = IDLE
        elif event.kind == "breakdown":
            self.down.add(m)
        elif event.kind == "repair":
            self.down.discard(m)
        elif event.kind in _VEHICLE_STATES:
            state = _VEHICLE_STATES[event.kind]
            self.vehicle[event.vehicle] = IDLE if state == "idle" else (state, *item)
            return {("vehicle", event.vehicle)}
        else:
            return set()
        return {("machine", m)}

    def state(self, owner: tuple[str, int]) -> Shown:
        kind, index = owner
        if kind == "vehicle":
            return self.vehicle.get(index, IDLE)
        phase = self.phase.get(index, IDLE)
        return ("down", *phase[1:]) if index in self.down else phase


def _found(trace: Trace) -> dict[tuple[str, int], list[Stretch]]:
    """Return the stretches of the interval rows by entity."""
    found: dict[tuple[str, int], list[Stretch]] = {}
    names = ("entity", "start", "job", "operation")
    columns = (trace.ints("intervals", name).tolist() for name in names)
    kinds, states = trace.texts("intervals", "entity_kind"), trace.texts("intervals", "state")
    for kind, state, entity, start, job, operation in zip(kinds, states, *columns, strict=True):
        stretch = start, (state or "", job, operation)
        found.setdefault((kind or "", entity), []).append(stretch)
    return {owner: _merged(iter(stretches)) for owner, stretches in found.items()}


def _merged(stretches: Iterator[Stretch]) -> list[Stretch]:
    """Join equal neighbours, and drop what lasts no time."""
    kept: list[Stretch] = []
    for start, shown in stretches:
        if kept and kept[-1][0] == start:
            kept.pop()
        if not kept or kept[-1][1] != shown:
            kept.append((start, shown))
    return kept


def _first_difference(expected: list[Stretch], found: list[Stretch]) -> str:
    for wanted, got in zip(expected, found, strict=False):
        if wanted != got:
            return f"events say {wanted}, intervals {got}"
    return f"events tell {len(expected)} states, intervals {len(found)}"


@law
def power_is_that_of_the_state(trace: Trace) -> list[str]:
    """Every interval draws the power of its state in the case (less in eco)."""
    case = case_of(trace)
    eco = {
        (kind, phase.start.job, phase.start.operation): phase.eco
        for kind, first, last in (
            ("setup", "setup_start", "setup_complete"),
            ("processing", "start", "finish"),
        )
        for phase in phases(trace, first, last)
    }
    kinds, states = trace.texts("intervals", "entity_kind"), trace.texts("intervals", "state")
    names = ("entity", "job", "operation", "power")
    columns = (trace.ints("intervals", name).tolist() for name in names)
    broken = []
    for row, (kind, state, entity, job, operation, power) in enumerate(
        zip(kinds, states, *columns, strict=True)
    ):
        if kind == "vehicle":
            expected = 0 if state == "idle" else case.vehicle_power[entity]
        else:
            slow = eco.get((state or "", job, operation), False)
            expected = _watts(case, state or "", entity, (job, operation), slow)
        if power != expected:
            broken.append(f"intervals row {row}: {kind} {entity} draws {power}, must be {expected}")
    return broken


def _watts(case: Case, state: str, machine: int, item: tuple[int, int], eco: bool) -> int:
    if state == "processing":
        alternative = case.eligible(*item).get(machine)
        return case.watts(alternative.power, eco) if alternative else NONE
    power = case.power.get(state, [])
    return case.watts(power[machine], eco and state == "setup") if machine < len(power) else NONE


@law
def violations_are_what_stood(trace: Trace) -> list[str]:
    """Violation rows are the stretches above a cap, with their peak, power and WIP alike."""
    expected = {("power", *row) for row in _power_violations(trace)}
    expected |= {("wip", *row) for row in _wip_violations(trace)}
    names = ("entity", "start", "end", "magnitude")
    columns = (trace.ints("violations", name).tolist() for name in names)
    kinds = trace.texts("violations", "entity_kind")
    rows = [(kind or "", *row) for kind, *row in zip(kinds, *columns, strict=True)]
    found = set(rows)
    broken = [f"{row} is in the rows, but no excess stood" for row in sorted(found - expected)]
    broken += [f"{row} stood, but is not in the rows" for row in sorted(expected - found)]
    return broken + (["a violation is listed twice"] if len(found) < len(rows) else [])


@law
def alarms_announce_violations(trace: Trace) -> list[str]:
    """An alarm is new and single in its instant; every violation begins with one."""
    names = ("entity", "start", "end")
    columns = (trace.ints("violations", name).tolist() for name in names)
    kinds = trace.texts("violations", "entity_kind")
    rows = list(zip(kinds, *columns, strict=True))
    alarms = Counter((e.cause, e.area, e.time) for e in events_of(trace) if e.kind == "alarm")
    broken = [f"{alarm} is raised {n} times" for alarm, n in alarms.items() if n > 1]
    for kind, entity, start, _ in rows:
        if (kind, entity, start) not in alarms:
            broken.append(f"the {kind} violation of {entity} at {start} has no alarm")
    for cause, area, time in alarms:
        if any(k == cause and a == area and s < time <= e for k, a, s, e in rows):
            broken.append(f"{cause} of {area} at {time}: alarm in a violation that is open")
    return broken


@law
def modes_change(trace: Trace) -> list[str]:
    """A mode row changes the mode; without a command it ends a pause; a pause starts nothing."""
    now: dict[int, str] = {}
    before: dict[int, str] = {}
    broken = []
    for event in events_of(trace):
        mode = now.get(event.cell, "normal")
        if event.kind == "dispatch" and mode == "pause":
            broken.append(f"{event}: the cell is paused")
        if event.kind != "mode":
            continue
        wanted = event.cause or ""
        back = before.get(event.cell, "normal")
        if wanted == mode or (event.epoch == NONE and (mode, wanted) != ("pause", back)):
            broken.append(f"{event}: from {mode} to {wanted}")
        if wanted == "pause":
            before[event.cell] = mode
        now[event.cell] = wanted
    return broken


def _power_violations(trace: Trace) -> Iterator[tuple[int, int, int, int]]:
    for entity, pieces in excesses(trace).items():
        steps = zip(pieces.start.tolist(), pieces.end.tolist(), pieces.watts.tolist(), strict=True)
        for start, end, peak in _joined(steps):
            yield entity, start, end, peak


def _wip_violations(trace: Trace) -> Iterator[tuple[int, int, int, int]]:
    caps = case_of(trace).wip_cap
    for area, steps in wip_steps(trace).items():
        if caps[area] == NONE:
            continue
        ends = [time for time, _ in steps[1:]] + [trace.end]
        pieces = (
            (start, end, wip - caps[area])
            for (start, wip), end in zip(steps, ends, strict=True)
            if wip > caps[area] and end > start
        )
        for start, end, peak in _joined(pieces):
            yield area, start, end, peak


def _joined(pieces: Iterator[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Join touching pieces; the highest excess is the magnitude."""
    whole: tuple[int, int, int] | None = None
    for start, end, excess in pieces:
        if whole is not None and whole[1] == start:
            whole = whole[0], end, max(whole[2], excess)
            continue
        if whole is not None:
            yield whole
        whole = start, end, excess
    if whole is not None:
        yield whole
