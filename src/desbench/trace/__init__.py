"""Traces: the rows of an episode, in memory and on disk."""

from desbench.trace.reader import read, scan
from desbench.trace.recorder import Recorder
from desbench.trace.streaming import Streamed, play
from desbench.trace.trace import RunKey, Trace
from desbench.trace.writer import atomic_write, write

__all__ = [
    "Recorder",
    "RunKey",
    "Streamed",
    "Trace",
    "atomic_write",
    "play",
    "read",
    "scan",
    "write",
]
