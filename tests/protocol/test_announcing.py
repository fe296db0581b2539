"""`initial: all_areas`: a new job is announced to every area, and its area asks about the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from desbench.controllers import make_runner

from desbench.episode import Episode
from desbench.errors import InputError
from desbench.instances.coordination import Coordination
from desbench.instances.instance import Instance
from desbench.paradigms import AuthorityMode
from desbench.verify import verify
from protocol.broken import mode
from protocol.playing import Scripted, decisions, decline, play, target
from shops import random_instance, shop

ANNOUNCED = [
    ("plant", "area:A0", "request"),
    ("plant", "area:A1", "request"),
]


def played(instance: Instance, runner: Any = None, **settings: Any) -> Episode:
    """An episode that keeps every law."""
    episode = play(instance, mode(initial="all_areas"), runner, **settings)
    verify(episode.trace, instance).raise_if_broken()
    return episode


def said(episode: Episode, operation: int) -> list[tuple[str, str, str]]:
    """Who told whom what about an operation of the first job, up to its acceptance."""
    rows = [r for r in episode.trace.commitments.to_pylist() if r["job"] == 0]
    rows = [r for r in rows if r["operation"] == operation]
    closing = ("report", "verify", "violate")
    return [(r["sender"], r["receiver"], r["kind"]) for r in rows if r["kind"] not in closing]


def two_areas(**settings: Any) -> Instance:
    """The first operation is done earlier in area A1; the second one only in A0, or in A1 too."""
    return shop([[{0: 9, 1: 5}, {0: 4, 1: 60}]], areas=[[0], [1]], **settings)


def test_the_earliest_estimate_binds_and_the_others_are_told() -> None:
    """Both areas name a cell; that of A1 is asked first and accepts, A0 is not needed."""
    assert said(played(two_areas()), 0) == [
        *ANNOUNCED,
        ("area:A1", "cell:C1", "request"),
        ("cell:C1", "area:A1", "accept"),
        ("area:A1", "plant", "accept"),
        ("plant", "area:A0", "terminate"),
    ]


def test_the_area_that_has_the_job_asks_about_its_later_operations() -> None:
    """No word of the plant: A1 asks A0, which stands between it and the cell."""
    assert said(played(two_areas()), 1) == [
        ("area:A1", "area:A0", "request"),
        ("area:A0", "cell:C0", "request"),
        ("cell:C0", "area:A0", "accept"),
        ("area:A0", "area:A1", "accept"),
    ]


def test_an_area_may_keep_a_job_in_its_own_cells() -> None:
    """Nobody asked it, so there is one level only; both sides still report and verify."""
    runner = Scripted(delegate=own_area)
    episode = played(two_areas(), runner)
    assert said(episode, 1) == [
        ("area:A1", "cell:C1", "request"),
        ("cell:C1", "area:A1", "accept"),
    ]
    rows = [r for r in episode.trace.commitments.to_pylist() if r["operation"] == 1]
    assert [r["kind"] for r in rows][-2:] == ["report", "verify"]


def own_area(view: Any) -> int:
    """The area that is asked itself, where it is offered."""
    offered = [option["target"] for option in view["options"]]
    return target(view, view["agent"]) if view["agent"] in offered else 0


def test_an_area_that_does_not_want_the_job_rejects_and_the_next_one_is_tried() -> None:
    """No from A1, then the cell of A0: the plant hears from both."""
    runner = Scripted(delegate=lambda view: decline(view) if view["agent"] == "area:A1" else 0)
    instance = shop([[{0: 9, 1: 5}]], areas=[[0], [1]])
    assert said(played(instance, runner), 0) == [
        *ANNOUNCED,
        ("area:A1", "plant", "reject"),
        ("area:A0", "cell:C0", "request"),
        ("cell:C0", "area:A0", "accept"),
        ("area:A0", "plant", "accept"),
    ]


def test_all_areas_are_asked_at_once() -> None:
    """One epoch, and one message delay for all of them: request, request, accept."""
    episode = played(two_areas(coordination=Coordination(message_delay=2)))
    asked = decisions(episode, "epoch", "time", "agent", "kind")
    first = [row for row in asked if row[2].startswith("area:") and row[3] == "delegate"][:2]
    assert {row[:2] for row in first} == {first[0][:2]}
    assigned = [r["time"] for r in episode.trace.events.to_pylist() if r["kind"] == "assign"]
    assert assigned[0] == 6


@pytest.mark.parametrize("delays", [Coordination(), Coordination(1, 1, 2, 1, deadline=6)], ids=str)
def test_blind_agents_and_faults_keep_every_law(delays: Coordination) -> None:
    """One level or two, failures, lost requests, deadlines: what a handmade case does not meet."""
    for seed in range(6):
        instance = replace(random_instance(seed, options=8), coordination=delays)
        delay = 5 / instance.ticks_per_unit
        faults = {"messages": {"lost": 0.1, "delayed": 0.2, "delay": delay, "seed": seed}}
        for one in (None, faults):
            episode = Episode(instance, paradigm=mode(initial="all_areas"), faults=one)
            episode.play(make_runner("native", "random"))
            verify(episode.trace, instance).raise_if_broken()


def test_another_word_is_refused() -> None:
    """A misspelt form would be a silent run of the other one."""
    with pytest.raises(InputError, match="initial='areas', must be one of plant, all_areas"):
        AuthorityMode("mine", "responsibility", initial="areas")
