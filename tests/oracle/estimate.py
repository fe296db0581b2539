"""The finish estimate, over nominal values."""

from __future__ import annotations

from oracle.plant import Plant
from oracle.rows import NONE


class Estimate(Plant):
    """Adds `estimate` to the views."""

    def estimate(self, job: int, cell: int) -> tuple[int, int, int]:
        """Expected and optimistic ticks from now, and the machine they count on."""
        eligible = self.eligible(job, cell)
        up = [m for m in eligible if self.is_up(m)]
        travel = self._travel(job, cell)
        work, machine = min((self._setup_and_nominal(job, m), m) for m in eligible)
        repair = 0 if up else min(self._repair(m) for m in eligible)
        share = -(-self._backlog(job, cell) // len(up or eligible))
        optimistic = travel + work + repair
        return optimistic + max(0, share - travel), optimistic, machine

    def _travel(self, job: int, cell: int) -> int:
        item = self.items[job]
        if item.arrive_at is not None:
            return item.arrive_at - self.now
        return self.travel[self.location(item)][cell + 1]

    def _setup_and_nominal(self, job: int, machine: int) -> int:
        present = self.machines[machine].family
        setup = self.setup[machine][present + 1][self.family_of(job)]
        return setup + self.durations(job)[machine].nominal

    def _repair(self, machine: int) -> int:
        so_far = self.now - self.machines[machine].down_since
        return max(1, int(self.instance.mean_repair[machine]) - so_far)

    def _backlog(self, job: int, cell: int) -> int:
        others = [i.job for i in self.items if i.assigned == cell and i.job != job]
        waiting = sum(
            min(self.durations(other)[m].nominal for m in self.eligible(other, cell))
            for other in others
        )
        machines = [m for m, c in enumerate(self.cell_of_machine) if c == cell]
        return waiting + sum(self._rest(m) for m in machines)

    def _rest(self, machine: int) -> int:
        m = self.machines[machine]
        if m.job == NONE or not m.works:
            return 0
        stretch = self.now - m.since if self.is_up(machine) else 0
        rest = max(0, m.nominal - m.spent - stretch)
        if m.phase == "setup":
            rest += self.durations(m.job)[machine].nominal
        return rest
