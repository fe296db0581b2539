"""Recorder: collects the rows of an episode while it runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from desbench.protocol.decision import Note
from desbench.trace import schema
from desbench.trace.trace import I64, Trace

if TYPE_CHECKING:
    import pyarrow as pa

    from desbench._engine.simulation import Simulation
    from desbench.instances.instance import Instance

ENTITY_KINDS = ("machine", "vehicle")
LIMITS = ("power", "wip")

_EVENTS = tuple(schema.SCHEMAS["events"].names)[1:]
INTERVALS = ("vehicle", "entity", "state", "job", "operation", "start", "end", "power")
BY_ENTITY = ("vehicle", "entity", "start")  #: the order of intervals
_VIOLATIONS = ("wip", "entity", "start", "end", "magnitude")
_DECISIONS = tuple(schema.SCHEMAS["decisions"].names)
_CALLS = tuple(schema.SCHEMAS["llm_calls"].names)
_MESSAGES = tuple(schema.SCHEMAS["messages"].names)[1:]
_COMMITMENTS = tuple(schema.SCHEMAS["commitments"].names)[1:]


class Recorder:
    """Takes decisions and messages one by one, the rows of the shop in blocks."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self._decisions: list[tuple[Any, ...]] = []
        self._latencies: dict[int, float] = {}  #: by row of the decisions, those not 0
        self._messages: list[tuple[Any, ...]] = []
        self._commitments: list[tuple[Any, ...]] = []
        self.llm_calls: Sequence[tuple[Any, ...]] = ()  #: told by the runner after the episode
        self._events: list[Mapping[str, I64]] = []
        self.drained = 0  #: event rows taken over so far
        self._intervals: list[Mapping[str, I64]] = []
        self._violations: list[Mapping[str, I64]] = []

    def decision(
        self,
        epoch: int,
        time: int,
        agent: str,
        kind: str,
        authority: str,
        job: int,
        operation: int,
        legal: Sequence[int],
        action: int,
        target: str | None,
        source: str,
        outcome: str,
        attempts: int,
        latency_s: float = 0.0,
    ) -> int:
        """Record one action of one agent, -1 or None where a column is empty; return its row."""
        row = len(self._decisions)
        if latency_s:
            self._latencies[row] = latency_s
        self._decisions.append(
            (
                *(epoch, time, agent, kind, authority, job, operation, tuple(legal), action),
                *(target, source, outcome, attempts),
            )
        )
        return row

    def amend(self, row: int, outcome: str) -> None:
        """Write down what became of an action after it was recorded."""
        at = _DECISIONS.index("outcome")
        told = self._decisions[row]
        self._decisions[row] = (*told[:at], outcome, *told[at + 1 :])

    def answers(self) -> dict[int, dict[str, tuple[int, Note]]]:
        """Return the actions so far with their notes, by epoch and agent."""
        found: dict[int, dict[str, tuple[int, Note]]] = {}
        for number, row in enumerate(self._decisions):
            told = dict(zip(_DECISIONS, row, strict=True))
            latency = self._latencies.get(number, 0.0)
            note = Note(told["source"], told["outcome"], told["attempts"], latency)
            found.setdefault(told["epoch"], {})[told["agent"]] = told["action"], note.as_given()
        return found

    def message(
        self,
        epoch: int,
        time: int,
        sender: str,
        receiver: str,
        performative: str,
        job: int = -1,
        operation: int = -1,
        conversation: int = -1,
        commitment: int = -1,
        version: int = -1,
        promise: int = -1,
    ) -> None:
        """Record one protocol message; -1 where a column is empty."""
        self._messages.append(
            (
                *(epoch, time, sender, receiver, performative, job, operation, conversation),
                *(commitment, version, promise),
            )
        )

    def commitment(self, row: Mapping[str, Any]) -> None:
        """Record what the ledger did with one message, by column; -1 or None where empty."""
        self._commitments.append(tuple(row[name] for name in _COMMITMENTS))

    def drain(self, simulation: Simulation) -> Mapping[str, I64]:
        """Take over the rows the shop wrote since the last call; return those of events."""
        self._events.append(simulation.event_rows())
        self.drained += len(self._events[-1]["time"])
        self._intervals.append(simulation.interval_rows())
        self._violations.append(simulation.violation_rows())
        return self._events[-1]

    def finish(self, simulation: Simulation) -> None:
        """Take over the last rows, after the end of the episode."""
        self.drain(simulation)

    def trace(self, info: Mapping[str, Any]) -> Trace:
        """Return all rows so far as a trace.

        Parameters
        ----------
        info
            suite, paradigm, controller, replicate, status, time, cycle. Name, units and digest
            of the case are added here.
        """
        instance = self.instance
        return Trace(
            events=event_table(joined(_EVENTS, self._events)),
            intervals=interval_table(ordered(joined(INTERVALS, self._intervals), BY_ENTITY)),
            decisions=schema.build("decisions", _transposed(_DECISIONS, self._decisions)),
            messages=self._numbered("messages", _MESSAGES, self._messages),
            violations=violation_table(self._violations),
            commitments=self._numbered("commitments", _COMMITMENTS, self._commitments),
            case={name: schema.labelled(name, table) for name, table in instance.tables().items()},
            info=facts_of(instance, info),
            llm_calls=schema.build("llm_calls", _transposed(_CALLS, self.llm_calls)),
        )

    def _numbered(self, name: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Any:
        return schema.build(name, {**_transposed(columns, rows), "seq": np.arange(len(rows))})


def facts_of(instance: Instance, info: Mapping[str, Any]) -> dict[str, Any]:
    """Add name, units and digest of the case to what is said about a run."""
    facts = {
        "case": instance.case,
        "time_unit": instance.time_unit,
        "ticks_per_unit": instance.ticks_per_unit,
        "digest": instance.digest,
    }
    # Through JSON, so that a trace read back from disk equals the one written.
    plain: dict[str, Any] = json.loads(json.dumps({**facts, **info}, allow_nan=False))
    return plain


def event_table(rows: Mapping[str, I64], first: int = 0) -> pa.Table:
    """Make event rows of the shop a table; the first one has the number `first`."""
    from desbench._engine.simulation import CAUSES, EVENT_KINDS

    named = {"kind": (rows["kind"], EVENT_KINDS), "cause": (rows["cause"], CAUSES)}
    seq = np.arange(first, first + len(rows["time"]))
    return schema.build("events", {**rows, **named, "seq": seq})


def interval_table(rows: Mapping[str, I64]) -> pa.Table:
    """Make interval rows of the shop, in their order, a table."""
    from desbench._engine.simulation import MACHINE_STATES, VEHICLE_STATES

    # Both kinds of state share one column: vehicle states follow the machine states.
    states = tuple(dict.fromkeys((*MACHINE_STATES, *VEHICLE_STATES)))
    offset = np.array([states.index(state) for state in (*MACHINE_STATES, *VEHICLE_STATES)])
    state = offset[rows["state"] + rows["vehicle"] * len(MACHINE_STATES)]
    named = {"entity_kind": (rows["vehicle"], ENTITY_KINDS), "state": (state, states)}
    return schema.build("intervals", {**rows, **named})


def violation_table(blocks: Sequence[Mapping[str, I64]]) -> pa.Table:
    """Make all violation rows of the shop a table."""
    rows = ordered(joined(_VIOLATIONS, blocks), ("start", "wip", "entity"))
    return schema.build("violations", {**rows, "entity_kind": (rows["wip"], LIMITS)})


def _transposed(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in names]
    return dict(zip(names, columns, strict=True))


def joined(names: Sequence[str], blocks: Sequence[Mapping[str, I64]]) -> dict[str, I64]:
    """Put the columns of several blocks of rows together."""
    empty = np.empty(0, dtype=np.int64)
    return {
        name: np.concatenate([empty, *(np.asarray(block[name], np.int64) for block in blocks)])
        for name in names
    }


def ordered(rows: Mapping[str, I64], by: Sequence[str]) -> dict[str, I64]:
    """Sort rows by columns, the first one first."""
    order = np.lexsort([rows[name] for name in reversed(by)])
    return {name: column[order] for name, column in rows.items()}
