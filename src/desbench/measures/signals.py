"""Signals: what failed in an episode and what was done about it, read from rows, for any paradigm.

One signal per (job, operation, group), at the earliest instant of its group:

- execution: a stop began under the operation while it was in setup or processing;
- resource: the item was stranded (no eligible machine up, or its patience at a gate ran out);
- operational: the date promised last passed before the finish, or a search for a cell ended
  without one (the item was released and not assigned before it was released again or the end);
- validation: an answer about the item did not count, or came too late (superseded, stale), or a
  cell rejected it.

What was done counts from the signal to the finish of the operation, or to the end of the episode;
the finish itself is no answer.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from functools import lru_cache
from typing import NamedTuple

from desbench.trace.trace import Trace

Item = tuple[int, int]  #: job, operation
GROUPS = ("execution", "resource", "operational", "validation")
#: Words by which a failure is told upward, and messages that carry the date of a promise.
UPWARD = ("failure", "inform", "report", "escalate", "reject", "violate")
PROMISES = ("accept", "inform")
LEVELS = {"cell": 0, "area": 1, "plant": 2}
#: Event kinds that say something of a failure.
TELLING = ("assign", "setup_start", "start", "finish", "breakdown", "stranded", "mode")


class Signal(NamedTuple):
    """A failure of one operation, and what was done about it before it finished."""

    group: str
    item: Item
    time: int
    cell: int  #: that had the item; -1 before it had one
    communicated: bool  #: somebody below told somebody above
    monitored: bool  #: an area or the plant chose something about it, or probed
    intervened: bool  #: it was assigned again, its date revised, the mode of its cell changed
    fulfilled: bool  #: the operation finished


class _Found:
    """Everything an episode says about its items."""

    def __init__(self) -> None:
        self.first: dict[tuple[str, Item], tuple[int, int]] = {}  #: -> time, cell
        self.finish: dict[Item, int] = {}
        self.cell: dict[Item, list[tuple[int, int]]] = defaultdict(list)  #: (time, cell)
        self.assigned: dict[Item, list[int]] = defaultdict(list)  #: epochs
        self.told: dict[Item, list[int]] = defaultdict(list)
        self.watched: dict[Item, list[int]] = defaultdict(list)
        self.changed: dict[Item, list[int]] = defaultdict(list)
        self.modes: dict[int, list[int]] = defaultdict(list)
        self.promised: dict[Item, list[tuple[int, int]]] = defaultdict(list)
        self.released: dict[Item, list[tuple[int, int]]] = defaultdict(list)  #: (epoch, time)

    def note(self, group: str, item: Item, time: int) -> None:
        """A signal, unless the item has an earlier one of this group."""
        known = self.first.get((group, item))
        if known is None or time < known[0]:
            held = [cell for since, cell in self.cell[item] if since <= time]
            self.first[group, item] = time, held[-1] if held else -1


@lru_cache(maxsize=1)  # all measures of a trace are taken in a row
def signals_of(trace: Trace) -> tuple[Signal, ...]:
    """Return the signals of an episode, by time, item and group."""
    found = _Found()
    _read_events(trace, found)
    _read_messages(trace, found)
    _read_decisions(trace, found)
    _broken_promises(trace, found)
    _failed_attempts(found)
    signals = []
    for (group, item), (time, cell) in found.first.items():
        until = found.finish.get(item, trace.end + 1)
        changes = [*found.changed[item], *found.modes[cell]]
        told, watched, changed = (
            any(time <= at < until for at in times)
            for times in (found.told[item], found.watched[item], changes)
        )
        is_done = item in found.finish
        signals.append(Signal(group, item, time, cell, told, watched, changed, is_done))
    return tuple(sorted(signals, key=lambda s: (s.time, s.item, GROUPS.index(s.group))))


def _read_events(trace: Trace, found: _Found) -> None:
    names = ("time", "job", "operation", "machine", "cell", "epoch")
    rows = trace.mask("events", "kind", *TELLING)
    columns = [trace.ints("events", name)[rows].tolist() for name in names]
    codes, vocabulary = trace.codes("events", "kind")
    kinds = codes[rows].tolist()
    running: dict[int, Item] = {}
    for code, time, job, operation, machine, cell, epoch in zip(kinds, *columns, strict=True):
        kind = vocabulary[code]
        item = job, operation
        if kind == "assign":
            if found.cell[item]:
                found.changed[item].append(time)
            found.cell[item].append((time, cell))
            found.assigned[item].append(epoch)
        elif kind in ("setup_start", "start"):
            running[machine] = item
        elif kind == "finish":
            found.finish[item] = time
            running.pop(machine, None)
        elif kind == "breakdown" and machine in running:
            found.note("execution", running[machine], time)
        elif kind == "stranded":
            found.note("resource", item, time)
        elif kind == "mode" and epoch >= 0:
            found.modes[cell].append(time)


def _read_messages(trace: Trace, found: _Found) -> None:
    names = ("time", "job", "operation", "promise")
    columns = [trace.ints("messages", name).tolist() for name in names]
    words = [trace.texts("messages", name) for name in ("sender", "receiver", "performative")]
    for time, job, operation, date, sender, receiver, word in zip(*columns, *words, strict=True):
        item = job, operation
        below, above = (LEVELS[(name or "").partition(":")[0]] for name in (sender, receiver))
        if word in UPWARD and below <= above and sender != receiver:
            found.told[item].append(time)
        if date >= 0 and word in PROMISES:
            found.promised[item].append((time, date))
        if word == "probe":
            found.watched[item].append(time)
        elif word == "revise":
            found.changed[item].append(time)


def _read_decisions(trace: Trace, found: _Found) -> None:
    names = ("time", "job", "operation", "epoch")
    columns = [trace.ints("decisions", name).tolist() for name in names]
    texts = ("agent", "kind", "source", "outcome", "target")
    words = [trace.texts("decisions", name) for name in texts]
    for time, job, operation, epoch, agent, kind, source, outcome, target in zip(
        *columns, *words, strict=True
    ):
        if job < 0:
            continue
        item = job, operation
        refused = kind in ("commit", "respond") and target == "reject"
        if source == "fallback" or outcome != "ok" or refused:
            found.note("validation", item, time)
        if kind == "release":
            found.released[item].append((epoch, time))
        elif source != "forced" and not (agent or "").startswith("cell:"):
            found.watched[item].append(time)


def _broken_promises(trace: Trace, found: _Found) -> None:
    """A date that passed while no later promise had taken its place."""
    for item, given in found.promised.items():
        finish = found.finish.get(item, trace.end)
        for at, (since, date) in enumerate(given):
            until = given[at + 1][0] if at + 1 < len(given) else finish
            if since <= date < min(until, finish):
                found.note("operational", item, date)
                break


def _failed_attempts(found: _Found) -> None:
    """A release that no assignment followed before the next one of the same item."""
    for item, releases in found.released.items():
        epochs = found.assigned[item]
        for at, (epoch, time) in enumerate(releases):
            until = releases[at + 1][0] if at + 1 < len(releases) else float("inf")
            place = bisect_left(epochs, epoch)
            if place == len(epochs) or epochs[place] >= until:
                found.note("operational", item, time)
                break
