"""A second shop, in plain Python, written from `docs/model.md` alone.

`Oracle` has the interface of the compiled `Simulation`. It keeps the least state it can and finds
everything else (live events, commitments, powers, pending work) by looking at all of it again,
so a slip in the engine's running counters cannot be repeated here.

plant -> estimate -> commands -> events -> settle -> oracle, each a floor on the one before.
"""

from oracle.oracle import Oracle
from oracle.rows import (
    Event,
    Interval,
    Stop,
    Violation,
    named_events,
    named_intervals,
    named_violations,
)

__all__ = [
    "Event",
    "Interval",
    "Oracle",
    "Stop",
    "Violation",
    "named_events",
    "named_intervals",
    "named_violations",
]
