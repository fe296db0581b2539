"""Settling: items move on their own until none can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from oracle.events import Events
from oracle.plant import Item
from oracle.rows import NONE


class Settle(Events):
    """Adds `settle`. `passes` names the passes of one round, in order."""

    passes: ClassVar[tuple[str, ...]] = ("leaving", "admission", "transport")

    def settle(self) -> None:
        moved = True
        while moved:
            results = [getattr(self, name)() for name in self.passes]
            moved = any(results)
        self._log_blocking()
        self._log_waiting()
        self._lift_pauses()

    def leaving(self) -> bool:
        moved = False
        for cell in range(len(self.modes)):
            machines = [m for m, c in enumerate(self.cell_of_machine) if c == cell]
            finished = [m for m in machines if self.machines[m].phase == "finished"]
            for m in sorted(finished, key=lambda m: (self.machines[m].finished_at, m)):
                if len(self.outbound(cell)) < self.instance.outbound[cell]:
                    item = self.items[self.machines[m].job]
                    self.leave(item)
                    self.enter_buffer(item, "outbound")
                    item.cell = cell
                    self.changed()
                    moved = True
        return moved

    def admission(self) -> bool:
        moved = False
        for cell in range(len(self.modes)):
            for job in self.gate(cell):
                item = self.items[job]
                full = len(self.inbound(cell)) >= self.instance.inbound[cell]
                if item.assigned != cell or full:
                    continue
                self.enter_buffer(item, "inbound")
                item.patience_at = None
                item.strandings.discard("patience")
                self.row("admission", job=job, operation=item.operation, cell=cell)
                self.changed()
                moved = True
        return moved

    def transport(self) -> bool:
        waiting = [item for item in self.items if item.requests]
        order = sorted(waiting, key=lambda item: (item.requested_at, item.job))
        results = [self._serve(item) for item in order]
        return any(results)

    def _serve(self, item: Item) -> bool:
        if item.cell == item.assigned:
            item.requests = False
            self.leave(item)
            self.enter_gate(item)
        elif not self.vehicles:
            item.requests, item.pickup_at = False, self.now
        else:
            idle = [v for v in self.acceptable(item) if self.vehicles[v].state == "idle"]
            if not idle:
                return False
            item.requests = False
            self._allot(item, min(idle, key=lambda v: (self._empty_leg(v, item), v)))
        self.changed()
        return True

    def acceptable(self, item: Item) -> Sequence[int]:
        """Vehicles that may serve a request: the one it names, or all."""
        return range(len(self.vehicles)) if item.wanted == NONE else [item.wanted]

    def _empty_leg(self, vehicle: int, item: Item) -> int:
        return self.travel[self.vehicles[vehicle].location][self.location(item)]

    def _allot(self, item: Item, vehicle: int) -> None:
        ticks = self._empty_leg(vehicle, item)
        v = self.vehicles[vehicle]
        v.state, v.job, v.location = "empty", item.job, self.location(item)
        item.vehicle, item.pickup_at = vehicle, self.now + ticks
        where = {"vehicle": vehicle, "cell": item.cell, "amount": ticks}
        self.row("vehicle_move", job=item.job, operation=item.operation, **where)

    def _log_blocking(self) -> None:
        for index, m in enumerate(self.machines):
            if m.phase == "finished" and not m.blocking:
                m.blocking = True
                item = self.items[m.job]
                where = {"machine": index, "cell": item.cell}
                self.row("blocking_start", job=m.job, operation=item.operation, **where)
                self.changed()

    def _log_waiting(self) -> None:
        for cell in range(len(self.modes)):
            for job in self.gate(cell):
                item = self.items[job]
                if not item.waited:
                    item.waited = True
                    self.row("buffer_wait", job=job, operation=item.operation, cell=cell)
                    self.start_patience(item)

    def _lift_pauses(self) -> None:
        for cell, mode in enumerate(self.modes):
            if mode == "pause" and self._pause_is_over(self.area_of_cell[cell]):
                self.modes[cell] = self.mode_before_pause[cell]
                self.row("mode", cell=cell, cause=self.modes[cell])

    def _pause_is_over(self, area: int) -> bool:
        cap = self.cap(area)
        machines = [m for m in range(len(self.machines)) if self.area_of_machine(m) == area]
        busy = any(self.shown(m) in ("setup", "processing") for m in machines)
        return cap == NONE or self.power(area) <= cap or not busy
