"""Re-execution: the recorded actions through the engine once more, to the same hash."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from desbench.errors import DesbenchError, InputError
from desbench.instances.faults import read_faults, stopped
from desbench.trace import schema
from desbench.trace.trace import Trace

if TYPE_CHECKING:
    from desbench.instances.instance import Instance
    from desbench.paradigms import Paradigm, ShiftingAuthority

SHOP_TABLES = ("events", "intervals", "violations")  #: what a compiled run has rows of


def reexecute(trace: Trace, instance: Instance, paradigm: Paradigm | None = None) -> list[str]:
    """Play the recorded actions on the case and compare every row.

    A compiled run has no actions; it is played by the same rules in Python, and the rows of the
    shop are compared.

    Parameters
    ----------
    paradigm
        Default the authority mode that the trace holds, or the paradigm it names.

    Returns
    -------
    list of str
        Where the two differ; empty if the hash is the same.
    """
    case = stopped(instance, read_faults(trace.info.get("faults")))
    if trace.info["digest"] != case.digest:
        return [f"the trace plays case {trace.info['digest']}, this is {case.digest}"]
    for name, table in case.tables().items():
        if schema.digest(table) != schema.digest(trace.case[name]):
            return [f"the table {name} of the trace is not that of the case"]
    if "compiled" in trace.info:
        if trace.decisions.num_rows or trace.messages.num_rows:
            return ["a compiled run has no decisions and no messages, this has"]
        return _differences(trace, by_rules(trace, instance), SHOP_TABLES)
    try:
        again = play_again(trace, instance, paradigm)
    except DesbenchError as error:
        return [f"the recorded actions cannot be played: {error}"]
    return [] if again.hash == trace.hash else _differences(trace, again)


def play_again(trace: Trace, instance: Instance, paradigm: Paradigm | None = None) -> Trace:
    """Return the trace of an episode driven by the recorded actions."""
    from desbench.episode import Episode
    from desbench.protocol.authority import AuthorityMode
    from desbench.protocol.decision import Note
    from desbench.verify.protocol import decisions_of

    if paradigm is None:
        told = trace.info.get("authority")
        if told and "routing_authority_mode" in told:
            paradigm = AuthorityMode(**told)
        else:
            paradigm = _function(told) if told else str(trace.info["paradigm"])
    attempts = trace.ints("decisions", "attempts").tolist()
    took = _latencies(trace)
    recorded: dict[int, dict[str, tuple[int, Note]]] = {}
    for decision in decisions_of(trace):
        latency = math.fsum(took[decision.epoch, decision.agent])
        note = Note(decision.source, decision.outcome, attempts[decision.row], latency).as_given()
        recorded.setdefault(decision.epoch, {})[decision.agent] = decision.action, note
    episode = Episode(instance, paradigm=paradigm, faults=trace.info.get("faults"))
    episode.follow(recorded)
    return episode.trace


def by_rules(trace: Trace, instance: Instance) -> Trace:
    """Return the trace of an episode by the rules that a compiled run names, in Python."""
    from desbench.controllers import make_runner
    from desbench.episode import Episode
    from desbench.protocol.authority import AuthorityMode

    mode = AuthorityMode(**trace.info["authority"])
    episode = Episode(instance, paradigm=mode, faults=trace.info.get("faults"))
    episode.play(make_runner(rules=trace.info["compiled"]), strict=True)
    return episode.trace


def _function(told: Mapping[str, Any]) -> ShiftingAuthority:
    """Return the authority function that a trace names, if it still is what it was."""
    from desbench.paradigms import ShiftingAuthority, paradigm

    if told["source"] is None:
        raise InputError(f"the authority function {told['mode_id']} is in no file; pass paradigm=")
    found = paradigm(told["source"])
    if not isinstance(found, ShiftingAuthority) or found.digest != told["digest"]:
        raise InputError(f"{told['source']}: the authority function has changed since")
    return found


def _latencies(trace: Trace) -> Mapping[tuple[int, str], list[float]]:
    """Return by epoch and agent how long its calls took, which a case may charge."""
    took: dict[tuple[int, str], list[float]] = defaultdict(list)
    for row in trace.llm_calls.select(["epoch", "agent", "latency_s"]).to_pylist():
        took[row["epoch"], row["agent"]].append(row["latency_s"])
    return took


def _differences(trace: Trace, again: Trace, names: Sequence[str] = schema.ROW_TABLES) -> list[str]:
    """Return the first row of each table that differs."""
    told = []
    for name in names:
        here, there = trace.raw(name), again.raw(name)
        if schema.digest(here) == schema.digest(there):
            continue
        pairs = zip(here.to_pylist(), there.to_pylist(), strict=False)
        row = next((row for row, (a, b) in enumerate(pairs) if a != b), None)
        if row is None:
            told.append(f"{name}: {here.num_rows} rows, played again {there.num_rows}")
        else:
            a, b = here.slice(row, 1).to_pylist()[0], there.slice(row, 1).to_pylist()[0]
            columns = {column: (a[column], b[column]) for column in a if a[column] != b[column]}
            told.append(f"{name} row {row}: (recorded, played again) differ in {columns}")
    return told
