"""Activation: one agent asked one thing. No engine, no instance, no rule."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, Literal, NamedTuple

Role = Literal["plant", "area", "cell"]

RELEASE: Final = "release"
ROUTE_AREA: Final = "route_area"
ROUTE_CELL: Final = "route_cell"
BID: Final = "bid"
AWARD: Final = "award"
COMMIT: Final = "commit"
REROUTE: Final = "reroute"
DISPATCH: Final = "dispatch"
MODE: Final = "mode"
DELEGATE: Final = "delegate"
RESPOND: Final = "respond"
NOTIFY: Final = "notify"
MONITOR: Final = "monitor"
INTERVENE: Final = "intervene"
BUDGET: Final = "budget"
KINDS: Final = (
    *(RELEASE, ROUTE_AREA, ROUTE_CELL, BID, AWARD, COMMIT, REROUTE, DISPATCH, MODE),
    *(DELEGATE, RESPOND, NOTIFY, MONITOR, INTERVENE, BUDGET),
)

#: What each decline does; the word is the `target` of the row when it is chosen.
DECLINES: Final = {
    "hold": "release none of these items now",
    "defer": "place this item later",
    "escalate": "hand this item to the plant",
    "no bid": "make no promise",
    "none": "take none of the bids",
    "reject": "refuse the item",
    "keep": "leave everything as it is",
    "wait": "start nothing now, another item is on its way",
    "silent": "tell nobody",
    "trust": "do not ask",
    "stand": "let the commitment stand as it is",
}

LOAD: Final = "load"  #: of a budget: caps by the commitments of the areas
UNIFORM: Final = "uniform"
BIDS: Final = ("optimistic", "expected", "cautious")
ACCEPT: Final = "accept"
COUNTER: Final = "counter"  #: of a respond: my own promise, cautious
AGREE: Final = "agree"  #: of a respond: to a later promise of what was accepted before
INFORM: Final = "inform"
PROBE: Final = "probe"
REVISE: Final = "revise"
REPLACE: Final = "replace"
TERMINATE: Final = "terminate"
MIN_OPTIONS: Final = len(BIDS)  #: a view has at least this many option slots

FORCED: Final = "forced"
EXTERNAL: Final = "external"
FALLBACK: Final = "fallback"
OK: Final = "ok"
ILLEGAL: Final = "illegal"
WRONG_TYPE: Final = "wrong_type"
EMPTY: Final = "empty"
SUPERSEDED: Final = "superseded"  #: the shop does not accept it any more
STALE: Final = "stale"  #: the same, of an answer that took time to arrive
LATE: Final = "late"  #: the agent was silent, or its bid came after the deadline
LOST: Final = "lost"  #: a message on the way to the agent, or its answer


class Agent(NamedTuple):
    """Who may be asked: the plant, an area or a cell."""

    id: str
    role: Role
    number: int  #: of the area or cell; -1 for the plant


class Note(NamedTuple):
    """How an answer came about, as a runner may report it beside its actions."""

    source: str
    outcome: str = OK
    attempts: int = 1
    latency_s: float = 0.0  #: what the controller took, charged if the case says `measured`

    def as_given(self) -> Note:
        """The note as it came with the answer: what became of that is found again by itself."""
        is_found = self.outcome in (SUPERSEDED, STALE)
        is_found |= self.outcome == LATE and self.source != FALLBACK
        return self._replace(outcome=OK) if is_found else self


class Activation:
    """One agent asked one thing: its options, and after the epoch its answer.

    Options are the slots 0 .. len(candidates) - 1; `slot` (K) is the decline, legal if `decline`
    names one.
    """

    __slots__ = (
        "action",
        "agent",
        "attempts",
        "candidates",
        "decline",
        "delay",
        "extra",
        "job",
        "kind",
        "latency_s",
        "legal",
        "not_offered",
        "operation",
        "outcome",
        "row",
        "slot",
        "source",
        "time",
    )

    def __init__(
        self,
        kind: str,
        agent: Agent,
        job: int,
        operation: int,
        candidates: list[Any],
        decline: str,
        slot: int,
    ) -> None:
        self.kind = kind
        self.agent = agent
        self.job = job  #: -1 where no single item is concerned
        self.operation = operation
        self.candidates = candidates
        self.decline = decline  #: "" = not legal
        self.slot = slot
        #: legal actions, ascending
        self.legal = legal_actions(len(candidates), slot, decline != "")
        self.extra: Any = None  #: what the view of this kind shows besides
        self.not_offered = 0
        self.action = -1
        self.source = ""
        self.outcome = OK
        self.attempts = 0
        self.latency_s = 0.0
        self.delay = 0  #: by which a fault delays the answer
        self.time = -1  #: when the agent is asked
        self.row = -1  #: where the answer is on record

    @property
    def declined(self) -> bool:
        """Whether the answer is the decline."""
        return self.action == self.slot

    @property
    def choice(self) -> Any:
        """The candidate chosen; only after an answer that is no decline."""
        return self.candidates[self.action]

    def answer(self, action: int, note: Note) -> None:
        """Write down a legal action and how it came about."""
        self.action = action
        self.source, self.outcome, self.attempts, self.latency_s = note

    def force(self) -> None:
        """Take the only legal action."""
        self.action = self.legal[0]
        self.source = FORCED


@cache
def legal_actions(options: int, slot: int, decline: bool) -> tuple[int, ...]:
    """Return the legal actions of an activation with so many options."""
    return (*range(options), slot) if decline else tuple(range(options))


@cache
def action_mask(options: int, slot: int, decline: bool) -> tuple[int, ...]:
    """Return the mask over the slots 0 .. K: 1 = legal."""
    return (1,) * options + (0,) * (slot - options) + (int(decline),)
