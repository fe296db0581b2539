"""Down time of one machine: drawn, periodic or recorded, as one disjoint calendar."""

from __future__ import annotations

from collections.abc import Iterator

from desbench.instances.draw import Streams
from desbench.instances.jobs import Clock
from desbench.instances.schema import Breakdown, Machine, Periodic

CAUSES = ("breakdown", "maintenance", "shift", "recorded")  #: codes, as in `instance.CAUSES`
Stop = tuple[int, int, int]  #: start, end, cause


def calendar(
    name: str, machine: Machine, span: float, streams: Streams, clock: Clock
) -> list[Stop]:
    """All stops of a machine in ticks: ascending, disjoint and at least one tick apart.

    Stops that overlap or touch after rounding become one, with the cause of the one that began
    first (of two at once: the later in `CAUSES`). A stop that rounds to nothing is none.
    """
    exact: list[tuple[float, float, int]] = []
    if machine.down.breakdown is not None:
        drawn = _breakdowns(name, machine.down.breakdown, span, streams)
        exact += [(start, end, 0) for start, end in drawn]
    for code, periodic in ((1, machine.down.maintenance), (2, machine.down.shift)):
        if periodic is not None:
            exact += [(start, end, code) for start, end in _periodic(periodic, span)]
    exact += [(start, end, 3) for start, end in machine.down.recorded]
    what = f"machine {name}, stop"
    stops = [(clock.ticks(a, what), clock.ticks(b, what), code) for a, b, code in exact]
    return _united(sorted(stops, key=lambda stop: (stop[0], -stop[2])))


def mean_repair(machine: Machine, stops: list[Stop], clock: Clock) -> int:
    """Mean length of a stop in ticks: as stated, as drawn, or as counted."""
    if machine.mean_repair is not None:
        return clock.ticks(machine.mean_repair, "mean_repair")
    if machine.down.breakdown is not None:
        return clock.ticks(machine.down.breakdown.repair.mean(), "repair")
    if not stops:
        return 0
    return sum(end - start for start, end, _ in stops) // len(stops)


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


def _united(stops: list[Stop]) -> list[Stop]:
    """Unite sorted stops that overlap or touch."""
    united: list[Stop] = []
    for start, end, cause in stops:
        if end <= start:
            continue
        if united and start <= united[-1][1]:
            first, last, earlier = united[-1]
            united[-1] = (first, max(last, end), earlier)
        else:
            united.append((start, end, cause))
    return united
