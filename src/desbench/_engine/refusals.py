"""Why a command was refused: one sentence with the values, read from the views of the shop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desbench._engine.cycle import eligible

if TYPE_CHECKING:
    from desbench._engine.simulation import Simulation
    from desbench.instances.instance import Instance

#: The modes of a cell.
MODES = ("normal", "eco", "pause")


def why_not_assign(sim: Simulation, instance: Instance, job: int, cell: int, vehicle: int) -> str:
    head = f"assign job {name(instance.job_names, job)} to cell {name(instance.cell_names, cell)}: "
    if not exists(instance.job_names, job) or not exists(instance.cell_names, cell):
        return f"{head}no such job or cell"
    if vehicle != -1 and not exists(instance.vehicle_names, vehicle):
        return f"{head}vehicle={vehicle}, must be below {len(instance.vehicle_names)}"
    if job not in sim.ready():
        return f"{head}the item is not ready (place: {sim.place(job)[0]})"
    if cell not in instance.machine_cell[eligible(sim, instance, job)]:
        return f"{head}no machine there is eligible for operation {sim.operation(job)}"
    limit = instance.commitment[cell]
    return f"{head}committed={sim.committed(cell)}, must be below commitment={limit}"


def why_not_unassign(sim: Simulation, instance: Instance, job: int) -> str:
    head = f"unassign job {name(instance.job_names, job)}: "
    if not exists(instance.job_names, job):
        return f"{head}no such job"
    place = sim.place(job)[0]
    if sim.assigned(job) == -1:
        return f"{head}the item is not assigned (place: {place})"
    if place == "vehicle":
        return f"{head}the item is on a vehicle, must wait for one, stand at the gate or be inbound"
    return f"{head}its vehicle is allotted, or it was withdrawn at this instant, t={sim.time}"


def why_not_dispatch(sim: Simulation, instance: Instance, job: int, machine: int) -> str:
    head = f"dispatch job {name(instance.job_names, job)} on machine "
    head += f"{name(instance.machine_names, machine)}: "
    if not exists(instance.job_names, job) or not exists(instance.machine_names, machine):
        return f"{head}no such job or machine"
    state, present, _, _ = sim.machine(machine)
    if state != "idle" or present != -1:
        return f"{head}the machine is {state}, must be idle and empty"
    cell = int(instance.machine_cell[machine])
    if sim.mode(cell) == "pause":
        return f"{head}cell {instance.cell_names[cell]} is paused"
    if sim.place(job)[:2] != ("inbound", cell) or sim.assigned(job) != cell:
        return f"{head}the item must be inbound in that cell and assigned to it"
    return f"{head}the machine is not eligible for operation {sim.operation(job)}"


def why_not_send(sim: Simulation, instance: Instance, vehicle: int, location: int) -> str:
    head = f"send vehicle {name(instance.vehicle_names, vehicle)} to location {location}: "
    if not exists(instance.vehicle_names, vehicle) or not 0 <= location < len(instance.travel):
        return f"{head}no such vehicle or location"
    state, _, present = sim.vehicle(vehicle)
    if state != "idle":
        return f"{head}the vehicle is {state}, must be idle"
    return f"{head}it stands at {present} already"


def why_not_set_mode(sim: Simulation, instance: Instance, cell: int, mode: str) -> str:
    head = f"set cell {name(instance.cell_names, cell)} to mode {mode}: "
    if not exists(instance.cell_names, cell) or mode not in MODES:
        return f"{head}no such cell or mode, must be one of {', '.join(MODES)}"
    if sim.mode(cell) == mode:
        return f"{head}it has that mode already"
    return f"{head}pause is allowed only while the power of its area is above its cap"


def why_not_set_cap(sim: Simulation, instance: Instance, area: int, cap: int) -> str:
    head = f"set the power cap of area {name(instance.area_names, area)} to {cap}: "
    if not exists(instance.area_names, area):
        return f"{head}no such area"
    if sim.cap(area) == -1:
        return f"{head}it has no power cap in this case; caps can be moved, not made"
    if sim.cap(area) == cap:
        return f"{head}it has that cap already"
    return f"{head}must be >= 0 and < 2**62 watts"


def why_not_wake(sim: Simulation, conversation: int, time: int) -> str:
    head = f"wake conversation {conversation} at t={time}: "
    if conversation < 1:
        return f"{head}conversations count from 1"
    if not sim.time < time < 2**62:
        return f"{head}the time must be after the present, t={sim.time}, and below 2**62"
    return f"{head}it sleeps already; it can be woken once at a time"


def exists(names: tuple[str, ...], index: int) -> bool:
    """Whether an index names something."""
    return 0 <= index < len(names)


def name(names: tuple[str, ...], index: int) -> str:
    """The name, or the index where there is none."""
    return names[index] if exists(names, index) else str(index)
