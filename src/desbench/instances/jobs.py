"""The jobs of a case: when they come, which route, how much work, due when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from desbench.errors import InputError
from desbench.instances import route
from desbench.instances.bounds import MAX_TICKS
from desbench.instances.crossings import DEFAULT_FAMILY
from desbench.instances.distribution import Distribution
from desbench.instances.draw import Streams
from desbench.instances.schema import ListedJob, Operation, Shop

I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Work:
    """One operation as drawn; the arrays are parallel, machines ascending."""

    family: str
    power: int | None  #: None: the machine's own
    machines: I64
    nominal: I64
    realised: I64


@dataclass(frozen=True)
class Job:
    """One job as drawn; times in ticks, -1 = no due date."""

    name: str
    release: int
    due: int
    weight: float
    patience: int
    operations: list[Work]


class Clock:
    """From the unit of the suite to ticks: the one place where times are rounded."""

    def __init__(self, ticks_per_unit: int) -> None:
        self.ticks_per_unit = ticks_per_unit

    def ticks(self, time: float, what: str) -> int:
        """Nearest tick; half rounds up."""
        exact = time * float(self.ticks_per_unit)
        if not 0 <= exact < MAX_TICKS:  # NaN fails too
            raise self._error(time, what)
        whole = int(exact)
        return whole + (exact - whole >= 0.5)

    def many(self, times: F64, what: str) -> I64:
        """`ticks` of each time."""
        exact = times * float(self.ticks_per_unit)
        bad = ~((exact >= 0) & (exact < MAX_TICKS))  # NaN fails too
        if bad.any():
            raise self._error(float(times[int(np.argmax(bad))]), what)
        whole = np.floor(exact)
        return (whole + (exact - whole >= 0.5)).astype(np.int64)

    def _error(self, time: float, what: str) -> InputError:
        return InputError(f"{what}: time={time:g}, must be >= 0 and below 2**62 ticks.")


class JobSource:
    """All jobs of one case.

    Parameters
    ----------
    machines
        (name, {capability: factor}) of each machine, by index.
    """

    def __init__(
        self, shop: Shop, streams: Streams, machines: list[tuple[str, dict[str, float]]]
    ) -> None:
        self.shop = shop
        self.streams = streams
        self.clock = Clock(shop.ticks_per_unit)
        self.index = {name: m for m, (name, _) in enumerate(machines)}
        able: dict[str, list[tuple[int, float]]] = {}
        for m, (_, can) in enumerate(machines):
            for capability, factor in can.items():
                able.setdefault(capability, []).append((m, factor))
        self.able = {name: _columns(rows) for name, rows in able.items()}

    def jobs(self) -> Iterator[Job]:
        """Draw (or take over) all jobs, in order of their number."""
        if self.shop.jobs.listed is not None:
            yield from (self._listed(job) for job in self.shop.jobs.listed)
            return
        tree = route.parse(self.shop.jobs.route or "")
        for name, release in self._releases():
            yield self._drawn(name, release, tree)

    def _releases(self) -> Iterator[tuple[str, float]]:
        arrivals = self.shop.jobs.arrivals
        now = arrivals.first
        for number in range(self.shop.jobs.count or 0):
            name = f"J{number}"
            if arrivals.at is not None:
                now = arrivals.at[number]
            elif number > 0:
                now += self._value(arrivals.between, "arrival", name)
            yield name, now

    def _drawn(self, name: str, release: float, tree: route.Node) -> Job:
        shop, what = self.shop, f"job {name}"
        steps = route.draw(tree, self.streams.generator("route", name))
        times = self._times(name, steps)
        operations = self._works(name, steps, times)
        start, due = self.clock.ticks(release, f"{what}, release"), -1
        if shop.jobs.due is not None:
            # Work content, not nominal durations: one more machine must not move a due date.
            factor = self._value(shop.jobs.due, "due", name)
            due = start + self.clock.ticks(factor * sum(times), f"{what}, due")
        weight = self._value(shop.jobs.weight, "weight", name)
        patience = self.clock.ticks(shop.jobs.patience, "patience")
        return Job(name, start, due, weight, patience, operations)

    def _value(self, distribution: Distribution, quantity: str, name: str) -> float:
        """First value of a stream, which a constant does not need."""
        if distribution.constant is not None:
            return distribution.constant
        return distribution.value(self.streams.uniforms(quantity, name, 1)[0])

    def _times(self, name: str, steps: list[str]) -> list[float]:
        """Work content of each operation."""
        uniforms = self.streams.uniforms("duration", name, len(steps))
        return [
            self.shop.capabilities[step].duration.value(uniform)
            for step, uniform in zip(steps, uniforms, strict=True)
        ]

    def _families(self, name: str, steps: list[str]) -> list[str]:
        choices = [self.shop.capabilities[step].families or [step] for step in steps]
        if all(len(names) == 1 for names in choices):
            return [names[0] for names in choices]
        uniforms = self.streams.uniforms("family", name, len(steps))
        return [names[int(u * len(names))] for names, u in zip(choices, uniforms, strict=True)]

    def _noises(self, name: str, count: int) -> list[float]:
        """Factor realised / nominal of each operation, the same on every machine."""
        if self.shop.noise.constant is not None:
            return [1.0] * count
        uniforms = self.streams.uniforms("noise", name, count)
        return [self.shop.noise.value(uniform) for uniform in uniforms]

    def _works(self, name: str, steps: list[str], times: list[float]) -> list[Work]:
        """Operations of a drawn job; all its durations are rounded at once."""
        noises, families = self._noises(name, len(steps)), self._families(name, steps)
        able = [self.able[step] for step in steps]
        sizes = [len(machines) for machines, _ in able]
        exact = np.repeat(times, sizes) * np.concatenate([factors for _, factors in able])
        nominal = realised = self.clock.many(exact, f"job {name}")
        if any(noise != 1.0 for noise in noises):
            realised = self.clock.many(exact * np.repeat(noises, sizes), f"job {name}")
        works, start = [], 0
        for step, family, (machines, _) in zip(steps, families, able, strict=True):
            end = start + len(machines)
            power = self.shop.capabilities[step].power
            works.append(Work(family, power, machines, nominal[start:end], realised[start:end]))
            start = end
        return works

    def _capable(
        self, capability: str, time: float, noise: float, what: str
    ) -> tuple[I64, I64, I64]:
        """Machines that can, nominal and realised ticks; each rounded once, from the exact time."""
        machines, factors = self.able[capability]
        exact = time * factors
        return machines, self.clock.many(exact, what), self.clock.many(exact * noise, what)

    def _listed(self, job: ListedJob) -> Job:
        what, clock = f"job {job.name}", self.clock
        noises = self._noises(job.name, len(job.operations))
        operations = [
            self._listed_operation(operation, noise, f"{what}, operation {k}")
            for k, (operation, noise) in enumerate(zip(job.operations, noises, strict=True))
        ]
        patience = self.shop.jobs.patience if job.patience is None else job.patience
        return Job(
            name=job.name,
            release=clock.ticks(job.release, f"{what}, release"),
            due=-1 if job.due is None else clock.ticks(job.due, f"{what}, due"),
            weight=job.weight,
            patience=clock.ticks(patience, f"{what}, patience"),
            operations=operations,
        )

    def _listed_operation(self, operation: Operation, noise: float, what: str) -> Work:
        if operation.do is not None and operation.time is not None:
            capability = self.shop.capabilities[operation.do]
            family = operation.family or (capability.families or [operation.do])[0]
            power = capability.power if operation.power is None else operation.power
            columns = self._capable(operation.do, operation.time, noise, what)
            return Work(family, power, *columns)
        rows = sorted((self.index[name], time, name) for name, time in (operation.on or {}).items())
        stated = operation.realised or {}
        nominal = [self.clock.ticks(time, what) for _, time, _ in rows]
        realised = [
            self.clock.ticks(stated.get(name, time * noise), what) for _, time, name in rows
        ]
        return Work(
            operation.family or DEFAULT_FAMILY,
            operation.power,
            np.array([m for m, _, _ in rows], dtype=np.int64),
            np.array(nominal, dtype=np.int64),
            np.array(realised, dtype=np.int64),
        )


def _columns(rows: list[tuple[int, float]]) -> tuple[I64, F64]:
    return np.array([m for m, _ in rows], dtype=np.int64), np.array([f for _, f in rows])
