"""The commands: what makes each legal, and what it does at once."""

from __future__ import annotations

from collections.abc import Sequence

from desbench.errors import IllegalAction
from desbench.instances.instance import Instance
from oracle.estimate import Estimate
from oracle.plant import Item
from oracle.rows import NONE


class Commands(Estimate):
    """Adds the commands. An accepted one makes the next `advance` begin the instant again."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance)
        self.accepted = False
        self.stalls = 0  #: stalled stops since the last accepted shop command
        self.sleeping: dict[int, int] = {}  #: conversation -> when it is woken

    # legality

    def _exists(self, index: int, kind: Sequence[object]) -> bool:
        return not self.ended and 0 <= index < len(kind)

    def can_assign(self, job: int, cell: int, vehicle: int = NONE) -> bool:
        if not (self._exists(job, self.items) and self._exists(cell, self.modes)):
            return False
        if vehicle != NONE and not self._exists(vehicle, self.vehicles):
            return False
        has_machine = bool(self.eligible(job, cell))
        return self.is_ready(self.items[job]) and has_machine and self.room(cell, job) > 0

    def can_unassign(self, job: int) -> bool:
        if not self._exists(job, self.items):
            return False
        item = self.items[job]
        if item.assigned == NONE or item.unassigned_at == self.now:
            return False
        return item.requests or self._stands_in_its_cell(item)

    def _stands_in_its_cell(self, item: Item) -> bool:
        return item.place in ("gate", "inbound") and item.cell == item.assigned

    def can_dispatch(self, job: int, machine: int) -> bool:
        if not (self._exists(job, self.items) and self._exists(machine, self.machines)):
            return False
        return (machine, job) in self.pairs(self.cell_of_machine[machine])

    def can_send(self, vehicle: int, location: int) -> bool:
        if not (self._exists(vehicle, self.vehicles) and self._exists(location, self.travel)):
            return False
        v = self.vehicles[vehicle]
        return v.state == "idle" and v.location != location

    def can_wake(self, conversation: int, time: int) -> bool:
        if self.ended or conversation in self.sleeping:
            return False
        return conversation >= 1 and self.now < time < 2**62

    def can_set_mode(self, cell: int, mode: str) -> bool:
        if not self._exists(cell, self.modes) or mode == self.modes[cell]:
            return False
        if mode == "pause":
            area = self.area_of_cell[cell]
            return self.cap(area) != NONE and self.power(area) > self.cap(area)
        return mode in ("normal", "eco")

    def can_set_cap(self, area: int, cap: int) -> bool:
        if not self._exists(area, self.caps) or self.cap(area) == NONE:
            return False
        return cap != self.cap(area) and 0 <= cap < 2**62

    def stranded(self) -> list[int]:
        return [i.job for i in self.items if i.strandings and self.can_unassign(i.job)]

    # commands

    def assign(self, job: int, cell: int, vehicle: int = NONE) -> None:
        legal = self.can_assign(job, cell, vehicle)
        self._require(legal, f"assign({job}, {cell}, {vehicle})")
        item = self.items[job]
        item.assigned = cell
        if self._stands_in_its_cell(item):
            self._renew_patience(item)
        else:
            self.request(item, vehicle)
        where = {"cell": cell, "vehicle": vehicle, "epoch": self.epoch}
        self.row("assign", job=job, operation=item.operation, **where)
        self._accept(shop=True)

    def request(self, item: Item, vehicle: int = NONE) -> None:
        """Ask for a vehicle, any or this one."""
        item.requests, item.requested_at, item.wanted = True, self.now, vehicle

    def _renew_patience(self, item: Item) -> None:
        if item.place == "gate":
            self.start_patience(item)

    def start_patience(self, item: Item) -> None:
        patience = int(self.instance.patience[item.job])
        item.patience_at = self.now + patience if patience > 0 else None

    def unassign(self, job: int) -> None:
        self._require(self.can_unassign(job), f"unassign({job})")
        item = self.items[job]
        cell, item.assigned = item.assigned, NONE
        item.requests = False
        item.patience_at = None
        item.strandings.clear()
        item.unassigned_at = self.now
        self.row("unassign", job=job, operation=item.operation, cell=cell, epoch=self.epoch)
        self._accept(shop=True)

    def dispatch(self, job: int, machine: int) -> None:
        self._require(self.can_dispatch(job, machine), f"dispatch({job}, {machine})")
        item, m = self.items[job], self.machines[machine]
        item.place, item.machine, item.assigned = "machine", machine, NONE
        item.strandings.clear()
        m.job, m.operation = job, item.operation
        where = {"job": job, "operation": item.operation, "machine": machine, "cell": item.cell}
        self.row("dispatch", **where, epoch=self.epoch)
        setup = self.setup[machine][m.family + 1][self.family_of(job)]
        if setup > 0:
            self.begin_phase(machine, "setup", setup, setup)
            self.row("setup_start", **where, epoch=self.epoch, amount=m.length)
        else:
            m.family = self.family_of(job)
            self.begin_processing(machine, epoch=self.epoch)
        self._accept(shop=True)

    def begin_processing(self, machine: int, epoch: int = NONE) -> None:
        m = self.machines[machine]
        times = self.durations(m.job)[machine]
        self.begin_phase(machine, "processing", times.realised, times.nominal)
        self.row(
            "start",
            job=m.job,
            operation=m.operation,
            machine=machine,
            cell=self.cell_of_machine[machine],
            epoch=epoch,
            amount=m.length,
        )

    def begin_phase(self, machine: int, phase: str, length: int, nominal: int) -> None:
        m = self.machines[machine]
        m.phase, m.spent, m.since = phase, 0, self.now
        m.eco = self.modes[self.cell_of_machine[machine]] == "eco"
        ratio = self.instance.eco_duration if m.eco else (1, 1)
        m.length = self.in_eco(length, ratio, up=True)
        m.nominal = self.in_eco(nominal, ratio, up=True)

    def send(self, vehicle: int, location: int) -> None:
        self._require(self.can_send(vehicle, location), f"send({vehicle}, {location})")
        v = self.vehicles[vehicle]
        ticks = self.travel[v.location][location]
        v.state, v.location, v.arrive_at = "empty", location, self.now + ticks
        where = {"vehicle": vehicle, "cell": location - 1}
        self.row("vehicle_move", **where, amount=ticks, epoch=self.epoch)
        self._accept(shop=False)

    def wake(self, conversation: int, time: int) -> None:
        self._require(self.can_wake(conversation, time), f"wake({conversation}, {time})")
        self.sleeping[conversation] = time

    def set_mode(self, cell: int, mode: str) -> None:
        self._require(self.can_set_mode(cell, mode), f"set_mode({cell}, {mode!r})")
        if mode == "pause":
            self.mode_before_pause[cell] = self.modes[cell]
        self.modes[cell] = mode
        self.row("mode", cell=cell, cause=mode, epoch=self.epoch)
        self._accept(shop=False)

    def set_cap(self, area: int, cap: int) -> None:
        self._require(self.can_set_cap(area, cap), f"set_cap({area}, {cap})")
        self.caps[area] = cap
        self.row("cap", area=area, amount=cap, epoch=self.epoch)
        self._accept(shop=False)

    def _require(self, legal: bool, command: str) -> None:
        if not legal:
            raise IllegalAction(f"{command} is not legal now")

    def _accept(self, *, shop: bool) -> None:
        self.accepted = True
        if shop:
            self.stalls = 0
        self.changed()
