"""Counts: what may be told of a cell or an area to those above it, and the estimate from that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desbench.protocol.estimate import from_counts

if TYPE_CHECKING:
    from desbench.protocol.organisation import Organisation

Machines = list[tuple[int, int]]  #: (machine, nominal)


def machines_up(org: Organisation, machines: Machines) -> int:
    """Return how many of the machines are up."""
    up = org.up
    return sum([up[machine] for machine, _ in machines])


def repair(org: Organisation, machines: Machines) -> int:
    """Return the ticks until the first machine is expected back, 0 while one is up."""
    if any(org.up[machine] for machine, _ in machines):
        return 0
    return min(max(1, org.facts.mean_repair[m] - down_for(org, m)) for m, _ in machines)


def down_for(org: Organisation, machine: int) -> int:
    """Return for how many ticks a machine has been down, 0 if it is up."""
    since = org.sim.machine(machine)[3]
    return org.now - since if since >= 0 else 0


def travel(org: Organisation, job: int, cell: int) -> int:
    """Return the ticks from where an item stands to a cell."""
    return org.facts.travel[org.sim.place(job)[1] + 1][cell + 1]


def area_travel(org: Organisation, job: int, cells: list[int]) -> int:
    """Return the ticks from where an item stands to the nearest of some cells."""
    row = org.facts.travel[org.sim.place(job)[1] + 1]
    return min([row[cell + 1] for cell in cells])


def area_committed(org: Organisation, area: int) -> int:
    """Return the commitments of all cells of an area together."""
    return sum(map(org.sim.committed, org.facts.cells_of_area[area]))


def cell_estimate(org: Organisation, job: int, cell: int) -> float:
    """Return the finish estimate of an item in a cell from counts, in ticks from now."""
    facts = org.eligible(job)
    machines = facts.machines_of_cell[cell]
    others = org.sim.committed(cell) - (org.sim.assigned(job) == cell)
    return from_counts(
        travel(org, job, cell),
        others,
        facts.nominal[cell],
        machines_up(org, machines),
        len(machines),
        repair(org, machines),
    )


def area_estimate(org: Organisation, job: int, area: int) -> float:
    """Return the finish estimate of an item in an area from its sums, in ticks from now."""
    facts = org.eligible(job)
    cells = facts.cells_of_area[area]
    return from_counts(
        area_travel(org, job, cells),
        area_committed(org, area),
        min([facts.nominal[cell] for cell in cells]),
        org.up_in_area[area],
        len(org.facts.machines_of_area[area]),
    )
