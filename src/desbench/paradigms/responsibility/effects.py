"""Effects: what an applied message changes in a commitment besides its status."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from desbench.paradigms.responsibility import transitions
from desbench.paradigms.responsibility.commitment import Commitment, Terms
from desbench.paradigms.responsibility.protocol import RcpMessage
from desbench.paradigms.responsibility.transitions import Transition


def opened_by(message: RcpMessage) -> Commitment:
    """Return the commitment that a request would open."""
    assert message.terms is not None, "RcpMessage holds the terms of a request"
    return Commitment(
        id=message.commitment,
        conversation=message.conversation,
        delegator=message.sender,
        delegatee=message.receiver,
        terms=message.terms,
        chain=message.chain,
        parent=message.parent,
        replaces=message.replaces,
        version=message.version,
        proposer=message.sender,
        highest=message.version,
    )


def applied(commitment: Commitment, message: RcpMessage, row: Transition) -> Commitment:
    """Return the commitment after a message that all guards let pass."""
    return replace(_EFFECTS[row.effect](commitment, message), status=row.to)


def _create(commitment: Commitment, message: RcpMessage) -> Commitment:
    return commitment


def _agree(commitment: Commitment, message: RcpMessage) -> Commitment:
    agreed = _promised(commitment.terms, message.promise)
    return replace(commitment, terms=agreed, agreed=message.version)


def _counterpropose(commitment: Commitment, message: RcpMessage) -> Commitment:
    assert message.terms is not None, "RcpMessage holds the terms of a counter"
    return replace(
        commitment,
        terms=message.terms,
        version=message.version,
        highest=message.version,
        proposer=message.sender,
    )


def _offer(commitment: Commitment, message: RcpMessage) -> Commitment:
    return replace(commitment, offer=message.terms, highest=message.version)


def _adopt(commitment: Commitment, message: RcpMessage) -> Commitment:
    assert commitment.offer is not None, "guard version"
    agreed = _promised(commitment.offer, message.promise)
    return replace(
        commitment, terms=agreed, version=message.version, agreed=message.version, offer=None
    )


def _lapse(commitment: Commitment, message: RcpMessage) -> Commitment:
    return replace(commitment, offer=None)


def _ask(commitment: Commitment, message: RcpMessage) -> Commitment:
    return replace(commitment, probed=True)


def _answer(commitment: Commitment, message: RcpMessage) -> Commitment:
    told = message.sender == commitment.delegatee
    return replace(commitment, probed=commitment.probed and not told)


def _record(commitment: Commitment, message: RcpMessage) -> Commitment:
    """Keep new pieces in the order of arrival; what is done answers probes and ends offers."""
    new = tuple(piece for piece in message.evidence if piece not in commitment.evidence)
    return replace(commitment, evidence=commitment.evidence + new, offer=None, probed=False)


def _promised(terms: Terms, promise: int | None) -> Terms:
    """The date of an agreement is the promise, if one was made."""
    if promise is None:
        return terms
    return replace(terms, outcome=replace(terms.outcome, by=promise))


_EFFECTS: Final[dict[str, Callable[[Commitment, RcpMessage], Commitment]]] = {
    transitions.CREATE: _create,
    transitions.AGREE: _agree,
    transitions.COUNTERPROPOSE: _counterpropose,
    transitions.OFFER: _offer,
    transitions.ADOPT: _adopt,
    transitions.LAPSE: _lapse,
    transitions.ASK: _ask,
    transitions.ANSWER: _answer,
    transitions.RECORD: _record,
    transitions.CLOSE: _record,
}
