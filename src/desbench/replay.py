"""Replay: a schedule played through the engine, each step as early as it can.

A schedule says who does what in which order, never when: per machine the sequence of
`[job, operation]` (both from 0), per vehicle the sequence of its trips (a trip carries
`[job, operation]` to its machine), and the makespan it claims. The engine decides the times, so a
published optimum is a test of the engine and a faulty schedule cannot be talked up.

>>> from desbench import realise, replay
>>> replay.play(realise("classic_ft06"), FT06_SCHEDULE).makespan  # doctest: +SKIP
55
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desbench.errors import InputError

if TYPE_CHECKING:
    from desbench.instances.instance import Instance
    from desbench.trace.trace import Trace

__all__ = ["PARADIGM", "Replay", "Schedule", "instance_of", "play", "read", "schedule"]

Step = tuple[int, int]  #: job, operation

PARADIGM = "replay"  #: in traces
CONTROLLER = "schedule"


@dataclass(frozen=True)
class Schedule:
    """A schedule that fits its instance: complete, every step on a machine that can do it."""

    name: str
    machines: tuple[tuple[Step, ...], ...]  #: by machine of the instance
    vehicles: tuple[tuple[Step, ...], ...]  #: by vehicle of the instance
    makespan: float | None = None  #: that it claims, in the time unit of the instance


@dataclass(frozen=True)
class Replay:
    """What a schedule came to."""

    makespan: int | float  #: in the time unit of the instance, an int where whole
    events: int  #: rows of the table of events
    trace: Trace = field(repr=False)


def play(instance: Instance, plan: Schedule | Mapping[str, Any], base: int = 0) -> Replay:
    """Play a schedule, each step as early as it can.

    Parameters
    ----------
    plan
        A Schedule, or what a schedule file holds.
    base
        Number of the first machine where `plan` names machines by number.

    Raises
    ------
    InputError
        For a schedule that is incomplete or cannot run, with the first step that cannot.
    """
    fitted = plan if isinstance(plan, Schedule) else schedule(instance, plan, base)
    return _Player(instance, fitted).play()


# Reading


def read(path: Path) -> list[dict[str, Any]]:
    """Read a file of schedules: one object, a list of them, or objects by name.

    Raises
    ------
    InputError
        For what is no such file, and for two schedules of one name.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error})") from None
    found: list[Any]
    if isinstance(content, dict) and "machine_sequences" not in content:
        found = [{"name": k, **v} if isinstance(v, dict) else v for k, v in content.items()]
    else:
        found = content if isinstance(content, list) else [content]
    names = set()
    for number, one in enumerate(found):
        where = f"{path}: schedule {number}"
        if not isinstance(one, dict) or "machine_sequences" not in one:
            raise InputError(f"{where} must be an object with machine_sequences")
        one.setdefault("name", path.stem)
        if not isinstance(one["name"], str) or one["name"] in names:
            raise InputError(f"{where}: name={one['name']!r}, must be a text that stands once")
        names.add(one["name"])
    if not found:
        raise InputError(f"{path}: holds no schedule")
    return found


def instance_of(stated: Mapping[str, Any], folder: Path) -> tuple[Instance, int]:
    """Find the instance of a schedule, and the number of the first machine in its file.

    `file` names it below `folder`, with a `layout` file and `vehicles` where it needs them; or
    `suite` and `case` name a case.
    """
    from desbench.instances import formats
    from desbench.instances.suite import realise

    name, file = stated["name"], stated.get("file")
    if file is None and isinstance(stated.get("suite"), str):
        return realise(stated["suite"], stated.get("case")), 0
    if not isinstance(file, str):
        raise InputError(f"{name}: file={file!r}, must name the file of the instance")
    layout, vehicles = stated.get("layout"), stated.get("vehicles")
    options = formats.Options(
        layout=folder / layout if isinstance(layout, str) else None,
        vehicles=vehicles if isinstance(vehicles, int) else None,
    )
    shops = formats.read(folder / file, options)
    if len(shops) > 1:
        shops = [shop for shop in shops if shop.name == name]
        if not shops:
            raise InputError(f"{name}: {folder / file} holds no instance of this name")
    return formats.to_instance(shops[0]), shops[0].base or 0


def schedule(instance: Instance, stated: Mapping[str, Any], base: int = 0) -> Schedule:
    """Check what a schedule file holds against the instance.

    Raises
    ------
    InputError
        With the first step that does not fit.
    """
    reader = _Reader(instance, stated, base)
    machines = reader.machines()
    return Schedule(reader.name, machines, reader.vehicles(machines), reader.makespan())


class _Reader:
    """Fits one stated schedule to its instance."""

    def __init__(self, instance: Instance, stated: Mapping[str, Any], base: int) -> None:
        self.instance = instance
        self.stated = stated
        self.base = base
        self.name: str = stated.get("name") or instance.case
        self.offset: list[int] = instance.operation_offset.tolist()

    def refuse(self, problem: str) -> InputError:
        return InputError(f"{self.name}: {problem}")

    def makespan(self) -> float | None:
        value = self.stated.get("makespan")
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            raise self.refuse(f"makespan={value!r}, must be a number >= 0")
        return value

    def machines(self) -> tuple[tuple[Step, ...], ...]:
        """Every operation once, on a machine that can do it."""
        names = self.instance.machine_names
        found = self._sequences("machine_sequences", "machine", names, self.base)
        on: dict[Step, str] = {}
        for machine, steps in enumerate(found):
            for number, step in enumerate(steps):
                place = f"machine {names[machine]}, step {number} {[*step]}"
                if step in on:
                    raise self.refuse(f"{place} cannot run: it stands twice, before as {on[step]}")
                able = self._eligible(step)
                if machine not in able:
                    listed = ", ".join(names[one] for one in able)
                    raise self.refuse(f"{place} cannot run: only {listed} can do it")
                on[step] = place
        for job in range(len(self.offset) - 1):
            for operation in range(self.offset[job + 1] - self.offset[job]):
                if (job, operation) not in on:
                    raise self.refuse(f"[{job}, {operation}] cannot run: no machine does it")
        return found

    def vehicles(self, machines: Sequence[Sequence[Step]]) -> tuple[tuple[Step, ...], ...]:
        """Every move between cells once, in no vehicle twice; an unlimited fleet has no trips."""
        names = self.instance.vehicle_names
        found = self._sequences("vehicle_trips", "vehicle", names, 0)
        if not names:
            return found
        cells = _cells(self.instance, machines)
        moves = {step for step, cell in cells.items() if cells.get(_before(step), -1) != cell}
        on: dict[Step, str] = {}
        for vehicle, trips in enumerate(found):
            for number, step in enumerate(trips):
                place = f"vehicle {names[vehicle]}, trip {number} {[*step]}"
                if step in on:
                    raise self.refuse(f"{place} cannot run: it stands twice, before as {on[step]}")
                if step not in moves:
                    rule = "its operation before is in the same cell, so nothing is carried"
                    raise self.refuse(f"{place} cannot run: {rule}")
                on[step] = place
        missing = min(moves - set(on), default=None)
        if missing is not None:
            raise self.refuse(f"{[*missing]} cannot run: no vehicle carries it to its machine")
        return found

    def _sequences(
        self, key: str, kind: str, names: Sequence[str], base: int
    ) -> tuple[tuple[Step, ...], ...]:
        """Sequences by entity; a list counts through them, an object names them."""
        stated = self.stated.get(key) or {}
        if not isinstance(stated, dict | list):
            raise self.refuse(f"{key} must be an object or a list of sequences")
        pairs = [*stated.items()] if isinstance(stated, dict) else [*enumerate(stated, base)]
        known = {str(number): index for index, number in enumerate(range(base, base + len(names)))}
        known |= {name: index for index, name in enumerate(names)}
        found: list[tuple[Step, ...]] = [()] * len(names)
        for entity, steps in pairs:
            if str(entity) not in known:
                listed = f"{names[0]} .. {names[-1]}" if names else "none, the fleet is unlimited"
                raise self.refuse(f"{kind} {entity} is unknown (known: {listed})")
            index = known[str(entity)]
            if found[index]:
                raise self.refuse(f"{kind} {entity} has two sequences, as number and as name")
            if not isinstance(steps, list):
                raise self.refuse(f"{kind} {entity} must have a list of [job, operation]")
            found[index] = tuple(
                self._step(step, f"{kind} {names[index]}, entry {number}")
                for number, step in enumerate(steps)
            )
        return tuple(found)

    def _step(self, step: Any, place: str) -> Step:
        is_pair = isinstance(step, list | tuple) and len(step) == 2
        if not is_pair or any(type(number) is not int for number in step):
            raise self.refuse(f"{place}: {step!r}, must be [job, operation], counted from 0")
        job, operation = step
        jobs = len(self.offset) - 1
        if not 0 <= job < jobs:
            raise self.refuse(f"{place}: {[*step]} cannot run, jobs are 0 .. {jobs - 1}")
        count = self.offset[job + 1] - self.offset[job]
        if not 0 <= operation < count:
            rule = f"the operations of job {job} are 0 .. {count - 1}"
            raise self.refuse(f"{place}: {[*step]} cannot run, {rule}")
        return job, operation

    def _eligible(self, step: Step) -> list[int]:
        row = self.offset[step[0]] + step[1]
        first, end = self.instance.eligible_offset[row : row + 2]
        able: list[int] = self.instance.eligible_machine[first:end].tolist()
        return able


def _before(step: Step) -> Step:
    return step[0], step[1] - 1


def _cells(instance: Instance, machines: Sequence[Sequence[Step]]) -> dict[Step, int]:
    cell_of: list[int] = instance.machine_cell.tolist()
    return {step: cell_of[machine] for machine, steps in enumerate(machines) for step in steps}


# Playing


class _Player:
    """Gives the commands of a schedule; at each stop whatever can be given."""

    def __init__(self, instance: Instance, plan: Schedule) -> None:
        from desbench._engine.simulation import Simulation

        self.instance = instance
        self.plan = plan
        self.sim = Simulation(instance)
        self.sim.vehicle_stops = True
        self.cell_of = _cells(instance, plan.machines)
        self.is_carried = {step for trips in plan.vehicles for step in trips}
        self.machines_of: list[list[int]] = [[] for _ in instance.cell_names]
        for machine, cell in enumerate(instance.machine_cell.tolist()):
            self.machines_of[cell].append(machine)
        self.done_on = [0] * len(plan.machines)  #: steps dispatched, by machine
        self.trips_of = [0] * len(plan.vehicles)  #: trips begun, by vehicle

    def play(self) -> Replay:
        """Advance from stop to stop to the end."""
        sim = self.sim
        stop = sim.advance()
        while not stop.status:
            sim.epoch += 1  # rows of commands need a number that never falls
            given = self._carry() + self._move() + self._dispatch(stop.cells)
            if not given:
                sim.epoch -= 1
                if stop.stalled:
                    raise self._stuck("nothing moves any more")
            stop = sim.advance()
        if stop.status != "done":
            raise self._stuck("nothing moves any more" if stop.cycle else stop.status)
        return self._result(stop.time)

    def _carry(self) -> int:
        """Give each idle vehicle its next trip, or send it ahead to where the trip begins."""
        given = 0
        for vehicle, trips in enumerate(self.plan.vehicles):
            number = self.trips_of[vehicle]
            state, _, location = self.sim.vehicle(vehicle)
            if number == len(trips) or state != "idle":
                continue
            job, operation = step = trips[number]
            cell = self.cell_of[step]
            if self._is_at(step) and self.sim.can_assign(job, cell, vehicle):
                self.sim.assign(job, cell, vehicle)
                self.trips_of[vehicle] += 1
                given += 1
                continue
            origin = self.cell_of[_before(step)] + 1 if operation else 0
            if location != origin and self.sim.can_send(vehicle, origin):
                self.sim.send(vehicle, origin)
                given += 1
        return given

    def _move(self) -> int:
        """Assign what is ready and needs no named vehicle."""
        given = 0
        for job in self.sim.ready():
            step = job, self.sim.operation(job)
            cell = self.cell_of[step]
            if step not in self.is_carried and self.sim.can_assign(job, cell):
                self.sim.assign(job, cell)
                given += 1
        return given

    def _dispatch(self, cells: Sequence[int]) -> int:
        """Start the next step of each machine whose item has come."""
        given = 0
        for cell in cells:
            for machine in self.machines_of[cell]:
                number, steps = self.done_on[machine], self.plan.machines[machine]
                if number == len(steps):
                    continue
                job, operation = steps[number]
                if self.sim.operation(job) == operation and self.sim.can_dispatch(job, machine):
                    self.sim.dispatch(job, machine)
                    self.done_on[machine] += 1
                    given += 1
        return given

    def _is_at(self, step: Step) -> bool:
        return self.sim.operation(step[0]) == step[1]

    def _waiting(self) -> Iterator[tuple[str, Step]]:
        """Steps that are next on their machine and have not begun."""
        for machine, steps in enumerate(self.plan.machines):
            number = self.done_on[machine]
            if number < len(steps):
                name = self.instance.machine_names[machine]
                yield f"machine {name}, step {number} {[*steps[number]]}", steps[number]

    def _stuck(self, why: str) -> InputError:
        """Name the first step that cannot run, and what it waits for."""
        now = f"at time {self._units(self.sim.time)} {why}"
        place, step = next(self._waiting(), ("the last step", (0, 0)))
        job, operation = step[0], self.sim.operation(step[0])
        behind = "it has not come"
        if operation < step[1]:
            behind = f"job {job} is still at operation {operation}"
        for vehicle, trips in enumerate(self.plan.vehicles):
            number = self.trips_of[vehicle]
            if (job, operation) in trips[number + 1 :]:
                first, name = [*trips[number]], self.instance.vehicle_names[vehicle]
                behind += f", for which vehicle {name} would come after {first}"
        for machine, steps in enumerate(self.plan.machines):
            number = self.done_on[machine]
            if (job, operation) in steps[number + 1 :]:
                first, name = [*steps[number]], self.instance.machine_names[machine]
                behind += f", which machine {name} does after {first}"
        return InputError(f"{self.plan.name}: {place} cannot run: {now}; {behind}")

    def _units(self, ticks: int) -> int | float:
        whole, rest = divmod(ticks, self.instance.ticks_per_unit)
        return ticks / self.instance.ticks_per_unit if rest else whole

    def _result(self, end: int) -> Replay:
        from desbench.trace.recorder import Recorder

        recorder = Recorder(self.instance)
        recorder.finish(self.sim)
        told = {"suite": self.plan.name, "paradigm": PARADIGM, "controller": CONTROLLER}
        ended = {"replicate": 0, "status": "done", "time": end, "cycle": []}
        trace = recorder.trace({**told, **ended})
        return Replay(self._units(end), trace.events.num_rows, trace)
