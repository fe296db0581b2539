"""Episode: the loop a user writes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from desbench.episode import Episode, make_runner
from desbench.errors import IllegalAction, InputError
from desbench.instances.instance import Instance
from desbench.protocol.decision import Note
from shops import random_instance, shop


def two_jobs() -> Instance:
    """Two jobs of one operation on either of two machines."""
    return shop([[{0: 3, 1: 4}], [{0: 3, 1: 4}]])


def first(decision: Mapping[str, Any]) -> dict[str, int]:
    """The first legal action of everybody."""
    return {agent: view["legal_actions"][0] for agent, view in decision["active_agents"].items()}


def sources(episode: Episode) -> list[tuple[str, str]]:
    """Source and outcome of the actions that were not forced."""
    rows = episode.trace.decisions.to_pylist()
    return [(r["source"], r["outcome"]) for r in rows if r["source"] != "forced"]


def test_the_loop_of_a_user() -> None:
    """Every decision that somebody must take, one by one, to the end."""
    episode = Episode(two_jobs(), paradigm="holonic")
    epochs = []
    for decision in episode:
        assert set(decision) == {"episode", "epoch", "time", "active_agents"}
        assert episode.status == ""
        epochs.append(decision["epoch"])
        episode.act(first(decision))
    assert episode.status == "done"
    assert epochs == sorted(set(epochs))
    assert episode.measures["completed_jobs"] == 2
    assert episode.trace.info["paradigm"] == "holonic_hybrid"
    assert set(sources(episode)) == {("external", "ok")}


def test_going_on_without_an_answer_is_told() -> None:
    """A forgotten `act` would otherwise loop for ever on one decision."""
    episode = Episode(two_jobs())
    with pytest.raises(IllegalAction, match=r"epoch 1 has no answer: call act\(actions\)"):
        for _ in episode:
            pass
    for decision in episode:  # the loop may be taken up again
        episode.act(first(decision))
    assert episode.status == "done"


@pytest.mark.parametrize(
    "actions, message",
    [
        ({}, "plant, release: no action, must be an integer of 0, 1, 8"),
        ({"plant": 2}, "action=2, must be an integer of 0, 1, 8"),
        ({"plant": -1}, "action=-1"),
        ({"plant": True}, "action=True"),
        ({"plant": 0.0}, "action=0.0"),
        ({"plant": "0"}, "action='0'"),
        ({"plant": 0, "cell:C0": 0}, "cell:C0 was not asked in epoch 1"),
        (None, "actions=None, must be {agent: action}"),
    ],
)
def test_an_illegal_answer_leaves_the_state_untouched(actions: Any, message: str) -> None:
    """C19: a masked action raises; the same decision stays open and the trace knows nothing."""
    episode, clean = Episode(two_jobs()), Episode(two_jobs())
    before = episode.decision
    with pytest.raises(IllegalAction, match=message.replace("(", r"\(")):
        episode.act(actions)
    assert episode.decision is before
    for one in (episode, clean):
        for decision in one:
            one.act(first(decision))
    assert episode.trace.hash == clean.trace.hash


def test_integers_of_numpy_are_integers() -> None:
    """Learners answer with argmax."""
    episode = Episode(two_jobs())
    episode.act({"plant": np.int64(0)})  # type: ignore[dict-item]
    assert episode.epoch == 2


class Stupid:
    """Answers everything with one value."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def select_actions(self, decision: Mapping[str, Any]) -> Any:
        """The value, for everybody; no dict at all, if there is none."""
        return None if self.value is ... else dict.fromkeys(decision["active_agents"], self.value)


@pytest.mark.parametrize(
    "value, outcome",
    [(99, "illegal"), (-2, "illegal"), ("0", "wrong_type"), (1.0, "wrong_type"), (..., "empty")],
)
def test_a_run_replaces_illegal_answers_by_the_contract_safe_rule(value: Any, outcome: str) -> None:
    """C03: never another legal number; the default rule, recorded as fallback with its cause."""
    for paradigm in ("centralized", "heterarchical"):
        episode, rules = (
            Episode(two_jobs(), paradigm=paradigm),
            Episode(two_jobs(), paradigm=paradigm),
        )
        assert episode.play(Stupid(value)) == "done"
        rules.play(make_runner())
        assert set(sources(episode)) == {("fallback", outcome)}
        assert episode.measures["fallback_decisions"] == len(sources(episode))
        assert episode.trace.events.equals(rules.trace.events)
    with pytest.raises(IllegalAction):
        Episode(two_jobs()).play(Stupid(value), strict=True)


def test_runner_is_told_of_start_and_end_and_may_note_how_it_answered() -> None:
    """`reset(info)`, `end(info)`, and notes beside the actions for language models."""

    class Noting:
        told: list[Any] = []  # noqa: RUF012 - one runner, one test
        notes = {"plant": Note("llm", "ok", 2)}  # noqa: RUF012

        def reset(self, info: Mapping[str, Any]) -> None:
            self.told.append(info)

        def select_actions(self, decision: Mapping[str, Any]) -> dict[str, int]:
            return first(decision)

        def end(self, info: Mapping[str, Any]) -> None:
            self.told.append(info)

    episode = Episode(two_jobs(), paradigm="hierarchical")
    episode.play(Noting())
    start, end = Noting.told
    assert start["agents"] == ["plant", "area:A0", "cell:C0", "cell:C1"]
    assert start["authority"]["routing_authority_mode"] == "plant_area_cell"
    assert (end["status"], end["measures"]["completed_jobs"]) == ("done", 2)
    rows = episode.trace.decisions.to_pylist()
    by_agent = {(r["agent"], r["source"], r["attempts"]) for r in rows if r["source"] != "forced"}
    assert by_agent == {("plant", "llm", 2), ("area:A0", "external", 1)}


def test_a_noted_failure_of_the_reply_stays_the_cause() -> None:
    """A reply that was cut off is `truncated` in the rows, not merely empty."""

    class Cut:
        notes = {"plant": Note("llm", "truncated", 3)}  # noqa: RUF012 - one runner, one test

        def select_actions(self, decision: Mapping[str, Any]) -> dict[str, Any]:
            return {}

    episode = Episode(two_jobs())
    episode.play(Cut())
    rows = episode.trace.decisions.to_pylist()
    told = {(r["source"], r["outcome"], r["attempts"]) for r in rows if r["agent"] == "plant"}
    assert told == {("fallback", "truncated", 3)}


def test_errors_of_a_controller_reach_the_caller_with_their_type() -> None:
    """A bug in a runner is the runner's, not the benchmark's."""

    class Broken:
        def select_actions(self, decision: Mapping[str, Any]) -> dict[str, int]:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        Episode(two_jobs()).play(Broken())


def test_results_are_there_at_the_end() -> None:
    """Half an episode has no measures, and an ended one takes no action."""
    episode = Episode(two_jobs())
    with pytest.raises(IllegalAction, match="still runs"):
        _ = episode.trace
    episode.play(make_runner())
    with pytest.raises(IllegalAction, match="has ended"):
        episode.act({"plant": 0})
    assert list(episode) == []
    assert episode.measures["makespan"] == 6  # counts do not show J0 at work in C0: 3 + 3


def test_names_of_suites_and_cases() -> None:
    """A shipped suite by name; the case of an instance is its own."""
    episode = Episode("smoke")
    assert episode.play(make_runner()) == "done"
    assert episode.trace.info["suite"] == "smoke"
    with pytest.raises(InputError, match="the instance given is 'test-s0'"):
        Episode(two_jobs(), case="other-s0")


def test_what_is_forced_is_recorded_without_asking() -> None:
    """With one eligible cell the release is a choice (`hold`); commit and dispatch are not."""
    episode = Episode(shop([[{0: 1}]]), paradigm="hierarchical")
    kinds = []
    for decision in episode:
        kinds += [view["kind"] for view in decision["active_agents"].values()]
        episode.act(first(decision))
    assert kinds == ["release", "route_area", "route_cell"]
    rows = episode.trace.decisions.to_pylist()
    assert [row["kind"] for row in rows if row["source"] == "forced"] == ["commit", "dispatch"]


def test_make_runner_by_name_and_path(tmp_path: Any) -> None:
    """A whole runner or a backend, from a file of the user."""
    file = tmp_path / "mine.py"
    file.write_text(
        "class Whole:\n"
        "    def select_actions(self, decision):\n"
        "        return {a: v['legal_actions'][0] for a, v in decision['active_agents'].items()}\n"
        "class Backend:\n"
        "    source = 'mine'\n"
        "    def decide(self, view):\n"
        "        return view['legal_actions'][0]\n"
        "class Neither:\n"
        "    pass\n"
        "BACKEND = Backend\n",
        encoding="utf-8",
    )
    for name, source in ((f"{file}:Whole", "external"), (str(file), "mine")):
        episode = Episode(two_jobs())
        assert episode.play(make_runner(controller=name), strict=True) == "done"
        assert {row[0] for row in sources(episode)} == {source}
    with pytest.raises(InputError, match="needs select_actions"):
        make_runner(controller=f"{file}:Neither")


def test_replicates_of_the_random_controller_are_draws_of_their_own() -> None:
    """Equal replicates would make a spread of zero look like certainty."""
    instance = random_instance(3)
    traces = []
    for replicate in (0, 1, 0):
        episode = Episode(instance, paradigm="centralized_plant", replicate=replicate)
        episode.play(make_runner(controller="random"))
        traces.append(episode.trace.raw("decisions").column("action").to_pylist())
    assert traces[0] == traces[2] != traces[1]


@pytest.mark.parametrize("paradigm", ["heterarchical_cnp", "responsibility_rcm"])
def test_a_fork_goes_on_as_its_original_and_touches_it_not(paradigm: str) -> None:
    """Look-ahead is worth something only if the same answers lead to the same rows."""
    episode = Episode("smoke", paradigm=paradigm)
    runner = make_runner()
    for decision in episode:
        episode.act(runner.select_actions(decision))
        if episode.epoch > 60:
            break
    early, now = episode.fork(20), episode.fork()
    assert early.epoch >= 20
    assert json.dumps(now.decision) == json.dumps(episode.decision)
    for one in (now, episode, early):
        one.play(runner)
    assert now.trace.hash == episode.trace.hash
    assert early.trace.events.equals(episode.trace.events)  # its answers have another source


def test_a_fork_may_answer_otherwise() -> None:
    """A counterfactual: the last release is held, and the future is another one."""
    episode = Episode("smoke", paradigm="centralized_plant")
    fork = episode.fork()
    (agent,) = fork.decision["active_agents"]
    fork.act({agent: fork.decision["active_agents"][agent]["legal_actions"][-1]})
    for one in (fork, episode):
        one.play(make_runner())
    assert fork.trace.hash != episode.trace.hash


def test_a_fork_ahead_of_time_is_refused() -> None:
    """What has not been recorded cannot be driven."""
    with pytest.raises(IllegalAction, match=r"epoch=99, must be 1 \.\. 1"):
        Episode("smoke").fork(99)
