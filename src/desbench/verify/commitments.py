"""Laws about commitments: the table replays, every message has its row, evidence is a row."""

from __future__ import annotations

import math

from desbench.errors import TraceError
from desbench.paradigms.responsibility import replay
from desbench.paradigms.responsibility.commitment import OPEN
from desbench.paradigms.responsibility.protocol import (
    ACCEPT,
    COUNTER,
    EXPIRE,
    REJECT,
    REQUEST,
    REVISE,
)
from desbench.paradigms.responsibility.record import Entry
from desbench.trace.commitments import entries_of
from desbench.trace.trace import Trace
from desbench.verify.case import case_of
from desbench.verify.columns import law

#: Columns that a row and its message share.
SHARED = ("epoch", "time", "sender", "receiver", "job", "operation", "commitment", "version")


@law
def commitments_follow_the_table(trace: Trace) -> list[str]:
    """The log of commitments replays against the transition table, and all have ended."""
    try:
        entries = entries_of(trace)
        ended = replay(entries)
    except TraceError as error:  # LawBroken is one
        return [str(error)]
    broken = [f"{name} is {status} at the end" for name, status in ended.items() if status in OPEN]
    rows = trace.commitments.to_pylist()
    for at, (row, entry) in enumerate(zip(rows, entries, strict=True)):
        message = entry.message
        told = (row["sender"], row["receiver"], row["kind"], f"c{row['commitment']}")
        if told != (message.sender, message.receiver, message.kind, message.commitment):
            broken.append(f"commitments row {at}: {told} is not what its entry says")
        if (row["before"], row["after"], row["time"]) != (entry.before, entry.after, entry.at):
            broken.append(f"commitments row {at}: status or time is not what its entry says")
    return broken


@law
def answers_keep_their_deadline(trace: Trace) -> list[str]:
    """A request or revision is answered, or expires, by its deadline, or in its instant."""
    case = case_of(trace)
    longest: float = case.coordination.deadline
    if longest < 0:
        longest = math.inf if case.takes_time else 0
    since: dict[str, int] = {}  # of what waits, by commitment
    broken = []
    for at, entry in enumerate(_readable(trace)):
        message, time = entry.message, entry.at or 0
        if message.kind in (REQUEST, REVISE):
            since[message.commitment] = time
        elif message.kind in (ACCEPT, REJECT, COUNTER, EXPIRE):
            waited = time - since.get(message.commitment, 0)
            if waited > longest:
                broken.append(f"commitments row {at}: {message.kind} after {waited}")
    return broken


@law
def commitments_have_their_messages(trace: Trace) -> list[str]:
    """Each row but `expire` is one message, in the same order, and the reverse."""
    said = [m for m in trace.messages.to_pylist() if m["commitment"] is not None]
    rows = [row for row in trace.commitments.to_pylist() if row["kind"] != EXPIRE]
    broken = []
    if len(said) != len(rows):
        broken.append(f"{len(said)} messages for {len(rows)} rows of commitments")
    for at, (message, row) in enumerate(zip(said, rows, strict=False)):
        spoken = (message["performative"], *(message[name] for name in SHARED))
        if spoken != (row["kind"], *(row[name] for name in SHARED)):
            broken.append(f"commitments row {at}: its message says {spoken}")
    return broken


@law
def evidence_is_a_finish(trace: Trace) -> list[str]:
    """Evidence names the finish row of the very operation, at its time."""
    finished = {
        f"events {row['seq']}": (f"J{row['job']}.{row['operation']}", row["time"])
        for row in trace.events.to_pylist()
        if row["kind"] == "finish"
    }
    return [
        f"commitments row {at}: {piece.ref} does not show {piece.what}"
        for at, entry in enumerate(_readable(trace))
        for piece in entry.message.evidence
        if finished.get(piece.ref) != (piece.what, piece.at)
    ]


def _readable(trace: Trace) -> list[Entry]:
    """Return the entries; none if one cannot be read, which `commitments_follow_the_table` says."""
    try:
        return entries_of(trace)
    except TraceError:
        return []
