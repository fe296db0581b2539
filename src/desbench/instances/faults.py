"""Faults: what goes wrong on purpose, read from a YAML file (`docs/faults.md`)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import yaml
from pydantic import Field, PrivateAttr, ValidationError, model_validator
from yaml.nodes import Node

from desbench.errors import InputError
from desbench.instances import complaints, reading
from desbench.instances.coordination import Coordination
from desbench.instances.distribution import Number
from desbench.instances.instance import CAUSES, INTERRUPTIONS, Instance
from desbench.instances.jobs import Clock
from desbench.instances.schema import Interruption, Name, Seed, Strict, Time
from desbench.instances.stops import Stop, united

CAUSE = CAUSES.index("recorded")
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Entry(Strict):
    _place: str = PrivateAttr("--faults")  #: for errors: `file, line N`


class MachineFault(_Entry):
    """`machines:` one machine down from a time on, for a length of time."""

    machine: Name
    start: Time = Field(alias="from")
    length: Annotated[Number, Field(gt=0)]
    interruption: Interruption = "resume"


class Silence(_Entry):
    """`silent:` one agent that does not answer from a time on until another."""

    agent: Name
    start: Time = Field(alias="from")
    until: Time

    @model_validator(mode="after")
    def _check(self) -> Silence:
        if self.until <= self.start:
            raise ValueError(f"until={self.until:g}, must be > from={self.start:g}")
        return self


class Messages(Strict):
    """`messages:` the shares that are lost or delayed, by how much, and the seed of this chance."""

    lost: Share = 0.0
    delayed: Share = 0.0
    delay: Time = 0.0
    seed: Seed = 0

    @model_validator(mode="after")
    def _check(self) -> Messages:
        if self.delayed and not self.delay:
            raise ValueError(f"delayed={self.delayed:g}, must come with delay > 0")
        return self


class Faults(Strict):
    """A whole file of faults; times are in the time unit of the suite."""

    machines: list[MachineFault] = Field([])
    silent: list[Silence] = Field([])
    messages: Messages = Messages()

    def content(self) -> dict[str, Any]:
        """What the file says, as plain values."""
        return self.model_dump(mode="json", by_alias=True)

    @property
    def concern_agents(self) -> bool:
        """Whether anything here happens to agents or messages, and not to machines."""
        return bool(self.silent) or self.messages.lost > 0 or self.messages.delayed > 0

    def check(self, instance: Instance) -> None:
        """Refuse machines and agents that a case does not have.

        Raises
        ------
        InputError
            With all of them, each with its line and what may have been meant.
        """
        machines = [(entry, "machine", entry.machine) for entry in self.machines]
        silent = [(entry, "agent", entry.agent) for entry in self.silent]
        known = {"machine": instance.machine_names, "agent": tuple(agents(instance))}
        wrong = [
            f"{entry._place}: {key}={name}, must be of case {instance.case}"
            + complaints.near(name, known[key])
            for entry, key, name in (*machines, *silent)
            if name not in known[key]
        ]
        if wrong:
            raise InputError("\n".join(wrong))


def agents(instance: Instance) -> Iterator[str]:
    """Yield the ids of the agents of a case."""
    yield "plant"
    yield from (f"area:{name}" for name in instance.area_names)
    yield from (f"cell:{name}" for name in instance.cell_names)


def read_faults(
    asked: Faults | Mapping[str, Any] | str | os.PathLike[str] | None,
) -> Faults | None:
    """Give the faults of a YAML file or of plain values; None stays None.

    Raises
    ------
    InputError
        With all problems at once, each with file, line, value, rule and remedy.
    """
    if asked is None or isinstance(asked, Faults):
        return asked
    root: Node
    if isinstance(asked, Mapping):
        root = reading.compose(yaml.safe_dump(dict(asked), allow_unicode=True), "--faults")
    else:
        root = reading.read(Path(asked), "a file of faults is a mapping such as 'machines: ...'")
    try:
        faults = Faults.model_validate(reading.construct(root))
    except ValidationError as error:
        raise InputError("\n".join(complaints.from_validation(error, root, Faults))) from None
    for key in ("machines", "silent"):
        listed = reading.get(root, key)
        for entry, node in zip(getattr(faults, key), listed.value if listed else (), strict=True):
            entry._place = reading.line(node)
    return faults


def takes_time(coordination: Coordination, faults: Faults | None) -> bool:
    """Whether the plant goes on while agents talk.

    Where the suite says so, where answers are delayed, and where lost ones are waited for.
    """
    if faults is None or coordination.takes_time:
        return coordination.takes_time
    waits = faults.messages.lost > 0 and coordination.deadline >= 0
    return waits or faults.messages.delayed > 0


def stopped(instance: Instance, faults: Faults | None) -> Instance:
    """Give a case with the stops of its faults: those that overlap or touch others become one.

    Doing it twice changes nothing.
    """
    if faults is None:
        return instance
    faults.check(instance)
    if not faults.machines:
        return instance
    stops = _calendars(instance)
    clock = Clock(instance.ticks_per_unit)
    for entry in faults.machines:
        start, end = (
            clock.ticks(time, entry._place) for time in (entry.start, entry.start + entry.length)
        )
        machine = instance.machine_names.index(entry.machine)
        stops[machine].append(Stop(start, end, CAUSE, INTERRUPTIONS.index(entry.interruption)))
    stops = [united(sorted(each, key=lambda stop: (stop.start, -stop.cause))) for each in stops]
    every = np.array([stop for each in stops for stop in each], np.int64).reshape(-1, 4)
    means = zip(instance.mean_repair.tolist(), map(_mean, stops), strict=True)
    return replace(
        instance,
        mean_repair=np.array([known or counted for known, counted in means], np.int64),
        down_offset=np.cumsum([0, *map(len, stops)]).astype(np.int32),
        down_start=every[:, 0],
        down_end=every[:, 1],
        down_cause=every[:, 2].astype(np.int32),
        down_interruption=every[:, 3].astype(np.int32),
    )


def _calendars(instance: Instance) -> list[list[Stop]]:
    columns = (instance.down_start, instance.down_end, instance.down_cause)
    rows = zip(*(c.tolist() for c in (*columns, instance.down_interruption)), strict=True)
    stops = [Stop(*row) for row in rows]
    bounds = instance.down_offset.tolist()
    return [stops[a:b] for a, b in pairwise(bounds)]


def _mean(stops: list[Stop]) -> int:
    return sum(stop.end - stop.start for stop in stops) // len(stops) if stops else 0
