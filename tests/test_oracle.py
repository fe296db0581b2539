"""The engine against the oracle: same commands, then every view and every row compared.

`python tests/test_oracle.py --episodes 20000 --seed 0 --processes 2` plays a long run and prints
what it has seen.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desbench._engine.simulation import (
    CAUSES,
    EVENT_KINDS,
    MACHINE_STATES,
    MODES,
    VEHICLE_STATES,
    Simulation,
)
from desbench.errors import IllegalAction
from desbench.instances.instance import Instance
from oracle import Oracle, named_events, named_intervals, named_violations
from oracle.plant import Item
from shops import random_instance

ENDINGS = ("done", "deadlock", "no_progress", "horizon", "decision_limit")
STOP_FIELDS = (
    "time",
    "status",
    "stalled",
    "ready",
    "cells",
    "stranded",
    "alarms",
    "breakdowns",
    "repairs",
    "vehicles",
    "woken",
    "review",
    "cycle",
)
STOPS_PER_INSTANT = 40  #: then the commander gives no more commands in this instant
Command = tuple[str, tuple[Any, ...]]
Shop = Any  #: Simulation or Oracle: same interface


class Difference(AssertionError):
    """The two sides do not agree."""


# the commander


@dataclass(frozen=True)
class Policy:
    """How a random commander behaves."""

    idle: float  #: chance to give no command at a stop
    most: int  #: commands at one stop
    weights: tuple[int, ...]  #: assign dispatch unassign set_mode send wake set_cap
    blind: float  #: chance that a command is drawn without a look at what is legal


POLICIES = {
    "eager": Policy(idle=0.02, most=20, weights=(5, 5, 0, 0, 0, 0, 0), blind=0.05),
    "lazy": Policy(idle=0.7, most=2, weights=(4, 4, 1, 1, 1, 2, 1), blind=0.1),
    "fickle": Policy(idle=0.2, most=6, weights=(4, 3, 4, 0, 0, 0, 0), blind=0.1),
    "moody": Policy(idle=0.15, most=6, weights=(4, 4, 1, 4, 0, 1, 4), blind=0.1),
    "driving": Policy(idle=0.2, most=6, weights=(4, 4, 1, 0, 3, 1, 0), blind=0.1),
    "mixed": Policy(idle=0.25, most=8, weights=(4, 4, 1, 1, 1, 1, 1), blind=0.2),
}


def legal_commands(shop: Shop, instance: Instance) -> dict[str, list[tuple[Any, ...]]]:
    jobs, cells = range(len(instance.job_names)), range(len(instance.cell_names))
    vehicles, locations = range(len(instance.vehicle_names)), range(len(instance.travel))
    areas = range(len(instance.area_names))
    assign = [(j, c) for j in shop.ready() for c in cells if shop.can_assign(j, c)]
    return {
        "assign": [*assign, *((j, c, v) for j, c in assign for v in vehicles)],
        "dispatch": [(j, m) for c in cells for m, j in shop.pairs(c)],
        "unassign": [(j,) for j in jobs if shop.can_unassign(j)],
        "set_mode": [(c, mode) for c in cells for mode in MODES if shop.can_set_mode(c, mode)],
        "send": [(v, to) for v in vehicles for to in locations if shop.can_send(v, to)],
        "wake": [(c, shop.time + d) for c in (1, 2, 2**31 - 1) for d in (1, 7) if awake(shop, c)],
        "set_cap": [(a, cap) for a in areas for cap in (0, 3, 9) if shop.can_set_cap(a, cap)],
    }


def awake(shop: Shop, conversation: int) -> bool:
    return bool(shop.can_wake(conversation, shop.time + 1))


def blind_command(rng: Random, instance: Instance) -> Command:
    """Any command with arguments in and just out of range."""

    def index(names: tuple[str, ...]) -> int:
        return rng.randint(-2, len(names) + 1)

    job, cell = index(instance.job_names), index(instance.cell_names)
    vehicle = index(instance.vehicle_names)
    return rng.choice(
        (
            ("assign", (job, cell)),
            ("assign", (job, cell, vehicle)),
            ("send", (vehicle, cell)),
            ("dispatch", (job, index(instance.machine_names))),
            ("unassign", (job,)),
            ("set_mode", (cell, rng.choice((*MODES, "fast", "")))),
            ("set_cap", (index(instance.area_names), rng.choice((-1, rng.randint(0, 9), 2**62)))),
            ("wake", (rng.randint(-1, 3), rng.choice((-1, 0, rng.randint(0, 60), 2**62)))),
        )
    )


def next_command(rng: Random, policy: Policy, shop: Shop, instance: Instance) -> Command | None:
    if rng.random() < policy.blind:
        return blind_command(rng, instance)
    legal = legal_commands(shop, instance)
    weights = [w if legal[kind] else 0 for kind, w in zip(legal, policy.weights, strict=True)]
    if not any(weights):
        return None
    (kind,) = rng.choices(list(legal), weights)
    return kind, rng.choice(legal[kind])


# what is compared


def events_of(shop: Shop) -> list[Any]:
    rows = shop.event_rows()
    return rows if isinstance(rows, list) else named_events(rows, EVENT_KINDS, CAUSES)


def intervals_of(shop: Shop) -> list[Any]:
    rows = shop.interval_rows()
    if not isinstance(rows, list):
        rows = named_intervals(rows, MACHINE_STATES, VEHICLE_STATES)
    return sorted(rows, key=lambda row: (row.entity_kind, row.entity, row.start))


def violations_of(shop: Shop) -> list[Any]:
    rows = shop.violation_rows()
    return sorted(rows if isinstance(rows, list) else named_violations(rows))


View = Callable[[], Any]


def views(shop: Shop, instance: Instance) -> dict[str, View]:
    """Every view that needs no drawn argument, by its name."""
    calls: list[tuple[str, tuple[int, ...]]] = [("ready", ()), ("stranded", ())]
    for cell in range(len(instance.cell_names)):
        names = ("committed", "room", "growth", "mode", "pairs", "gate", "inbound", "outbound")
        calls += [(name, (cell,)) for name in (*names, "coming")]
    areas, jobs = range(len(instance.area_names)), range(len(instance.job_names))
    calls += [("power", (area,)) for area in (-1, *areas)]
    calls += [("cap", (area,)) for area in (-1, *areas)]
    calls += [("wip", (area,)) for area in areas]
    calls += [(name, (job,)) for job in jobs for name in ("place", "assigned", "operation")]
    calls += [("machine", (machine,)) for machine in range(len(instance.machine_names))]
    calls += [("vehicle", (vehicle,)) for vehicle in range(len(instance.vehicle_names))]
    return {
        "time": lambda: shop.time,
        "status": lambda: shop.status,
        "energy": lambda: [part.tolist() for part in shop.energy()],
        "carbon": lambda: [shop.carbon()[0].tolist(), int(shop.carbon()[1])],
        **{f"{name}{args}": partial(getattr(shop, name), *args) for name, args in calls},
    }


def probes(rng: Random, oracle: Oracle, instance: Instance) -> list[Command]:
    """Questions with arguments, some of them out of range."""
    asked: list[Command] = []
    for _ in range(8):
        kind, arguments = blind_command(rng, instance)
        asked.append((f"can_{kind}", arguments))
    for kind, legal in legal_commands(oracle, instance).items():
        asked += [(f"can_{kind}", arguments) for arguments in legal[:4]]
    for job in range(len(instance.job_names)):
        cell = rng.randrange(len(instance.cell_names))
        asked.append(("room", (cell, job)))
        if oracle.eligible(job, cell):
            asked.append(("estimate", (job, cell)))
    return asked


# an episode


@dataclass
class Tally:
    """What a batch of episodes has seen."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, group: str, name: str, amount: int = 1) -> None:
        self.counts.setdefault(group, Counter())[name] += amount

    def merge(self, other: Tally) -> None:
        for group, counter in other.counts.items():
            self.counts.setdefault(group, Counter()).update(counter)

    def seen(self, group: str) -> set[str]:
        return set(self.counts.get(group, ()))


class Match:
    """One instance played by two shops under one commander."""

    def __init__(self, left: Shop, right: Oracle, instance: Instance, rng: Random) -> None:
        self.left, self.right = left, right
        self.instance, self.rng = instance, rng
        self.views = views(left, instance), views(right, instance)
        self.tally = Tally()
        self.history: list[Any] = []
        self.stops: dict[int, list[Any]] = {}  #: by machine its rows of breakdown and repair

    def same(self, what: str, left: Any, right: Any) -> None:
        if left != right:
            recent = "\n  ".join(map(str, self.history[-25:]))
            text = f"{what} at {self.right.time}:\n engine {left!r}\n oracle {right!r}"
            raise Difference(f"{text}\nafter\n  {recent}")

    def compare(self) -> None:
        left, right = ([view() for view in views.values()] for views in self.views)
        if left != right:
            for name, one, other in zip(self.views[0], left, right, strict=True):
                self.same(name, one, other)
        for name, arguments in probes(self.rng, self.right, self.instance):
            left, right = (getattr(s, name)(*arguments) for s in (self.left, self.right))
            self.same(f"{name}{arguments}", left, right)
        self.compare_events()

    def compare_events(self) -> None:
        left, right = events_of(self.left), events_of(self.right)
        self.history += right
        for one, other in zip(left, right, strict=False):
            self.same("event row", one, other)
        self.same("number of event rows", len(left), len(right))
        for row in right:
            self.tally.add("events", row.kind)
            if row.cause:
                self.tally.add("causes", f"{row.kind} {row.cause}")
            if row.kind in ("breakdown", "repair"):
                self.note_late_stop(row)
            if row.kind == "job_complete" and row.machine < 0:
                self.tally.add("happenings", "delivery")

    def note_late_stop(self, row: Any) -> None:
        """Count what a stop that begins after its time has waited for."""
        before = self.stops.setdefault(row.machine, [])
        if row.kind == "breakdown":
            due = self.right.calendar[row.machine][len(before) // 2].due
            follows = bool(before) and before[-1].time == row.time
            if row.time > due:
                self.tally.add("happenings", f"stop after {'a stop' if follows else 'the work'}")
        before.append(row)

    def command(self, kind: str, arguments: tuple[Any, ...]) -> bool:
        before = [view() for view in self.views[0].values()]
        accepted = [self._accepts(shop, kind, arguments) for shop in (self.left, self.right)]
        self.history.append((kind, arguments, accepted[1]))
        self.same(f"accepted {kind}{arguments}", *accepted)
        if not accepted[1]:
            after = [view() for view in self.views[0].values()]
            self.same(f"views after a refused {kind}", after, before)
            self.tally.add("commands", f"{kind} refused")
        self.tally.add("commands", kind)
        if kind == "assign" and len(arguments) == 3:
            self.tally.add("happenings", f"named vehicle {'taken' if accepted[1] else 'refused'}")
        self.compare()
        return accepted[1]

    def _accepts(self, shop: Shop, kind: str, arguments: tuple[Any, ...]) -> bool:
        try:
            getattr(shop, kind)(*arguments)
        except IllegalAction:
            return False
        return True

    def advance(self) -> Any:
        stops = [shop.advance() for shop in (self.left, self.right)]
        self.history.append(stops[1])
        self.note_lone_stop(stops[1])
        self.compare_events()
        for name in STOP_FIELDS:
            self.same(f"stop.{name}", *(getattr(stop, name) for stop in stops))
        self.compare()
        return stops[1]

    def note_lone_stop(self, stop: Any) -> None:
        named = (stop.status, stop.stalled, stop.alarms, stop.cells)
        items = self.right.ready(), self.right.stranded()
        if stop.vehicles and not any(named) and not any(items):
            self.tally.add("happenings", "stop for a vehicle alone")
        if stop.review and not any((*named, *items, stop.vehicles, stop.woken)):
            self.tally.add("happenings", "stop for a review alone")
        if stop.woken and not any((*named, *items, stop.vehicles, stop.review)):
            self.tally.add("happenings", "stop for a conversation alone")

    def play(self, policy: Policy) -> Tally:
        epoch, stops_here, stop = 0, 0, self.advance()
        while not stop.status:
            if stop.stalled:
                self.tally.add("stops", "stalled")
            commands = 0
            if stops_here < STOPS_PER_INSTANT and self.rng.random() >= policy.idle:
                epoch += 1
                self.left.epoch = self.right.epoch = epoch
                commands = self.rng.randint(1, policy.most)
            self.give(policy, commands)
            time, stop = stop.time, self.advance()
            stops_here = stops_here + 1 if stop.time == time else 0
        self.finish(stop.status)
        return self.tally

    def give(self, policy: Policy, commands: int) -> None:
        for _ in range(commands):
            command = next_command(self.rng, policy, self.right, self.instance)
            if command is None:
                return
            self.command(*command)

    def finish(self, status: str) -> None:
        self.tally.add("endings", status)
        for _ in range(5):
            if self.command(*blind_command(self.rng, self.instance)):
                raise Difference("a command was accepted after the end")
        for shop in (self.left, self.right):
            with pytest.raises(IllegalAction):
                shop.advance()
        for name, rows in (("interval", intervals_of), ("violation", violations_of)):
            left, right = rows(self.left), rows(self.right)
            for one, other in zip(left, right, strict=False):
                self.same(f"{name} row", one, other)
            self.same(f"number of {name} rows", len(left), len(right))
            self.tally.add("rows", name, len(right))
            for row in right:
                self.tally.add(f"{name}s", row.state if name == "interval" else row.kind)


def play(
    seed: int,
    left: Callable[[Instance], Shop] = Simulation,
    right: type[Oracle] = Oracle,
    policy: str | None = None,
    **traits: Any,
) -> Tally:
    """Play one episode; the seed draws the shop, the policy and the commands."""
    rng = Random(seed)
    instance = random_instance(rng, **traits)
    name = policy or rng.choice(list(POLICIES))
    match = Match(left(instance), right(instance), instance, rng)
    match.left.vehicle_stops = match.right.vehicle_stops = rng.random() < 0.5
    try:
        match.play(POLICIES[name])
    except Difference as difference:
        raise Difference(f"seed {seed}, policy {name}, {traits}: {difference}") from None
    match.tally.add("policies", name)
    return match.tally


def play_many(seeds: Iterable[int], left: Callable[[Instance], Shop] = Simulation) -> Tally:
    tally = Tally()
    for seed in seeds:
        tally.merge(play(seed, left))
    return tally


# tests


@given(
    seed=st.integers(0, 2**32 - 1),
    policy=st.sampled_from(list(POLICIES)),
    jobs=st.integers(1, 8),
    cells=st.integers(1, 5),
    vehicles=st.integers(0, 3),
)
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_engine_and_oracle_agree(
    seed: int, policy: str, jobs: int, cells: int, vehicles: int
) -> None:
    """Two shops written apart from one page must not differ in a single view or row."""
    play(seed, policy=policy, jobs=jobs, cells=cells, vehicles=vehicles, vehicle_power=3)


@pytest.fixture(scope="module")
def batch() -> Tally:
    return play_many(range(150))


def test_the_batch_sees_every_kind_of_event(batch: Tally) -> None:
    """Agreement proves nothing about an event that never happens."""
    assert batch.seen("events") == set(EVENT_KINDS)


def test_the_batch_sees_every_ending(batch: Tally) -> None:
    """Each test of step 5 has to decide at least once."""
    assert batch.seen("endings") == set(ENDINGS)


def test_the_batch_sees_vehicles_driven_by_hand_and_all_that_makes_a_stop_late(
    batch: Tally,
) -> None:
    """What only some instances and no paradigm bring about."""
    assert batch.seen("happenings") == {
        "delivery",
        "named vehicle taken",
        "named vehicle refused",
        "stop after the work",
        "stop after a stop",
        "stop for a vehicle alone",
        "stop for a conversation alone",
        "stop for a review alone",
    }
    assert {
        "send",
        "send refused",
        "wake",
        "wake refused",
        "set_cap",
        "set_cap refused",
    } <= batch.seen("commands")


def test_the_batch_sees_every_cause_state_and_limit(batch: Tally) -> None:
    """Both strandings, all modes, all stops, all alarms, all shown states, stalls."""
    down = {f"{kind} {cause}" for kind in ("breakdown", "repair") for cause in CAUSES[:4]}
    strandings = {"stranded breakdown", "stranded patience"}
    modes, alarms = {f"mode {mode}" for mode in MODES}, {"alarm power", "alarm wip"}
    assert batch.seen("causes") == down | strandings | modes | alarms
    assert batch.seen("intervals") == {*MACHINE_STATES, *VEHICLE_STATES}
    assert batch.seen("violations") == {"power", "wip"}
    assert "stalled" in batch.seen("stops")


class AdmitsFirst(Oracle):
    """Planted fault: a settle that admits before it lets items leave."""

    passes = ("admission", "leaving", "transport")


class LatePatience(Oracle):
    """Planted fault: patience runs out one tick late."""

    def start_patience(self, item: Item) -> None:
        super().start_patience(item)
        if item.patience_at is not None:
            item.patience_at += 1


class OldPatience(Oracle):
    """Planted fault: an item assigned again at its gate is not given new patience."""

    def _renew_patience(self, item: Item) -> None:
        pass


class AlwaysResumes(Oracle):
    """Planted fault: `restart` is taken for `resume`."""

    def spent_at_breakdown(self, machine: int) -> int:
        m = self.machines[machine]
        return m.spent + self.now - m.since


class NeverWaits(Oracle):
    """Planted fault: a stop that should wait begins at once."""

    def stop_waits(self, machine: int) -> bool:
        return False


class TakesNearest(Oracle):
    """Planted fault: a request that names its vehicle takes any."""

    def acceptable(self, item: Item) -> Sequence[int]:
        return range(len(self.vehicles))


FAULTY = (AdmitsFirst, LatePatience, OldPatience, AlwaysResumes, NeverWaits, TakesNearest)


@pytest.mark.parametrize("faulty", FAULTY)
def test_the_driver_finds_a_planted_fault(faulty: type[Oracle]) -> None:
    """A driver that lets a wrong shop pass would let a wrong engine pass."""
    with pytest.raises(Difference):
        play_many(range(2000), left=faulty)


def test_the_oracle_keeps_the_laws_of_a_plant() -> None:
    """The oracle must be right by itself: capacities, gap-free intervals, energy by intervals."""
    for seed in range(100):
        rng = Random(seed)
        instance = random_instance(rng)
        oracle = Watched(instance)
        Match(oracle, oracle.twin, instance, rng).play(POLICIES[rng.choice(list(POLICIES))])
        oracle.check_intervals()


class Watched(Oracle):
    """An oracle that checks itself after every change."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance)
        self.twin = Oracle(instance)

    def changed(self) -> None:
        before = self.intervals[-1].end if self.intervals else 0
        super().changed()
        assert self.now >= before, "time fell"
        for cell in range(len(self.modes)):
            assert len(self.inbound(cell)) <= self.instance.inbound[cell]
            assert len(self.outbound(cell)) <= self.instance.outbound[cell]
            assert self.committed(cell) <= self.instance.commitment[cell]
        on_machines = [m.job for m in self.machines if m.job >= 0]
        assert sorted(on_machines) == [i.job for i in self.items if i.place == "machine"]

    def check_intervals(self) -> None:
        rows = sorted(self.intervals, key=lambda row: (row.entity_kind, row.entity, row.start))
        watt_ticks = 0
        for index, row in enumerate(rows):
            follows = index > 0 and rows[index - 1][:2] == row[:2]
            assert row.start == (rows[index - 1].end if follows else 0)
            assert row.start < row.end <= self.now
            watt_ticks += row.power * (row.end - row.start)
        assert watt_ticks == sum(int(part.sum()) for part in self.energy())


# the long run


def play_safely(seed: int) -> tuple[Tally, str]:
    try:
        return play(seed), ""
    except Exception as error:  # reported with its seed, the run goes on
        return Tally(), f"seed {seed}: {type(error).__name__}: {error}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.episodes)
    tally, failures = Tally(), []
    with multiprocessing.Pool(options.processes) as pool:
        for one, failure in pool.imap_unordered(play_safely, seeds, chunksize=50):
            tally.merge(one)
            failures += [failure] if failure else []
    print(f"{options.episodes} episodes, {len(failures)} with a difference")
    for group, counter in sorted(tally.counts.items()):
        print(f"{group}: " + ", ".join(f"{name} {n}" for name, n in sorted(counter.items())))
    print("\n\n".join(failures[:5]))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
