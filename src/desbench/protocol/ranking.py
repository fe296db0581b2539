"""Ranking: which options are offered when there are more than slots, best first.

Only the selection follows these keys; what is offered stays in its natural order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from desbench.protocol.counts import area_estimate, cell_estimate
from desbench.protocol.decision import (
    AWARD,
    DELEGATE,
    DISPATCH,
    MODE,
    RELEASE,
    REROUTE,
    ROUTE_AREA,
    ROUTE_CELL,
    Agent,
)

if TYPE_CHECKING:
    from desbench.protocol.organisation import Organisation

Key = Callable[[Any], Any]
MODE_ORDER = ("eco", "pause", "normal")


def _release(org: Organisation, _: int) -> Key:
    return lambda job: org.facts.urgency(job, org.sim.operation(job))


def _place(org: Organisation, job: int) -> Key:
    def key(agent: Agent) -> float:
        estimate = area_estimate if agent.role == "area" else cell_estimate
        return estimate(org, job, agent.number)

    return key


def _award(_: Organisation, __: int) -> Key:
    return lambda bid: bid


def _dispatch(org: Organisation, _: int) -> Key:
    return lambda pair: sum(phases(org, *pair))


def _mode(org: Organisation, _: int) -> Key:
    return lambda option: (MODE_ORDER.index(option[1]), -org.sim.committed(option[0]))


RANKS: dict[str, Callable[[Organisation, int], Key]] = {
    RELEASE: _release,
    ROUTE_AREA: _place,
    ROUTE_CELL: _place,
    DELEGATE: _place,
    REROUTE: _place,
    AWARD: _award,
    DISPATCH: _dispatch,
    MODE: _mode,
}


def phases(org: Organisation, machine: int, job: int) -> tuple[int, int]:
    """Return setup and nominal ticks of an item on a machine, from its present family."""
    facts = org.facts
    operation = org.sim.operation(job)
    family = facts.family[facts.offset[job] + operation]
    setup = facts.setup(machine, org.sim.machine(machine)[2], family)
    cell = facts.cell_of_machine[machine]
    for eligible, nominal in facts.operation(job, operation).machines_of_cell[cell]:
        if eligible == machine:
            return setup, nominal
    raise AssertionError(f"machine {machine} is not eligible for job {job}")
