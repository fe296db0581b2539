"""What no single key can tell: names that must exist, machines that must be able."""

from __future__ import annotations

from collections.abc import Iterator

from desbench.instances import route
from desbench.instances.bounds import INT32_MAX
from desbench.instances.complaints import near
from desbench.instances.schema import Machine, Shop

Path = tuple[str | int, ...]
Complaint = tuple[Path, str]  #: where, and which rule

SOURCE = "source"  #: name of location 0 in travel pairs


def check(shop: Shop) -> Iterator[Complaint]:
    """Yield every contradiction between parts of a suite."""
    yield from _names(shop)
    yield from _cells(shop)
    yield from _machines(shop)
    yield from _travel(shop)
    yield from _routes(shop)
    yield from _jobs(shop)
    yield from _review(shop)


def machines(shop: Shop) -> Iterator[tuple[Path, str, Machine]]:
    """Yield all machines, by area, cell and position: (path, name, machine)."""
    for a, area in shop.areas.items():
        for c, cell in area.cells.items():
            for m, machine in cell.machines.items():
                yield ("areas", a, "cells", c, "machines", m), m, machine


def families(shop: Shop) -> list[str]:
    """All setup families, in the order in which the suite names them."""
    found: dict[str, None] = {}
    for name, capability in shop.capabilities.items():
        found.update(dict.fromkeys(capability.families or [name]))
    for job in shop.jobs.listed or []:
        for operation in job.operations:
            if operation.family is not None:
                found[operation.family] = None
            elif operation.on is not None:
                found[DEFAULT_FAMILY] = None
    return list(found)


DEFAULT_FAMILY = "default"  #: of listed operations that name none


def _names(shop: Shop) -> Iterator[Complaint]:
    cells: dict[str, str] = {}
    for a, area in shop.areas.items():
        for c in area.cells:
            if c in cells or c == SOURCE:
                taken = "the source" if c == SOURCE else f"a cell of area {cells[c]}"
                yield ("areas", a, "cells", c), f"the name must be unique; it names {taken}"
            cells[c] = a
    seen: dict[str, Path] = {}
    for path, name, _ in machines(shop):
        if name in seen:
            yield path, f"the name must be unique; cell {seen[name][3]} has such a machine too"
        seen[name] = path
    if not seen:
        yield ("areas",), "must hold at least one machine"


def _cells(shop: Shop) -> Iterator[Complaint]:
    for a, area in shop.areas.items():
        for c, cell in area.cells.items():
            if cell.commitment is not None and cell.commitment < cell.inbound:
                shown = "unlimited" if cell.inbound == INT32_MAX else cell.inbound
                path: Path = ("areas", a, "cells", c, "commitment")
                yield path, f"must be >= inbound={shown}"


def _machines(shop: Shop) -> Iterator[Complaint]:
    known = families(shop)
    for path, _, machine in machines(shop):
        for capability in machine.can:
            if capability not in shop.capabilities:
                rule = f"must be one of capabilities{near(capability, shop.capabilities)}"
                yield (*path, "can", capability), rule
        if machine.initial_family is not None and machine.initial_family not in known:
            rule = f"must be a setup family{near(machine.initial_family, known)}"
            yield (*path, "initial_family"), rule
        for start, row in machine.setup.pairs.items():
            for family, where in ((start, (start,)), *((f, (start, f)) for f in row)):
                if family not in known:
                    rule = f"{family} must be a setup family{near(family, known)}"
                    yield (*path, "setup", "pairs", *where), rule
        yield from _stops(shop, path, machine)


def _stops(shop: Shop, path: Path, machine: Machine) -> Iterator[Complaint]:
    drawn = {
        "breakdown": machine.down.breakdown,
        "maintenance": machine.down.maintenance,
        "shift": machine.down.shift,
    }
    span = shop.down_until if shop.down_until is not None else shop.horizon
    for cause, stop in drawn.items():
        if stop is not None and span is None:
            yield (*path, "down", cause), "needs horizon: or down_until: to know how far to draw"
    if span is None:
        return
    for cause, cycle in _cycles(machine):
        if cycle <= 0 or span / cycle > 1e5:
            rule = f"one stop every {cycle:g} up to {span:g} is too many, must be <= 100000"
            yield (*path, "down", cause), rule


def _cycles(machine: Machine) -> Iterator[tuple[str, float]]:
    """Yield the mean time from one stop to the next, by cause."""
    down = machine.down
    if down.breakdown is not None:
        yield "breakdown", down.breakdown.up.mean()
    for cause, stop in (("maintenance", down.maintenance), ("shift", down.shift)):
        if stop is not None:
            yield cause, stop.every


def _travel(shop: Shop) -> Iterator[Complaint]:
    places = [SOURCE, *(c for area in shop.areas.values() for c in area.cells)]
    stated: set[tuple[str, str]] = set()
    for index, pair in enumerate(shop.travel.pairs):
        for key, place in (("from", pair.start), ("to", pair.end)):
            if place not in places:
                rule = f"must be a cell or {SOURCE}{near(place, places)}"
                yield ("travel", "pairs", index, key), rule
        if pair.start == pair.end and pair.time > 0:
            yield ("travel", "pairs", index, "time"), "must be 0 from a place to itself"
        if (pair.start, pair.end) in stated:
            rule = f"{pair.start} to {pair.end} must be given once"
            yield ("travel", "pairs", index), rule
        stated.add((pair.start, pair.end))
    gap = next(gaps(shop, stated), None)
    if gap is not None:
        rule = f"no time from {gap[0]} to {gap[1]}; state the pair, or default:"
        yield ("travel",), rule


def gaps(shop: Shop, stated: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield pairs of places whose travel time nothing states."""
    travel = shop.travel
    if travel.default is not None:
        return
    area_of = {c: a for a, area in shop.areas.items() for c in area.cells}
    places = [SOURCE, *area_of]
    for start in places:
        for end in places:
            if start == SOURCE or end == SOURCE:
                rule = travel.source
            elif area_of[start] == area_of[end]:
                rule = travel.within_area
            else:
                rule = travel.between_areas
            if start != end and rule is None and (start, end) not in stated:
                yield start, end


def _routes(shop: Shop) -> Iterator[Complaint]:
    if shop.jobs.route is None:
        return
    able = {capability for _, _, machine in machines(shop) for capability in machine.can}
    for name in sorted(route.capabilities(route.parse(shop.jobs.route))):
        if name not in shop.capabilities:
            rule = f"{name} must be one of capabilities{near(name, shop.capabilities)}"
            yield ("jobs", "route"), rule
        elif name not in able:
            yield ("jobs", "route"), f"no machine can {name}; add it to the can: of a cell"


def _jobs(shop: Shop) -> Iterator[Complaint]:
    at, count = shop.jobs.arrivals.at, shop.jobs.count
    if at is not None and count is not None and len(at) != count:
        yield ("jobs", "arrivals", "at"), f"holds {len(at)} times, must hold count={count}"
    if not shop.jobs.listed:
        return
    names: set[str] = set()
    known = {name for _, name, _ in machines(shop)}
    able = {capability for _, _, machine in machines(shop) for capability in machine.can}
    for j, job in enumerate(shop.jobs.listed):
        if job.name in names:
            yield ("jobs", "list", j, "name"), "must be unique"
        names.add(job.name)
        for k, operation in enumerate(job.operations):
            path: Path = ("jobs", "list", j, "operations", k)
            for name in operation.on or {}:
                if name not in known:
                    yield (*path, "on", name), f"must be a machine{near(name, sorted(known))}"
            if operation.do is not None and operation.do not in able:
                rule = f"must be something a machine can{near(operation.do, sorted(able))}"
                yield (*path, "do"), rule


def _review(shop: Shop) -> Iterator[Complaint]:
    capped = [name for name, area in shop.areas.items() if area.power_cap is not None]
    if shop.review_period is not None and len(capped) < 2:
        rule = f"needs two areas with a power_cap to share out; those with one: {len(capped)}"
        yield ("review_period",), rule
