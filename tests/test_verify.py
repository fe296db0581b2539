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
from desbench.instances.instance import Instance
from desbench.paradigms import ALIASES, AuthorityMode, register_authority_mode
from desbench.trace import Recorder, Trace
from desbench.verify import LAWS, Law, reexecute, verify
from measures.handmade import table
from shops import random_instance

PARADIGMS = tuple(ALIASES.values())
register_authority_mode(
    AuthorityMode("bids_in_areas", "plant_area_cell", mediated_bid_round_enabled=True)
)
Row = dict[str, Any]


@cache
def played(paradigm: str, seed: int, backend: str = "random") -> tuple[Instance, Trace]:
    instance = random_instance(seed, options=8)
    episode = Episode(instance, paradigm=paradigm)
    episode.play(make_runner("native", backend))
    return instance, episode.trace


# they hold


@pytest.mark.parametrize("backend", ["rules", "random"])
@pytest.mark.parametrize("paradigm", [*PARADIGMS, "bids_in_areas"])
def test_real_episodes_keep_every_law_and_play_again_to_the_same_hash(
    paradigm: str, backend: str
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
        (simulation.send, (0, cell)),
        (simulation.assign, (job, cell, 0)),
    ]
    command, arguments = rng.choice(commands)
    with suppress(IllegalAction):
        command(*arguments)


def driven(seed: int) -> Trace:
    """A shop under commands that no protocol would give."""
    rng = Random(seed)
    instance = random_instance(rng)
    simulation, recorder = Simulation(instance), Recorder(instance)
    while not (stop := simulation.advance()).status:
        simulation.epoch += 1
        for _ in range(rng.randrange(30)):
            command_at_random(simulation, instance, rng)
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


BREAKS: dict[str, tuple[str, Callable[[Row], bool], Mapping[str, Any]]] = {
    "columns_fit": ("events", is_kind("admission"), {"cell": 99}),
    "time_never_falls": ("messages", lambda row: row["time"] > 1, {"time": -5}),
    "epochs_are_instants": ("decisions", lambda row: row["epoch"] > 2, {"epoch": 1}),
    "jobs_are_conserved": ("events", is_kind("job_complete"), {"kind": "finish"}),
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
    "actions_are_legal": ("decisions", anything, {"action": 77}),
    "agents_keep_their_authority": ("decisions", is_kind("dispatch"), {"agent": "plant"}),
    "commands_follow_decisions": ("events", is_kind("dispatch"), {"epoch": later}),
    "messages_have_their_roles": ("messages", anything, {"receiver": "cell:nobody"}),
    "calls_are_answered": (
        "messages",
        lambda row: row["performative"] == "refuse",
        {"conversation": later},
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
        for paradigm in ("heterarchical_cnp", "centralized_plant"):
            trace = played(paradigm, seed)[1]
            rows = [at for at, row in enumerate(trace.raw(name).to_pylist()) if fits(row)]
            if rows:
                found = law(changed(trace, name, rows[-1], **columns))
                assert found
                assert "cannot be judged" not in found[0]
                return
    pytest.fail("no trace has such a row")


def test_every_law_says_what_it_is() -> None:
    """The docs and the report quote the sentence."""
    assert all((law.__doc__ or "").strip().endswith(".") for law in LAWS)


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_one_tick_in_a_late_row_is_refused_twice(paradigm: str) -> None:
    """By the laws alone, and by the re-execution alone."""
    instance, trace = played(paradigm, 5, "rules")
    rows = trace.texts("events", "kind")
    late = max(at for at, kind in enumerate(rows) if kind == "finish")
    forged = changed(trace, "events", late, time=later)
    assert not verify(forged).ok
    assert f"events row {late}" in reexecute(forged, instance)[0]
    assert not verify(forged, trace_hash=trace.hash).ok


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_a_dropped_row_is_refused(paradigm: str) -> None:
    """Renumbering the rest does not hide it."""
    instance, trace = played(paradigm, 5, "rules")
    rows = trace.events.to_pylist()
    for at in range(len(rows) - 5, len(rows)):
        forged = remade(trace, "events", rows[:at] + rows[at + 1 :])
        assert reexecute(forged, instance)
        assert forged.hash != trace.hash
    assert not verify(remade(trace, "events", rows[:-1])).ok


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_two_swapped_rows_are_refused(paradigm: str) -> None:
    """Even of one instant: the order within it is part of the model."""
    instance, trace = played(paradigm, 5, "rules")
    rows = trace.events.to_pylist()
    rows[-1], rows[-2] = rows[-2], rows[-1]
    forged = remade(trace, "events", rows)
    assert reexecute(forged, instance)
    assert not verify(forged).ok


def test_an_action_outside_the_authority_of_its_agent_is_refused() -> None:
    """A cell may not route, a plant that names areas may not name a cell."""
    _, trace = played("centralized_plant", 5, "rules")
    routed = trace.texts("decisions", "kind").index("route_cell")
    forged = changed(trace, "decisions", routed, agent="cell:C0")
    assert "authority" in verify(forged).findings[0].text
    forged = changed(trace, "decisions", routed, authority="hierarchical_chain")
    assert "authority" in verify(forged).findings[0].text


def test_another_action_is_refused() -> None:
    """An action that was legal but not the one taken leads to other rows."""
    instance, trace = played("hierarchical_chain", 5, "random")
    rows = trace.decisions.to_pylist()
    free = max(at for at, row in enumerate(rows) if len(row["legal"]) > 1)
    other = next(a for a in rows[free]["legal"] if a != rows[free]["action"])
    forged = changed(trace, "decisions", free, action=other)
    assert reexecute(forged, instance)


def test_a_trace_of_another_case_is_refused() -> None:
    """Same rows, other shop: nothing can be said, and that is said."""
    _, trace = played("centralized_plant", 5)
    (sentence,) = reexecute(trace, random_instance(6))
    assert "the trace plays case" in sentence


def test_forged_case_tables_are_refused() -> None:
    """Laws compare rows with the case, so the case itself must be the right one."""
    instance, trace = played("centralized_plant", 5)
    forged = replace(trace, case={**trace.case, "travel": trace.case["travel"].slice(1)})
    assert "travel" in reexecute(forged, instance)[0]


def test_a_report_raises_on_demand() -> None:
    """Scripts want an exception, `desbench verify` a list."""
    instance, trace = played("centralized_plant", 5)
    verify(trace, instance).raise_if_broken()
    with pytest.raises(LawBroken, match="time_never_falls"):
        verify(changed(trace, "events", -1, time=-3)).raise_if_broken()


def test_malformed_rows_do_not_crash_the_other_laws() -> None:
    """A row about a machine that does not exist is a finding, not a traceback."""
    _, trace = played("centralized_plant", 5)
    at = trace.texts("events", "kind").index("start")
    forged = changed(trace, "events", at, machine=99)
    assert {finding.law for finding in verify(forged).findings} == {"columns_fit"}
    for law in LAWS[3:20]:
        assert "cannot be judged" in law(forged)[0]
