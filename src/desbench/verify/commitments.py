"""Laws about commitments: the table replays, every message has its row, evidence is a row."""

from __future__ import annotations

import json
from collections.abc import Iterator

from desbench.errors import InputError, LawBroken
from desbench.paradigms.responsibility import Entry, replay
from desbench.paradigms.responsibility.commitment import OPEN
from desbench.paradigms.responsibility.record import from_mapping
from desbench.trace.trace import Trace
from desbench.verify.columns import law

#: Columns that a row and its message share.
SHARED = ("epoch", "time", "sender", "receiver", "job", "operation", "commitment", "version")


@law
def commitments_follow_the_table(trace: Trace) -> list[str]:
    """The log of commitments replays against the transition table, and all have ended."""
    try:
        entries = list(_entries(trace))
        ended = replay(entries)
    except (InputError, LawBroken) as error:
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
def commitments_have_their_messages(trace: Trace) -> list[str]:
    """Each row of a commitment is one message, in the same order, and the reverse."""
    said = [m for m in trace.messages.to_pylist() if m["commitment"] is not None]
    rows = trace.commitments.to_pylist()
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
    events = {row["seq"]: row for row in trace.events.to_pylist() if row["kind"] == "finish"}
    broken = []
    for at, entry in enumerate(_entries(trace)):
        for piece in entry.message.evidence:
            row = events.get(int(piece.ref.rpartition(" ")[2]))
            if row is None or (f"J{row['job']}.{row['operation']}", row["time"]) != (
                piece.what,
                piece.at,
            ):
                broken.append(f"commitments row {at}: {piece.ref} does not show {piece.what}")
    return broken


def _entries(trace: Trace) -> Iterator[Entry]:
    for text in trace.texts("commitments", "entry"):
        yield from_mapping(json.loads(text or "null"))
