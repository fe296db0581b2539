"""Budget reviews: who is asked, what the caps become, who is told, and when it holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from desbench.episode import Episode, make_runner
from desbench.instances.coordination import Coordination
from desbench.instances.instance import Instance
from desbench.protocol.budget import share_out
from desbench.verify import verify
from protocol.playing import Scripted, decisions, decline, messages, play, target
from shops import random_instance, shop

PARADIGMS = (
    *("centralized_plant", "hierarchical_chain", "heterarchical_cnp", "holonic_hybrid"),
    "responsibility_rcm",
)


def reviewed(**settings: Any) -> Instance:
    """Two items for area A0, one of them waiting at the review at 4; A1 is idle, A2 has no cap."""
    shape = {"areas": [[0], [1], [2]], "power_cap": [7, 6, -1], "review_period": 4}
    return shop([[{0: 5}], [{0: 5}], [{2: 1}], [{1: 1}]], **{**shape, **settings})


def caps(episode: Episode) -> list[tuple[int, int, int]]:
    """Time, area and watts of the cap rows."""
    rows = episode.trace.events.to_pylist()
    return [(r["time"], r["area"], r["amount"]) for r in rows if r["kind"] == "cap"]


def told(episode: Episode) -> list[tuple[int, str]]:
    """When the plant told whom of another cap."""
    spoken = messages(episode, "time", "sender", "receiver", "performative")
    return [
        (time, to) for time, sender, to, word in spoken if (sender, word) == ("plant", "inform")
    ]


def reviews(episode: Episode) -> list[tuple[int, str, str, str]]:
    """The decisions about caps."""
    rows = decisions(episode, "kind", "time", "target", "source", "outcome")
    return [row[1:] for row in rows if row[0] == "budget"]


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_the_plant_shares_the_caps_by_load_and_tells_each_area(paradigm: str) -> None:
    """At 4 one item is committed to A0, none to A1: 13 W by 2 to 1 are 8.67 and 4.33.

    At 8 nothing is committed any more: 6.5 each, the odd watt to the lower area.
    """
    instance = reviewed()
    episode = play(instance, paradigm)
    assert caps(episode) == [(4, 0, 9), (4, 1, 4), (8, 0, 7), (8, 1, 6)]
    assert told(episode) == [(t, area) for t in (4, 8) for area in ("area:A0", "area:A1")]
    assert reviews(episode) == [(t, "load", "external", "ok") for t in (4, 8)]
    verify(episode.trace, instance).raise_if_broken()


def test_a_plant_that_keeps_moves_nothing() -> None:
    """No message, no row: as if there had been no review."""
    episode = play(reviewed(), "holonic_hybrid", Scripted(budget=decline))
    assert (caps(episode), told(episode)) == ([], [])
    assert reviews(episode) == [(4, "keep", "external", "ok")]


def test_what_would_change_nothing_is_not_offered() -> None:
    """7 and 6 are uniform already; at 8 they are by load too, so nobody is asked."""
    runner = Scripted(budget=decline)
    play(reviewed(), "centralized_plant", runner)
    (first,) = runner.shown("budget")
    assert [option["target"] for option in first["options"]] == ["load"]
    assert first["context"]["areas"] == [
        {
            "target": "area:A0",
            "committed": 1,
            "power": 5,
            "power_cap": 7,
            "load": 9,
            "uniform": 7,
        },
        {
            "target": "area:A1",
            "committed": 0,
            "power": 1,
            "power_cap": 6,
            "load": 4,
            "uniform": 6,
        },
    ]


def test_the_view_shows_the_caps_in_force() -> None:
    """Who answers an alarm must not be shown a cap that has moved."""
    runner = Scripted(budget=lambda view: target(view, "uniform"))
    instance = reviewed(power_cap=[1, 20, -1], release=[0, 5, 9, 9])
    play(instance, "hierarchical_chain", runner)
    alarms = [view["context"]["alarm"]["power_cap"] for view in runner.shown("mode", "area:A0")]
    assert alarms[0] == 1
    later = [
        v for v in runner.views if v["kind"] == "route_area" and v["context"]["item"]["job"] > 0
    ]
    assert later[0]["options"][0]["power_cap"] == 11


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_caps_hold_when_the_words_have_arrived(paradigm: str) -> None:
    """Asked at 4, decided at 7, told then, in force at 9; the review at 8 is passed over."""
    instance = reviewed(coordination=Coordination(message_delay=2, plant=3), release=[0, 0, 99, 99])
    episode = play(instance, paradigm)
    verify(episode.trace, instance).raise_if_broken()
    first, asked = caps(episode)[0][0], [time for time, *_ in reviews(episode)]
    assert told(episode)[0][0] == asked[0] + 3
    assert first == asked[0] + 5
    assert asked[0] + 4 not in asked


def test_a_silent_plant_reviews_nothing() -> None:
    """The default rule would share the caps out; at a review nobody stands in."""
    faults = {"silent": [{"agent": "plant", "from": 3, "until": 6}]}
    episode = play(reviewed(), "hierarchical_chain", faults=faults)
    assert reviews(episode)[0] == (4, "keep", "fallback", "late")
    assert all(time > 4 for time, *_ in caps(episode))
    verify(episode.trace, reviewed()).raise_if_broken()


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_any_answers_keep_every_law(paradigm: str) -> None:
    """Chance, delays and lost messages together; each trace is played again by its actions."""
    seen = 0
    for seed in range(60):
        instance = random_instance(seed, areas=3, cells=4, options=8)
        if instance.review_period < 0:
            continue
        instance = replace(instance, coordination=Coordination(seed % 3, seed % 2, 1, 0))
        faults = {"messages": {"lost": 0.2, "seed": seed}} if seed % 2 else None
        episode = Episode(instance, paradigm=paradigm, faults=faults)
        episode.play(make_runner("native", "random"))
        verify(episode.trace, instance, trace_hash=episode.trace.hash).raise_if_broken()
        seen += len(caps(episode))
    assert seen > 10


def test_a_fork_has_the_caps_of_its_episode() -> None:
    """What was decided before the fork holds in it."""
    episode = Episode(reviewed(), paradigm="holonic_hybrid")
    episode.play(make_runner())
    epoch = max(row[0] for row in decisions(episode, "epoch", "kind") if row[1] == "budget")
    fork = episode.fork(epoch)
    fork.play(Scripted(budget=decline))
    assert caps(fork) == caps(episode)[:2]


def test_parts_are_whole_and_make_the_sum() -> None:
    """Largest remainder: 7 by 1 to 1 to 1 are 2.33 each, the odd one to the lowest."""
    assert share_out(7, [1, 1, 1]) == [3, 2, 2]
    assert share_out(13, [2, 1]) == [9, 4]
    assert share_out(0, [5, 1]) == [0, 0]
    assert sum(share_out(10**18 + 1, [3, 5, 7])) == 10**18 + 1


def test_an_answer_that_does_not_count_is_replaced_by_the_rule() -> None:
    """As for every kind: the default rule of the kind, source fallback."""
    episode = Episode(reviewed(), paradigm="centralized_plant")
    episode.play(Wrong())
    assert reviews(episode)[0] == (4, "load", "fallback", "illegal")


class Wrong(Scripted):
    """Gives an action that is not legal at reviews."""

    def select_actions(self, decision: Any) -> dict[str, int]:
        views = decision["active_agents"].values()
        if any(view["kind"] == "budget" for view in views):
            return dict.fromkeys(decision["active_agents"], 99)
        return super().select_actions(decision)
