"""Open obligations: what an agent owes now, to whom, because of which commitment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from desbench.paradigms.responsibility.commitment import (
    ACCEPTED,
    PROPOSED,
    REPORTED,
    Commitment,
)

ANSWER: Final = "answer"  #: accept, reject or counter what is on the table
FULFIL: Final = "fulfil"  #: delegatee: the work
INFORM: Final = "inform"  #: delegatee: a probe waits
MONITOR: Final = "monitor"  #: delegator: watch over what was accepted
VERIFY: Final = "verify"  #: delegator: judge what was reported
RECLAIM: Final = "reclaim"  #: delegator: what this served has ended; end it too, or report on it
DUTIES: Final = (ANSWER, FULFIL, INFORM, MONITOR, VERIFY, RECLAIM)


class Obligation(NamedTuple):
    """One thing an agent owes."""

    duty: str  #: one of DUTIES
    commitment: str  #: id
    to: str  #: the agent it is owed to


def open_obligations(commitments: Iterable[Commitment], agent: str) -> list[Obligation]:
    """Return what an agent owes, in the order of the commitments; closed ones owe nothing."""
    known = {commitment.id: commitment for commitment in commitments}
    found = []
    for commitment in known.values():
        if agent in (commitment.delegator, commitment.delegatee):
            above = known.get(commitment.parent or "")
            duties = _duties(commitment, agent, above)
            other = commitment.other(agent)
            found += [Obligation(duty, commitment.id, other) for duty in duties]
    return found


def _duties(commitment: Commitment, agent: str, above: Commitment | None) -> list[str]:
    if not commitment.is_open:
        return []
    found = []
    is_delegatee = agent == commitment.delegatee
    if commitment.status == PROPOSED and agent != commitment.proposer:
        found.append(ANSWER)
    if is_delegatee and commitment.offer is not None:
        found.append(ANSWER)
    if commitment.status == ACCEPTED:
        found.append(FULFIL if is_delegatee else MONITOR)
    if is_delegatee and commitment.probed:
        found.append(INFORM)
    if not is_delegatee and commitment.status == REPORTED:
        found.append(VERIFY)
    if not is_delegatee and above is not None and not above.is_open:
        found.append(RECLAIM)
    return found
