"""Commitment: what one agent owes another, under which terms, and how far it has come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from desbench.errors import InputError

NONE: Final = "none"  #: before the request; no commitment has this status
PROPOSED: Final = "proposed"
ACCEPTED: Final = "accepted"
REPORTED: Final = "reported"
DISCHARGED: Final = "discharged"
REJECTED: Final = "rejected"
EXPIRED: Final = "expired"
VIOLATED: Final = "violated"
TERMINATED: Final = "terminated"

OPEN: Final = (PROPOSED, ACCEPTED, REPORTED)
BINDING: Final = (ACCEPTED, REPORTED)  #: the delegatee owns the work
TERMINAL: Final = (DISCHARGED, REJECTED, EXPIRED, VIOLATED, TERMINATED)  #: never left
STATUSES: Final = (*OPEN, *TERMINAL)


@dataclass(frozen=True)
class Evidence:
    """Something that was observed and can be looked up again."""

    ref: str  #: where it can be looked up: the number of a row, an address, a digest
    what: str  #: what was brought about; anything else (such as `clock`) shows only time and facts
    at: int  #: instant of the observation
    facts: tuple[tuple[str, float], ...] = ()  #: measured values by name


class Bound(NamedTuple):
    """A measured value must stay between two limits, both allowed; None is no limit."""

    name: str
    low: float | None = None
    high: float | None = None

    def holds(self, value: float) -> bool:
        """Whether a value lies within the limits."""
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


@dataclass(frozen=True)
class Outcome:
    """What is owed, by when, within which bounds.

    Examples
    --------
    >>> owed = Outcome("hole drilled", by=10, bounds=(Bound("energy_kwh", high=2.0),))
    >>> owed.is_met_by((Evidence("row 7", "hole drilled", 9, (("energy_kwh", 1.5),)),))
    True
    >>> owed.is_breached_by((Evidence("row 8", "clock", 11),))
    True
    """

    what: str  #: names the item; one item is never bound twice
    by: int | None = None  #: last instant that is in time, None without a date
    bounds: tuple[Bound, ...] = ()

    def is_met_by(self, evidence: tuple[Evidence, ...]) -> bool:
        """Whether one piece shows the outcome in time with all bounds, and none breaks a bound."""
        return any(self._shows(piece) for piece in evidence) and not self._breaks_bound(evidence)

    def is_breached_by(self, evidence: tuple[Evidence, ...]) -> bool:
        """Whether a bound is broken, or the date has passed with the outcome not shown in time."""
        late = self.by is not None and any(piece.at > self.by for piece in evidence)
        return self._breaks_bound(evidence) or (late and not self.is_met_by(evidence))

    def _shows(self, piece: Evidence) -> bool:
        measured = {name for name, _ in piece.facts}
        in_time = self.by is None or piece.at <= self.by
        return piece.what == self.what and in_time and all(b.name in measured for b in self.bounds)

    def _breaks_bound(self, evidence: tuple[Evidence, ...]) -> bool:
        limits = {bound.name: bound for bound in self.bounds}
        facts = (fact for piece in evidence for fact in piece.facts)
        return any(name in limits and not limits[name].holds(value) for name, value in facts)


@dataclass(frozen=True)
class Authority:
    """Who, besides the delegator, may end a commitment, and how far the work may be passed on."""

    terminators: tuple[str, ...] = ()  #: agents that may terminate it; the delegator always may
    delegations: int | None = None  #: levels that may follow below it, None without a limit


@dataclass(frozen=True)
class Terms:
    """What the two parties agree on in one version."""

    outcome: Outcome
    scope: frozenset[str] | None = None  #: what the delegatee may use or decide, None without limit
    authority: Authority = Authority()


@dataclass(frozen=True)
class Commitment:
    """One agreement between a delegator and a delegatee, as one book knows it.

    A record is never changed: each applied message gives a new one under the same id.
    """

    id: str
    conversation: str
    delegator: str  #: owns the dependency until the end
    delegatee: str  #: owns the work once it has accepted
    terms: Terms  #: of `version`: agreed on, or on the table while proposed
    chain: tuple[str, ...]  #: delegators from the root down to this one
    parent: str | None = None  #: the commitment this one serves
    replaces: str | None = None  #: an accepted one of another delegatee, ended by this acceptance
    version: int = 1  #: of `terms`
    agreed: int = 0  #: last version that both agreed on, 0 before
    status: str = PROPOSED
    evidence: tuple[Evidence, ...] = ()  #: reported, and what a violation was shown with
    proposer: str = ""  #: who put `version` on the table; the other party answers
    offer: Terms | None = None  #: a revision on the table; its version is `highest`
    highest: int = 1  #: highest version ever on the table; a number is never used twice
    probed: bool = False  #: a probe waits for the delegatee's answer

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            allowed = ", ".join(STATUSES)
            raise InputError(
                f"commitment {self.id}: status={self.status!r}, must be one of {allowed}"
            )

    @property
    def outcome(self) -> Outcome:
        """What is owed, by when, within which bounds."""
        return self.terms.outcome

    @property
    def scope(self) -> frozenset[str] | None:
        """What the delegatee may use or decide."""
        return self.terms.scope

    @property
    def authority(self) -> Authority:
        """Who may end it, and how far it may be passed on."""
        return self.terms.authority

    @property
    def is_open(self) -> bool:
        """Whether it can still change."""
        return self.status in OPEN

    @property
    def next_version(self) -> int:
        """The number that a counter or a revision takes."""
        return self.highest + 1

    def other(self, agent: str) -> str:
        """Return the delegatee, or the delegator if the delegatee is given."""
        return self.delegator if agent == self.delegatee else self.delegatee
