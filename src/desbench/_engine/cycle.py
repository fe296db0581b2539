"""The wait cycle of a deadlock, read from the views of the shop (docs/model.md, End)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desbench._engine.simulation import Simulation
    from desbench.instances.instance import Instance


def wait_cycle(sim: Simulation, instance: Instance) -> list[tuple[str, int]]:
    """Who waits for what, from the lowest unfinished job to the first item seen twice."""
    ready = set(sim.ready())
    job = next(j for j in range(len(instance.release)) if sim.place(j)[0] != "done")
    path: list[tuple[str, int]] = []
    seen: set[int] = set()
    while job not in seen:
        seen.add(job)
        path.append(("item", job))
        place, cell, _ = sim.place(job)
        if job in ready:
            cell = min(instance.machine_cell[eligible(sim, instance, job)])
            path.append(("commitment", int(cell)))
            counted = {*sim.coming(cell), *sim.gate(cell), *sim.inbound(cell)}
            job = min(counted - {job})
        elif place == "gate":
            path.append(("inbound", cell))
            job = min(sim.inbound(cell))
        else:
            machines = [m for m in eligible(sim, instance, job) if instance.machine_cell[m] == cell]
            path.append(("machine", machines[0]))
            job = sim.machine(machines[0])[1]
    path.append(("item", job))
    return path


def eligible(sim: Simulation, instance: Instance, job: int) -> list[int]:
    """Machines of the current operation, ascending."""
    operation = int(instance.operation_offset[job]) + sim.operation(job)
    first, end = instance.eligible_offset[operation : operation + 2]
    machines: list[int] = instance.eligible_machine[first:end].tolist()
    return machines
