"""Laws hold on real episodes, and every one of them can fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest

from desbench._engine.simulation import MODES, Simulation
from desbench.episode import Episode, make_runner
from desbench.errors import IllegalAction, LawBroken
from desbench.instances.coordination import Coordination
from desbench.instances.instance import Instance
from desbench.paradigms import ALIASES, AuthorityMode
from desbench.trace import Recorder, Trace
from desbench.verify import LAWS, Law, reexecute, verify
from measures.handmade import table
from shops import random_instance, shop

PARADIGMS = tuple(ALIASES.values())
BIDS_IN_AREAS = AuthorityMode("bids_in_areas", "plant_area_cell", mediated_bid_round_enabled=True)
TYPICAL = 12  #: a seed whose jobs are all done and delivered
Row = dict[str, Any]


@cache
def played(
    paradigm: str | AuthorityMode, seed: int, backend: str = "random"
) -> tuple[Instance, Trace]:
    instance = random_instance(seed, options=8)
    episode = Episode(instance, paradigm=paradigm)
    episode.play(make_runner("native", backend))
    return instance, episode.trace


# they hold


@pytest.mark.parametrize("backend", ["rules", "random"])
@pytest.mark.parametrize("paradigm", [*PARADIGMS, BIDS_IN_AREAS], ids=str)
def test_real_episodes_keep_every_law_and_play_again_to_the_same_hash(
    paradigm: str | AuthorityMode, backend: str
) -> None:
    """Good controllers and blind ones, every paradigm, shops in which rules collide."""
    for seed in range(8):
        instance, trace = played(paradigm, seed, backend)
        report = verify(trace, instance, trace_hash=trace.hash)
        assert report.ok, f"seed {seed}: {report.findings[:3]}"


def command_at_random(simulation: Simulation, instance: Instance, rng: Random) -> None:
    job, cell = rng.randrange(len(instance.job_names)), rng.randrange(len(instance.cell_names))
    machine = rng.randrange(len(instance.machine_names))
    commands: list[tuple[Callable[..., None], tuple[Any, ...]]] = [
        (simulation.assign, (job, cell)),
        (simulation.assign, (job, cell)),
        (simulation.dispatch, (job, machine)),
        (simulation.dispatch, (job, machine)),
        (simulation.unassign, (job,)),
        (simulation.set_mode, (cell, rng.choice(MODES))),
        (simulation.send, (rng.randrange(3), rng.randrange(len(instance.travel)))),
        (simulation.assign, (job, cell, rng.randrange(3))),
    ]
    command, arguments = rng.choice(commands)
    with suppress(IllegalAction):
        command(*arguments)


def driven(seed: int) -> Trace:
    """A shop under commands that no protocol would give."""
    rng = Random(seed)
    instance = random_instance(rng)
    simulation, recorder = Simulation(instance), Recorder(instance)
    simulation.vehicle_stops = rng.random() < 0.5
    while not (stop := simulation.advance()).status:
        simulation.epoch += 1
        for _ in range(rng.randrange(30)):
            command_at_random(simulation, instance, rng)
    return ended(simulation, recorder, stop)


def ended(simulation: Simulation, recorder: Recorder, stop: Any) -> Trace:
    recorder.finish(simulation)
    info = {"suite": "s", "paradigm": "none", "controller": "c", "replicate": 0}
    return recorder.trace(
        {**info, "status": stop.status, "time": simulation.time, "cycle": stop.cycle}
    )


def test_the_laws_of_the_shop_hold_without_a_protocol() -> None:
    """They speak of the plant, so any sequence of legal commands must keep them."""
    for seed in range(60):
        report = verify(driven(seed))
        assert report.ok, f"seed {seed}: {report.findings[:3]}"


# they can fail


def remade(trace: Trace, name: str, rows: list[Row]) -> Trace:
    return replace(trace, **{name: table(name, rows)}, _columns={})


def changed(trace: Trace, name: str, position: int, **columns: Any) -> Trace:
    """Replace values of one row; a callable makes the new value of the old one."""
    rows = trace.raw(name).to_pylist()
    row = rows[position]
    rows[position] = row | {
        column: value(row[column]) if callable(value) else value
        for column, value in columns.items()
    }
    return remade(trace, name, rows)


def later(ticks: int) -> int:
    return ticks + 1


def is_kind(*kinds: str) -> Callable[[Row], bool]:
    return lambda row: row["kind"] in kinds


def anything(row: Row) -> bool:
    return True


def is_about_a_commitment(row: Row) -> bool:
    return row["commitment"] is not None


BREAKS: dict[str, tuple[str, Callable[[Row], bool], Mapping[str, Any]]] = {
    "columns_fit": ("events", is_kind("admission"), {"cell": 99}),
    "time_never_falls": ("messages", lambda row: row["time"] > 1, {"time": -5}),
    "epochs_are_instants": ("decisions", lambda row: row["epoch"] > 2, {"epoch": 1}),
    "jobs_are_conserved": (
        "events",
        lambda row: row["kind"] == "arrival" and row["job"] > 0,
        {"job": 0},
    ),
    "arrivals_are_releases": ("events", is_kind("arrival"), {"time": later}),
    "stops_are_the_calendar": ("events", is_kind("breakdown"), {"amount": later}),
    "intervals_leave_no_gap": ("intervals", anything, {"end": later}),
    "route_is_followed": ("events", is_kind("start"), {"kind": "setup_start"}),
    "rows_name_the_present_operation": (
        "events",
        lambda row: row["kind"] == "assign" and row["operation"] > 0,
        {"operation": 0},
    ),
    "jobs_complete_at_their_last_finish": ("events", is_kind("job_complete"), {"time": later}),
    "processing_takes_its_time": ("events", is_kind("finish"), {"time": later}),
    "setups_follow_the_matrix": ("events", is_kind("setup_start"), {"amount": later}),
    "travel_follows_the_matrix": ("events", is_kind("vehicle_move"), {"amount": later}),
    "nothing_holds_too_much": ("events", is_kind("admission"), {"kind": "buffer_wait"}),
    "strandings_have_their_cause": ("events", is_kind("stranded"), {"time": later}),
    "states_follow_events": (
        "intervals",
        lambda row: row["state"] == "processing",
        {"state": "setup"},
    ),
    "power_is_that_of_the_state": ("intervals", anything, {"power": later}),
    "violations_are_what_stood": ("violations", anything, {"magnitude": later}),
    "alarms_announce_violations": ("violations", anything, {"start": later}),
    "modes_change": ("events", is_kind("mode"), {"epoch": None, "cause": "pause"}),
    "reviews_are_periodic": ("events", is_kind("budget_review"), {"time": later}),
    "caps_are_shared_out": ("events", is_kind("cap"), {"amount": later}),
    "actions_are_legal": ("decisions", anything, {"action": 77}),
    "agents_keep_their_authority": ("decisions", is_kind("dispatch"), {"agent": "plant"}),
    "commands_follow_decisions": ("events", is_kind("dispatch"), {"epoch": later}),
    "messages_have_their_roles": ("messages", anything, {"receiver": "cell:nobody"}),
    "calls_are_answered": (
        "messages",
        lambda row: row["performative"] == "refuse",
        {"conversation": later},
    ),
    "commitments_follow_the_table": ("commitments", is_kind("accept"), {"before": "none"}),
    "answers_keep_their_deadline": (
        "commitments",
        is_kind("accept"),
        {"entry": lambda text: text.replace('"at": ', '"at": 9')},
    ),
    "commitments_have_their_messages": ("messages", is_about_a_commitment, {"version": later}),
    "evidence_is_a_finish": (
        "commitments",
        is_kind("report"),
        {"entry": lambda text: text.replace("events ", "events 9")},
    ),
}


def test_every_law_has_a_trace_that_breaks_it() -> None:
    """A law that cannot fail is a defect; a new one needs its line in BREAKS."""
    assert list(BREAKS) == [law.__name__ for law in LAWS]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_law_finds_what_breaks_it(law: Law) -> None:
    """The last row that fits is changed: laws must not look at beginnings only."""
    name, fits, columns = BREAKS[law.__name__]
    for seed in range(12):
        for paradigm in ("heterarchical_cnp", "centralized_plant", "responsibility_rcm"):
            trace = played(paradigm, seed)[1]
            rows = [at for at, row in enumerate(trace.raw(name).to_pylist()) if fits(row)]
            if rows:
                found = law(changed(trace, name, rows[-1], **columns))
                assert found
                assert "cannot be judged" not in found[0]
                return
    pytest.fail("no trace has such a row")


@pytest.mark.parametrize("text", ["", "null", "[" * 10_000, '{"message": 1}'])
def test_an_entry_that_cannot_be_read_is_a_complaint(text: str) -> None:
    """A damaged trace is what verify is for: it must not break over one."""
    trace = played("responsibility_rcm", TYPICAL)[1]
    broken = changed(trace, "commitments", trace.commitments.num_rows - 1, entry=text)
    found = verify(broken).findings
    assert [finding.law for finding in found] == ["commitments_follow_the_table"]
    assert found[0].text.startswith(f"commitments row {trace.commitments.num_rows - 1}: entry")


@cache
def waited() -> Trace:
    """Work 0-10. Due at 4 a stop that waits: 10-15; due at 12 the next: 15-16, right after it.

    Job 1 begins at 16, is stopped 17-19 and starts again: it ends at 22.
    """
    down = {0: [(4, 9, "shift", "wait"), (12, 13), (17, 19, "breakdown", "restart")]}
    return commanded(shop([[{0: 10}], [{0: 3}]], down=down))


@cache
def delivered() -> Trace:
    """Ways of 3 ticks: to cell 0 (named vehicle 0), work 5, to cell 1, work 2, to the sink.

    Vehicle 1 is sent to cell 1 at time 0 and is there for the delivery.
    """
    instance = shop([[{0: 5}, {1: 2}]], vehicles=2, travel=3, deliver=True)
    return commanded(instance, vehicle=0, sends=((1, 2),))


def commanded(instance: Instance, vehicle: int = -1, sends: Any = ()) -> Trace:
    """Play the first legal command at every stop; assignments name the vehicle."""
    simulation, recorder = Simulation(instance), Recorder(instance)
    stop = simulation.advance()
    for one, location in sends:
        simulation.send(one, location)
    cells = range(len(instance.cell_names))
    while not stop.status:
        simulation.epoch += 1
        for cell in cells:
            while pairs := simulation.pairs(cell):
                simulation.dispatch(pairs[0][1], pairs[0][0])
        for job in simulation.ready():
            for cell in [c for c in cells if simulation.can_assign(job, c)][:1]:
                simulation.assign(job, cell, vehicle)
        stop = simulation.advance()
    return ended(simulation, recorder, stop)


def test_the_two_episodes_are_as_computed() -> None:
    """What is forged below must be right before."""
    times = {
        kind: waited().ints("events", "time")[waited().mask("events", "kind", kind)].tolist()
        for kind in ("finish", "breakdown", "repair")
    }
    assert times == {"finish": [10, 22], "breakdown": [10, 15, 17], "repair": [15, 16, 19]}
    assert delivered().end == 3 + 5 + 3 + 2 + 3
    assert verify(waited()).ok
    assert verify(delivered()).ok


#: What a trace must not say about these episodes: law, episode, kind of row, which of them, change.
FORGED: tuple[tuple[str, Callable[[], Trace], str, int, Row], ...] = (
    ("stops_are_the_calendar", waited, "breakdown", 0, {"time": 4}),
    ("stops_are_the_calendar", waited, "breakdown", 1, {"time": 12}),
    ("stops_are_the_calendar", waited, "breakdown", 1, {"amount": later}),
    ("stops_are_the_calendar", waited, "repair", 0, {"time": 9}),
    ("processing_takes_its_time", waited, "finish", 0, {"time": 15}),
    ("processing_takes_its_time", waited, "finish", 1, {"time": 21}),  # as if it resumed
    ("travel_follows_the_matrix", delivered, "vehicle_move", 0, {"amount": later}),
    ("travel_follows_the_matrix", delivered, "vehicle_move", 0, {"cell": 0}),
    ("travel_follows_the_matrix", delivered, "vehicle_move", 0, {"cell": None, "area": None}),
    ("travel_follows_the_matrix", delivered, "vehicle_move", 1, {"vehicle": 1}),
    ("travel_follows_the_matrix", delivered, "transport_start", 2, {"amount": later}),
    ("columns_fit", delivered, "transport_start", 1, {"cell": None, "area": None}),
    ("columns_fit", delivered, "transport_start", 2, {"cell": 1, "area": 0}),
    ("columns_fit", delivered, "transport_complete", 3, {"operation": 1}),
    ("columns_fit", delivered, "job_complete", 0, {"machine": 1, "cell": 1, "area": 0}),
    ("columns_fit", delivered, "assign", 1, {"operation": 2}),
    ("columns_fit", delivered, "vehicle_move", 1, {"area": 0}),
    ("columns_fit", waited, "job_complete", 1, {"machine": None, "cell": None, "area": None}),
    ("jobs_complete_at_their_last_finish", delivered, "job_complete", 0, {"time": 13}),
    (
        "jobs_complete_at_their_last_finish",
        delivered,
        "admission",
        1,
        {"kind": "stage_release_ready"},
    ),
)


@pytest.mark.parametrize("name, episode, kind, number, columns", FORGED)
def test_a_law_knows_late_stops_sent_vehicles_and_deliveries(
    name: str, episode: Callable[[], Trace], kind: str, number: int, columns: Row
) -> None:
    """Each value is wrong by itself, though another one of its column may be right."""
    trace = episode()
    rows = [at for at, told in enumerate(trace.texts("events", "kind")) if told == kind]
    forged = changed(trace, "events", rows[number], **columns)
    assert name in {finding.law for finding in verify(forged).findings}


@pytest.mark.parametrize(
    "name, episode, kind",
    [
        ("stops_are_the_calendar", waited, "repair"),
        ("jobs_complete_at_their_last_finish", delivered, "transport_complete"),
    ],
)
def test_what_follows_at_once_follows_at_once(
    name: str, episode: Callable[[], Trace], kind: str
) -> None:
    """The stop after the first repair, and the completion after the last trip, told before it."""
    rows = episode().events.to_pylist()
    at = next(a for a, row in enumerate(rows) if row["kind"] == kind and row["time"] >= 15)
    rows[at], rows[at + 1] = rows[at + 1], rows[at]
    forged = remade(episode(), "events", rows)
    assert name in {finding.law for finding in verify(forged).findings}


def test_every_law_says_what_it_is() -> None:
    """The docs and the report quote the sentence."""
    assert all((law.__doc__ or "").strip().endswith(".") for law in LAWS)


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_one_tick_in_a_late_row_is_refused_twice(paradigm: str) -> None:
    """By the laws alone, and by the re-execution alone."""
    instance, trace = played(paradigm, TYPICAL, "rules")
    rows = trace.texts("events", "kind")
    late = max(at for at, kind in enumerate(rows) if kind == "finish")
    forged = changed(trace, "events", late, time=later)
    assert not verify(forged).ok
    assert f"events row {late}" in reexecute(forged, instance)[0]
    assert not verify(forged, trace_hash=trace.hash).ok


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_a_dropped_row_is_refused(paradigm: str) -> None:
    """Renumbering the rest does not hide it."""
    instance, trace = played(paradigm, TYPICAL, "rules")
    rows = trace.events.to_pylist()
    for at in range(len(rows) - 5, len(rows)):
        forged = remade(trace, "events", rows[:at] + rows[at + 1 :])
        assert reexecute(forged, instance)
        assert forged.hash != trace.hash
    assert not verify(remade(trace, "events", rows[:-1])).ok


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_two_swapped_rows_are_refused(paradigm: str) -> None:
    """Even of one instant: the order within it is part of the model."""
    instance, trace = played(paradigm, TYPICAL, "rules")
    rows = trace.events.to_pylist()
    rows[-1], rows[-2] = rows[-2], rows[-1]
    forged = remade(trace, "events", rows)
    assert reexecute(forged, instance)
    assert not verify(forged).ok


def test_an_action_outside_the_authority_of_its_agent_is_refused() -> None:
    """A cell may not route, a plant that names areas may not name a cell."""
    _, trace = played("centralized_plant", TYPICAL, "rules")
    routed = trace.texts("decisions", "kind").index("route_cell")
    forged = changed(trace, "decisions", routed, agent="cell:C0")
    assert "authority" in verify(forged).findings[0].text
    forged = changed(trace, "decisions", routed, authority="hierarchical_chain")
    assert "authority" in verify(forged).findings[0].text


@pytest.mark.parametrize(
    "name, kind, columns",
    [
        ("decisions", "route_cell", {"outcome": "stale"}),
        ("decisions", "dispatch", {"target": "machine:M9"}),
        ("events", "assign", {"epoch": 1}),
    ],
)
def test_what_happens_later_than_it_was_decided_must_have_been_decided(
    name: str, kind: str, columns: Row
) -> None:
    """With delays the law knows no time any more, but still epoch, item and place."""
    delays = Coordination(2, 1, 1, 1)
    instance = replace(random_instance(TYPICAL), coordination=delays)
    episode = Episode(instance, paradigm="centralized_plant")
    episode.play(make_runner())
    assert verify(episode.trace, instance).ok
    rows = episode.trace.raw(name).to_pylist()
    known = {row["epoch"] for row in episode.trace.events.to_pylist() if row["kind"] == "assign"}
    row = next(
        at
        for at, row in enumerate(rows)
        if row["kind"] == kind and (kind == "dispatch" or row["epoch"] in known)
    )
    forged = verify(changed(episode.trace, name, row, **columns))
    assert "commands_follow_decisions" in {finding.law for finding in forged.findings}


def test_another_action_is_refused() -> None:
    """An action that was legal but not the one taken leads to other rows."""
    instance, trace = played("hierarchical_chain", TYPICAL, "random")
    rows = trace.decisions.to_pylist()
    free = max(at for at, row in enumerate(rows) if len(row["legal"]) > 1)
    other = next(a for a in rows[free]["legal"] if a != rows[free]["action"])
    forged = changed(trace, "decisions", free, action=other)
    assert reexecute(forged, instance)


def test_a_trace_of_another_case_is_refused() -> None:
    """Same rows, other shop: nothing can be said, and that is said."""
    _, trace = played("centralized_plant", TYPICAL)
    (sentence,) = reexecute(trace, random_instance(6))
    assert "the trace plays case" in sentence


def test_forged_case_tables_are_refused() -> None:
    """Laws compare rows with the case, so the case itself must be the right one."""
    instance, trace = played("centralized_plant", TYPICAL)
    forged = replace(trace, case={**trace.case, "travel": trace.case["travel"].slice(1)})
    assert "travel" in reexecute(forged, instance)[0]


def test_a_report_raises_on_demand() -> None:
    """Scripts want an exception, `desbench verify` a list."""
    instance, trace = played("centralized_plant", TYPICAL)
    verify(trace, instance).raise_if_broken()
    with pytest.raises(LawBroken, match="time_never_falls"):
        verify(changed(trace, "events", -1, time=-3)).raise_if_broken()


def test_malformed_rows_do_not_crash_the_other_laws() -> None:
    """A row about a machine that does not exist is a finding, not a traceback."""
    _, trace = played("centralized_plant", TYPICAL)
    at = trace.texts("events", "kind").index("start")
    forged = changed(trace, "events", at, machine=99)
    assert {finding.law for finding in verify(forged).findings} == {"columns_fit"}
    for law in LAWS[3:20]:
        assert "cannot be judged" in law(forged)[0]
