"""The log of commitments of a trace, as the library reads it."""

from __future__ import annotations

from desbench.errors import InputError, TraceError
from desbench.paradigms.responsibility.record import Entry, from_json
from desbench.trace.trace import Trace


def entries_of(trace: Trace) -> list[Entry]:
    """Return what the ledger did with each message, in the order of the rows.

    Raises
    ------
    TraceError
        At the first row that cannot be read.
    """
    entries = []
    for row, text in enumerate(trace.texts("commitments", "entry")):
        try:
            entries.append(from_json(text or ""))
        except InputError as error:
            raise TraceError(f"commitments row {row}: {error}") from None
    return entries
