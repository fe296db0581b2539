"""Absence: agents that do not answer, or not yet: silent ones, messages lost or delayed.

The one place that says which answers a lost or delayed message takes away (`docs/faults.md`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from desbench.instances.draw import Streams
from desbench.instances.jobs import Clock
from desbench.protocol.decision import (
    BID,
    COMMIT,
    DELEGATE,
    LATE,
    LOST,
    MONITOR,
    NOTIFY,
    REROUTE,
    RESPOND,
    ROUTE_CELL,
    Activation,
    Agent,
)

if TYPE_CHECKING:
    from desbench.instances.faults import Faults
    from desbench.instances.instance import Instance

#: Decisions that a message asks for or carries: without it the asker hears nothing, and when its
#: deadline passes, goes on as after the decline.
BY_MESSAGE: Final = {BID, COMMIT, RESPOND, REROUTE, NOTIFY, MONITOR}
#: The same for what the plant passed on to an area, which may hand it back.
AREA_BY_MESSAGE: Final = {ROUTE_CELL, DELEGATE}


class Absence:
    """Who does not answer in an episode. Number k of an agent's chances is its exchange k."""

    def __init__(self, instance: Instance, faults: Faults | None) -> None:
        clock = Clock(instance.ticks_per_unit)
        self._lost = faults.messages.lost if faults else 0.0
        self._delayed = faults.messages.delayed if faults else 0.0
        self._delay = clock.ticks(faults.messages.delay, "delay") if faults else 0
        self._streams = Streams(instance.case, faults.messages.seed if faults else 0)
        #: Whether anybody may be silent, or out of reach, at any time.
        self.is_possible = bool(faults and (faults.silent or self._lost or self._delayed))
        self._chance: dict[tuple[str, str], Iterator[float]] = {}
        self._silent: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for one in faults.silent if faults else ():
            span = clock.ticks(one.start, "silent"), clock.ticks(one.until, "silent")
            self._silent[one.agent].append(span)

    def outcome(self, ask: Activation, now: int) -> str:
        """Return why an agent does not answer: late or lost, empty if it does, delayed or not."""
        if self._is_sent(ask):
            is_lost, ask.delay = self.exchange(ask.agent)
            if is_lost:
                return LOST
        spans = self._silent.get(ask.agent.id, ())
        return LATE if any(start <= now < end for start, end in spans) else ""

    def exchange(self, agent: Agent) -> tuple[bool, int]:
        """Return whether the next message to an agent, or its answer, is lost, and its delay."""
        is_lost = self._happens("lost message", agent, self._lost)
        is_delayed = self._happens("delayed message", agent, self._delayed)
        return is_lost, self._delay * is_delayed

    def _happens(self, what: str, agent: Agent, share: float) -> bool:
        if not share:
            return False
        if (what, agent.id) not in self._chance:
            self._chance[what, agent.id] = self._streams.endless(what, agent.id)
        return next(self._chance[what, agent.id]) < share

    @staticmethod
    def _is_sent(ask: Activation) -> bool:
        by_area = ask.kind in AREA_BY_MESSAGE and ask.decline == "escalate"
        return bool(ask.decline) and (ask.kind in BY_MESSAGE or by_area)
