"""A book against a model of a few lines, under any sequence of messages (hypothesis)."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from desbench.paradigms.responsibility import (
    CommitmentGraph,
    Evidence,
    Outcome,
    RcpMessage,
    Terms,
    replay,
    request,
)
from responsibility.reference import KINDS, REFERENCE

AGENTS = ("ann", "bob", "eve")
IN_TIME, TOO_LATE = Evidence("row 1", "hole", 5), Evidence("row 2", "clock", 99)
VERSIONS = st.integers(1, 4)
PIECES = st.sampled_from([(), (IN_TIME,), (TOO_LATE,), (IN_TIME, TOO_LATE)])


@dataclass
class Model:
    """What a reader of the page expects: a handful of values and the typed table."""

    status: str = "proposed"
    version: int = 1
    highest: int = 1
    offered: bool = False
    by_bob: bool = False
    reported: frozenset[Evidence] = frozenset()

    def refusal(self, message: RcpMessage) -> str:
        """The guard that refuses, or nothing; in the order of the page."""
        if {message.sender, message.receiver} - {"ann", "bob"}:
            return "identity"
        row = REFERENCE.get((self.status, message.kind))
        if row is None:
            return "state"
        checks = {
            "authority": message.sender in self.allowed(message.kind),
            "version": self.is_due(message),
            "evidence": self.is_shown(message),
            "once": not self.by_bob,
        }
        return next((g for g in (*row.guards, "version") if not checks.get(g, True)), "")

    def allowed(self, kind: str) -> set[str]:
        """Who may send."""
        if kind in ("accept", "reject") and self.status == "proposed":
            return {"ann"} if self.by_bob else {"bob"}
        if kind in ("probe", "verify", "violate", "revise", "terminate"):
            return {"ann"}
        return {"ann", "bob"} if kind in ("inform", "expire") else {"bob"}

    def is_due(self, message: RcpMessage) -> bool:
        """Whether the version is the right one."""
        if message.kind in ("counter", "revise"):
            return message.version > self.highest
        if message.kind in ("inform", "probe", "terminate"):
            return message.version <= self.highest
        if self.status == "accepted" and message.kind in ("accept", "reject", "expire"):
            return self.offered and message.version == self.highest
        return message.version == self.version

    def is_shown(self, message: RcpMessage) -> bool:
        """Whether the evidence shows what it must; IN_TIME is in time under all terms."""
        given = set(message.evidence)
        if message.kind == "report":
            return bool(given)
        if message.kind == "verify":
            return IN_TIME in given and given <= self.reported
        known = given | self.reported
        return bool(given) and TOO_LATE in known and IN_TIME not in known

    def take(self, message: RcpMessage) -> None:
        """Follow an applied message."""
        if message.kind in ("counter", "revise"):
            self.highest = message.version
        if message.kind == "counter":
            self.version, self.by_bob = message.version, True
        if message.kind == "accept" and self.offered:
            self.version = message.version
        if message.kind in ("accept", "reject", "expire", "report"):
            self.offered = False
        if message.kind == "revise":
            self.offered = True
        if message.kind == "report":
            self.reported |= set(message.evidence)
        self.status = REFERENCE[self.status, message.kind].to


class Machine(RuleBasedStateMachine):
    """One commitment of ann and bob; eve meddles."""

    @initialize()
    def ask(self) -> None:
        """The request is there from the beginning."""
        self.book, self.model = CommitmentGraph(), Model()
        terms = Terms(Outcome("hole", by=10))
        self.said = [request("m0", "c", ("ann", "bob"), terms)]
        assert self.book.apply(self.said[0]).is_applied

    @rule(
        kind=st.sampled_from(KINDS[1:]),
        sender=st.sampled_from(AGENTS),
        receiver=st.sampled_from(AGENTS),
        version=VERSIONS,
        evidence=PIECES,
    )
    def say(
        self, kind: str, sender: str, receiver: str, version: int, evidence: tuple[Evidence, ...]
    ) -> None:
        """Anything, from anybody to anybody."""
        if (sender == receiver) != (kind == "expire"):
            receiver = sender if kind == "expire" else AGENTS[AGENTS.index(sender) - 1]
        terms = Terms(Outcome("hole", by=10 + version))
        message = RcpMessage(
            *(f"m{len(self.said)}", kind, sender, receiver, "c", "c", version),
            evidence=evidence if kind in ("report", "verify", "violate") else (),
            terms=terms if kind in ("counter", "revise") else None,
        )
        self.said.append(message)
        refusal = self.model.refusal(message)
        entry = self.book.apply(message)
        assert (entry.result, entry.guard) == ("refused" if refusal else "applied", refusal)
        if not refusal:
            self.model.take(message)

    @rule(choice=st.integers(0))
    def say_again(self, choice: int) -> None:
        """A duplicate of anything, applied or refused, changes nothing."""
        before = self.book["c"]
        again = self.said[choice % len(self.said)]
        assert self.book.apply(again).result == "duplicate"
        assert self.book["c"] is before

    @invariant()
    def same(self) -> None:
        """Book, model and interpreter agree."""
        if hasattr(self, "book"):
            held = self.book["c"]
            assert (held.status, held.version) == (self.model.status, self.model.version)
            assert (held.highest, held.offer is not None) == (
                self.model.highest,
                self.model.offered and held.is_open,
            )
            assert replay(self.book.log) == {"c": held.status}


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=100, stateful_step_count=25)
