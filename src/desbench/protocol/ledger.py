"""Ledger: the commitments of an episode, one book for all agents, and a row for each message.

The book itself is the library `desbench.paradigms.responsibility`; this file says what the plant
does with it: which item a commitment is about, what counts as evidence, what is written down.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from desbench.paradigms.responsibility import (
    Authority,
    Commitment,
    CommitmentGraph,
    Entry,
    Evidence,
    Outcome,
    RcpMessage,
    Terms,
    about,
    request,
)
from desbench.paradigms.responsibility import protocol as rcp
from desbench.paradigms.responsibility.commitment import PROPOSED
from desbench.paradigms.responsibility.record import to_json
from desbench.protocol.decision import Agent

if TYPE_CHECKING:
    from desbench.protocol.organisation import Organisation

DEPTH: Final = 2  #: levels of cells that may follow below the cell an area asked


@dataclass
class Signal:
    """A failure of what an item was promised, until it is answered."""

    job: int
    operation: int
    cause: str  #: breakdown, stranded or late
    stage: str
    is_told: bool = False  #: whether the delegator knows


class Ledger:
    """The book of an episode, and which of its commitments are open for each item."""

    def __init__(self, org: Organisation) -> None:
        self._org = org
        self._seen: set[str] = set()
        self.book = CommitmentGraph(genuine=lambda piece: piece.ref in self._seen)
        self.held: dict[int, list[str]] = {}  #: job -> open commitments, the upper one first
        self.signals: dict[int, Signal] = {}
        self.late: set[tuple[str, int]] = set()  #: promises whose passing was noticed, by version
        self._item: dict[str, tuple[int, int]] = {}  #: commitment -> (job, operation)
        self._closes: dict[str, int] = {}  #: when what is on the table expires; -1 = never
        self._agents = {agent.id: agent for agent in (org.facts.plant, *org.facts.areas)}
        self._agents |= {agent.id: agent for agent in org.facts.cells}
        self._messages = 0
        self._written = 0
        self._time = -1  #: of the next rows; -1 = the present instant

    def agent(self, name: str) -> Agent:
        """Return an agent by its id."""
        return self._agents[name]

    def lowest(self, job: int) -> Commitment:
        """Return the commitment of the cell that has the item."""
        return self.book[self.held[job][-1]]

    def holders(self, job: int) -> list[Agent]:
        """Return the cells that have accepted an item: the one the area asked, then teammates."""
        names = self.held[job][self.level(job) :]
        return [self._agents[self.book[name].delegatee] for name in names]

    def level(self, job: int) -> int:
        """Return the level of the cell that an area asked: 0 where nobody had asked that area."""
        return int(self._agents[self.book[self.held[job][0]].delegatee].role == "area")

    def area(self, job: int) -> Agent:
        """Return the area that answers for an item: the one that asked its cell."""
        return self._agents[self.book[self.held[job][self.level(job)]].delegator]

    # saying

    def request(
        self,
        job: int,
        delegator: Agent,
        delegatee: Agent,
        by: int | None,
        parent: Commitment | None = None,
        replaces: str | None = None,
    ) -> str:
        """Ask for the current operation of an item; returns the id of the new commitment."""
        org = self._org
        name = f"c{len(self._item)}"
        self._item[name] = item = (job, org.sim.operation(job))
        is_upper = delegatee.role == "area"
        above = parent.authority.delegations if parent is not None else None
        authority = Authority(
            terminators=(delegatee.id,) if is_upper else (),
            delegations=DEPTH + is_upper if above is None else above - 1,
        )
        terms = Terms(Outcome(what_of(*item), by), None, authority)
        parties = (delegator.id, delegatee.id)
        message = request(
            self._next_id(),
            name,
            parties,
            terms,
            conversation="" if parent is not None else f"k{org.conversation}",
            parent=parent,
            replaces=replaces,
        )
        self._apply(message, is_forced=False)
        # What serves a request that still waits has no more time than that.
        serves = parent is not None and self.waits(parent.id)
        self._closes[name] = self._closes[parent.id] if parent and serves else org.closes()
        return name

    def say(
        self, name: str, kind: str, sender: Agent | str, *, is_forced: bool = False, **fields: Any
    ) -> None:
        """Write any later message about a commitment."""
        speaker = sender if isinstance(sender, str) else sender.id
        if kind == rcp.REVISE:
            self._closes[name] = self._org.closes()
        self._apply(about(self.book[name], kind, speaker, self._next_id(), **fields), is_forced)

    def waits(self, name: str) -> bool:
        """Whether a request, or the counter to it, waits for its answer."""
        return self.book[name].status == PROPOSED

    def closes(self, name: str | None) -> int:
        """Return when what waits for an answer expires; -1 = never, or nothing waits."""
        if name is None:
            return -1
        waits = self.waits(name) or self.book[name].offer is not None
        return self._closes[name] if waits else -1

    def expire(self, name: str) -> None:
        """Let what is on the table expire: who put it there waits no longer."""
        held = self.book[name]
        asker = held.proposer if self.waits(name) else held.delegator
        self.say(name, rcp.EXPIRE, asker, is_forced=True)
        self._org.news.hear(self._agents[asker], "expired")

    def later(self, name: str, by: int) -> Terms:
        """Return the terms of a commitment with another date."""
        terms = self.book[name].terms
        return replace(terms, outcome=replace(terms.outcome, by=by))

    def accepted(self, job: int, names: list[str]) -> None:
        """Note the open commitments of an item, the upper one first; its signal is over."""
        self.held[job] = names
        self.signals.pop(job, None)

    def end(self, job: int, cause: str, first: int = 0) -> None:
        """Terminate what is open for an item from a level on, the lowest first."""
        names = self.held[job]
        for level in range(len(names) - 1, first - 1, -1):
            commitment = self.book[names[level]]
            # The area, not who asked it, ends the upper level: it is named in the terms.
            is_named = commitment.delegatee in commitment.authority.terminators
            sender = commitment.delegatee if is_named else commitment.delegator
            self.say(names[level], rcp.TERMINATE, sender, is_forced=True, cause=cause)
        del names[first:]
        if not names:
            del self.held[job]
            self.signals.pop(job, None)

    def take_back(self, job: int, cause: str) -> None:
        """End what was asked about an item and is not answered yet, the lowest first."""
        names = [name for name, (other, _) in self._item.items() if other == job]
        for name in reversed([name for name in names if self.book[name].status == PROPOSED]):
            self.say(name, rcp.TERMINATE, self.book[name].delegator, is_forced=True, cause=cause)

    def close_all(self) -> None:
        """End what is still open when the episode ends."""
        for job in sorted(self.held):
            for name in reversed(self.held.pop(job)):
                delegator = self.book[name].delegator
                self.say(name, rcp.TERMINATE, delegator, is_forced=True, cause="end")

    # what the shop shows

    def read(self) -> None:
        """Close what was finished since the last stop, in the order of the rows."""
        from desbench._engine.simulation import EVENT_KINDS

        recorder = self._org.recorder
        first = recorder.drained
        rows = recorder.drain(self._org.sim)
        for row in (rows["kind"] == EVENT_KINDS.index("finish")).nonzero()[0].tolist():
            job = int(rows["job"][row])
            if job in self.held:
                self._finished(job, int(rows["time"][row]), first + row)

    def _finished(self, job: int, time: int, row: int) -> None:
        """Report and verify every level; a row after the promise violates."""
        names = self.held.pop(job)
        self.signals.pop(job, None)
        piece = Evidence(f"events {row}", what_of(*self._item[names[-1]]), time)
        self._seen.add(piece.ref)
        self._time = time
        self.take_back(job, "finished")  # a replacement that is not agreed on yet
        for name in reversed(names):
            commitment = self.book[name]
            self.say(name, rcp.REPORT, commitment.delegatee, is_forced=True, evidence=(piece,))
            is_met = commitment.outcome.is_met_by((piece,))
            verdict = rcp.VERIFY if is_met else rcp.VIOLATE
            self.say(name, verdict, commitment.delegator, is_forced=True, evidence=(piece,))
        self._time = -1

    # rows

    def _next_id(self) -> str:
        self._messages += 1
        return f"m{self._messages}"

    def _apply(self, message: RcpMessage, is_forced: bool) -> None:
        time = self._org.now if self._time < 0 else self._time
        entry = self.book.apply(message, time)
        assert entry.is_applied, f"{message.kind} of {message.commitment}: {entry.reason}"
        for entry in self.book.log[self._written :]:
            self._write(entry, time, is_forced or entry.message is not message)
        self._written = len(self.book.log)

    def _write(self, entry: Entry, time: int, is_forced: bool) -> None:
        message, org = entry.message, self._org
        job, operation = self._item[message.commitment]
        promise = message.promise
        if promise is None and message.terms is not None:
            promise = message.terms.outcome.by
        number = int(message.commitment[1:])
        shared = (message.sender, message.receiver)
        if message.kind != rcp.EXPIRE:  # nobody hears of it
            org.recorder.message(
                *(org.epoch, time, *shared, message.kind, job, operation),
                *(int(message.conversation[1:]), number, message.version),
                -1 if promise is None else promise,
            )
        org.recorder.commitment(
            {
                "epoch": org.epoch,
                "time": time,
                "commitment": number,
                "parent": -1 if message.parent is None else int(message.parent[1:]),
                "job": job,
                "operation": operation,
                "sender": message.sender,
                "receiver": message.receiver,
                "kind": message.kind,
                "version": message.version,
                "before": entry.before,
                "after": entry.after,
                "result": entry.result,
                "guard": entry.guard or None,
                "forced": int(is_forced),
                "cause": message.cause or None,
                "entry": to_json(entry),
            }
        )


def what_of(job: int, operation: int) -> str:
    """Return what the outcome of an operation is called."""
    return f"J{job}.{operation}"
