"""RcpMessage: the messages of the responsibility-oriented communication protocol."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from desbench.errors import InputError
from desbench.paradigms.responsibility.commitment import Commitment, Evidence, Terms

REQUEST: Final = "request"  #: delegator: take this on
ACCEPT: Final = "accept"  #: the answering party: agreed; a delegatee may add its promise
REJECT: Final = "reject"  #: the answering party: not agreed
COUNTER: Final = "counter"  #: delegatee: not that, but this, with my own promise
INFORM: Final = "inform"  #: either party: how it stands
PROBE: Final = "probe"  #: delegator: how does it stand?
REPORT: Final = "report"  #: delegatee: done, with evidence
VERIFY: Final = "verify"  #: delegator: the evidence shows the outcome
VIOLATE: Final = "violate"  #: delegator: the evidence shows that it was missed
REVISE: Final = "revise"  #: delegator: other terms, as a new version
TERMINATE: Final = "terminate"  #: an authorised party: it ends here
EXPIRE: Final = "expire"  #: local event of one party: the answer did not come; never travels

MESSAGES: Final = (
    *(REQUEST, ACCEPT, REJECT, COUNTER, INFORM, PROBE),
    *(REPORT, VERIFY, VIOLATE, REVISE, TERMINATE),
)
KINDS: Final = (*MESSAGES, EXPIRE)
WITH_TERMS: Final = (REQUEST, COUNTER, REVISE)


@dataclass(frozen=True)
class RcpMessage:
    """One message about one version of one commitment.

    Raises
    ------
    InputError
        If a field is missing or does not belong to the kind. What only the state of the commitment
        can tell is for the guards.
    """

    id: str  #: never used for anything else; the same id twice is a duplicate
    kind: str  #: one of KINDS
    sender: str
    receiver: str
    conversation: str
    commitment: str  #: id
    version: int
    evidence: tuple[Evidence, ...] = ()
    terms: Terms | None = None  #: of a request, counter or revision, and only there
    promise: int | None = None  #: of an acceptance: the date it keeps, no later than the terms say
    parent: str | None = None  #: of a request
    replaces: str | None = None  #: of a request
    chain: tuple[str, ...] = ()  #: of a request: delegators from the root down to the sender
    reply_to: str | None = None  #: id of the message this one answers
    cause: str = ""  #: a word or sentence; no guard reads it

    def __post_init__(self) -> None:
        for name in ("id", "sender", "receiver", "conversation", "commitment"):
            if not getattr(self, name):
                raise InputError(f"message {self.id}: {name} is empty, must be a name")
        if self.kind not in KINDS:
            raise self._wrong("kind", ", ".join(KINDS))
        if self.version < 1:
            raise self._wrong("version", "1 or more")
        if (self.terms is not None) != (self.kind in WITH_TERMS):
            raise self._wrong("terms", f"given in {', '.join(WITH_TERMS)} and nowhere else")
        if self.promise is not None and self.kind != ACCEPT:
            raise self._wrong("promise", "given only in accept")
        if bool(self.chain) != (self.kind == REQUEST):
            raise self._wrong("chain", "given in request and nowhere else")
        if (self.sender == self.receiver) != (self.kind == EXPIRE):
            raise self._wrong("receiver", "another agent than the sender, but in expire")

    def _wrong(self, name: str, allowed: str) -> InputError:
        return InputError(
            f"message {self.id} ({self.kind}): {name}={getattr(self, name)!r}, must be {allowed}"
        )


def request(
    message_id: str,
    commitment_id: str,
    parties: tuple[str, str],
    terms: Terms,
    *,
    conversation: str = "",
    parent: Commitment | None = None,
    replaces: str | None = None,
    cause: str = "",
) -> RcpMessage:
    """Write the request that opens a commitment; `parties` are the delegator and the delegatee.

    Under a parent, conversation and chain are taken from it; else the conversation is the id of the
    commitment, unless one is given.
    """
    delegator, delegatee = parties
    inherited = parent.conversation if parent is not None else commitment_id
    return RcpMessage(
        id=message_id,
        kind=REQUEST,
        sender=delegator,
        receiver=delegatee,
        conversation=conversation or inherited,
        commitment=commitment_id,
        version=1,
        terms=terms,
        parent=parent.id if parent is not None else None,
        replaces=replaces,
        chain=(*(parent.chain if parent is not None else ()), delegator),
        cause=cause,
    )


def about(
    commitment: Commitment, kind: str, sender: str, message_id: str, **fields: Any
) -> RcpMessage:
    """Write any later message: receiver, conversation and version follow from the commitment.

    `fields` are further fields of `RcpMessage`. A counter or revision takes the next version, an
    answer the version on the table, all else the version in force.
    """
    version = commitment.version
    if kind in (COUNTER, REVISE):
        version = commitment.next_version
    elif kind in (ACCEPT, REJECT, EXPIRE) and commitment.offer is not None:
        version = commitment.highest
    receiver = sender if kind == EXPIRE else commitment.other(sender)
    message = RcpMessage(
        id=message_id,
        kind=kind,
        sender=sender,
        receiver=receiver,
        conversation=commitment.conversation,
        commitment=commitment.id,
        version=version,
        terms=fields.pop("terms", None),
    )
    return replace(message, **fields)
