"""Conversations: a step that waits sleeps on a wake of the shop, and the plant goes on.

Where nothing takes time no step ever pauses, and a conversation is the step it plays.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from desbench.protocol.decision import BID, LATE, STALE, Activation

if TYPE_CHECKING:
    from desbench.protocol.authority import AuthorityMode
    from desbench.protocol.organisation import Organisation

T = TypeVar("T")


class Pause(NamedTuple):
    """What a step yields to go on later."""

    ticks: int  #: > 0


Step = Generator[list[Activation] | Pause, None, T]
Epochs = Generator[list[Activation], None, T]  #: a step whose pauses are kept


class Conversation:
    """One step with what it holds: its items, cells and areas are in hand while it sleeps."""

    __slots__ = ("areas", "asks", "cells", "epoch", "is_over", "items", "mode", "number", "step")

    def __init__(self, step: Step[bool] | None = None) -> None:
        self.step = step
        self.number = 0  #: in the episode, from 1; 0 = it has told and waited for nothing yet
        self.epoch = 0  #: the last one it asked in; its later rows belong to that
        self.asks: list[Activation] = []  #: of that epoch
        self.mode: AuthorityMode | None = None  #: in force for its items
        self.items: set[int] = set()
        self.cells: set[int] = set()
        self.areas: set[int] = set()  #: whose mode, or (-1) whose caps, it is about
        #: whether what it is about has gone, looked at when it wakes
        self.is_over: Callable[[], bool] | None = None


class Conversations:
    """The one that speaks now, and those that sleep."""

    def __init__(self) -> None:
        self.count = 0  #: numbers given so far
        self.nobody = Conversation()
        self.present = self.nobody
        self.woken: deque[int] = deque()
        self._asleep: dict[int, Conversation] = {}
        self.items: set[int] = set()  #: in hand
        self.cells: set[int] = set()
        self.areas: set[int] = set()

    def number(self) -> int:
        """Return the number of the present conversation, which gets one if it has none."""
        if not self.present.number:
            self.count += 1
            self.present.number = self.count
        return self.present.number

    def about(self, job: int) -> Conversation | None:
        """Return the conversation an item is in, if there is one."""
        if job in self.present.items:
            return self.present
        if job not in self.items:
            return None
        return next(talk for talk in self._asleep.values() if job in talk.items)

    def lay_down(self, talk: Conversation) -> None:
        """Let a conversation sleep."""
        self._asleep[talk.number] = talk
        self.items |= talk.items
        self.cells |= talk.cells
        self.areas |= talk.areas

    def take_up(self) -> Conversation:
        """Return the next one that was woken; it holds what it has in hand by itself now."""
        talk = self._asleep.pop(self.woken.popleft())
        self.items -= talk.items
        self.cells -= talk.cells
        self.areas -= talk.areas
        talk.cells.clear()
        talk.areas.clear()
        return talk

    def all_asleep(self) -> list[Conversation]:
        """Return those that sleep, by number."""
        return [self._asleep[number] for number in sorted(self._asleep)]


def converse(org: Organisation, talk: Conversation) -> Epochs[bool]:
    """Let a conversation go on until it ends or sleeps. True if the shop changed."""
    assert talk.step is not None
    talks = org.talks
    while True:
        talks.present = talk
        org.turn_to(talk.epoch)
        try:
            said = next(talk.step)
        except StopIteration as end:
            changed: bool = end.value
            break
        if isinstance(said, Pause):
            org.sim.wake(talks.number(), org.now + said.ticks)
            talks.lay_down(talk)
            changed = False
            break
        talk.asks = said
        yield said
        talk.epoch = org.epoch
    talks.present = talks.nobody
    org.turn_to(0)
    return changed


def resume(org: Organisation) -> Epochs[bool]:
    """Go on with a conversation that was woken; one whose item has gone ends here, stale."""
    talk = org.talks.take_up()
    if talk.is_over is not None and talk.is_over():
        _break_off(org, talk, STALE)
        return False
    return (yield from converse(org, talk))


def break_off_all(org: Organisation) -> None:
    """At the end of the episode no answer that is under way arrives any more."""
    for talk in org.talks.all_asleep():
        _break_off(org, talk, "end")


def _break_off(org: Organisation, talk: Conversation, cause: str) -> None:
    assert talk.step is not None
    org.talks.present = talk
    for ask in talk.asks:
        if (ask.kind, ask.outcome) != (BID, LATE):
            org.close(ask, STALE)
    if org.ledger is not None:
        for job in sorted(talk.items):
            org.ledger.take_back(job, cause)
    org.talks.present = org.talks.nobody
    talk.step.close()
