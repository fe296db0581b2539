"""The reference interpreter: it replays a log against the transition table and believes nothing.

It shares the rows of the table with the book, and neither guards nor effects: what it knows of a
commitment are six values, kept by rules of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from desbench.errors import LawBroken
from desbench.paradigms.responsibility import transitions
from desbench.paradigms.responsibility.commitment import BINDING, NONE, TERMINAL
from desbench.paradigms.responsibility.guards import GUARDS
from desbench.paradigms.responsibility.protocol import COUNTER, REQUEST, REVISE, RcpMessage
from desbench.paradigms.responsibility.record import APPLIED, DUPLICATE, REFUSED, Entry
from desbench.paradigms.responsibility.transitions import TABLE, Transition


@dataclass
class _Held:
    """What the interpreter keeps of a commitment."""

    request: RcpMessage
    status: str = NONE
    version: int = 1
    highest: int = 1
    is_offered: bool = False
    proposer: str = ""


def replay(entries: Iterable[Entry]) -> dict[str, str]:
    """Replay a log of one book and return the status of each commitment at its end.

    Raises
    ------
    LawBroken
        At the first entry that the table does not allow; it names the entry, counted from 0.
    """
    held: dict[str, _Held] = {}
    seen: set[str] = set()
    for number, entry in enumerate(entries):
        wrong = _entry_wrong(entry, held, seen)
        if wrong:
            message = entry.message
            raise LawBroken(f"entry {number} ({message.id}, {message.kind}): {wrong}")
        seen.add(entry.message.id)
    return {key: record.status for key, record in held.items()}


def _entry_wrong(entry: Entry, held: dict[str, _Held], seen: set[str]) -> str:
    """Say what is wrong with an entry, or take it up."""
    record = held.get(entry.message.commitment)
    before = NONE if record is None else record.status
    if entry.before != before:
        return f"before={entry.before}, replayed {before}"
    if entry.result != APPLIED:
        return _unchanged_wrong(entry, record, seen)
    if entry.message.id in seen:
        return "applied a second time"
    if record is None:
        record = _Held(entry.message, proposer=entry.message.sender)
    row = TABLE.get((before, entry.message.kind))
    wrong = "not in the table" if row is None else _row_wrong(entry, record, row)
    if row is None or wrong:
        return wrong
    if entry.after != row.to:
        return f"after={entry.after}, must be {row.to}"
    _take(entry.message, record, row)
    held[entry.message.commitment] = record
    if entry.version != record.version:
        return f"version={entry.version}, replayed {record.version}"
    return _bound_wrong(record, held)


def _unchanged_wrong(entry: Entry, record: _Held | None, seen: set[str]) -> str:
    """A duplicate or refused message leaves all as it was, and says why."""
    version = 0 if record is None else record.version
    if (entry.after, entry.version) != (entry.before, version):
        return f"{entry.result}, but something changed"
    if entry.result == DUPLICATE:
        return "" if entry.message.id in seen else "no duplicate: its id is new"
    if entry.result != REFUSED or entry.guard not in GUARDS:
        return f"result={entry.result} by guard {entry.guard!r}, which does not exist"
    is_possible = (entry.before, entry.message.kind) in TABLE
    if entry.guard == "state" and is_possible:
        return "refused for its state, but the table has a row"
    return "" if is_possible or entry.guard in ("state", "identity") else "refused beside the table"


def _row_wrong(entry: Entry, record: _Held, row: Transition) -> str:
    """Role, version and evidence, as far as a log without books can tell."""
    message, opening = entry.message, record.request
    delegator, delegatee = opening.sender, opening.receiver
    allowed = {
        transitions.DELEGATOR: {delegator},
        transitions.DELEGATEE: {delegatee},
        transitions.ANSWERER: {delegator, delegatee} - {record.proposer},
        transitions.EITHER: {delegator, delegatee},
        transitions.TERMINATOR: {delegator, *_terminators(opening)},
    }[row.sender]
    if message.sender not in allowed:
        return f"{message.sender} is not its {row.sender}"
    due = {
        transitions.FIRST: message.version == 1,
        transitions.CURRENT: message.version == record.version,
        transitions.OFFERED: record.is_offered and message.version == record.highest,
        transitions.NEW: message.version > record.highest or message.kind == REQUEST,
        transitions.KNOWN: message.version <= record.highest,
    }[row.version]
    if not due:
        return f"version {message.version} is not the {row.version} one"
    if row.evidence != transitions.ANY and not message.evidence:
        return "without evidence"
    return ""


def _take(message: RcpMessage, record: _Held, row: Transition) -> None:
    """Keep the six values."""
    record.status = row.to
    if message.kind in (COUNTER, REVISE):
        record.highest = message.version
        record.is_offered = message.kind == REVISE
    if message.kind == COUNTER:
        record.version, record.proposer = message.version, message.sender
    if row.version == transitions.OFFERED:
        record.is_offered = False
        if row.effect == transitions.ADOPT:
            record.version = message.version
    if row.to in TERMINAL or row.effect == transitions.RECORD:
        record.is_offered = False


def _bound_wrong(record: _Held, held: dict[str, _Held]) -> str:
    """No second commitment beside this one binds the same item for the same delegator."""
    if record.status not in BINDING:
        return ""
    place = _place(record.request)
    others = (o for o in held.values() if o is not record and o.status in BINDING)
    twice = [o.request.commitment for o in others if _place(o.request) == place]
    return f"item {place[-1]} is bound by {twice[0]} already" if twice else ""


def _place(opening: RcpMessage) -> tuple[str, str, str]:
    assert opening.terms is not None, "RcpMessage holds the terms of a request"
    return opening.sender, opening.parent or "", opening.terms.outcome.what


def _terminators(opening: RcpMessage) -> tuple[str, ...]:
    assert opening.terms is not None, "RcpMessage holds the terms of a request"
    return opening.terms.authority.terminators
