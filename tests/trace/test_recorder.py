"""The recorder: rows of the shop, decisions and messages become tables, however drained."""

from __future__ import annotations

from typing import Any

import pytest

from desbench._engine.simulation import Simulation
from desbench.trace import Recorder, Trace, schema
from shops import shop

INFO = {"suite": "s", "paradigm": "p", "controller": "c", "replicate": 0}


def record(every: int, **settings: Any) -> Trace:
    """Two jobs over two machines, always the first legal command; drained every n-th stop."""
    jobs = [[{0: 5}, {1: 3}], [{1: 4}, {0: 2}]]
    instance = shop(jobs, vehicles=1, travel=2, plant_power_cap=8, **settings)
    simulation, recorder = Simulation(instance), Recorder(instance)
    stops = 0
    while not (stop := simulation.advance()).status:
        stops += 1
        simulation.epoch = stops
        for job in simulation.ready():
            for cell in (0, 1):
                if simulation.can_assign(job, cell):
                    simulation.assign(job, cell)
        for cell in (0, 1):
            for machine, job in simulation.pairs(cell)[:1]:
                simulation.dispatch(job, machine)
        if stops % every == 0:
            recorder.drain(simulation)
    recorder.finish(simulation)
    ended = {"status": stop.status, "time": simulation.time, "cycle": stop.cycle}
    return recorder.trace({**INFO, **ended})


def test_draining_in_blocks_gives_the_same_trace() -> None:
    """Long episodes are drained often; nobody may see that in the rows."""
    assert record(1).hash == record(3).hash == record(1000).hash


def test_rows_carry_the_words_of_the_model() -> None:
    """Codes of the engine stay inside it."""
    trace = record(1)
    first = trace.events.to_pylist()[0]
    assert (first["seq"], first["kind"], first["job"], first["cell"]) == (0, "arrival", 0, None)
    assert trace.events.to_pylist()[-1]["kind"] == "job_complete"
    assert set(trace.texts("intervals", "state")) >= {"idle", "processing", "empty", "loaded"}
    assert set(trace.texts("violations", "entity_kind")) == {"power"}


def test_intervals_and_violations_are_sorted() -> None:
    """The schedule reads machine by machine; violations by time."""
    trace = record(1)
    rows = [(r["entity_kind"], r["entity"], r["start"]) for r in trace.intervals.to_pylist()]
    assert rows == sorted(rows)
    starts = trace.ints("violations", "start").tolist()
    assert len(starts) > 1
    assert starts == sorted(starts)


def test_decisions_and_messages_keep_their_columns() -> None:
    """-1 becomes null, a legal set a list, and messages are numbered in their order."""
    instance = shop([[{0: 5}]])
    recorder = Recorder(instance)
    recorder.decision(1, 0, "plant", "release", "m", 0, -1, (0, 8), 8, "hold", "rule", "ok", 1)
    recorder.message(1, 0, "plant", "cell:C0", "assign", 0, 0, 3, -1, -1, 17)
    recorder.message(1, 0, "cell:C0", "plant", "accept", 0, 0, 3, -1, -1, -1)
    simulation = Simulation(instance)
    recorder.drain(simulation)
    trace = recorder.trace({**INFO, "status": "decision_limit", "time": 0, "cycle": []})
    (decision,) = trace.decisions.to_pylist()
    assert decision["legal"] == [0, 8]
    assert decision["operation"] is None
    messages = trace.messages.to_pylist()
    assert [row["seq"] for row in messages] == [0, 1]
    assert [row["promise"] for row in messages] == [17, None]


def test_nothing_recorded_is_a_whole_trace() -> None:
    """A run that ends before it began still has all tables."""
    trace = Recorder(shop([[{0: 1}]])).trace({**INFO, "status": "x", "time": 0, "cycle": []})
    for name in schema.ROW_TABLES:
        assert trace.raw(name).num_rows == 0
        assert trace.raw(name).schema.equals(schema.SCHEMAS[name])


def test_the_wait_cycle_is_kept() -> None:
    """A deadlock without its cycle helps nobody; pairs become lists, as JSON has them."""
    trace = record(1, inbound=1, outbound=0, commitment=1)
    assert trace.info["status"] in ("done", "deadlock")
    recorder = Recorder(shop([[{0: 1}]]))
    ended = {"status": "deadlock", "time": 0, "cycle": [("item", 0), ("machine", 1)]}
    assert recorder.trace({**INFO, **ended}).info["cycle"] == [["item", 0], ["machine", 1]]


def test_facts_that_are_not_finite_are_refused() -> None:
    """The facts stand as strict JSON in every file."""
    with pytest.raises(ValueError, match="JSON"):
        Recorder(shop([[{0: 1}]])).trace({**INFO, "status": "done", "time": float("nan")})
