"""The transition table of a commitment, as rows: what may happen when, and who may do it.

Everything that changes a commitment goes through a row of `TABLE`. What is not in it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from desbench.paradigms.responsibility.commitment import (
    ACCEPTED,
    DISCHARGED,
    EXPIRED,
    NONE,
    PROPOSED,
    REJECTED,
    REPORTED,
    TERMINATED,
    VIOLATED,
    Commitment,
)
from desbench.paradigms.responsibility.protocol import (
    ACCEPT,
    COUNTER,
    EXPIRE,
    INFORM,
    MESSAGES,
    PROBE,
    REJECT,
    REPORT,
    REQUEST,
    REVISE,
    TERMINATE,
    VERIFY,
    VIOLATE,
)

# Who may send (guard `authority`).
DELEGATOR: Final = "delegator"
DELEGATEE: Final = "delegatee"
ANSWERER: Final = "answerer"  #: the party that did not put the version on the table
EITHER: Final = "either"  #: one of the two parties
TERMINATOR: Final = "terminator"  #: the delegator, or an agent named in the authority

# Which version it must name (guard `version`).
FIRST: Final = "first"  #: 1
CURRENT: Final = "current"  #: the one in force, or on the table while proposed
OFFERED: Final = "offered"  #: the revision on the table
NEW: Final = "new"  #: higher than any this book has seen
KNOWN: Final = "known"  #: any this book has seen

# What its evidence must be (guard `evidence`).
ANY: Final = "any"  #: also none
SOME: Final = "some"  #: at least one piece
MET: Final = "met"  #: pieces that were reported and that show the outcome
BREACHED: Final = "breached"  #: with what was reported, it shows that the outcome was missed

# What changes besides the status (`effects.py`).
CREATE: Final = "create"
AGREE: Final = "agree"
COUNTERPROPOSE: Final = "counterpropose"
OFFER: Final = "offer"
ADOPT: Final = "adopt"
LAPSE: Final = "lapse"
ASK: Final = "ask"
ANSWER: Final = "answer"
RECORD: Final = "record"
CLOSE: Final = "close"


@dataclass(frozen=True)
class Transition:
    """One row: in `status`, `kind` from `sender` leads to `to`, if the guards hold."""

    status: str
    kind: str
    to: str
    sender: str
    version: str
    evidence: str = ANY
    guards: tuple[str, ...] = ()  #: in this order, after identity, authority, version, evidence
    effect: str = CLOSE


_ROWS: Final = (
    Transition(
        *(NONE, REQUEST, PROPOSED, DELEGATOR, FIRST),
        guards=("parent", "cycle", "scope", "replaces"),
        effect=CREATE,
    ),
    Transition(
        *(PROPOSED, ACCEPT, ACCEPTED, ANSWERER, CURRENT),
        guards=("terms", "parent", "bound"),
        effect=AGREE,
    ),
    Transition(PROPOSED, REJECT, REJECTED, ANSWERER, CURRENT),
    Transition(
        *(PROPOSED, COUNTER, PROPOSED, DELEGATEE, NEW),
        guards=("once", "terms"),
        effect=COUNTERPROPOSE,
    ),
    Transition(PROPOSED, INFORM, PROPOSED, EITHER, KNOWN, effect=ANSWER),
    Transition(PROPOSED, PROBE, PROPOSED, DELEGATOR, KNOWN, effect=ASK),
    Transition(PROPOSED, TERMINATE, TERMINATED, TERMINATOR, KNOWN),
    Transition(PROPOSED, EXPIRE, EXPIRED, EITHER, CURRENT),
    Transition(ACCEPTED, ACCEPT, ACCEPTED, DELEGATEE, OFFERED, guards=("terms",), effect=ADOPT),
    Transition(ACCEPTED, REJECT, ACCEPTED, DELEGATEE, OFFERED, effect=LAPSE),
    Transition(ACCEPTED, INFORM, ACCEPTED, EITHER, KNOWN, effect=ANSWER),
    Transition(ACCEPTED, PROBE, ACCEPTED, DELEGATOR, KNOWN, effect=ASK),
    Transition(
        *(ACCEPTED, REPORT, REPORTED, DELEGATEE, CURRENT, SOME),
        guards=("dependencies",),
        effect=RECORD,
    ),
    Transition(ACCEPTED, VIOLATE, VIOLATED, DELEGATOR, CURRENT, BREACHED),
    Transition(ACCEPTED, REVISE, ACCEPTED, DELEGATOR, NEW, guards=("terms",), effect=OFFER),
    Transition(ACCEPTED, TERMINATE, TERMINATED, TERMINATOR, KNOWN),
    Transition(ACCEPTED, EXPIRE, ACCEPTED, EITHER, OFFERED, effect=LAPSE),
    Transition(REPORTED, INFORM, REPORTED, EITHER, KNOWN, effect=ANSWER),
    Transition(REPORTED, PROBE, REPORTED, DELEGATOR, KNOWN, effect=ASK),
    Transition(REPORTED, REPORT, REPORTED, DELEGATEE, CURRENT, SOME, effect=RECORD),
    Transition(REPORTED, VERIFY, DISCHARGED, DELEGATOR, CURRENT, MET),
    Transition(REPORTED, VIOLATE, VIOLATED, DELEGATOR, CURRENT, BREACHED),
    Transition(REPORTED, TERMINATE, TERMINATED, TERMINATOR, KNOWN),
)

#: (status, kind) -> row
TABLE: Final = MappingProxyType({(row.status, row.kind): row for row in _ROWS})


def has_role(agent: str, role: str, commitment: Commitment) -> bool:
    """Whether an agent may act in a role of a commitment."""
    if role == TERMINATOR:
        return agent in (commitment.delegator, *commitment.authority.terminators)
    return (
        agent
        in {
            DELEGATOR: (commitment.delegator,),
            DELEGATEE: (commitment.delegatee,),
            ANSWERER: (commitment.other(commitment.proposer),),
            EITHER: (commitment.delegator, commitment.delegatee),
        }[role]
    )


def is_due(version: int, rule: str, commitment: Commitment) -> bool:
    """Whether a version number is the one that a row asks for."""
    if rule == OFFERED:
        return commitment.offer is not None and version == commitment.highest
    return {
        FIRST: version == 1,
        CURRENT: version == commitment.version,
        NEW: version > commitment.highest,
        KNOWN: 1 <= version <= commitment.highest,
    }[rule]


def moves(commitment: Commitment, agent: str) -> tuple[str, ...]:
    """Return the kinds of message that the table lets an agent send now, in the order of MESSAGES.

    Guards that depend on the content, on evidence or on other commitments may still refuse one.
    """
    return tuple(kind for kind in MESSAGES if _may_send(commitment, agent, kind))


def _may_send(commitment: Commitment, agent: str, kind: str) -> bool:
    row = TABLE.get((commitment.status, kind))
    if row is None or not has_role(agent, row.sender, commitment):
        return False
    if row.version == OFFERED and commitment.offer is None:
        return False
    return kind != COUNTER or commitment.proposer == commitment.delegator
