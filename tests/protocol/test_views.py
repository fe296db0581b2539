"""What agents are shown, and what they are not."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from desbench.episode import Episode
from desbench.instances.instance import Instance
from desbench.protocol.decision import DECLINES, KINDS
from desbench.protocol.fields import FIELDS
from protocol.playing import Scripted, decline, play
from shops import random_instance, shop

PARADIGMS = (
    *("centralized_plant", "hierarchical_chain", "heterarchical_cnp", "holonic_hybrid"),
    "responsibility_rcm",
)
KEYS = [
    *("agent", "role", "kind", "legal_actions", "action_mask", "decision_factors"),
    *("options", "not_offered", "context", "observation"),
]


@pytest.fixture(scope="module")
def views() -> list[dict[str, Any]]:
    """Views of every kind and paradigm."""
    views = []
    for seed in range(30):
        for paradigm in PARADIGMS:
            runner = Scripted(**{"notify": decline} if seed % 2 else {})  # untold, areas may probe
            play(random_instance(seed), paradigm, runner)
            views += runner.views
    assert {view["kind"] for view in views} == set(KINDS)
    return views


def keys(value: Any) -> Iterator[str]:
    """Every key anywhere inside."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def test_views_have_the_documented_keys(views: list[dict[str, Any]]) -> None:
    """A runner written against `docs/payload.md` finds every field, and no other."""
    for view in views:
        assert list(view) == KEYS
        known = {"action", "target", *FIELDS[view["kind"]]}
        for option in view["options"]:
            assert set(option) <= known
            if view["kind"] not in ("reroute", "delegate"):  # a cell or an area
                assert set(option) == known


def test_views_are_plain_json(views: list[dict[str, Any]]) -> None:
    """An external program reads the same view; no NumPy scalar, no NaN."""
    for view in views:
        assert json.loads(json.dumps(view, allow_nan=False)) == view


def test_the_decline_is_explained(views: list[dict[str, Any]]) -> None:
    """Slot K means something else in each kind, so the view says what."""
    for view in views:
        slot = len(view["action_mask"]) - 1
        told = [text for text in view["decision_factors"] if text.startswith(f"action {slot} = ")]
        assert len(told) == view["action_mask"][-1]
        assert all(any(f"= {word}:" in text for word in DECLINES) for text in told)


def test_only_the_plant_that_rules_directly_sees_cells(views: list[dict[str, Any]]) -> None:
    """Here paradigms differ: elsewhere the plant sees sums of areas, and no room."""
    for view in views:
        if view["role"] != "plant":
            continue
        observation = view["observation"]
        if "jobs" in observation:
            assert "room" in observation["cells"][0]
            assert "backlog" not in observation
        else:
            assert "room" not in set(keys(observation))
            assert "route" not in set(keys(observation))
            if view["kind"] in ("release", "route_area"):
                assert "room" not in set(keys(view))


def test_a_plant_above_areas_hears_of_a_stranding_without_counts(
    views: list[dict[str, Any]],
) -> None:
    """The area reports the repair, not the queue of its cell."""
    heres = [
        view["context"]["here"]
        for view in views
        if view["kind"] == "reroute" and view["role"] == "plant" and "areas" in view["observation"]
        if "jobs" not in view["observation"]
    ]
    assert heres
    for here in heres:
        assert {"room", "committed", "mode"}.isdisjoint(here)
        assert here["repair"] > 0


def test_areas_see_counts_and_cells_their_own_queue(views: list[dict[str, Any]]) -> None:
    """No area sees a queue, no cell another cell."""
    for view in views:
        found = set(keys(view["observation"]))
        if view["role"] == "area":
            assert {"inbound", "gate", "state", "family", "promise"}.isdisjoint(found)
        if view["role"] == "cell":
            assert {"inbound", "gate", "coming", "outbound"} <= found
            machines = view["observation"]["machines"]
            assert all({"state", "family", "down_since"} <= set(machine) for machine in machines)
            assert "areas" not in found


def revealed(instance: Instance, paradigm: str, until: int) -> list[dict[str, Any]]:
    """All views before a time."""
    runner = Scripted()
    play(instance, paradigm, runner)
    return [view for view in runner.views if view["observation"]["time"] < until]


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_nobody_sees_realised_durations_or_stops_to_come(paradigm: str) -> None:
    """Two futures with one past show the same views until they part (at 6)."""
    jobs = [[{0: (6, 8), 1: (7, 9)}, {2: (6, 8)}] for _ in range(4)]
    one = shop(jobs, release=[0, 1, 2, 3], areas=[[0, 1], [2]], down={1: [(7, 30)]})
    other = dataclasses.replace(
        one,
        realised=one.realised - 1,
        down_start=np.array([6]),
        down_end=np.array([80]),
    )
    first = revealed(one, paradigm, 6)
    assert len(first) > 4
    assert first == revealed(other, paradigm, 6)


def test_times_are_in_the_unit_of_the_suite() -> None:
    """One unit in every view: ticks stay inside."""
    coarse = shop([[{0: 6}]], release=[2], due=[40], travel=4)
    fine = dataclasses.replace(coarse, ticks_per_unit=2)
    runners = Scripted(), Scripted()
    for instance, runner in zip((coarse, fine), runners, strict=True):
        play(instance, "heterarchical_cnp", runner)
    (a, *_), (b, *_) = (runner.shown("bid") for runner in runners)
    assert (a["context"]["item"]["due"], a["context"]["item"]["slack"]) == (40, 40 - 2 - 6)
    assert (b["context"]["item"]["due"], b["context"]["item"]["slack"]) == (20, 16)
    assert [o["promise"] for o in b["options"]] == [6, 6, 7.5]  # (2 + 10) / 2; (2 + 13) / 2
    assert runners[1].shown("release")[0]["options"][0]["release"] == 1.0


def test_a_job_without_due_date_has_neither_due_nor_slack() -> None:
    """Null, never a number that looks like one."""
    runner = Scripted()
    play(shop([[{0: 6}]]), "centralized_plant", runner)
    option = runner.shown("release")[0]["options"][0]
    assert option["due"] is option["slack"] is None


def test_observation_reads_like_a_dict_and_is_a_snapshot() -> None:
    """It is built when it is read; read too late it says so instead of showing another state."""
    decision = (episode := Episode(shop([[{0: 1}]] * 2), paradigm="holonic_hybrid")).decision
    assert decision is not None
    (view,) = decision["active_agents"].values()
    observation = view["observation"]
    assert "unread" in repr(observation)
    kept = copy.deepcopy(observation)
    assert kept == observation == dict(observation) == {**observation}
    assert pickle.loads(pickle.dumps(observation)) == observation.copy()
    assert type(kept) is dict
    assert len(observation["backlog"]) == 2
    assert observation.get("nothing") is None
    assert "areas" in observation
    episode.act({"plant": 0})
    assert len(observation["backlog"]) == 2
    late = episode.decision["active_agents"]["plant"]["observation"]  # type: ignore[index]
    episode.act({"plant": 0})
    with pytest.raises(RuntimeError, match="epoch 2 was not read while the epoch was open"):
        late["areas"]


def test_features_are_the_numbers_of_the_options() -> None:
    """For learners: float32 [K + 1, F], one row a slot, the last one the decline."""
    episode = Episode(shop([[{0: 3, 1: 4}]] * 2, travel=2), paradigm="centralized_plant")
    episode.act({"plant": 0})
    view = episode.decision["active_agents"]["plant"]  # type: ignore[index]
    features, names = view["features"], view["feature_names"]
    assert features.dtype == np.float32
    assert features.shape == (9, len(names))
    assert features[:2, names.index("nominal")].tolist() == [3, 4]
    assert features[8].tolist() == [0] * (len(names) - 1) + [1]
    with pytest.raises(KeyError):
        view["no such key"]


def test_feedback_and_events_tell_what_happened() -> None:
    """The plant hears that an area gave up; events are those of this instant, in its reach."""
    refuse = Scripted(commit=lambda view: view["legal_actions"][-1])
    instance = shop([[{0: 3, 1: 3}]], areas=[[0], [1]], no_progress_limit=1)
    play(instance, "holonic_hybrid", refuse)
    routes = refuse.shown("route_area")
    assert [view["context"]["feedback"] for view in routes[:2]] == [[], ["escalated"]]
    assert routes[0]["context"]["recent_events"] == ["arrival"]
    assert refuse.shown("commit")[0]["context"]["recent_events"] == []
