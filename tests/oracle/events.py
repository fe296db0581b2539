"""The events: which are live, read off the state, and what each does."""

from __future__ import annotations

from collections.abc import Iterator

from desbench.instances.instance import Instance
from oracle.commands import Commands
from oracle.plant import Item
from oracle.rows import NONE, Stop

FINISH, SETUP_COMPLETE, TRANSPORT_COMPLETE, PICKUP, BREAKDOWN, REPAIR = range(6)
ARRIVAL, PATIENCE, WAKE, BUDGET_REVIEW, HORIZON = range(6, 11)

Key = tuple[int, int, int]  #: time, rank, entity


class Events(Commands):
    """Adds the event handlers. There is no queue: live events follow from the state."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance)
        self.news = Stop()  #: what the next stop will name
        self.reviews = 0  #: so far

    def live(self) -> list[Key]:
        keys = [*self._machine_events(), *self._vehicle_events(), *self._item_events()]
        keys += [(time, WAKE, conversation) for conversation, time in self.sleeping.items()]
        if self.instance.review_period != NONE:
            keys.append(((self.reviews + 1) * self.instance.review_period, BUDGET_REVIEW, 0))
        if self.instance.horizon != NONE:
            keys.append((self.instance.horizon, HORIZON, 0))
        return keys

    def _machine_events(self) -> Iterator[Key]:
        for index, m in enumerate(self.machines):
            if m.due < len(self.calendar[index]):
                yield self.calendar[index][m.due].due, BREAKDOWN, index
            if m.down_since != NONE:
                yield m.down_since + self.calendar[index][m.stops - 1].length, REPAIR, index
            elif m.works:
                rank = FINISH if m.phase == "processing" else SETUP_COMPLETE
                yield m.since + m.length - m.spent, rank, index

    def _vehicle_events(self) -> Iterator[Key]:
        for index, vehicle in enumerate(self.vehicles):
            if vehicle.arrive_at is not None:
                yield vehicle.arrive_at, TRANSPORT_COMPLETE, index

    def _item_events(self) -> Iterator[Key]:
        for item in self.items:
            mover = item.vehicle if self.vehicles else item.job
            if item.place == "nowhere":
                yield int(self.instance.release[item.job]), ARRIVAL, item.job
            if item.pickup_at is not None:
                yield item.pickup_at, PICKUP, mover
            if item.arrive_at is not None:
                yield item.arrive_at, TRANSPORT_COMPLETE, mover
            if item.patience_at is not None:
                yield item.patience_at, PATIENCE, item.job

    def apply(self, rank: int, entity: int) -> None:
        handlers = {
            FINISH: self.finish,
            SETUP_COMPLETE: self.setup_complete,
            TRANSPORT_COMPLETE: self.transport_complete,
            PICKUP: self.pickup,
            BREAKDOWN: self.fall_due,
            REPAIR: self.repair,
            ARRIVAL: self.arrival,
            PATIENCE: self.patience,
            WAKE: self.wake_up,
            BUDGET_REVIEW: self.budget_review,
        }
        handlers[rank](entity)
        self.changed()

    def _ready(self, item: Item) -> None:
        where = {"machine": item.machine, "cell": item.cell}
        self.row("stage_release_ready", job=item.job, operation=item.operation, **where)
        if item.job not in self.news.ready:
            self.news.ready.append(item.job)

    def arrival(self, job: int) -> None:
        self.items[job].place = "source"
        self.row("arrival", job=job)
        self._ready(self.items[job])

    def finish(self, machine: int) -> None:
        m = self.machines[machine]
        item = self.items[m.job]
        where = {"job": m.job, "operation": m.operation, "machine": machine, "cell": item.cell}
        self.row("finish", **where)
        m.phase, m.finished_at = "finished", self.now
        item.operation += 1
        if not self.is_through(item):
            self._ready(item)
        elif self.instance.deliver:
            self.request(item)
        else:
            self.row("job_complete", **where)
            self.leave(item)
            item.place = "done"
        self.begin_due_stop(machine)

    def setup_complete(self, machine: int) -> None:
        m = self.machines[machine]
        m.family = self.family_of(m.job)
        cell = self.cell_of_machine[machine]
        where = {"job": m.job, "operation": m.operation, "machine": machine, "cell": cell}
        self.row("setup_complete", **where)
        self.begin_processing(machine)

    # moving

    def leave(self, item: Item) -> None:
        """Free the place where an item stands; the caller says where it goes."""
        if item.machine != NONE:
            m = self.machines[item.machine]
            if m.blocking:
                where = {"machine": item.machine, "cell": item.cell}
                self.row("blocking_release", job=item.job, operation=item.operation, **where)
            m.job, m.operation, m.phase, m.blocking = NONE, NONE, "", False
        item.cell, item.machine, item.patience_at = NONE, NONE, None

    def enter_gate(self, item: Item) -> None:
        item.place, item.cell = "gate", item.assigned
        item.arrived, item.waited = self.now, False

    def enter_buffer(self, item: Item, place: str) -> None:
        self.entries += 1
        item.place, item.entered = place, self.entries

    def _moved_item(self, mover: int) -> Item:
        return self.items[self.vehicles[mover].job if self.vehicles else mover]

    def pickup(self, mover: int) -> None:
        item = self._moved_item(mover)
        ticks = self.travel[self.location(item)][item.assigned + 1]
        self.leave(item)
        item.place, item.pickup_at, item.arrive_at = "vehicle", None, self.now + ticks
        if self.vehicles:
            vehicle = self.vehicles[mover]
            vehicle.state, vehicle.location = "loaded", item.assigned + 1
        where = {"cell": item.assigned, "vehicle": item.vehicle, "amount": ticks}
        self.row("transport_start", job=item.job, operation=item.operation, **where)

    def transport_complete(self, mover: int) -> None:
        if self.vehicles and self.vehicles[mover].job == NONE:
            cell = self.vehicles[mover].location - 1
            self.row("transport_complete", vehicle=mover, cell=cell)
        else:
            item = self._moved_item(mover)
            where = {"cell": item.assigned, "vehicle": item.vehicle}
            self.row("transport_complete", job=item.job, operation=item.operation, **where)
            item.arrive_at, item.vehicle = None, NONE
            self._set_down(item)
        if self.vehicles:
            vehicle = self.vehicles[mover]
            vehicle.state, vehicle.job, vehicle.arrive_at = "idle", NONE, None
            self.news.vehicles.append(mover)

    def _set_down(self, item: Item) -> None:
        if not self.is_through(item):
            self.enter_gate(item)
            return
        item.place = "done"
        self.row("job_complete", job=item.job, operation=item.operation - 1)

    # down time and stranding

    def fall_due(self, machine: int) -> None:
        self.machines[machine].due += 1
        self.begin_due_stop(machine)

    def begin_due_stop(self, machine: int) -> None:
        """Begin the first stop that is due, unless it has to wait."""
        m = self.machines[machine]
        if m.stops == m.due or m.down_since != NONE or self.stop_waits(machine):
            return
        self.changed()  # what it showed just before lasted no time, but separates
        self.breakdown(machine)

    def stop_waits(self, machine: int) -> bool:
        m = self.machines[machine]
        return self.calendar[machine][m.stops].interruption == "wait" and m.works

    def breakdown(self, machine: int) -> None:
        m, cell = self.machines[machine], self.cell_of_machine[machine]
        outage = self.calendar[machine][m.stops]
        m.stops += 1
        m.spent = self.spent_at_breakdown(machine)
        m.down_since = self.now
        where = {"machine": machine, "cell": cell}
        self.row("breakdown", **where, amount=outage.length, cause=outage.cause)
        self.news.breakdowns.append(machine)
        for item in self.items:
            eligible = self.eligible(item.job, cell) if item.assigned == cell else []
            if machine in eligible and not any(map(self.is_up, eligible)):
                self.strand(item, "breakdown")

    def spent_at_breakdown(self, machine: int) -> int:
        m = self.machines[machine]
        if self.calendar[machine][m.stops - 1].interruption == "restart":
            return 0
        return m.spent + self.now - m.since

    def repair(self, machine: int) -> None:
        m, cell = self.machines[machine], self.cell_of_machine[machine]
        cause = self.calendar[machine][m.stops - 1].cause
        m.down_since, m.since = NONE, self.now
        self.row("repair", machine=machine, cell=cell, cause=cause)
        self.news.repairs.append(machine)
        for item in self.items:
            if item.assigned == cell and machine in self.eligible(item.job, cell):
                item.strandings.discard("breakdown")
        self.begin_due_stop(machine)

    def patience(self, job: int) -> None:
        self.items[job].patience_at = None
        self.strand(self.items[job], "patience")

    def wake_up(self, conversation: int) -> None:
        del self.sleeping[conversation]
        self.news.woken.append(conversation)

    def budget_review(self, _: int) -> None:
        self.reviews += 1
        self.row("budget_review")
        self.news.review = True

    def strand(self, item: Item, cause: str) -> None:
        item.strandings.add(cause)
        where = {"operation": item.operation, "cell": item.assigned}
        self.row("stranded", job=item.job, **where, cause=cause)
        self.news.stranded.append(item.job)
