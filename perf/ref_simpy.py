"""REF in plain SimPy, as its own documentation would have it: a process for each job, machine and
calendar of stops; interrupts for breakdowns; events to hand items over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from typing import Any

import simpy
from ref import Outcome

from desbench.instances.instance import Instance

IDLE, SETUP, PROCESSING, BLOCKED, DOWN = range(5)
Steps = Generator[simpy.Event, Any, None]


class Machine:
    """One machine: takes the first item of its cell, sets up, works, and counts its energy."""

    def __init__(self, shop: Shop, index: int) -> None:
        instance = shop.instance
        self.shop, self.index = shop, index
        self.cell = shop.cells[int(instance.machine_cell[index])]
        self.setup = instance.setup[index].tolist()
        self.power = [
            int(instance.power_idle[index]),
            int(instance.power_setup[index]),
            0,  # by operation
            int(instance.power_blocked[index]),
            int(instance.power_down[index]),
        ]
        first, end = instance.down_offset[index : index + 2]
        self.stops = zip(
            instance.down_start[first:end].tolist(),
            instance.down_end[first:end].tolist(),
            strict=True,
        )
        self.family, self.is_up, self.is_working = -1, True, False
        self.called: simpy.Event | None = None  # waits for an item
        self.repaired: simpy.Event | None = None
        self.state, self.since, self.energy = IDLE, 0, [0] * 5
        self.present = self.power[IDLE]
        self.process = shop.env.process(self.work())
        shop.env.process(self.calendar())

    def show(self, state: int, power: int) -> None:
        now = self.shop.env.now
        self.energy[self.state] += self.present * (now - self.since)
        self.state, self.present, self.since = state, power, now

    def work(self) -> Steps:
        shop, env, queue = self.shop, self.shop.env, self.cell.queue
        while True:
            while not queue or not self.is_up:
                self.show(IDLE if self.is_up else DOWN, self.power[IDLE if self.is_up else DOWN])
                self.called = env.event()
                yield self.called
                self.called = None
            operation, done = queue.popleft()
            family = shop.family[operation]
            setup = self.setup[self.family + 1][family]
            self.is_working = True
            if setup:
                yield from self.phase(setup, SETUP, self.power[SETUP])
                shop.events += 1
            self.family = family
            row = operation * 3 + self.index % 3
            yield from self.phase(shop.realised[row], PROCESSING, shop.processing_power[row])
            shop.events += 1
            self.is_working = False
            done.succeed()

    def phase(self, left: int, state: int, power: int) -> Steps:
        env = self.shop.env
        self.show(state, power)
        while left:
            begun = env.now
            try:
                yield env.timeout(left)
                left = 0
            except simpy.Interrupt:
                left -= env.now - begun
                self.show(DOWN, self.power[DOWN])
                self.repaired = env.event()
                yield self.repaired
                self.show(state, power)

    def calendar(self) -> Steps:
        env, shop = self.shop.env, self.shop
        for start, end in self.stops:
            yield env.timeout(start - env.now)
            shop.events += 1
            self.is_up = False
            if self.is_working:
                self.process.interrupt()
            else:
                self.show(DOWN, self.power[DOWN])
            yield env.timeout(end - start)
            shop.events += 1
            self.is_up = True
            if self.is_working:
                self.repaired.succeed()
            else:
                self.show(IDLE, self.power[IDLE])
                self.cell.call()


class Cell:
    """The queue that the machines of a cell share."""

    def __init__(self) -> None:
        self.queue: deque[tuple[int, simpy.Event]] = deque()
        self.machines: list[Machine] = []

    def call(self) -> None:
        """Let the first idle machine that is up take the first item."""
        if not self.queue:
            return
        for machine in self.machines:
            if machine.is_up and machine.called is not None and not machine.called.triggered:
                machine.called.succeed()
                return


class Shop:
    """REF as processes."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.env = simpy.Environment()
        self.events = self.flow_time = 0
        self.left = len(instance.release)
        self.family = instance.family.tolist()
        self.realised = instance.realised.tolist()
        self.processing_power = instance.processing_power.tolist()
        self.travel = instance.travel.tolist()
        first = instance.eligible_offset[:-1]
        self.cell_of = instance.machine_cell[instance.eligible_machine[first]].tolist()
        self.cells = [Cell() for _ in instance.cell_names]
        for index in range(len(instance.machine_names)):
            machine = Machine(self, index)
            machine.cell.machines.append(machine)
        self.all_done = self.env.event()
        self.env.process(self.source())

    def source(self) -> Steps:
        env, offset = self.env, self.instance.operation_offset.tolist()
        for job, release in enumerate(self.instance.release.tolist()):
            if release > env.now:
                yield env.timeout(release - env.now)
            self.events += 1
            env.process(self.item(release, range(offset[job], offset[job + 1])))

    def item(self, release: int, operations: range) -> Steps:
        env, location = self.env, 0
        for operation in operations:
            cell = self.cell_of[operation]
            if location != cell + 1:
                yield env.timeout(self.travel[location][cell + 1])
                self.events += 1
                location = cell + 1
            done = env.event()
            self.cells[cell].queue.append((operation, done))
            self.cells[cell].call()
            yield done
        self.flow_time += env.now - release
        self.left -= 1
        if self.left == 0:
            self.all_done.succeed()

    def run(self) -> Outcome:
        """Play to the end of the last job."""
        self.env.run(self.all_done)
        machines = [machine for cell in self.cells for machine in cell.machines]
        for machine in machines:
            machine.show(IDLE, 0)
        energy = tuple(tuple(machine.energy) for machine in machines)
        return Outcome(self.events, self.env.now, self.flow_time, energy)
