"""Plain tables: a folder of CSV files with the columns of the case tables, both ways.

`jobs.csv` and `operations.csv` (a row per operation and machine that can do it) are needed; what
the others would say has a default. Everything counts from 0; times are ticks, powers watts.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from desbench.errors import InstanceError
from desbench.instances.bounds import INT32_MAX
from desbench.instances.carbon import UNCOUNTED, Carbon
from desbench.instances.complaints import near
from desbench.instances.coordination import Coordination
from desbench.instances.formats.arrays import to_instance
from desbench.instances.formats.options import Options
from desbench.instances.formats.shop import Job, Shop
from desbench.instances.formats.source import MAX_COUNT, MAX_MACHINES, Refused
from desbench.instances.formats.table_files import COLUMNS, Table
from desbench.instances.instance import CAUSES, INTERRUPTIONS, NONE, TIME_UNITS, UNLIMITED

NAME = "tables"  #: of the format
NEEDED = "jobs.csv and operations.csv"
MAX_FAMILIES = 10_000
MAX_SETUPS = 250_000_000  #: cells of all setup matrices


def is_tables(folder: Path) -> bool:
    """Whether a folder holds tables."""
    return (folder / "operations.csv").exists() or (folder / "jobs.csv").exists()


def read(folder: Path, options: Options) -> Shop:
    """Read the one shop of a folder."""
    _check_options(folder, options)
    tables = _open(folder)
    jobs = tables["jobs"].in_order("job")
    counts = {"job": len(jobs), **_counts(tables)}
    lists, fields = _operations(tables["operations"], jobs, counts)
    fields |= _jobs(jobs) | _machines(tables, counts) | _places(tables, counts)
    fields |= _setups(tables, counts, fields) | _stops(tables, counts) | _travel(tables, counts)
    ticks_per_unit, name, digest, settings = _case(tables.get("case"), folder)
    fields["carbon"] = _carbon(tables.get("carbon"), settings.pop("carbon_period", NONE))
    shop = Shop(
        name=name,
        format=NAME,
        machines=counts["machine"],
        jobs=lists,
        vehicles=len(fields["vehicle_names"]),
        ticks_per_unit=ticks_per_unit,
        fields=fields | settings,
    )
    return _checked(shop, folder, digest)


def _check_options(folder: Path, options: Options) -> None:
    stated = {
        "--base": options.base not in (None, 0),
        "--layout": options.layout is not None,
        "--vehicles": options.vehicles is not None,
        "--ticks-per-unit": options.ticks_per_unit != 1,
    }
    for option, is_stated in stated.items():
        if is_stated:
            raise Refused(f"{folder}: tables say this themselves; leave {option} out")


def _open(folder: Path) -> dict[str, Table]:
    """Read every CSV file of the folder; one with an unknown name is refused, not skipped."""
    tables = {}
    for path in sorted(folder.glob("*.csv")):
        if path.stem not in COLUMNS:
            raise Refused(f"{path}: no table has this name{near(path.stem, COLUMNS)}")
        tables[path.stem] = Table(path)
    for name in ("jobs", "operations"):
        if name not in tables or not len(tables[name]):
            raise Refused(f"{folder}: needs {NEEDED} with a row each; {name}.csv has none")
    return tables


def _counts(tables: dict[str, Table]) -> dict[str, int]:
    """Number of machines, cells and areas: rows of their table, else what the others mention."""
    machines, cells, areas = (tables.get(name) for name in ("machines", "cells", "areas"))
    if machines is None:
        used = tables["operations"].ints("machine", most=MAX_MACHINES - 1)
        count = {"machine": 1 + int(used.max())}
    else:
        count = {"machine": len(machines.in_order("machine"))}
    if cells is not None:
        count["cell"] = len(cells.in_order("cell"))
    elif machines is not None and machines.has("cell"):
        count["cell"] = 1 + int(machines.ints("cell", most=MAX_MACHINES - 1).max())
    else:
        count["cell"] = count["machine"]
    if areas is not None:
        count["area"] = len(areas.in_order("area"))
    elif cells is not None and cells.has("area"):
        count["area"] = 1 + int(cells.ints("area", most=MAX_MACHINES - 1).max())
    else:
        count["area"] = 1
    for kind, number in count.items():
        if not 1 <= number <= MAX_MACHINES:
            raise Refused(f"{number} {kind}s, must be 1 .. {MAX_MACHINES}")
    return count


def _jobs(jobs: Table) -> dict[str, Any]:
    release, due = jobs.ints("release", 0), jobs.ints("due", NONE)
    for row in np.flatnonzero((due != NONE) & (due < release)):
        raise jobs.refuse(int(row), "due", f"must be >= release={release[row]}, or empty")
    return {
        "job_names": jobs.names(lambda j: f"J{j}"),
        "release": release,
        "due": due,
        "weight": jobs.numbers("weight", 1.0),
        "patience": jobs.ints("patience", 0),
    }


def _operations(
    table: Table, jobs: Table, counts: dict[str, int]
) -> tuple[list[Job], dict[str, Any]]:
    """Operations as lists and as arrays, sorted by job, operation and machine."""
    job = table.ints("job", most=counts["job"] - 1)
    operation = table.ints("operation", most=MAX_COUNT)
    machine = table.ints("machine", most=counts["machine"] - 1)
    order = np.lexsort((machine, operation, job))
    job, operation, machine = job[order], operation[order], machine[order]
    starts = _starts(table, order, job, operation, machine)
    first = np.flatnonzero(starts)
    sizes = np.bincount(job[first], minlength=counts["job"])
    _check_sizes(jobs, sizes)
    nominal = table.ints("nominal")
    realised = nominal
    if table.has("realised"):
        stated = table.ints("realised", NONE)
        realised = np.where(stated == NONE, nominal, stated)
    family = table.ints("family", 0, most=MAX_FAMILIES - 1)[order]
    group = np.cumsum(starts) - 1
    for at in np.flatnonzero(family != family[first][group]):
        same = f"must be {family[first][group][at]}, as on its other machines"
        raise table.refuse(int(order[at]), "family", same)
    fields = {
        "family": family[first].astype(np.int32),
        "eligible_offset": np.append(first, len(job)).astype(np.int32),
        "eligible_machine": machine.astype(np.int32),
        "nominal": nominal[order],
        "realised": realised[order],
        "processing_power": table.ints("power", 0)[order],
        "operation_offset": np.concatenate(([0], np.cumsum(sizes))).astype(np.int32),
    }
    return _lists(fields), fields


def _starts(table: Table, order: Any, job: Any, operation: Any, machine: Any) -> Any:
    """Mask of the first alternative of each operation; gaps and doubles are refused."""
    new_job = np.append(True, job[1:] != job[:-1])
    new_operation = new_job | np.append(True, operation[1:] != operation[:-1])
    double = ~new_operation & np.append(False, machine[1:] == machine[:-1])
    for at in np.flatnonzero(double):
        raise table.refuse(int(order[at]), "machine", "is given twice for this operation")
    expected = np.where(new_job, 0, np.append(0, operation[:-1]) + 1)
    for at in np.flatnonzero(new_operation & (operation != expected)):
        rule = f"operation {expected[at]} of job {job[at]} is missing; they count from 0"
        raise table.refuse(int(order[at]), "operation", rule)
    return new_operation


def _check_sizes(jobs: Table, sizes: Any) -> None:
    stated = jobs.ints("operations", NONE) if jobs.has("operations") else sizes
    for row, (size, number) in enumerate(zip(sizes.tolist(), stated.tolist(), strict=True)):
        if size == 0:
            raise jobs.refuse(row, "job", "has no operation in operations.csv")
        if number not in (NONE, size):
            raise jobs.refuse(row, "operations", f"operations.csv has {size} of this job")


def _lists(fields: dict[str, Any]) -> list[Job]:
    pairs = list(zip(fields["eligible_machine"].tolist(), fields["nominal"].tolist(), strict=True))
    offset = fields["eligible_offset"].tolist()
    operations = [pairs[start:end] for start, end in pairwise(offset)]
    jobs = fields["operation_offset"].tolist()
    return [operations[start:end] for start, end in pairwise(jobs)]


def _machines(tables: dict[str, Table], counts: dict[str, int]) -> dict[str, Any]:
    table, count = tables.get("machines"), counts["machine"]
    if table is None:
        return {}
    if "cells" in tables and not table.has("cell"):
        raise Refused(f"{table.path}: lacks the column 'cell', which cells.csv makes necessary")
    default = None if table.has("cell") else np.arange(count)
    cell = table.ints("cell", most=counts["cell"] - 1) if default is None else default
    watts = ("power_idle", "power_setup", "power_blocked", "power_down")
    return {
        "machine_names": table.names(lambda m: f"M{m}"),
        "machine_cell": cell.astype(np.int32),
        **{state: table.ints(state, 0) for state in watts},
        "initial_family": table.ints("initial_family", NONE, most=MAX_FAMILIES - 1).astype(
            np.int32
        ),
        "mean_repair": table.ints("mean_repair", 0),
    }


def _places(tables: dict[str, Table], counts: dict[str, int]) -> dict[str, Any]:
    """Cells, areas and vehicles."""
    cells, areas, vehicles = (tables.get(name) for name in ("cells", "areas", "vehicles"))
    count = counts["cell"]
    fields: dict[str, Any] = {
        "cell_names": tuple(f"C{c}" for c in range(count)),
        "cell_area": np.zeros(count, dtype=np.int32),
        **{name: np.full(count, UNLIMITED, np.int32) for name in ("inbound", "outbound")},
        "commitment": np.full(count, UNLIMITED, np.int32),
        "area_names": tuple(f"A{a}" for a in range(counts["area"])),
        "power_cap": np.full(counts["area"], NONE, dtype=np.int64),
        "wip_cap": np.full(counts["area"], NONE, dtype=np.int64),
        "vehicle_names": (),
        "vehicle_power": np.zeros(0, dtype=np.int64),
    }
    if cells is not None:
        fields |= _cells(cells, counts["area"])
    if areas is not None:
        fields["area_names"] = areas.names(lambda a: f"A{a}")
        fields |= {name: areas.ints(name, NONE) for name in ("power_cap", "wip_cap")}
    if vehicles is not None:
        vehicles.in_order("vehicle")
        fields["vehicle_names"] = vehicles.names(lambda v: f"V{v + 1}")
        fields["vehicle_power"] = vehicles.ints("power", 0)
    return fields


def _cells(cells: Table, areas: int) -> dict[str, Any]:
    inbound = cells.ints("inbound", UNLIMITED, least=1, most=INT32_MAX)
    commitment = cells.ints("commitment", UNLIMITED, least=1, most=INT32_MAX)
    for row in np.flatnonzero(commitment < inbound):
        raise cells.refuse(int(row), "commitment", f"must be >= inbound={inbound[row]}")
    return {
        "cell_names": cells.names(lambda c: f"C{c}"),
        "cell_area": cells.ints("area", 0, most=areas - 1).astype(np.int32),
        "inbound": inbound.astype(np.int32),
        "outbound": cells.ints("outbound", UNLIMITED, most=INT32_MAX).astype(np.int32),
        "commitment": commitment.astype(np.int32),
    }


def _setups(
    tables: dict[str, Table], counts: dict[str, int], fields: dict[str, Any]
) -> dict[str, Any]:
    """[M, F + 1, F]; a change that no row states takes no time."""
    table, machines = tables.get("setups"), counts["machine"]
    initial = fields.get("initial_family", np.zeros(1))
    families = 1 + max(int(fields["family"].max()), int(initial.max()))
    if table is None or not len(table):
        return {"setup": np.zeros((machines, families + 1, families), dtype=np.int64)}
    machine = table.ints("machine", most=machines - 1)
    start = table.ints("from", NONE, least=NONE, most=MAX_FAMILIES - 1)
    end = table.ints("to", most=MAX_FAMILIES - 1)
    families = max(families, 1 + int(max(start.max(), end.max())))
    if machines * families * (families + 1) > MAX_SETUPS:
        raise Refused(f"{table.path}: {families} families on {machines} machines are too many")
    setup = np.zeros((machines, families + 1, families), dtype=np.int64)
    _check_once(table, (machine, start, end), "to")
    setup[machine, start + 1, end] = table.ints("ticks")
    return {"setup": setup}


def _travel(tables: dict[str, Table], counts: dict[str, int]) -> dict[str, Any]:
    """[L, L]; no table: no time. With a table every way must be stated."""
    table, places = tables.get("travel"), counts["cell"] + 1
    travel = np.zeros((places, places), dtype=np.int64)
    if table is None:
        return {"travel": travel}
    start, end = (table.ints(column, most=places - 1) for column in ("from", "to"))
    ticks = table.ints("ticks")
    for row in np.flatnonzero((start == end) & (ticks > 0)):
        raise table.refuse(int(row), "ticks", "must be 0 from a place to itself")
    _check_once(table, (start, end), "to")
    travel[:] = NONE
    np.fill_diagonal(travel, 0)
    travel[start, end] = ticks
    for place in np.argwhere(travel == NONE):
        raise Refused(f"{table.path}: no row from place {place[0]} to place {place[1]}")
    return {"travel": travel}


def _check_once(table: Table, keys: tuple[Any, ...], column: str) -> None:
    """Refuse a second row with the same keys."""
    order = np.lexsort(keys)
    same = np.ones(max(len(order) - 1, 0), dtype=bool)
    for key in keys:
        same &= key[order][1:] == key[order][:-1]
    for at in np.flatnonzero(same):
        row, other = sorted((int(order[at]), int(order[at + 1])), reverse=True)
        raise table.refuse(row, column, f"is given twice, first in line {table.lines[other]}")


def _stops(tables: dict[str, Table], counts: dict[str, int]) -> dict[str, Any]:
    table = tables.get("downtimes")
    if table is None or not len(table):
        return {}
    machine = table.ints("machine", most=counts["machine"] - 1)
    start, end = table.ints("start"), table.ints("end")
    for row in np.flatnonzero(end <= start):
        raise table.refuse(int(row), "end", f"must be > start={start[row]}")
    order = np.lexsort((start, machine))
    machine, start, end = machine[order], start[order], end[order]
    for at in np.flatnonzero((machine[1:] == machine[:-1]) & (start[1:] <= end[:-1])):
        rule = f"must be > {end[at]}, the end of the stop before on this machine; join them"
        raise table.refuse(int(order[at + 1]), "start", rule)
    stops = np.bincount(machine, minlength=counts["machine"])
    return {
        "down_offset": np.concatenate(([0], np.cumsum(stops))).astype(np.int32),
        "down_start": start,
        "down_end": end,
        "down_cause": table.codes("cause", CAUSES, "recorded")[order],
        "down_interruption": table.codes("interruption", INTERRUPTIONS, "resume")[order],
    }


def _case(table: Table | None, folder: Path) -> tuple[int, str, str, dict[str, Any]]:
    """Settings of the case: ticks per unit, name, digest as exported, fields of the Instance."""
    if table is None:
        return 1, folder.resolve().name, "", {}
    if len(table) != 1:
        raise Refused(f"{table.path}: {len(table)} rows, must be one")

    def whole(column: str, default: int, least: int = 0) -> int:
        return int(table.ints(column, default, least)[0])

    def text(column: str, default: str) -> str:
        return (table.texts(column)[0] if table.has(column) else "") or default

    unit = text("time_unit", "s")
    if unit not in TIME_UNITS:
        raise table.refuse(0, "time_unit", f"must be one of {', '.join(TIME_UNITS)}")
    fields: dict[str, Any] = {
        "time_unit": unit,
        "plant_power_cap": whole("plant_power_cap", NONE),
        "horizon": whole("horizon", NONE, 1),
        "no_progress_limit": whole("no_progress_limit", 30, 1),
        "options": whole("options", 16, 1),
        "deliver": bool(table.ints("deliver", 0, most=1)[0]),
        "coordination": Coordination(
            whole("message_delay", 0),
            plant=whole("decision_delay_plant", 0),
            area=whole("decision_delay_area", 0),
            cell=whole("decision_delay_cell", 0),
            is_measured=bool(table.ints("decision_delay_measured", 0, most=1)[0]),
            deadline=whole("deadline", NONE, 1),
        ),
        "review_period": whole("review_period", NONE, 1),
        "carbon_period": whole("carbon_period", NONE, 1),
        "eco_duration": (whole("eco_duration_num", 5), whole("eco_duration_den", 4, 1)),
        "eco_power": (whole("eco_power_num", 3), whole("eco_power_den", 4, 1)),
    }
    if (limit := whole("decision_limit", NONE, 1)) != NONE:
        fields["decision_limit"] = limit
    name = re.sub(r"-s\d{2,}$", "", text("case", folder.resolve().name))  # the seed is not the name
    return whole("ticks_per_unit", 1, 1), name, text("digest", ""), fields


def _carbon(table: Table | None, period: int) -> Carbon:
    if table is None or not len(table):
        return UNCOUNTED
    start, intensity = (tuple(table.ints(name).tolist()) for name in ("start", "intensity"))
    return Carbon(start, intensity, period)


def _checked(shop: Shop, folder: Path, digest: str) -> Shop:
    """Let the door of the engine look at it now, and compare with the digest of the export."""
    try:
        found = to_instance(shop).digest
    except InstanceError as error:
        raise Refused(f"{folder}: {error}") from None
    if digest and digest != found:
        return replace(shop, notes=("the tables were changed since they were exported",))
    return shop
