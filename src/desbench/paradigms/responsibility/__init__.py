"""Responsibility-centered coordination as a library of its own, free of any simulator.

A commitment couples the delegation of some work with what both sides owe for it: the delegator owns
the dependency to the end, the delegatee owns the work once it has accepted. `docs/rcm.md` states
the machine completely. Nothing here imports an engine or any library.

>>> from desbench.paradigms.responsibility import CommitmentGraph, Outcome, Terms, about, request
>>> book = CommitmentGraph()
>>> _ = book.apply(request("m1", "c1", ("ann", "bob"), Terms(Outcome("soup", by=12))))
>>> book.apply(about(book["c1"], "accept", "bob", "m2", promise=11)).after
'accepted'
>>> book["c1"].outcome.by
11
"""

from __future__ import annotations

from desbench.paradigms.responsibility.commitment import (
    Authority,
    Bound,
    Commitment,
    Evidence,
    Outcome,
    Terms,
)
from desbench.paradigms.responsibility.duties import Obligation, open_obligations
from desbench.paradigms.responsibility.graph import CommitmentGraph
from desbench.paradigms.responsibility.interpreter import replay
from desbench.paradigms.responsibility.protocol import RcpMessage, about, request
from desbench.paradigms.responsibility.record import Entry
from desbench.paradigms.responsibility.shape import Shape, shape
from desbench.paradigms.responsibility.transitions import TABLE, Transition, moves
from desbench.paradigms.responsibility.wire import from_json, to_json

__all__ = [
    "TABLE",
    "Authority",
    "Bound",
    "Commitment",
    "CommitmentGraph",
    "Entry",
    "Evidence",
    "Obligation",
    "Outcome",
    "RcpMessage",
    "Shape",
    "Terms",
    "Transition",
    "about",
    "from_json",
    "moves",
    "open_obligations",
    "replay",
    "request",
    "shape",
    "to_json",
]
