"""Guards: the named, local conditions of a message. A guard returns why it refuses, "" if it holds.

Local means: a guard looks at the message and at what this book itself knows, and at nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from desbench.paradigms.responsibility import transitions
from desbench.paradigms.responsibility.commitment import (
    ACCEPTED,
    BINDING,
    DISCHARGED,
    PROPOSED,
    Commitment,
    Evidence,
    Terms,
)
from desbench.paradigms.responsibility.protocol import REQUEST, TERMINATE, RcpMessage
from desbench.paradigms.responsibility.transitions import TABLE, Transition


class Known(Protocol):
    """What a book knows besides the commitment in question."""

    @property
    def owner(self) -> str | None:
        """The agent whose book it is; None for one that sees every agent's messages."""

    def get(self, commitment_id: str) -> Commitment | None:
        """Return a commitment, None if this book has none of that id."""

    def children(self, commitment_id: str) -> Iterable[Commitment]:
        """Commitments that serve another one."""

    def same_item(self, what: str) -> Iterable[Commitment]:
        """Commitments about one item."""

    def are_related(self, first: Commitment, second: Commitment) -> bool:
        """Whether one serves the other, at any depth."""

    def is_genuine(self, piece: Evidence) -> bool:
        """Whether a piece of evidence can be looked up."""


@dataclass(frozen=True)
class Claim:
    """A message, the commitment it speaks of (for a request: as it would stand) and the book."""

    message: RcpMessage
    commitment: Commitment
    known: Known

    def parent(self) -> Commitment | None:
        """The commitment above, if this book has it."""
        return None if self.commitment.parent is None else self.known.get(self.commitment.parent)

    def is_received(self) -> bool:
        """Whether this is the delegatee's own book: what lies above may be unknown to it."""
        return self.known.owner == self.commitment.delegatee


@dataclass(frozen=True)
class Refusal:
    """A message that was refused: by which guard, and why."""

    guard: str
    reason: str


def judge(claim: Claim, status: str) -> Transition | Refusal:
    """Find the row of a message; the first guard that refuses is the one that is named."""
    reason = identity(claim)
    if reason:
        return Refusal("identity", reason)
    row = TABLE.get((status, claim.message.kind))
    if row is None:
        return Refusal("state", f"{claim.message.kind} is not possible in {status}")
    for name, check in _ROW_GUARDS.items():
        reason = check(claim, row)
        if reason:
            return Refusal(name, reason)
    for name in row.guards:
        reason = _NAMED[name](claim)
        if reason:
            return Refusal(name, reason)
    return row


def identity(claim: Claim) -> str:
    """Sender, receiver and conversation are those of the commitment, and of this book."""
    message, commitment = claim.message, claim.commitment
    parties = {commitment.delegator, commitment.delegatee}
    if claim.known.owner not in (None, message.sender, message.receiver):
        return f"{claim.known.owner} is neither sender nor receiver"
    if message.conversation != commitment.conversation:
        return f"conversation {message.conversation}, must be {commitment.conversation}"
    if message.receiver not in parties:
        return f"{message.receiver} is no party of it"
    named = message.kind == TERMINATE and message.sender in commitment.authority.terminators
    return "" if message.sender in parties or named else f"{message.sender} is no party of it"


def authority(claim: Claim, row: Transition) -> str:
    """The sender has the role that the row asks for."""
    message = claim.message
    if message.kind == REQUEST and message.chain[-1] != message.sender:
        return f"{message.sender} is not the last of the chain {', '.join(message.chain)}"
    if transitions.has_role(message.sender, row.sender, claim.commitment):
        return ""
    return f"{message.sender} is not its {row.sender}"


def version(claim: Claim, row: Transition) -> str:
    """The version is the one that the row asks for."""
    if transitions.is_due(claim.message.version, row.version, claim.commitment):
        return ""
    held = f"in force {claim.commitment.version}, highest {claim.commitment.highest}"
    return f"version {claim.message.version} is not the {row.version} one ({held})"


def evidence(claim: Claim, row: Transition) -> str:
    """The evidence is genuine, and shows what the row asks for."""
    given, held = claim.message.evidence, claim.commitment.evidence
    owed = claim.commitment.outcome
    forged = [piece.ref for piece in given if not claim.known.is_genuine(piece)]
    if forged:
        return f"evidence {forged[0]} cannot be looked up"
    if row.evidence != transitions.ANY and not given:
        return "evidence is required"
    if row.evidence == transitions.MET:
        if not set(given) <= set(held):
            return "evidence was not reported"
        shown = owed.is_met_by(given) and owed.is_met_by(held)
        return "" if shown else "evidence does not show the agreed outcome"
    if row.evidence == transitions.BREACHED and not owed.is_breached_by((*held, *given)):
        return "evidence does not show that the outcome was missed"
    return ""


def once(claim: Claim) -> str:
    """One counter a candidate."""
    first = claim.commitment.proposer == claim.commitment.delegator
    return "" if first else "it was countered before"


def terms(claim: Claim) -> str:
    """Other terms change date and bounds only; an acceptance promises no later than agreed."""
    message, commitment = claim.message, claim.commitment
    if message.terms is None:
        table = commitment.offer if commitment.offer is not None else commitment.terms
        return _too_late(message.promise, table)
    if message.terms.outcome.what != commitment.outcome.what:
        return "another outcome is another commitment"
    same = (message.terms.scope, message.terms.authority) == (
        commitment.scope,
        commitment.authority,
    )
    return "" if same else "another scope or authority is another commitment"


def _too_late(promise: int | None, table: Terms) -> str:
    by = table.outcome.by
    if promise is None or by is None or promise <= by:
        return ""
    return f"promise {promise} is later than {by}; a later date is a counter"


def parent(claim: Claim) -> str:
    """What it serves is still wanted, and is the sender's own work."""
    above, commitment = claim.parent(), claim.commitment
    if commitment.parent is None:
        return "" if len(commitment.chain) == 1 else "a chain without a parent"
    if above is None:
        return "" if claim.is_received() else f"parent {commitment.parent} is unknown"
    if above.delegatee != commitment.delegator:
        return f"{commitment.delegator} is not the delegatee of {above.id}"
    if commitment.chain != (*above.chain, commitment.delegator):
        return f"the chain is not that of {above.id}"
    return "" if above.status in (PROPOSED, ACCEPTED) else f"{above.id} is {above.status}"


def cycle(claim: Claim) -> str:
    """Nobody is asked to do what others do for that same agent."""
    asked, chain = claim.commitment.delegatee, claim.commitment.chain
    return f"{asked} stands above it already" if asked in chain else ""


def scope(claim: Claim) -> str:
    """Nobody passes on more than it was given."""
    above = claim.parent()
    if above is None:
        return ""
    mine, given = claim.commitment.scope, above.scope
    if given is not None and (mine is None or not mine <= given):
        return f"scope is wider than that of {above.id}"
    levels, allowed = claim.commitment.authority.delegations, above.authority.delegations
    if allowed is not None and (levels is None or levels >= allowed):
        return f"{above.id} allows {allowed} levels below it"
    return ""


def replaces(claim: Claim) -> str:
    """Only the delegator's own accepted commitment is replaced, by one of another delegatee."""
    new = claim.commitment
    if new.replaces is None:
        return ""
    old = claim.known.get(new.replaces)
    if old is None:
        return "" if claim.is_received() else f"{new.replaces} is unknown"
    if (old.delegator, old.parent) != (new.delegator, new.parent):
        return f"{old.id} is not a commitment beside it"
    if old.outcome.what != new.outcome.what:
        return f"{old.id} is about {old.outcome.what}"
    if old.delegatee == new.delegatee:
        return "the same delegatee is asked by a revision"
    return "" if old.status == ACCEPTED else f"{old.id} is {old.status}"


def bound(claim: Claim) -> str:
    """One item is never bound twice: what binds it, or has done it, stands above or below."""
    new = claim.commitment
    for other in claim.known.same_item(new.outcome.what):
        if other.status not in (*BINDING, DISCHARGED) or claim.known.are_related(other, new):
            continue
        if other.id != new.replaces or other.status != ACCEPTED:
            return f"{new.outcome.what} is {other.status} in {other.id}"
    return ""


def dependencies(claim: Claim) -> str:
    """Nothing is reported as done while others still owe a part of it."""
    still = [child.id for child in claim.known.children(claim.commitment.id) if child.is_open]
    return f"{', '.join(still)} still open" if still else ""


_ROW_GUARDS: Final[dict[str, Callable[[Claim, Transition], str]]] = {
    "authority": authority,
    "version": version,
    "evidence": evidence,
}
_NAMED: Final[dict[str, Callable[[Claim], str]]] = {
    "once": once,
    "terms": terms,
    "parent": parent,
    "cycle": cycle,
    "scope": scope,
    "replaces": replaces,
    "bound": bound,
    "dependencies": dependencies,
}
#: In the order in which they are asked.
GUARDS: Final = ("identity", "state", *_ROW_GUARDS, *_NAMED)
