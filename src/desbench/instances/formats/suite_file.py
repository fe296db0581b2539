"""Shop -> suite file: everything written out, one line an operation, so that it can be edited.

A suite realises to the same Instance as the file it was imported from. What a suite cannot say is
refused, naming it; it stays importable as a folder of tables.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from desbench.errors import InputError
from desbench.instances.coordination import FROZEN_CLOCK
from desbench.instances.formats.arrays import ECO, to_instance
from desbench.instances.formats.known import reference_of
from desbench.instances.formats.shop import Shop
from desbench.instances.instance import CAUSES, I64, INTERRUPTIONS, NONE, UNLIMITED, Instance

MAX_ALTERNATIVES = 200_000  #: of a suite; 100 000 take 10 s and 0.5 GB to load again
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_YAML_WORDS = {"yes", "no", "on", "off", "true", "false", "null", "y", "n"}


def write_suite(shop: Shop, path: str | Path) -> Path:
    """Write the suite of a shop, complete or not at all; a file of that name is replaced."""
    path = Path(path)
    if path.suffix not in (".yaml", ".yml"):
        raise InputError(f"{path}: a suite must be a .yaml file")
    text = suite_text(shop)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(prefix=f".{path.stem}-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(scratch, 0o644)  # mkstemp made it private
        os.replace(scratch, path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
    return path


def suite_text(shop: Shop) -> str:
    """Give the suite of a shop as YAML.

    Raises
    ------
    InputError
        For a shop that a suite cannot say, or that is too large for one.
    """
    if shop.alternatives > MAX_ALTERNATIVES:
        raise InputError(
            f"{shop.name}: {shop.alternatives} alternatives, a suite holds at most "
            f"{MAX_ALTERNATIVES}; load the file itself, or export it as tables"
        )
    instance = to_instance(shop)
    writer = _Writer(shop, instance)
    return "\n".join(writer.lines()) + "\n"


def _text(name: str) -> str:
    """Give a text as YAML, quoted where it could be read as something else."""
    if _PLAIN.fullmatch(name) and name.lower() not in _YAML_WORDS:
        return name
    return json.dumps(name, ensure_ascii=False)


def _common(values: Iterable[int]) -> int:
    """The most frequent value; 0 of none."""
    return next((value for value, _ in Counter(values).most_common(1)), 0)


class _Writer:
    """The sections of one suite, in the order of the file."""

    def __init__(self, shop: Shop, instance: Instance) -> None:
        self.shop = shop
        self.i = instance
        self.power_by_machine = self._power_by_machine()

    def lines(self) -> Iterator[str]:
        yield from self.head()
        yield from self.limits()
        yield from self.families()
        yield "areas:"
        for area in range(len(self.i.area_names)):
            yield from self.area(area)
        yield from self.transport()
        yield "jobs:"
        yield "  list:"
        for job in range(len(self.i.job_names)):
            yield from self.job(job)

    def refuse(self, what: str) -> InputError:
        return InputError(f"{self.shop.name}: a suite cannot state {what}; keep it as tables")

    def time(self, ticks: int) -> str:
        """Ticks in the unit of the suite."""
        scale = self.i.ticks_per_unit
        if ticks % scale == 0:
            return str(ticks // scale)
        if ticks >= 2**52:
            raise self.refuse(f"a time of {ticks} ticks exactly")
        return repr(int(ticks) / scale)

    # Head

    def head(self) -> Iterator[str]:
        shop, i = self.shop, self.i
        yield f"# {_line(shop.name)}: imported from a file in the format {shop.format}."
        for note in shop.notes:
            yield f"# Note: {_line(note)}."
        size = f"{len(shop.jobs)} jobs, {shop.machines} machines, {shop.operations} operations"
        yield f"about: {_text(f'{_line(shop.name)}, {size}')}"
        yield f"time_unit: {i.time_unit}"
        yield f"ticks_per_unit: {i.ticks_per_unit}"
        yield "seeds: {test: [0]}"
        known = reference_of(shop)
        if known is not None:
            source = f"source: {_text(known.source)}, date: {_text(known.date)}"
            bound = "" if known.kind == "optimum" else f"  # lower bound {known.lower}"
            yield f"reference: {{makespan: {known.upper}, kind: {known.kind}, {source}}}{bound}"

    def limits(self) -> Iterator[str]:
        i = self.i
        if i.horizon != NONE:
            yield f"horizon: {self.time(i.horizon)}"
        if i.decision_limit != 50 * i.operations:
            yield f"decision_limit: {i.decision_limit}"
        if i.no_progress_limit != 30:
            yield f"no_progress_limit: {i.no_progress_limit}"
        if i.options != 16:
            yield f"options: {i.options}"
        if {"eco_duration": i.eco_duration, "eco_power": i.eco_power} != ECO:
            yield f"eco: {{duration: {list(i.eco_duration)}, power: {list(i.eco_power)}}}"
        if i.plant_power_cap != NONE:
            yield f"plant: {{power_cap: {i.plant_power_cap}}}"
        if i.review_period != NONE:
            yield f"review_period: {self.time(i.review_period)}"
        if i.carbon.is_counted:
            steps = zip(i.carbon.start, i.carbon.intensity, strict=True)
            listed = ", ".join(f"[{self.time(start)}, {value}]" for start, value in steps)
            period = f", period: {self.time(i.carbon.period)}" if i.carbon.period != NONE else ""
            yield f"carbon: {{intensity: [{listed}]{period}}}"

    def families(self) -> Iterator[str]:
        """Give families their order: the one in which operations name them needs no words."""
        named = list(dict.fromkeys(self.i.family.tolist()))
        if named != list(range(self.i.families)):
            yield "capabilities:"
            for family in range(self.i.families):
                yield f"  F{family}: {{}}"

    # Plant

    def area(self, area: int) -> Iterator[str]:
        i = self.i
        yield f"  {_text(i.area_names[area])}:"
        for name, caps in (("power_cap", i.power_cap), ("wip_cap", i.wip_cap)):
            if caps[area] != NONE:
                yield f"    {name}: {caps[area]}"
        yield "    cells:"
        self._check_order()
        for cell in np.flatnonzero(i.cell_area == area):
            parts = [f"{name}: {value}" for name, value in self._buffers(int(cell))]
            machines = [int(m) for m in np.flatnonzero(i.machine_cell == cell)]
            plain = all(not self.machine(m) for m in machines)
            written = [f"{_text(i.machine_names[m])}: {{{self.machine(m)}}}" for m in machines]
            if plain:
                parts.append(f"machines: {{{', '.join(written)}}}")
            yield (
                f"      {_text(i.cell_names[cell])}: {{{', '.join(parts)}}}"
                if plain
                else (f"      {_text(i.cell_names[cell])}:")
            )
            if not plain:
                yield from (f"        {part}" for part in parts)
                yield "        machines:"
                yield from (f"          {line}" for line in written)

    def _check_order(self) -> None:
        """Machines, cells and areas count in the order in which a suite names them."""
        for kind, owner in (("machines", self.i.machine_cell), ("cells", self.i.cell_area)):
            if (np.diff(owner) < 0).any():
                raise self.refuse(f"{kind} that do not follow the order of their owners")
        if len(set(self.i.cell_area.tolist())) < len(self.i.area_names):
            raise self.refuse("an area without cells")

    def _buffers(self, cell: int) -> Iterator[tuple[str, int]]:
        i = self.i
        inbound = int(i.inbound[cell])
        if inbound != UNLIMITED:
            yield "inbound", inbound
        if i.outbound[cell] != UNLIMITED:
            yield "outbound", int(i.outbound[cell])
        if i.commitment[cell] != min(2 * inbound, UNLIMITED):
            yield "commitment", int(i.commitment[cell])

    def machine(self, m: int) -> str:
        """What a machine says of itself, as the inside of a flow mapping."""
        i, parts = self.i, []
        watts = {name: int(getattr(i, f"power_{name}")[m]) for name in ("idle", "setup")}
        watts |= {name: int(getattr(i, f"power_{name}")[m]) for name in ("blocked", "down")}
        if self.power_by_machine is not None:
            watts["processing"] = self.power_by_machine[m]
        power = ", ".join(f"{name}: {value}" for name, value in watts.items() if value)
        if power:
            parts.append(f"power: {{{power}}}")
        setup = ", ".join(self._setup(i.setup[m]))
        if setup:
            parts.append(f"setup: {{{setup}}}")
        if i.initial_family[m] != NONE:
            parts.append(f"initial_family: F{i.initial_family[m]}")
        parts += self._stops(m)
        return ", ".join(parts)

    def _setup(self, matrix: I64) -> Iterator[str]:
        first, rest = matrix[0], matrix[1:].tolist()
        if (first != first[0]).any():
            raise self.refuse("a first setup that depends on the family")
        count = range(len(rest))
        same = _common(rest[f][f] for f in count)
        different = _common(rest[f][g] for f in count for g in count if f != g)
        usual = {"initial": int(first[0]), "same": same, "different": different}
        yield from (f"{name}: {self.time(value)}" for name, value in usual.items() if value)
        rows = []
        for f in count:
            row = [
                f"F{g}: {self.time(rest[f][g])}"
                for g in count
                if rest[f][g] != (same if f == g else different)
            ]
            if row:
                rows.append(f"F{f}: {{{', '.join(row)}}}")
        if rows:
            yield f"pairs: {{{', '.join(rows)}}}"

    def _stops(self, m: int) -> Iterator[str]:
        i = self.i
        stops = slice(int(i.down_offset[m]), int(i.down_offset[m + 1]))
        if (i.down_cause[stops] != CAUSES.index("recorded")).any():
            raise self.refuse("drawn stops one by one with their causes")
        columns = (i.down_start, i.down_end, i.down_interruption)
        rows = zip(*(column[stops].tolist() for column in columns), strict=True)
        listed = ", ".join(self._recorded(*row) for row in rows)
        if listed:
            yield f"down: {{recorded: [{listed}]}}"
        if listed or i.mean_repair[m]:
            yield f"mean_repair: {self.time(int(i.mean_repair[m]))}"

    def _recorded(self, start: int, end: int, interruption: int) -> str:
        times = f"{self.time(start)}, {self.time(end)}"
        return f"[{times}, {INTERRUPTIONS[interruption]}]" if interruption else f"[{times}]"

    def agreement(self) -> Iterator[str]:
        stated = self.i.coordination
        if stated == FROZEN_CLOCK:
            return
        roles = zip(("plant", "area", "cell"), stated[1:4], strict=True)
        takes = ", ".join(f"{role}: {self.time(delay)}" for role, delay in roles)
        told = [f"message_delay: {self.time(stated.message_delay)}"]
        told.append(f"decision_delay: {'measured' if stated.is_measured else f'{{{takes}}}'}")
        if stated.deadline != NONE:
            told.append(f"deadline: {self.time(stated.deadline)}")
        yield f"coordination: {{{', '.join(told)}}}"

    def transport(self) -> Iterator[str]:
        i = self.i
        if i.deliver:
            yield "deliver: true"
        yield from self.agreement()
        count = len(i.vehicle_names)
        if i.vehicle_names != tuple(f"V{k + 1}" for k in range(count)):
            raise self.refuse("names of vehicles")
        if len(set(i.vehicle_power.tolist())) > 1:
            raise self.refuse("vehicles of different power")
        if count:
            yield f"vehicles: {{count: {count}, power: {i.vehicle_power[0]}}}"
        travel, places = i.travel.tolist(), ("source", *i.cell_names)
        span = range(len(travel))
        default = _common(travel[a][b] for a in span for b in span if a != b)
        rare = [(a, b) for a in span for b in span if a != b and travel[a][b] != default]
        if not rare:
            yield f"travel: {{default: {self.time(default)}}}"
            return
        yield "travel:"
        yield f"  default: {self.time(default)}"
        yield "  pairs:"
        for a, b in rare:
            way = f"from: {_text(places[a])}, to: {_text(places[b])}"
            yield f"    - {{{way}, time: {self.time(travel[a][b])}}}"

    # Jobs

    def _power_by_machine(self) -> list[int] | None:
        """Processing power of each machine, where it does not depend on the operation."""
        i = self.i
        power = np.zeros(len(i.machine_names), dtype=np.int64)
        power[i.eligible_machine] = i.processing_power
        return power.tolist() if (power[i.eligible_machine] == i.processing_power).all() else None

    def job(self, j: int) -> Iterator[str]:
        i = self.i
        yield f"    - name: {_text(i.job_names[j])}"
        if i.release[j]:
            yield f"      release: {self.time(int(i.release[j]))}"
        if i.due[j] != NONE:
            yield f"      due: {self.time(int(i.due[j]))}"
        if i.weight[j] != 1:
            yield f"      weight: {float(i.weight[j])!r}"
        if i.patience[j]:
            yield f"      patience: {self.time(int(i.patience[j]))}"
        yield "      operations:"
        for o in range(int(i.operation_offset[j]), int(i.operation_offset[j + 1])):
            yield f"        - {{{', '.join(self.operation(o))}}}"

    def operation(self, o: int) -> Iterator[str]:
        i = self.i
        span = slice(int(i.eligible_offset[o]), int(i.eligible_offset[o + 1]))
        machines = [_text(i.machine_names[m]) for m in i.eligible_machine[span]]
        nominal, realised = i.nominal[span].tolist(), i.realised[span].tolist()
        rows = list(zip(machines, nominal, realised, strict=True))
        yield f"on: {{{', '.join(f'{name}: {self.time(t)}' for name, t, _ in rows)}}}"
        other = [f"{name}: {self.time(r)}" for name, t, r in rows if r != t]
        if other:
            yield f"realised: {{{', '.join(other)}}}"
        if i.families > 1:
            yield f"family: F{i.family[o]}"
        if self.power_by_machine is None:
            watts = set(i.processing_power[span].tolist())
            if len(watts) > 1:
                raise self.refuse("processing power by operation and machine")
            yield f"power: {watts.pop()}"


def _line(text: str) -> str:
    """One printable line of a text."""
    return "".join(c if c.isprintable() else " " for c in text)
