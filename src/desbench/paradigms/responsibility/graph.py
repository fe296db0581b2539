"""CommitmentGraph: a book of commitments, the messages it took and the ones it refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from desbench.errors import InputError
from desbench.paradigms.responsibility.commitment import (
    ACCEPTED,
    NONE,
    TERMINAL,
    Commitment,
    Evidence,
    Terms,
)
from desbench.paradigms.responsibility.effects import applied, opened_by
from desbench.paradigms.responsibility.guards import Claim, Refusal, judge
from desbench.paradigms.responsibility.protocol import (
    EXPIRE,
    INFORM,
    REQUEST,
    TERMINATE,
    RcpMessage,
    about,
)
from desbench.paradigms.responsibility.record import APPLIED, DUPLICATE, REFUSED, Entry


class CommitmentGraph:
    """The commitments that one agent, or one ledger for all agents, knows.

    Parameters
    ----------
    owner
        The agent whose book it is: it applies what it sends and what it receives. None: one ledger
        through which the messages of all agents go.
    genuine
        Whether a piece of evidence can be looked up; by default each is believed.

    Examples
    --------
    >>> from desbench.paradigms.responsibility import Outcome, Terms, request
    >>> book = CommitmentGraph()
    >>> asked = request("m1", "c1", ("ann", "bob"), Terms(Outcome("soup", by=12)))
    >>> book.apply(asked).after, book.apply(asked).result
    ('proposed', 'duplicate')
    """

    def __init__(
        self, owner: str | None = None, genuine: Callable[[Evidence], bool] | None = None
    ) -> None:
        self.owner = owner
        self.log: list[Entry] = []
        self._genuine = genuine
        self._commitments: dict[str, Commitment] = {}
        self._versions: dict[str, dict[int, Terms]] = {}
        self._children: dict[str, list[str]] = {}
        self._by_item: dict[str, list[str]] = {}
        self._seen: dict[str, Entry] = {}

    def __len__(self) -> int:
        return len(self._commitments)

    def __iter__(self) -> Iterator[Commitment]:
        """Commitments in the order of their requests."""
        return iter(self._commitments.values())

    def __contains__(self, commitment_id: object) -> bool:
        return commitment_id in self._commitments

    def __getitem__(self, commitment_id: str) -> Commitment:
        found = self.get(commitment_id)
        if found is None:
            raise InputError(f"no commitment {commitment_id!r} in this book")
        return found

    def get(self, commitment_id: str) -> Commitment | None:
        """Return a commitment, None if there is none of that id."""
        return self._commitments.get(commitment_id)

    def children(self, commitment_id: str) -> list[Commitment]:
        """Return the commitments that serve another one, in the order of their requests."""
        return [self._commitments[child] for child in self._children.get(commitment_id, ())]

    def ancestors(self, commitment_id: str) -> list[Commitment]:
        """Return what a commitment serves, from its parent up to the root, as far as known."""
        found = []
        above = self[commitment_id].parent
        while above is not None and above in self._commitments:
            found.append(self._commitments[above])
            above = found[-1].parent
        return found

    def same_item(self, what: str) -> list[Commitment]:
        """Return the commitments about one item, in the order of their requests."""
        return [self._commitments[known] for known in self._by_item.get(what, ())]

    def versions(self, commitment_id: str) -> dict[int, Terms]:
        """Return all terms that were ever on the table, by version, with the agreed promise."""
        return dict(self._versions.get(commitment_id, {}))

    def are_related(self, first: Commitment, second: Commitment) -> bool:
        """Whether one serves the other, at any depth, or both are the same."""
        return (
            first.id == second.id
            or any(above.id == second.id for above in self.ancestors(first.id))
            or any(above.id == first.id for above in self.ancestors(second.id))
        )

    def is_genuine(self, piece: Evidence) -> bool:
        """Whether a piece of evidence can be looked up."""
        return self._genuine is None or self._genuine(piece)

    @property
    def refusals(self) -> list[Entry]:
        """Entries of the messages that a guard refused."""
        return [entry for entry in self.log if entry.result == REFUSED]

    @property
    def seen(self) -> frozenset[str]:
        """Ids of all messages that came to this book."""
        return frozenset(self._seen)

    def apply(self, message: RcpMessage, at: int | None = None) -> Entry:
        """Take one message, sent or received: apply it, or refuse it and say which guard did.

        A duplicate changes nothing, whatever became of the first. The acceptance of a replacement
        first ends the commitment it replaces; that message is in `to_send`.
        """
        if message.id in self._seen:
            return self._again(message, at)
        held = self.get(message.commitment)
        before = NONE if held is None else held.status
        found = self._judged(message, held, before)
        if isinstance(found, Refusal):
            entry = self._entry(message, REFUSED, before, found, at)
            entry = replace(entry, to_send=self._notice(message, held))
        else:
            # The old one ends first: no entry of the log ever shows an item bound twice.
            ended = self._ended_by(message, found, at)
            self._keep(found)
            entry = replace(self._entry(message, APPLIED, before, None, at), to_send=ended)
        self._seen[message.id] = entry
        self.log.append(entry)
        return entry

    def expire(self, commitment_id: str, agent: str, event_id: str, at: int | None = None) -> Entry:
        """Record that an agent waits no longer for the answer to what is on the table.

        A proposed commitment expires. An offered revision lapses, and the version in force stands.
        """
        return self.apply(about(self[commitment_id], EXPIRE, agent, event_id), at)

    def copy(self) -> CommitmentGraph:
        """Return another book that holds the same, with an empty log."""
        other = CommitmentGraph(self.owner, self._genuine)
        other._commitments = dict(self._commitments)
        other._versions = {key: dict(terms) for key, terms in self._versions.items()}
        other._children = {key: list(known) for key, known in self._children.items()}
        other._by_item = {key: list(known) for key, known in self._by_item.items()}
        other._seen = dict(self._seen)
        return other

    def _judged(
        self, message: RcpMessage, held: Commitment | None, before: str
    ) -> Commitment | Refusal:
        """The commitment after the message, or why it is refused."""
        if held is None and message.kind != REQUEST:
            return Refusal("identity", f"no commitment {message.commitment}")
        now = opened_by(message) if held is None else held
        row = judge(Claim(message, now, self), before)
        return row if isinstance(row, Refusal) else applied(now, message, row)

    def _again(self, message: RcpMessage, at: int | None) -> Entry:
        """A second message of one id: a duplicate, or another message under a used id."""
        first = self._seen[message.id]
        held = self.get(message.commitment)
        status = NONE if held is None else held.status
        if message != first.message:
            refusal = Refusal("identity", f"the id {message.id} was used for another message")
            entry = self._entry(message, REFUSED, status, refusal, at)
        else:
            # Who repeats itself may have missed what was sent; that keeps its id, or tells the end.
            entry = self._entry(message, DUPLICATE, status, None, at)
            entry = replace(entry, to_send=first.to_send or self._notice(message, held))
        self.log.append(entry)
        return entry

    def _entry(
        self,
        message: RcpMessage,
        result: str,
        before: str,
        refusal: Refusal | None,
        at: int | None,
    ) -> Entry:
        held = self.get(message.commitment)
        return Entry(
            message=message,
            result=result,
            before=before,
            after=NONE if held is None else held.status,
            version=0 if held is None else held.version,
            guard="" if refusal is None else refusal.guard,
            reason="" if refusal is None else refusal.reason,
            at=at,
        )

    def _keep(self, commitment: Commitment) -> None:
        if commitment.id not in self._commitments:
            self._by_item.setdefault(commitment.outcome.what, []).append(commitment.id)
            if commitment.parent is not None:
                self._children.setdefault(commitment.parent, []).append(commitment.id)
        self._commitments[commitment.id] = commitment
        versions = self._versions.setdefault(commitment.id, {})
        versions[commitment.version] = commitment.terms
        if commitment.offer is not None:
            versions[commitment.highest] = commitment.offer

    def _ended_by(
        self, message: RcpMessage, new: Commitment, at: int | None
    ) -> tuple[RcpMessage, ...]:
        """End what an accepted commitment replaces; in the delegatee's book there is nothing."""
        old = self.get(new.replaces) if new.replaces is not None else None
        if new.status != ACCEPTED or old is None or old.status != ACCEPTED:
            return ()
        end = about(
            old,
            TERMINATE,
            old.delegator,
            f"{message.id}/replaced",
            reply_to=message.id,
            cause=f"replaced by {new.id}",
        )
        ended = self.apply(end, at)
        assert ended.is_applied, "guards replaces and bound let only this case pass"
        return (end,)

    def _notice(self, message: RcpMessage, held: Commitment | None) -> tuple[RcpMessage, ...]:
        """Tell a counterpart that writes about a closed commitment that it is closed."""
        if held is None or held.status not in TERMINAL or self.owner is None:
            return ()
        if self.owner != message.receiver or message.sender != held.other(self.owner):
            return ()
        # Only a delegator can end it for the other; a delegatee can only say how it stands. The
        # kinds of a notice are never answered by one, or two closed books would write for ever.
        if message.kind in (INFORM, TERMINATE) and self.owner == held.delegatee:
            return ()
        kind = TERMINATE if self.owner == held.delegator else INFORM
        notice = about(
            held,
            kind,
            self.owner,
            f"{message.id}/closed",
            version=message.version,
            reply_to=message.id,
            cause=held.status,
        )
        return (notice,)
