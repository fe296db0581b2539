"""Down time of one machine: drawn, periodic or recorded, as one disjoint calendar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from desbench.instances.draw import Streams
from desbench.instances.instance import CAUSES, INTERRUPTIONS
from desbench.instances.jobs import Clock
from desbench.instances.schema import Breakdown, Machine, Periodic


class Stop(NamedTuple):
    """A stop in ticks; cause and interruption are indices into `CAUSES` and `INTERRUPTIONS`."""

    start: int
    end: int
    cause: int
    interruption: int


def calendar(
    name: str, machine: Machine, span: float, streams: Streams, clock: Clock
) -> list[Stop]:
    """All stops of a machine in ticks: ascending, disjoint and at least one tick apart.

    Stops that overlap or touch after rounding become one, with cause and interruption of the one
    that began first (of two at once: the later in `CAUSES`). A stop that rounds to nothing is none.
    """
    down, what = machine.down, f"machine {name}, stop"
    exact: list[tuple[float, float, str, str]] = []
    if (breakdown := down.breakdown) is not None:
        drawn = _breakdowns(name, breakdown, span, streams)
        exact += [(start, end, "breakdown", breakdown.interruption) for start, end in drawn]
    for cause, periodic in (("maintenance", down.maintenance), ("shift", down.shift)):
        if periodic is not None:
            times = _periodic(periodic, span)
            exact += [(start, end, cause, periodic.interruption) for start, end in times]
    exact += [(stop.start, stop.end, "recorded", stop.interruption) for stop in down.recorded]
    stops = [
        Stop(
            clock.ticks(start, what),
            clock.ticks(end, what),
            CAUSES.index(c),
            INTERRUPTIONS.index(i),
        )
        for start, end, c, i in exact
    ]
    return united(sorted(stops, key=lambda stop: (stop.start, -stop.cause)))


def mean_repair(machine: Machine, stops: list[Stop], clock: Clock) -> int:
    """Mean length of a stop in ticks: as stated, as drawn, or as counted."""
    if machine.mean_repair is not None:
        return clock.ticks(machine.mean_repair, "mean_repair")
    if machine.down.breakdown is not None:
        return clock.ticks(machine.down.breakdown.repair.mean(), "repair")
    if not stops:
        return 0
    return sum(stop.end - stop.start for stop in stops) // len(stops)


def _breakdowns(
    name: str, breakdown: Breakdown, span: float, streams: Streams
) -> Iterator[tuple[float, float]]:
    """Alternate up and repair times from time 0 until a stop would start after the span."""
    ups = streams.endless("up", name)
    repairs = streams.endless("repair", name)
    now = 0.0
    while True:
        start = now + breakdown.up.value(next(ups))
        if start >= span:
            return
        now = start + breakdown.repair.value(next(repairs))
        yield start, now


def _periodic(periodic: Periodic, span: float) -> Iterator[tuple[float, float]]:
    number = 0
    while (start := periodic.first + number * periodic.every) < span:
        yield start, start + periodic.lasts
        number += 1


def united(stops: list[Stop]) -> list[Stop]:
    """Unite sorted stops that overlap or touch."""
    united: list[Stop] = []
    for stop in stops:
        if stop.end <= stop.start:
            continue
        if united and stop.start <= united[-1].end:
            united[-1] = united[-1]._replace(end=max(united[-1].end, stop.end))
        else:
            united.append(stop)
    return united
