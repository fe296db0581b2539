"""What every paradigm and every controller must keep; new files are picked up by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from desbench import registry
from desbench.episode import Episode, make_runner
from desbench.instances.coordination import Coordination
from desbench.verify import verify
from shops import random_instance

PARADIGMS = [name for name in registry.names("paradigms") if not name.startswith("test_")]
#: Those that need no network and no recorded answers.
CONTROLLERS = ["rules", "random"]
STATUSES = {"done", "deadlock", "no_progress", "horizon", "decision_limit"}
SEEDS = range(25)


class Declines:
    """Says no wherever it may, or only at the release."""

    def __init__(self, *kinds: str) -> None:
        self.kinds = kinds
        self.offered = 0

    def select_actions(self, decision: Mapping[str, Any]) -> dict[str, int]:
        """The last legal action of the kinds declined, the first of the others."""
        views = decision["active_agents"]
        return {
            agent: view["legal_actions"][-1 if self._declines(view["kind"]) else 0]
            for agent, view in views.items()
        }

    def _declines(self, kind: str) -> bool:
        return not self.kinds or kind in self.kinds


def runner(name: str) -> Any:
    """A runner by its name in these tests."""
    if name == "declines":
        return Declines()
    return Declines("release") if name == "holds" else make_runner(controller=name)


@pytest.mark.parametrize("paradigm", PARADIGMS)
@pytest.mark.parametrize("name", [*CONTROLLERS, "declines", "holds"])
def test_every_episode_ends_with_a_cause(paradigm: str, name: str) -> None:
    """No paradigm hangs, and no answer outside its legal set is ever applied."""
    for seed in SEEDS:
        episode = Episode(random_instance(seed), paradigm=paradigm)
        episode.play(runner(name), strict=True)
        assert episode.status in STATUSES
        rows = episode.trace.decisions.to_pylist()
        for row in rows:
            assert row["action"] in row["legal"]
            assert (row["source"] == "forced") == (len(row["legal"]) == 1)
        epochs = [row["epoch"] for row in rows]
        assert sorted(set(epochs)) == list(range(1, len(set(epochs)) + 1))
        assert epochs == sorted(epochs)


@pytest.mark.parametrize("paradigm", PARADIGMS)
@pytest.mark.parametrize("name", ["declines", "holds"])
def test_nothing_is_done_by_agents_that_always_decline(paradigm: str, name: str) -> None:
    """Somebody could act and did not: no_progress, not a hang and not a deadlock."""
    for seed in range(5):
        instance = random_instance(seed, horizon=-1, decision_limit=10_000)
        episode = Episode(instance, paradigm=paradigm)
        assert episode.play(runner(name), strict=True) == "no_progress"
        assert episode.measures["remaining_operations"] == instance.operations


@pytest.mark.parametrize("paradigm", PARADIGMS)
@pytest.mark.parametrize("name", CONTROLLERS)
def test_one_case_has_one_trace(paradigm: str, name: str) -> None:
    """Same case, paradigm, controller: same rows, also with a runner that has played before."""
    used = runner(name)
    for seed in range(5):
        hashes = []
        for who in (used, runner(name)):
            episode = Episode(random_instance(seed), paradigm=paradigm)
            episode.play(who)
            hashes.append(episode.trace.hash)
        assert hashes[0] == hashes[1]


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_conversations_tell_a_consistent_story(paradigm: str) -> None:
    """Messages name agents that exist, and the item whose conversation it is."""
    for seed in SEEDS:
        episode = Episode(random_instance(seed), paradigm=paradigm)
        episode.play(make_runner(), strict=True)
        item_of: dict[int, tuple[int, int]] = {}
        for row in episode.trace.messages.to_pylist():
            assert {row["sender"], row["receiver"]} <= set(episode.info["agents"])
            item = row["job"], row["operation"]
            assert item_of.setdefault(row["conversation"], item) == item
        assert list(item_of) == sorted(item_of)


def delays(seed: int) -> Coordination:
    """Draw short delays of every kind, about as long as the work of these shops."""
    rng = Random(seed)
    roles = [rng.randint(0, 3) for _ in range(3)]
    return Coordination(rng.randint(1, 4), *roles, deadline=rng.choice((-1, -1, 2, 8)))


@pytest.mark.parametrize("paradigm", PARADIGMS)
@pytest.mark.parametrize("name", [*CONTROLLERS, "declines", "holds"])
def test_every_episode_with_delays_ends_and_keeps_the_laws(paradigm: str, name: str) -> None:
    """Nobody sleeps for ever, and the recorded actions lead to the same rows again."""
    for seed in range(12):
        instance = replace(random_instance(seed), coordination=delays(seed))
        episode = Episode(instance, paradigm=paradigm)
        episode.play(runner(name), strict=True)
        assert episode.status in STATUSES
        verify(episode.trace, instance).raise_if_broken()
