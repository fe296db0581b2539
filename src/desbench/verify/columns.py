"""The first law: every row speaks of things that exist, in the columns of its kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps

from desbench.trace.trace import Trace
from desbench.verify.case import NONE, Case, Event, case_of, events_of

Law = Callable[[Trace], list[str]]

UNJUDGED = "cannot be judged"

_ITEM = "job operation"
_AT_CELL = f"{_ITEM} cell area"
_AT_MACHINE = f"{_AT_CELL} machine"
#: By kind the columns that are filled, and those that may be.
FILLED = {
    kind: (set(always.split()), set(sometimes.split()))
    for kind, always, sometimes in (
        ("arrival", "job", ""),
        ("stage_release_ready", _ITEM, "machine cell area"),
        ("assign", f"{_AT_CELL} epoch", "vehicle"),
        ("unassign", f"{_AT_CELL} epoch", ""),
        ("vehicle_move", "vehicle amount", f"{_AT_CELL} epoch"),
        ("transport_start", f"{_ITEM} amount", "cell area vehicle"),
        ("transport_complete", "", f"{_AT_CELL} vehicle"),
        ("buffer_wait", _AT_CELL, ""),
        ("admission", _AT_CELL, ""),
        ("dispatch", f"{_AT_MACHINE} epoch", ""),
        ("setup_start", f"{_AT_MACHINE} amount", "epoch"),
        ("setup_complete", _AT_MACHINE, ""),
        ("start", f"{_AT_MACHINE} amount", "epoch"),
        ("finish", _AT_MACHINE, ""),
        ("blocking_start", _AT_MACHINE, ""),
        ("blocking_release", _AT_MACHINE, ""),
        ("job_complete", _ITEM, "machine cell area"),
        ("breakdown", "machine cell area amount cause", ""),
        ("repair", "machine cell area cause", ""),
        ("stranded", f"{_AT_CELL} cause", ""),
        ("mode", "cell area cause", "epoch"),
        ("alarm", "amount cause", "area"),
        ("budget_review", "", ""),
        ("cap", "area amount epoch", ""),
    )
}
#: Rows about an item that waits for delivery: its operation is their number.
_THROUGH = (
    "vehicle_move",
    "transport_start",
    "transport_complete",
    "blocking_start",
    "blocking_release",
)
_COLUMNS = [name for name in Event._fields if name not in ("row", "time", "kind")]


def columns_fit(trace: Trace) -> list[str]:
    """Every row fills the columns of its kind, with jobs, machines and cells of the case."""
    return list(_misfits(trace))


def law(check: Law) -> Law:
    """Let a law assume `columns_fit`; where that is broken it says that it cannot judge."""

    @wraps(check)
    def judged(trace: Trace) -> list[str]:
        misfits = _misfits(trace)
        return [f"{UNJUDGED}: {misfits[0]}"] if misfits else check(trace)

    return judged


@lru_cache(maxsize=2)
def _misfits(trace: Trace) -> tuple[str, ...]:
    case = case_of(trace)
    faults = ((event, _fault(case, event)) for event in events_of(trace))
    told = (f"{event}: {fault}" for event, fault in faults if fault)
    return (*told, *_strangers(case, trace))


def _fault(case: Case, event: Event) -> str:
    """Say what is wrong with an event row by itself; empty if nothing is."""
    if event.kind not in FILLED:
        return f"kind={event.kind!r} is unknown"
    filled = {name for name in _COLUMNS if getattr(event, name) not in (NONE, None)}
    always, sometimes = FILLED[event.kind]
    if not always <= filled <= always | sometimes:
        return f"columns {sorted(filled)}, must be {sorted(always)}"
    jobs, machines, cells = len(case.release), len(case.cell_of_machine), len(case.area_of_cell)
    if event.job >= jobs or event.machine >= machines or event.cell >= cells:
        return f"the case has {jobs} jobs, {machines} machines, {cells} cells"
    is_through = _is_through(case, event)
    if event.job >= 0 and event.operation >= case.operations[event.job] and not is_through:
        return f"the job has {case.operations[event.job]} operations"
    if event.machine >= 0 and case.cell_of_machine[event.machine] != event.cell:
        return f"the machine is in cell {case.cell_of_machine[event.machine]}"
    area = case.area_of_cell[event.cell] if event.cell >= 0 else NONE
    if event.area != area and event.kind not in ("alarm", "cap"):
        return f"area={event.area}, the cell is in area {area}"
    if event.area >= len(case.wip_cap):
        return f"area={event.area}, the case has {len(case.wip_cap)}"
    if event.kind == "vehicle_move" and (event.job == NONE) != (event.epoch != NONE):
        return "it must be for a job, or commanded"
    is_trip = event.kind in ("transport_start", "transport_complete") and event.job != NONE
    if is_trip and (event.cell == NONE) != is_through:
        return "an item must come to a cell, and to the sink when it is through"
    if event.kind == "job_complete" and (event.machine == NONE) != case.deliver:
        return f"it must name {'no' if case.deliver else 'a'} machine"
    fleet = len(case.vehicle_power)
    is_leg = event.kind in ("vehicle_move", "transport_start", "transport_complete")
    if event.vehicle >= fleet or (is_leg and (event.vehicle == NONE) != (fleet == 0)):
        return f"vehicle={event.vehicle}, the case has {fleet}"
    return ""


def _is_through(case: Case, event: Event) -> bool:
    """Whether the row is about an item that waits for its delivery."""
    return (
        case.deliver
        and event.kind in _THROUGH
        and event.job != NONE
        and event.operation == case.operations[event.job]
    )


def _strangers(case: Case, trace: Trace) -> list[str]:
    """Interval and violation rows of entities that do not exist."""
    broken = []
    counts = {"machine": len(case.cell_of_machine), "vehicle": len(case.vehicle_power)}
    kinds, entities = trace.texts("intervals", "entity_kind"), trace.ints("intervals", "entity")
    for row, (kind, entity) in enumerate(zip(kinds, entities.tolist(), strict=True)):
        if not 0 <= entity < counts.get(kind or "", 0):
            broken.append(f"intervals row {row}: the case has no {kind} {entity}")
    areas = len(case.wip_cap)
    for row, entity in enumerate(trace.ints("violations", "entity").tolist()):
        if entity >= areas:
            broken.append(f"violations row {row}: the case has no area {entity}")
    return broken
