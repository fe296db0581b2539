"""The log of commitments of a trace, as the library reads it."""

from __future__ import annotations

from collections.abc import Sequence

from desbench.errors import InputError, TraceError
from desbench.paradigms.responsibility.record import Entry, from_json
from desbench.trace.trace import Trace


def entries_of(trace: Trace, rows: Sequence[int] | None = None) -> list[Entry]:
    """Return what the ledger did with each message, in the order of the rows.

    Parameters
    ----------
    rows
        Only these; default all.

    Raises
    ------
    TraceError
        At the first row that cannot be read.
    """
    entries = []
    texts = trace.texts("commitments", "entry")
    for row in range(len(texts)) if rows is None else rows:
        try:
            entries.append(from_json(texts[row] or ""))
        except InputError as error:
            raise TraceError(f"commitments row {row}: {error}") from None
    return entries
