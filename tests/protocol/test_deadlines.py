"""Deadlines of requests: what is not answered by then expires, and who asked goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from desbench.episode import Episode
from desbench.instances.coordination import Coordination
from desbench.instances.instance import Instance
from desbench.protocol.decision import Note
from desbench.verify import verify
from protocol.broken import four_cells
from protocol.playing import Scripted, View, decisions, messages, play, target
from shops import shop


class Slow(Scripted):
    """Answers some views only after 9 s."""

    source = "rule"

    def __init__(self, is_slow: Callable[[View], bool], **script: Any) -> None:
        super().__init__(**script)
        self.is_slow = is_slow
        self.notes: dict[str, Note] = {}

    def select_actions(self, decision: Mapping[str, Any]) -> dict[str, int]:
        """Answer by the script."""
        views = decision["active_agents"]
        self.notes = {
            agent: Note("rule", latency_s=9.0 * self.is_slow(view)) for agent, view in views.items()
        }
        return super().select_actions(decision)


def one_item(delays: Coordination) -> Instance:
    """One item that either of two areas can do."""
    return shop([[{0: 5, 1: 6}]], areas=[[0], [1]], coordination=delays, horizon=40)


def rows(episode: Episode, *columns: str) -> list[tuple[Any, ...]]:
    """Some columns of the rows about commitments."""
    return [tuple(row[c] for c in columns) for row in episode.trace.commitments.to_pylist()]


def played(instance: Instance, runner: Any = None, **settings: Any) -> Episode:
    """An episode that keeps every law; what a runner of a test took is in no table."""
    episode = play(instance, "responsibility_rcm", runner, **settings)
    can_repeat = not instance.coordination.is_measured
    verify(episode.trace, instance if can_repeat else None).raise_if_broken()
    return episode


def test_at_the_deadline_is_in() -> None:
    """Two requests and an acceptance take 6; a deadline of 6 is kept."""
    episode = played(one_item(Coordination(2, deadline=6)))
    assert "expire" not in {kind for (kind,) in rows(episode, "kind")}
    assert (6, "accept", "accepted") in rows(episode, "time", "kind", "after")


def test_an_answer_after_the_deadline_finds_the_request_expired() -> None:
    """With 5 it is not: both levels expire at 5, the lowest first, and the plant asks elsewhere."""
    episode = played(one_item(Coordination(2, deadline=5)))
    assert rows(episode, "time", "sender", "receiver", "kind", "after")[:5] == [
        (0, "plant", "area:A0", "request", "proposed"),
        (2, "area:A0", "cell:C0", "request", "proposed"),
        (5, "area:A0", "area:A0", "expire", "expired"),
        (5, "plant", "plant", "expire", "expired"),
        (5, "plant", "area:A1", "request", "proposed"),
    ]
    assert (4, "respond", "accept", "stale") in decisions(
        episode, "time", "kind", "target", "outcome"
    )
    assert episode.measures["completed_jobs"] == 0


def test_to_expire_is_no_message() -> None:
    """Nobody hears of it, and it counts nowhere."""
    episode = played(one_item(Coordination(2, deadline=5)))
    assert "expire" not in [word for (word,) in messages(episode, "performative")]
    told = episode.measures["commitment_messages_forced"]
    assert told + episode.measures["commitment_messages_chosen"] == episode.measures["messages"]


def test_who_asked_hears_that_it_expired() -> None:
    """An agent that is asked again should know what became of its last choice."""
    runner = Scripted()
    played(one_item(Coordination(2, deadline=5)), runner)
    feedback = runner.shown("delegate", "plant")[1]["context"]["feedback"]
    assert feedback == ["expired", "escalated"]


def test_what_is_lost_expires_within_its_instant() -> None:
    """Where the clock stands still nobody can wait longer; with a deadline, until then."""
    for deadline, time in ((-1, 0), (9, 9)):
        instance = one_item(Coordination(deadline=deadline))
        episode = played(instance, faults={"messages": {"lost": 1.0}})
        assert rows(episode, "time", "kind", "after")[:3] == [
            (0, "request", "proposed"),
            (time, "expire", "expired"),
            (time, "request", "proposed"),
        ]
        assert "reject" not in {kind for (kind,) in rows(episode, "kind")}


def test_a_counter_that_nobody_answers_expires() -> None:
    """The cell waits for the area as the area waited for the cell."""
    instance = one_item(Coordination(1, is_measured=True, deadline=6))
    runner = Slow(
        lambda view: (view["kind"], view["role"]) == ("respond", "area"), respond=counters
    )
    episode = played(instance, runner)
    assert (6, "cell:C0", "expire", "expired") in rows(episode, "time", "sender", "kind", "after")


def counters(view: View) -> int:
    """A cell counters, an area accepts."""
    return target(view, "counter") if view["role"] == "cell" else 0


def test_a_revision_that_is_not_answered_lapses() -> None:
    """The version in force stands, and the finish after its date is a violation."""
    delays = Coordination(is_measured=True, deadline=3)
    instance = replace(four_cells(), coordination=delays)
    episode = played(instance, Slow(lambda view: view["options"][0].get("target") == "agree"))
    told = rows(episode, "job", "kind", "before", "after")
    assert (0, "expire", "accepted", "accepted") in told
    assert (0, "violate", "reported", "violated") in told
