"""Observation: the complete role view in tabular form, built when it is first read.

Nobody is shown realised durations, the event queue or stops to come.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from desbench.protocol import counts
from desbench.protocol.decision import Agent

if TYPE_CHECKING:
    from desbench.protocol.organisation import Organisation

Row = dict[str, Any]


class Observation(dict[str, Any]):
    """A dict that fills itself when it is first read, while its epoch is open.

    Raises
    ------
    RuntimeError
        If it is first read after its epoch was answered: the state it stood for is gone.
    """

    __slots__ = ("_unread",)

    def __init__(self, org: Organisation, agent: Agent) -> None:
        # One key is always there: C code asks a dict for its size before it asks for its items.
        self["agent"] = agent.id
        self._unread: tuple[Organisation, Agent, int] | None = (org, agent, org.epoch)

    def _filled(self) -> dict[str, Any]:
        if self._unread is not None:
            org, agent, epoch = self._unread
            if org.epoch != epoch or not org.is_open:
                raise RuntimeError(
                    f"observation of {agent.id} in epoch {epoch} was not read while "
                    f"the epoch was open; read it before the actions are given"
                )
            self._unread = None
            super().update(ROLES[agent.role](org, agent.number))
        return self

    def __getitem__(self, key: str) -> Any:
        self._filled()
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self._filled()
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self._filled()
        return super().__contains__(key)

    def __iter__(self) -> Iterator[str]:
        self._filled()
        return super().__iter__()

    def __len__(self) -> int:
        self._filled()
        return super().__len__()

    def __eq__(self, other: object) -> bool:
        self._filled()
        return super().__eq__(other)

    __hash__ = None  # as for every dict

    def __repr__(self) -> str:
        if self._unread is None:
            return super().__repr__()
        return f"<unread observation of {self._unread[1].id}>"

    def keys(self) -> Any:
        self._filled()
        return super().keys()

    def values(self) -> Any:
        self._filled()
        return super().values()

    def items(self) -> Any:
        self._filled()
        return super().items()

    def copy(self) -> dict[str, Any]:
        """Return a plain dict."""
        return dict(self.items())

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (self.copy(),)


def _job(org: Organisation, job: int) -> Row:
    """An item as those see it who know only the current operation."""
    facts, unit = org.facts, org.facts.unit
    operation, due = org.sim.operation(job), facts.due[job]
    return {
        "job": job,
        "name": facts.instance.job_names[job],
        "operation": operation,
        "remaining_operations": facts.length(job) - operation,
        "remaining_work": facts.rest(job, operation) / unit,
        "due": due / unit if due >= 0 else None,
        "weight": facts.weight[job],
    }


def _job_with_route(org: Organisation, job: int) -> Row:
    facts, unit = org.facts, org.facts.unit
    row = _job(org, job)
    place, cell = org.sim.place(job)[:2]
    row["place"] = place
    row["cell"] = cell if cell >= 0 else None
    row["assigned"] = org.sim.assigned(job) if org.sim.assigned(job) >= 0 else None
    row["route"] = [
        {
            "operation": later,
            "cells": [
                {"cell": cell, "nominal": nominal / unit}
                for cell, nominal in facts.operation(job, later).nominal.items()
            ],
        }
        for later in range(row["operation"], facts.length(job))
    ]
    return row


def _cell_row(org: Organisation, cell: int) -> Row:
    sim, facts = org.sim, org.facts
    machines = facts.machines_of_cell[cell]
    return {
        "cell": cell,
        "name": facts.instance.cell_names[cell],
        "area": facts.area_of_cell[cell],
        "committed": sim.committed(cell),
        "room": sim.room(cell),
        "machines_up": sum(org.up[machine] for machine in machines),
        "machines": len(machines),
        "mode": sim.mode(cell),
    }


def _area_row(org: Organisation, area: int) -> Row:
    sim, facts = org.sim, org.facts
    cap = sim.cap(area)
    return {
        "area": area,
        "name": facts.instance.area_names[area],
        "cells": len(facts.cells_of_area[area]),
        "committed": counts.area_committed(org, area),
        "machines_up": org.up_in_area[area],
        "machines": len(facts.machines_of_area[area]),
        "wip": sim.wip(area),
        "power": sim.power(area),
        "power_cap": cap if cap >= 0 else None,
    }


def _plant(org: Organisation, _: int) -> Row:
    from desbench.protocol.authority import PLANT_DIRECT

    sim, facts = org.sim, org.facts
    areas = [_area_row(org, area) for area in range(len(facts.areas))]
    top: Row = {"time": org.now / facts.unit, "power": sim.power(-1), "areas": areas}
    cap = facts.instance.plant_power_cap
    top["power_cap"] = cap if cap >= 0 else None
    if org.mode_of(-1).routing_authority_mode == PLANT_DIRECT:
        released = [job for job, tick in enumerate(facts.release) if tick <= org.now]
        unfinished = [job for job in released if sim.operation(job) < facts.length(job)]
        top["jobs"] = [_job_with_route(org, job) for job in unfinished]
        top["cells"] = [_cell_row(org, cell) for cell in range(len(facts.cells))]
        top["travel"] = [[ticks / facts.unit for ticks in row] for row in facts.travel]
    else:
        top["backlog"] = [_job(org, job) for job in sim.ready()]
    return top


def _area(org: Organisation, area: int) -> Row:
    cells = [_cell_row(org, cell) for cell in org.facts.cells_of_area[area]]
    return {"time": org.now / org.facts.unit, **_area_row(org, area), "cells": cells}


def _cell(org: Organisation, cell: int) -> Row:
    sim, facts, unit = org.sim, org.facts, org.facts.unit
    own = {job: by for job, (at, by) in org.promises.items() if at == cell}

    def queue(jobs: list[int]) -> list[Row]:
        return [_queued(org, job, cell, own.get(job)) for job in jobs]

    return {
        "time": org.now / unit,
        **_cell_row(org, cell),
        "machines": [_machine(org, machine) for machine in facts.machines_of_cell[cell]],
        "coming": queue(sim.coming(cell)),
        "gate": queue(sim.gate(cell)),
        "inbound": queue(sim.inbound(cell)),
        "outbound": [_job(org, job) for job in sim.outbound(cell)],
    }


def _queued(org: Organisation, job: int, cell: int, promise: int | None) -> Row:
    facts, unit = org.facts, org.facts.unit
    operation = org.sim.operation(job)
    eligible = facts.operation(job, operation)
    return {
        **_job(org, job),
        "family": facts.family[facts.offset[job] + operation],
        "nominal": eligible.nominal[cell] / unit if cell in eligible.nominal else None,
        "promise": promise / unit if promise is not None else None,
        "withdrawn": org.sim.assigned(job) != cell,
    }


def _machine(org: Organisation, machine: int) -> Row:
    facts, unit = org.facts, org.facts.unit
    state, job, family, since = org.sim.machine(machine)
    return {
        "machine": machine,
        "name": facts.instance.machine_names[machine],
        "state": state,
        "job": job if job >= 0 else None,
        "family": family if family >= 0 else None,
        "down_since": since / unit if since >= 0 else None,
        "mean_repair": facts.mean_repair[machine] / unit,
    }


ROLES = {"plant": _plant, "area": _area, "cell": _cell}
