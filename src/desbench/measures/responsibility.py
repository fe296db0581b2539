"""Responsibility: who told, watched and acted when something failed.

Each of the four shares is over the signals of `signals.py` and null without any; the number of
signals stands beside them. For paradigms without commitments they describe the protocol as much as
the agents. Source: the RCM paper; what counts as an answer is ours (`docs/measures.md`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from desbench.measures.definition import Value, add, secondary
from desbench.measures.signals import GROUPS, signals_of
from desbench.paradigms.responsibility import Commitment, Shape, shape
from desbench.paradigms.responsibility.commitment import ACCEPTED, NONE
from desbench.paradigms.responsibility.protocol import EXPIRE
from desbench.trace.commitments import entries_of
from desbench.trace.trace import Trace

SHARES = {
    "communicate": ("communicated", "told to somebody above"),
    "monitor": ("monitored", "about which an area or the plant chose something, or probed"),
    "intervene": ("intervened", "answered by a new cell, another date or a mode of the cell"),
    "fulfilment": ("fulfilled", "whose operation finished"),
}


def _share(trace: Trace, field: str, group: str | None = None) -> Value:
    found = [signal for signal in signals_of(trace) if group in (None, signal.group)]
    if not found:
        return None
    return sum(bool(getattr(signal, field)) for signal in found) / len(found)


def _sharing(field: str, group: str | None) -> Callable[[Trace], Value]:
    return lambda trace: _share(trace, field, group)


def _counting(group: str) -> Callable[[Trace], Value]:
    return lambda trace: sum(signal.group == group for signal in signals_of(trace))


@secondary()
def signals(trace: Trace) -> Value:
    """Failures of operations, one per operation and group."""
    return len(signals_of(trace))


for _name, (_field, _told) in SHARES.items():
    add("", _name, f"Share of the signals {_told}.", "1", _sharing(_field, None))


@secondary()
def responsibility(trace: Trace) -> Value:
    """Mean of communicate, monitor, intervene and fulfilment; null without signals."""
    shares = [_share(trace, field) for field, _ in SHARES.values()]
    known = [share for share in shares if share is not None]
    return sum(known) / len(SHARES) if known else None


@secondary()
def robustness(trace: Trace) -> Value:
    """Share of the cells hit by a signal that finished an operation later; 1 if none was hit."""
    hit: dict[int, int] = {}
    for signal in signals_of(trace):
        if signal.cell >= 0:
            hit.setdefault(signal.cell, signal.time)
    finished = trace.mask("events", "kind", "finish")
    cells, times = (trace.ints("events", name)[finished].tolist() for name in ("cell", "time"))
    last: dict[int, int] = dict(zip(cells, times, strict=True))
    if not hit:
        return 1.0
    return sum(last.get(cell, -1) > time for cell, time in hit.items()) / len(hit)


for _group in GROUPS:
    add("", f"signals_{_group}", f"Signals of the group {_group}.", "1", _counting(_group))
    for _name, (_field, _told) in SHARES.items():
        add(
            *("", f"{_name}_{_group}", f"Share of the {_group} signals {_told}.", "1"),
            _sharing(_field, _group),
        )


@secondary()
def commitment_messages_forced(trace: Trace) -> Value:
    """Messages about commitments that the protocol sent by itself; null without commitments."""
    return _messages(trace, forced=1)


@secondary()
def commitment_messages_chosen(trace: Trace) -> Value:
    """Messages about commitments that an agent chose; null without commitments."""
    return _messages(trace, forced=0)


@secondary()
def commitment_depth(trace: Trace) -> Value:
    """Delegators in the longest chain of agreements; null without commitments."""
    return _shape(trace).depth if _has_any(trace) else None


@secondary()
def commitment_breadth(trace: Trace) -> Value:
    """Most agents one delegator asked for one item; null without commitments."""
    return _shape(trace).breadth if _has_any(trace) else None


@secondary()
def hub_share(trace: Trace) -> Value:
    """Largest share of the agreements that one agent holds; null without commitments."""
    return _shape(trace).hub_share if _has_any(trace) else None


def _messages(trace: Trace, forced: int) -> Value:
    if not _has_any(trace):
        return None
    travels = ~trace.mask("commitments", "kind", EXPIRE)
    return int((travels & (trace.ints("commitments", "forced") == forced)).sum())


def _has_any(trace: Trace) -> bool:
    return bool(trace.commitments.num_rows)


@lru_cache(maxsize=1)  # as in signals.py
def _shape(trace: Trace) -> Shape:
    number = trace.ints("commitments", "commitment")
    agreed = np.isin(number, number[trace.mask("commitments", "after", ACCEPTED)])
    asked = np.flatnonzero(trace.mask("commitments", "before", NONE)).tolist()
    messages = (entry.message for entry in entries_of(trace, asked))
    return shape(
        Commitment(
            id=message.commitment,
            conversation=message.conversation,
            delegator=message.sender,
            delegatee=message.receiver,
            terms=message.terms,
            chain=message.chain,
            parent=message.parent,
            agreed=int(agreed[row]),
        )
        for row, message in zip(asked, messages, strict=True)
        if message.terms is not None
    )
