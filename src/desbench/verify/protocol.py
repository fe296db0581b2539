"""Laws about agents: legal actions, authority, and messages that make sense."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from typing import Any, NamedTuple

from desbench.errors import InputError
from desbench.protocol import messages as say
from desbench.protocol.authority import (
    AREA_ROUTED,
    MEDIATED_CNP,
    PLANT_DIRECT,
    RESPONSIBILITY,
    AuthorityMode,
)
from desbench.protocol.decision import (
    AWARD,
    BID,
    BUDGET,
    COMMIT,
    DELEGATE,
    DISPATCH,
    FORCED,
    INTERVENE,
    MODE,
    MONITOR,
    NOTIFY,
    RELEASE,
    REROUTE,
    RESPOND,
    ROUTE_AREA,
    ROUTE_CELL,
    STALE,
    SUPERSEDED,
)
from desbench.trace.trace import Trace
from desbench.verify.case import NONE, Case, case_of, events_of
from desbench.verify.columns import law

PLANT, AREA, CELL = "plant", "area", "cell"
SUPERIORS = (PLANT, AREA)
#: By performative the roles of sender and receiver.
SPOKEN = {
    **dict.fromkeys((say.ASSIGN, say.REROUTE, say.CANCEL), (SUPERIORS, (CELL,))),
    **dict.fromkeys((say.CFP, say.ACCEPT_PROPOSAL, say.REJECT_PROPOSAL), (SUPERIORS, (CELL,))),
    **dict.fromkeys((say.ACCEPT, say.REJECT, say.FAILURE), ((CELL,), SUPERIORS)),
    **dict.fromkeys((say.PROPOSE, say.REFUSE), ((CELL,), SUPERIORS)),
    say.INFORM: ((PLANT, CELL), SUPERIORS),  # the plant of a cap
    say.DELEGATE: ((PLANT,), (AREA,)),
    say.ESCALATE: ((AREA,), (PLANT,)),
}


class Decision(NamedTuple):
    """A decision row."""

    row: int
    epoch: int
    time: int
    agent: str
    kind: str
    authority: str
    job: int
    operation: int
    action: int
    legal: tuple[int, ...]
    target: str
    source: str
    outcome: str

    def __str__(self) -> str:
        return f"decisions row {self.row} ({self.agent}, {self.kind}, epoch {self.epoch})"


class _Names:
    """Agents and machines of a case by the ids that rows use."""

    def __init__(self, trace: Trace, case: Case) -> None:
        self.case = case
        self.area = {f"area:{n}": a for a, n in enumerate(trace.texts("areas", "name"))}
        self.cell = {f"cell:{n}": c for c, n in enumerate(trace.texts("cells", "name"))}
        self.machine = {f"machine:{n}": m for m, n in enumerate(trace.texts("machines", "name"))}

    def role(self, agent: str) -> str:
        """Return plant, area or cell; empty for a stranger."""
        if agent in self.area:
            return AREA
        return CELL if agent in self.cell else PLANT * (agent == PLANT)

    def area_of(self, agent: str) -> int:
        """Return the area an area or cell belongs to."""
        if agent in self.area:
            return self.area[agent]
        return self.case.area_of_cell[self.cell[agent]]

    def eligible_cells(self, job: int, operation: int) -> set[int]:
        return {self.case.cell_of_machine[m] for m in self.case.eligible(job, operation)}


@lru_cache(maxsize=2)
def decisions_of(trace: Trace) -> list[Decision]:
    """Return the decision rows of a trace."""
    read: dict[str, Any] = {
        name: trace.ints("decisions", name).tolist()
        for name in ("epoch", "time", "job", "operation", "action")
    }
    for name in ("agent", "kind", "authority", "target", "source", "outcome"):
        read[name] = [text or "" for text in trace.texts("decisions", name)]
    read["legal"] = [tuple(row or ()) for row in trace.decisions.column("legal").to_pylist()]
    read["row"] = range(trace.decisions.num_rows)
    return [Decision(*row) for row in zip(*(read[n] for n in Decision._fields), strict=True)]


def actions_are_legal(trace: Trace) -> list[str]:
    """Every action is in its legal set; with one legal action it is forced, and only then."""
    broken = []
    for decision in decisions_of(trace):
        if decision.action not in decision.legal:
            broken.append(f"{decision}: action={decision.action} of {decision.legal}")
        if (decision.source == FORCED) != (len(decision.legal) == 1):
            broken.append(f"{decision}: source={decision.source}, legal={decision.legal}")
    return broken


@law
def agents_keep_their_authority(trace: Trace) -> list[str]:
    """Each agent decides what its mode lets its role decide, about its own cells and items."""
    names = _Names(trace, case_of(trace))
    modes: dict[str, AuthorityMode | None] = {}
    broken = []
    for decision in decisions_of(trace):
        if decision.authority not in modes:
            modes[decision.authority] = _mode(trace, decision.authority)
        mode = modes[decision.authority]
        if mode is None:
            broken.append(f"{decision}: authority={decision.authority} is unknown")
        elif names.role(decision.agent) not in _deciders(mode, names, decision):
            broken.append(f"{decision}: beyond its authority under {decision.authority}")
        elif fault := _scope(mode, names, decision):
            broken.append(f"{decision}: {fault}")
    return broken


def _mode(trace: Trace, name: str) -> AuthorityMode | None:
    """Return the mode that a row names: from the facts of the trace, or as known here."""
    told = trace.info.get("authority")
    known = {} if told is None else told.get("modes", {told["mode_id"]: told})
    if name in known:
        return AuthorityMode(**known[name])
    from desbench.paradigms import paradigm

    try:
        found = paradigm(name)
    except InputError:
        return None
    return found if isinstance(found, AuthorityMode) else None


def _deciders(mode: AuthorityMode, names: _Names, decision: Decision) -> set[str]:
    """Return the roles that may take a decision of this kind."""
    if mode.routing_authority_mode == RESPONSIBILITY:
        return _committed(mode).get(decision.kind, set())
    bids = mode.mediated_bid_round_enabled
    routing = mode.routing_authority_mode
    if (decision.kind in (BID, AWARD) and not bids) or (decision.kind == ROUTE_CELL and bids):
        return set()
    chooser = AREA if routing in AREA_ROUTED else PLANT
    if routing == MEDIATED_CNP:
        cells = names.eligible_cells(decision.job, decision.operation)
        chooser = AREA if len({names.case.area_of_cell[c] for c in cells}) == 1 else PLANT
    after_plant = mode.plant_reroute_required
    area_reroutes = mode.area_local_reroute_enabled or (after_plant and mode.by_area)
    is_order = not mode.may_reject and routing == PLANT_DIRECT and not bids
    allowed = {
        RELEASE: {PLANT},
        ROUTE_AREA: {PLANT} if mode.by_area else set(),
        ROUTE_CELL: {chooser},
        BID: {CELL},
        AWARD: {chooser},
        COMMIT: set() if is_order else {CELL},
        REROUTE: {role for role, may in ((AREA, area_reroutes), (PLANT, after_plant)) if may},
        DISPATCH: {CELL},
        BUDGET: {PLANT},
        MODE: {PLANT} if routing == PLANT_DIRECT else {CELL if routing == MEDIATED_CNP else AREA},
    }
    return allowed.get(decision.kind, set())


def _committed(mode: AuthorityMode) -> dict[str, set[str]]:
    """Return the deciders where agents commit themselves."""
    return {
        RELEASE: {PLANT},
        DELEGATE: {PLANT, AREA, CELL} if mode.recursive else {PLANT, AREA},
        RESPOND: {AREA, CELL},
        NOTIFY: {CELL},
        MONITOR: {AREA} if mode.monitor else set(),
        INTERVENE: {AREA} if mode.intervene else set(),
        DISPATCH: {CELL},
        MODE: {CELL},
        BUDGET: {PLANT},
    }


def _scope(mode: AuthorityMode, names: _Names, decision: Decision) -> str:
    """Say what is wrong with the target of a decision; empty if nothing is."""
    agent, kind, target = decision.agent, decision.kind, decision.target
    eligible = names.eligible_cells(decision.job, decision.operation)
    if kind in (BID, COMMIT, RESPOND) and agent in names.cell and names.cell[agent] not in eligible:
        return "the cell has no eligible machine"
    if kind == COMMIT and target == "reject" and not mode.may_reject:
        return "the cell may not refuse"
    if kind == DISPATCH and target in names.machine:
        machine = names.machine[target]
        if names.case.cell_of_machine[machine] != names.cell[agent]:
            return f"{target} is in another cell"
    if kind == MODE:
        target = target.rpartition(":")[0]
        eligible = set(names.cell.values())
    if target in names.cell:
        if names.cell[target] not in eligible:
            return f"{target} has no eligible machine"
        if agent != PLANT and names.area_of(target) != names.area_of(agent):
            return f"{target} is in another area"
        if agent in names.cell and target != agent and kind not in (DELEGATE, RESPOND):
            return f"{target} is another cell"
    if target in names.area and names.area[target] not in {
        names.case.area_of_cell[cell] for cell in eligible
    }:
        return f"{target} has no eligible machine"
    return ""


@law
def commands_follow_decisions(trace: Trace) -> list[str]:
    """Each dispatch, assignment, change of mode or caps was decided in its epoch, and the reverse.

    They happen at once, unless coordination takes time.
    """
    if not trace.decisions.num_rows:
        return []  # a shop driven without a protocol
    names = _Names(trace, case_of(trace))
    at_once = not case_of(trace).takes_time
    granted: Counter[tuple[Any, ...]] = Counter()
    ordered: Counter[tuple[Any, ...]] = Counter()
    for d in decisions_of(trace):
        if d.outcome in (SUPERSEDED, STALE):
            continue
        time = d.time * at_once
        if d.kind == DISPATCH and d.target in names.machine:
            granted[DISPATCH, d.epoch, time, d.job, names.machine[d.target]] += 1
        elif d.kind == MODE and ":" in d.target:
            cell, _, mode = d.target.rpartition(":")
            granted[MODE, d.epoch, time, names.cell.get(cell, NONE), mode] += 1
        elif d.kind == BUDGET and d.target != "keep":
            granted[BUDGET, d.epoch, time] += 1
        elif d.kind in (COMMIT, RESPOND) and d.target == "accept":
            granted["assign", d.epoch, time, d.job, names.cell.get(d.agent, NONE)] += 1
        elif d.kind == RESPOND and d.target in names.cell:
            granted["assign", d.epoch, time, d.job, names.cell[d.target]] += 1
        elif d.kind in (ROUTE_CELL, REROUTE) and d.target in names.cell:
            ordered["assign", d.epoch, time, d.job, names.cell[d.target]] += 1
    found: Counter[tuple[Any, ...]] = Counter()
    for e in events_of(trace):
        time = e.time * at_once
        if e.kind == "dispatch":
            found[DISPATCH, e.epoch, time, e.job, e.machine] += 1
        elif e.kind == "mode" and e.epoch != NONE:
            found[MODE, e.epoch, time, e.cell, e.cause or ""] += 1
        elif e.kind == "cap":
            found[BUDGET, e.epoch, time] = 1  # the one answer moves several caps
        elif e.kind == "assign":
            found["assign", e.epoch, time, e.job, e.cell] += 1
    # An order to a cell that must obey needs no acceptance; one that may refuse gives its own.
    return [f"{row} has no decision" for row in found - granted - ordered] + [
        f"{row} was decided, but not done" for row in granted - found
    ]


@law
def messages_have_their_roles(trace: Trace) -> list[str]:
    """Sender and receiver exist, have the roles of the word, and areas speak to their own cells."""
    names = _Names(trace, case_of(trace))
    spoken = (trace.texts("messages", n) for n in ("sender", "receiver", "performative"))
    about = trace.ints("messages", "commitment").tolist()
    broken = []
    for row, (sender, receiver, word) in enumerate(zip(*spoken, strict=True)):
        if about[row] != NONE:
            continue  # its parties are those of the commitment, which has laws of its own
        senders, receivers = SPOKEN.get(word or "", ((), ()))
        sender, receiver = sender or "", receiver or ""
        told = f"messages row {row} ({word} from {sender} to {receiver})"
        if names.role(sender) not in senders or names.role(receiver) not in receivers:
            broken.append(f"{told}: such a message does not exist")
        elif PLANT not in (sender, receiver) and names.area_of(sender) != names.area_of(receiver):
            broken.append(f"{told}: they belong to different areas")
    return broken


@law
def calls_are_answered(trace: Trace) -> list[str]:
    """In a contract net each call gets one bid or refusal, and each bid one answer.

    Where coordination takes time the episode may end before.
    """
    conversations = trace.ints("messages", "conversation").tolist()
    spoken = (trace.texts("messages", n) for n in ("sender", "receiver", "performative"))
    count: Counter[tuple[int, str | None, str | None]] = Counter()
    called = set()
    last = dict(zip(conversations, trace.ints("messages", "time").tolist(), strict=True))
    longest = _longest_wait(case_of(trace))
    for conversation, sender, receiver, word in zip(conversations, *spoken, strict=True):
        cell = sender if (sender or "").startswith("cell:") else receiver
        count[conversation, cell, word] += 1
        if word == say.CFP:
            called.add((conversation, cell))
    broken = []
    for conversation, cell in sorted(called, key=str):
        if longest and last[conversation] + longest >= trace.end:
            continue  # under way
        said = {word: count[conversation, cell, word] for word in SPOKEN}
        answers = said[say.PROPOSE] + said[say.REFUSE]
        verdicts = said[say.ACCEPT_PROPOSAL] + said[say.REJECT_PROPOSAL]
        results = said[say.INFORM] + said[say.FAILURE]
        if (said[say.CFP], said[say.PROPOSE], said[say.ACCEPT_PROPOSAL]) != (
            answers,
            verdicts,
            results,
        ):
            broken.append(f"conversation {conversation} with {cell}: {said}")
    return broken


def _longest_wait(case: Case) -> float:
    """Return how long nothing may be said in a conversation that goes on."""
    coordination = case.coordination
    if coordination.is_measured:
        return math.inf
    deadline = max(0, coordination.deadline)
    return coordination.message_delay + case.delay + max(*coordination[1:4], deadline)
