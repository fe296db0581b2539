"""Payload: what one agent is shown, as plain dicts. The fields stand in `fields.py`.

A view is a snapshot: options and context are built when the epoch opens, the observation when it
is first read, which must be while the epoch is open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from desbench.protocol import counts
from desbench.protocol.budget import present, shared
from desbench.protocol.decision import (
    ACCEPT,
    AWARD,
    BID,
    BIDS,
    BUDGET,
    COMMIT,
    DELEGATE,
    DISPATCH,
    INTERVENE,
    LOAD,
    MODE,
    MONITOR,
    NOTIFY,
    RELEASE,
    REPLACE,
    REROUTE,
    RESPOND,
    REVISE,
    ROUTE_AREA,
    ROUTE_CELL,
    UNIFORM,
    Activation,
    Agent,
    action_mask,
)
from desbench.protocol.failures import elsewhere, later_date
from desbench.protocol.fields import FIELDS, factors
from desbench.protocol.observation import Observation
from desbench.protocol.ranking import RANKS, phases

if TYPE_CHECKING:
    from desbench.protocol.organisation import Organisation

Option = dict[str, Any]
BUSY = ("setup", "processing")


class View(dict[str, Any]):
    """A view; `features` and `feature_names` are built when read, and are no keys of it."""

    def __missing__(self, key: str) -> Any:
        if key == "feature_names":
            return [*FIELDS[self["kind"]], "decline"]
        if key == "features":
            return _features(self)
        raise KeyError(key)


def _features(view: View) -> Any:
    """Numbers of the options as float32 [K + 1, F]; text and null count 0; last row = decline."""
    import numpy as np

    names = view["feature_names"]
    table = np.zeros((len(view["action_mask"]), len(names)), dtype=np.float32)
    for option in view["options"]:
        values = (option.get(name) for name in names)
        table[option["action"]] = [v if isinstance(v, int | float) else 0 for v in values]
    table[-1, -1] = view["action_mask"][-1]
    return table


def view(org: Organisation, ask: Activation) -> View:
    """Return what the agent of an activation is shown."""
    agent, kind, decline, slot, news = ask.agent, ask.kind, ask.decline, ask.slot, org.news
    options = OPTIONS[kind](org, ask)
    context: dict[str, Any] = {
        "item": item(org, ask.job) if ask.job >= 0 else None,
        "recent_events": news.events(agent),
        "feedback": news.outcomes(agent),
        "working_memory": "",
    }
    if kind in CONTEXT:
        CONTEXT[kind](org, ask, context)
    return View(
        agent=agent.id,
        role=agent.role,
        kind=kind,
        legal_actions=[*ask.legal],
        action_mask=[*action_mask(len(ask.candidates), slot, decline != "")],
        decision_factors=[*factors(kind, decline, slot)],
        options=options,
        not_offered=ask.not_offered,
        context=context,
        observation=Observation(org, agent),
    )


def item(org: Organisation, job: int) -> dict[str, Any]:
    """Return the item of an activation: job, operation, due date, slack, operations left."""
    facts = org.facts
    operation, unit, due = org.sim.operation(job), facts.unit, facts.due[job]
    return {
        "job": job,
        "operation": operation,
        "due": due / unit if due >= 0 else None,
        "slack": (due - org.now - facts.rest(job, operation)) / unit if due >= 0 else None,
        "remaining_operations": facts.length(job) - operation,
    }


def _release(org: Organisation, ask: Activation) -> list[Option]:
    facts, unit = org.facts, org.facts.unit
    options = []
    for action, job in enumerate(ask.candidates):
        option: Option = {"action": action, "target": facts.job_ids[job], **item(org, job)}
        option["remaining_work"] = facts.rest(job, option["operation"]) / unit
        option["release"] = facts.release[job] / unit
        option["weight"] = facts.weight[job]
        options.append(option)
    return options


def cell_counts(org: Organisation, job: int, agents: list[Agent]) -> list[Option]:
    """Return cells as options, with their counts as far as they concern an item."""
    sim, unit, is_up = org.sim, org.facts.unit, org.up
    facts = org.eligible(job)
    assigned = sim.assigned(job)
    row = org.facts.travel[sim.place(job)[1] + 1]
    rows = []
    for action, agent in enumerate(agents):
        cell = agent.number
        machines = facts.machines_of_cell[cell]
        up = sum([is_up[machine] for machine, _ in machines])
        rows.append(
            {
                "action": action,
                "target": agent.id,
                "room": sim.room(cell, job),
                "committed": sim.committed(cell) - (assigned == cell),
                "machines_up": up,
                "machines": len(machines),
                "repair": 0.0 if up else counts.repair(org, machines) / unit,
                "nominal": facts.nominal[cell] / unit,
                "travel": row[cell + 1] / unit,
                "mode": sim.mode(cell),
            }
        )
    return rows


def area_sums(org: Organisation, job: int, agents: list[Agent]) -> list[Option]:
    """Return areas as options, with their sums as far as they concern an item; no room."""
    sim, facts, unit = org.sim, org.facts, org.facts.unit
    eligible = org.eligible(job)
    row = facts.travel[sim.place(job)[1] + 1]
    rows = []
    for action, agent in enumerate(agents):
        area = agent.number
        cells, cap = eligible.cells_of_area[area], sim.cap(area)
        rows.append(
            {
                "action": action,
                "target": agent.id,
                "eligible_cells": len(cells),
                "cells": len(facts.cells_of_area[area]),
                "committed": counts.area_committed(org, area),
                "machines_up": org.up_in_area[area],
                "machines": len(facts.machines_of_area[area]),
                "nominal": min([eligible.nominal[cell] for cell in cells]) / unit,
                "travel": min([row[cell + 1] for cell in cells]) / unit,
                "wip": sim.wip(area),
                "power": sim.power(area),
                "power_cap": cap if cap >= 0 else None,
            }
        )
    return rows


def _places(org: Organisation, ask: Activation) -> list[Option]:
    """Cells, or areas; after the cells of a reroute perhaps the plant."""
    agents = ask.candidates
    if not agents:
        return []
    if agents[0].role == "area":
        return area_sums(org, ask.job, agents)
    if agents[-1].role == "cell":
        return cell_counts(org, ask.job, agents)
    escalation = {"action": len(agents) - 1, "target": agents[-1].id}
    return [*cell_counts(org, ask.job, agents[:-1]), escalation]


def _bid(org: Organisation, ask: Activation) -> list[Option]:
    now, unit = org.now, org.facts.unit
    return [
        {
            "action": action,
            "target": BIDS[action],
            "promise": (now + duration) / unit,
            "duration": duration / unit,
        }
        for action, duration in enumerate(ask.extra)
    ]


def _award(org: Organisation, ask: Activation) -> list[Option]:
    now, unit, cells = org.now, org.facts.unit, org.facts.cells
    row = org.facts.travel[org.sim.place(ask.job)[1] + 1]
    return [
        {
            "action": action,
            "target": cells[cell].id,
            "promise": promise / unit,
            "duration": (promise - now) / unit,
            "travel": row[cell + 1] / unit,
        }
        for action, (promise, cell) in enumerate(ask.candidates)
    ]


def _commit(org: Organisation, ask: Activation) -> list[Option]:
    promise, unit = ask.extra, org.facts.unit
    given = promise >= 0
    (option,) = cell_counts(org, ask.job, [ask.agent])
    option["target"] = ACCEPT
    option["promise"] = promise / unit if given else None
    option["duration"] = (promise - org.now) / unit if given else None
    return [option]


def _dispatch(org: Organisation, ask: Activation) -> list[Option]:
    facts, unit = org.facts, org.facts.unit
    position = {job: place for place, job in enumerate(org.sim.inbound(ask.agent.number))}
    options = []
    for action, (machine, job) in enumerate(ask.candidates):
        setup, nominal = phases(org, machine, job)
        target = facts.machine_ids[machine]
        option: Option = {"action": action, "target": target, **item(org, job)}
        option["remaining_work"] = facts.rest(job, option["operation"]) / unit
        option["weight"] = facts.weight[job]
        option["machine"] = machine
        option["setup"] = setup / unit
        option["nominal"] = nominal / unit
        option["length"] = (setup + nominal) / unit
        option["position"] = position[job]
        options.append(option)
    return options


def busy(org: Organisation, cell: int) -> int:
    """Return how many machines of a cell are in setup or processing."""
    machines = org.facts.machines_of_cell[cell]
    return sum([org.sim.machine(machine)[0] in BUSY for machine in machines])


def _mode(org: Organisation, ask: Activation) -> list[Option]:
    sim = org.sim
    return [
        {
            "action": action,
            "target": org.target(ask, (cell, mode)),
            "cell": cell,
            "mode": mode,
            "present": sim.mode(cell),
            "busy": busy(org, cell),
            "committed": sim.committed(cell),
        }
        for action, (cell, mode) in enumerate(ask.candidates)
    ]


def _respond(org: Organisation, ask: Activation) -> list[Option]:
    """Promises of the cell that is asked; to the delegator the counter of a cell."""
    unit = org.facts.unit
    options = []
    for action, (word, promise) in enumerate(ask.candidates):
        cell = ask.agent if ask.agent.role == "cell" else None
        if cell is None or word in org.facts.cell_of_id:
            cell = org.facts.cell_of_id[word]
        (option,) = cell_counts(org, ask.job, [cell])
        option.update(action=action, target=word, promise=promise / unit)
        option.update(duration=(promise - org.now) / unit, left=ask.extra)
        options.append(option)
    return options


def _failure(org: Organisation, ask: Activation) -> list[Option]:
    """What can be done about a failure, each with the counts of the cell it would stay with."""
    cell, unit = ask.extra[1], org.facts.unit
    options = []
    for action, word in enumerate(ask.candidates):
        place = cell
        if word == REPLACE:
            place = min(elsewhere(org, ask.job), key=RANKS[DELEGATE](org, ask.job))
        (option,) = cell_counts(org, ask.job, [place])
        option.update(action=action, target=word)
        if ask.kind == INTERVENE:
            revised = word == REVISE
            option["promise"] = later_date(org, ask.job) / unit if revised else None
        options.append(option)
    return options


def _failure_context(org: Organisation, ask: Activation, context: dict[str, Any]) -> None:
    cause, cell = ask.extra
    (here,) = cell_counts(org, ask.job, [cell])
    del here["action"]
    promised = org.promised(ask.job)
    by = None if promised is None else promised / org.facts.unit
    context["signal"] = {"cause": cause, "promise": by}
    context["here"] = here


def _reroute_context(org: Organisation, ask: Activation, context: dict[str, Any]) -> None:
    if ask.extra is None:
        return
    (here,) = cell_counts(org, ask.job, [ask.extra])
    del here["action"]
    if ask.agent.role == "plant" and org.mode_of(ask.job).by_area:
        for hidden in ("room", "committed", "mode"):  # a plant that routes by area is not told
            del here[hidden]
    context["here"] = here


def _mode_context(org: Organisation, ask: Activation, context: dict[str, Any]) -> None:
    area = ask.extra
    context["alarm"] = {
        "target": org.facts.areas[area].id,
        "power": org.sim.power(area),
        "power_cap": org.sim.cap(area),
    }


def _budget(org: Organisation, ask: Activation) -> list[Option]:
    now = present(org)
    return [
        {
            "action": action,
            "target": word,
            "changed": sum(caps[area] != now[area] for area in now),
            "moved": sum(max(0, caps[area] - now[area]) for area in now),
            "excess": _excess(org, caps),
        }
        for action, (word, caps) in enumerate(ask.extra.items())
    ]


def _excess(org: Organisation, caps: dict[int, int]) -> int:
    return sum(max(0, org.sim.power(area) - cap) for area, cap in caps.items())


def _budget_context(org: Organisation, _: Activation, context: dict[str, Any]) -> None:
    now = present(org)
    shares = {word: shared(org, now, word) for word in (LOAD, UNIFORM)}
    context["excess"] = _excess(org, now)
    context["areas"] = [
        {
            "target": org.facts.areas[area].id,
            "committed": counts.area_committed(org, area),
            "power": org.sim.power(area),
            "power_cap": cap,
            **{word: caps[area] for word, caps in shares.items()},
        }
        for area, cap in now.items()
    ]


OPTIONS: dict[str, Callable[[Organisation, Activation], list[Option]]] = {
    RELEASE: _release,
    ROUTE_AREA: _places,
    ROUTE_CELL: _places,
    BID: _bid,
    AWARD: _award,
    COMMIT: _commit,
    REROUTE: _places,
    DISPATCH: _dispatch,
    MODE: _mode,
    DELEGATE: _places,
    RESPOND: _respond,
    NOTIFY: _failure,
    MONITOR: _failure,
    INTERVENE: _failure,
    BUDGET: _budget,
}
#: What the context of a kind shows besides the item: the place an item is stranded in, the alarm,
#: the caps.
CONTEXT: dict[str, Callable[[Organisation, Activation, dict[str, Any]], None]] = {
    REROUTE: _reroute_context,
    DELEGATE: _reroute_context,
    NOTIFY: _failure_context,
    MONITOR: _failure_context,
    INTERVENE: _failure_context,
    MODE: _mode_context,
    BUDGET: _budget_context,
}
