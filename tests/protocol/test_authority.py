"""AuthorityMode: what is refused, how a mode is found."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import desbench
from desbench.errors import InputError
from desbench.instances.coordination import Coordination
from desbench.instances.suite import load_suite
from desbench.paradigms import ALIASES, AuthorityMode, Summary, paradigm, register_authority_mode
from desbench.trace import read
from desbench.verify import verify
from protocol.playing import decisions, messages, play
from protocol.worked import four_items
from shops import random_instance


@pytest.mark.parametrize(
    "wrong",
    [
        {"routing_authority_mode": "responsible"},
        {"cell_contract_actions": "counter"},
        {"plant_reroute_required": "yes"},
        {"mediated_bid_round_enabled": 1},
        {"mode_id": " "},
    ],
)
def test_unknown_values_are_refused_with_name_and_value(wrong: dict[str, Any]) -> None:
    """A misspelt switch must not silently become another organisation."""
    ((name, value),) = wrong.items()
    with pytest.raises(InputError, match=f"{name}={value!r}"):
        AuthorityMode(**{"mode_id": "mine", "routing_authority_mode": "plant_direct", **wrong})


def test_aliases_name_the_shipped_paradigms() -> None:
    """The short names of the paper are accepted."""
    assert {alias: paradigm(alias).mode_id for alias in ALIASES} == ALIASES


def test_a_registered_mode_is_found_and_recorded() -> None:
    """F.3 of the paper: one registration makes a paradigm, and its id stands in the trace."""
    mode = AuthorityMode("test_registered", "holonic_hybrid", "accept_reject", True, False, True)
    register_authority_mode(mode)
    assert paradigm("test_registered") is mode
    episode = play(four_items(), "test_registered")
    assert set(decisions(episode, "authority")) == {("test_registered",)}


def test_an_id_names_one_mode() -> None:
    """Two organisations under one name would mix in every table."""
    register_authority_mode(AuthorityMode("test_taken", "plant_direct"))
    register_authority_mode(AuthorityMode("test_taken", "plant_direct"))  # the same one: fine
    for name in ("test_taken", "centralized_plant", "holonic"):
        with pytest.raises(InputError, match="is taken"):
            register_authority_mode(AuthorityMode(name, "mediated_cnp"))


@pytest.mark.parametrize(
    "text, message",
    [
        ("MODE = AuthorityMode('of_file', 'mediated_cnp')", None),
        ("register_authority_mode(AuthorityMode('of_file_2', 'mediated_cnp'))", None),
        ("", "holds 0 authority modes"),
        (
            "register_authority_mode(AuthorityMode('of_file_3', 'plant_direct'))\n"
            "register_authority_mode(AuthorityMode('of_file_4', 'plant_direct'))",
            "holds 2 authority modes",
        ),
    ],
)
def test_a_file_is_a_paradigm(tmp_path: Path, text: str, message: str | None) -> None:
    """A path works wherever a name does, with a variable or with the paper's registration."""
    file = tmp_path / "mine.py"
    head = "from desbench.paradigms import AuthorityMode, register_authority_mode\n"
    file.write_text(head + text, encoding="utf-8")
    if message is None:
        assert paradigm(str(file)).routing_authority_mode == "mediated_cnp"
        assert paradigm(str(file)) == paradigm(str(file))
    else:
        with pytest.raises(InputError, match=message):
            paradigm(str(file))


CENTRAL = AuthorityMode("test_central", "plant_direct")
AUCTION = AuthorityMode("test_auction", "mediated_cnp", "accept_reject", False, True, True)
SHIFT = """
from desbench.paradigms import AuthorityMode, Summary

CENTRAL = AuthorityMode("quiet", "plant_direct", plant_reroute_required=True)
AUCTION = AuthorityMode("busy", "mediated_cnp", "accept_reject", mediated_bid_round_enabled=True)


def authority(summary: Summary) -> AuthorityMode:
    return AUCTION if summary.wip > 2 or summary.machines_down else CENTRAL
"""


def by_queue(summary: Summary) -> AuthorityMode:
    """Bids while several wait."""
    return AUCTION if summary.ready > 1 else CENTRAL


def test_a_function_shifts_the_organisation_with_the_load() -> None:
    """J0 and J1 are auctioned while more wait, J2 and J3 are sent; each row names its mode."""
    episode = play(four_items(), by_queue)
    rows = decisions(episode, "kind", "job", "authority")
    assert {mode for kind, job, mode in rows if kind == "bid"} == {"test_auction"}
    assert {mode for kind, job, mode in rows if kind == "route_cell"} == {"test_central"}
    assert {job for kind, job, _ in rows if kind == "bid"} == {0, 1}
    assert {job for kind, job, _ in rows if kind == "route_cell"} == {2, 3}
    assert episode.trace.info["authority"]["modes"].keys() == {"test_auction", "test_central"}
    verify(episode.trace, episode.instance, by_queue).raise_if_broken()


def test_what_the_function_is_told() -> None:
    """Counts by hand: J0, J1, J2 at 0, J3 at 1, M0 down from 2 on with J3 stranded before it."""
    told: list[Summary] = []

    def watching(summary: Summary) -> AuthorityMode:
        told.append(summary)
        return CENTRAL

    play(four_items(), watching)
    first = told[0]
    assert (first.time, first.ready, first.wip, first.done) == (0.0, 3, 3, 0)
    assert (first.machines, first.machines_down, first.load) == (3, 0, 0.0)
    assert {(s.job, s.operation, s.operations) for s in told if s.job} >= {("J0", 0, 1)}
    stranded = [s for s in told if s.stranded]
    assert (stranded[0].time, stranded[0].job, stranded[0].machines_down) == (2.0, "J3", 1)
    assert stranded[0].strandings == 1


@pytest.mark.parametrize("delays", [Coordination(), Coordination(2, 1, 1, 1)])
def test_a_mode_holds_until_its_conversation_ends(delays: Coordination) -> None:
    """Whatever happens meanwhile, one talk about one item is one organisation."""
    instance = replace(random_instance(4), coordination=delays)
    episode = play(instance, by_queue)
    verify(episode.trace, instance, by_queue).raise_if_broken()
    talks: dict[int, set[str]] = {}
    modes = {row[:2]: row[2] for row in decisions(episode, "epoch", "job", "authority")}
    for epoch, job, talk in messages(episode, "epoch", "job", "conversation"):
        if (epoch, job) in modes:
            talks.setdefault(talk, set()).add(modes[epoch, job])
    assert {len(found) for found in talks.values()} == {1}


def test_a_file_may_define_the_function(tmp_path: Path) -> None:
    """A path works for a sweep in other processes, for verify, and in the key of a run."""
    file = tmp_path / "shift.py"
    file.write_text(SHIFT, encoding="utf-8")
    mode = paradigm(str(file))
    assert pickle.loads(pickle.dumps(mode)) == mode
    assert paradigm(f"{file}:authority").mode_id == "authority"
    out = tmp_path / "out"
    done = desbench.run("smoke", paradigms=str(file), output_dir=out, limit=1)
    assert [record.status for record in done.records] == ["done"]
    (record,) = done.records
    trace = read(out, record.key)
    assert set(trace.texts("decisions", "authority")) == {"quiet", "busy"}
    instance = load_suite("smoke").realise(record.key.case)
    verify(trace, instance).raise_if_broken()
    file.write_text(SHIFT.replace("> 2", "> 3"), encoding="utf-8")
    (finding,) = verify(trace, instance).findings
    assert "the authority function has changed since" in finding.text


def by_name(_: Summary) -> AuthorityMode:
    """Give what is no mode."""
    return "centralized"  # type: ignore[return-value]


@pytest.mark.parametrize(
    "wrong, message",
    [
        (lambda summary: CENTRAL, "must be a name, a path, an AuthorityMode, or a function"),
        (7, "paradigm=7, must be a name"),
        (by_name, "authority function by_name gave 'centralized' at 0, must be an AuthorityMode"),
    ],
)
def test_what_is_no_authority_function_is_refused(wrong: Any, message: str) -> None:
    """Nameless functions cannot be told apart in results; other answers are no organisation."""
    with pytest.raises(InputError, match=message):
        play(four_items(), wrong)


def test_a_function_may_not_mix_commitments_with_the_classic_ways() -> None:
    """A ledger is kept for a whole episode or not at all."""

    def mixed(_: Summary) -> AuthorityMode:
        return paradigm("rcm")  # type: ignore[return-value]

    with pytest.raises(InputError, match="authority function mixed gave responsibility_rcm at 0"):
        play(four_items(), mixed)


def test_two_modes_of_one_name_are_refused() -> None:
    """Rows name modes by their id."""

    def twice(summary: Summary) -> AuthorityMode:
        return replace(by_queue(summary), mode_id="same")

    with pytest.raises(InputError, match="two modes are called 'same'"):
        play(four_items(), twice)


def test_a_sweep_needs_the_file_of_a_function() -> None:
    """Another process cannot import what stands in no file."""
    with pytest.raises(InputError, match="a sweep needs the file of an authority function"):
        desbench.run("smoke", paradigms=[by_queue])
