"""Coordination that takes time: hops, stale and late answers, what is in hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from desbench.episode import Episode
from desbench.instances.coordination import Coordination
from desbench.instances.instance import Instance
from desbench.protocol.decision import Note
from desbench.verify import verify
from protocol.playing import Scripted, decisions, messages, play, target
from shops import random_instance, shop

PARADIGMS = (
    *("centralized_plant", "hierarchical_chain", "heterarchical_cnp", "holonic_hybrid"),
    "responsibility_rcm",
)


def delayed(jobs: Any, delays: Coordination, **settings: Any) -> Instance:
    """A shop in which agreeing takes time, a cell an area."""
    cells = 1 + max(machine for job in jobs for operation in job for machine in operation)
    areas = [[cell] for cell in range(cells)]
    return shop(jobs, coordination=delays, **{"areas": areas, **settings})


def events(episode: Episode, kind: str, *columns: str) -> list[tuple[Any, ...]]:
    """Some columns of the event rows of a kind."""
    rows = episode.trace.events.to_pylist()
    return [tuple(row[c] for c in columns) for row in rows if row["kind"] == kind]


def played(instance: Instance, paradigm: str, runner: Any | None = None) -> Episode:
    """Play to the end; the trace must keep every law."""
    episode = play(instance, paradigm, runner)
    verify(episode.trace, instance).raise_if_broken()
    return episode


@pytest.mark.parametrize(
    "paradigm, hops", [*zip(PARADIGMS, (1, 3, 4, 3, 3), strict=True)], ids=PARADIGMS
)
def test_an_assignment_waits_for_its_last_message(paradigm: str, hops: int) -> None:
    """Order; delegate, assign, accept; call, bid, award, inform; the same for commitments."""
    episode = played(delayed([[{0: 5, 1: 6}]], Coordination(message_delay=2)), paradigm)
    assert events(episode, "assign", "time", "cell") == [(2 * hops, 0)]
    assert episode.trace.end == 2 * hops + 5


def test_decisions_take_the_time_of_their_role_and_forced_ones_none() -> None:
    """Plant 7 for the item and 7 for the area, area 3 for the cell; the cell must accept."""
    delays = Coordination(plant=7, area=3, cell=2)
    instance = delayed([[{0: 5, 1: 6}], [{0: 5}]], delays, areas=[[0, 1]], release=[0, 100])
    episode = played(instance, "hierarchical_chain")
    assert events(episode, "assign", "time") == [(17,), (117,)]
    # A dispatch with one pair and nothing on its way is forced.
    assert events(episode, "dispatch", "time") == [(17,), (117,)]


def test_bids_of_one_round_are_parallel() -> None:
    """Three cells think at once: 4 for all, not 12."""
    episode = played(delayed([[{0: 5, 1: 6, 2: 7}]], Coordination(cell=4)), "heterarchical_cnp")
    assert events(episode, "assign", "time") == [(8,)]  # the bid, then the commit


def test_the_last_place_goes_to_the_first_to_arrive() -> None:
    """Nothing is reserved: both are sent to C0, one finds it full and comes back to the plant."""
    instance = delayed([[{0: 5}], [{0: 5}]], Coordination(1), inbound=1, commitment=1)
    episode = played(instance, "centralized_plant")
    said = messages(episode, "time", "job", "sender", "receiver", "performative")
    assert said[:3] == [
        (0, 0, "plant", "cell:C0", "assign"),
        (0, 1, "plant", "cell:C0", "assign"),
        (1, 1, "cell:C0", "plant", "reject"),
    ]
    outcomes = decisions(episode, "time", "job", "kind", "outcome")
    assert (0, 0, "route_cell", "ok") in outcomes
    assert (0, 1, "route_cell", "stale") in outcomes
    assert episode.status == "done"


def test_two_acceptances_for_one_place_are_one_item_and_one_stale_answer() -> None:
    """A cell that must obey says yes twice; the second yes arrives at a full cell."""
    jobs = [[{0: 50}], [{0: 50, 1: 60}]]
    instance = delayed(jobs, Coordination(3), inbound=1, commitment=1)
    runner = Scripted(route_area=lambda view: 0)
    episode = played(instance, "hierarchical_chain", runner)
    outcomes = decisions(episode, "time", "job", "kind", "outcome")
    assert (6, 0, "commit", "ok") in outcomes
    assert (6, 1, "commit", "stale") in outcomes
    assert events(episode, "assign", "job", "cell")[0] == (0, 0)


def test_an_item_in_a_conversation_is_not_offered_again() -> None:
    """While J0 is negotiated the plant releases J1, and J0 is in no list."""
    runner = Scripted()
    instance = delayed([[{0: 5}], [{0: 5}]], Coordination(10), release=[0, 4])
    played(instance, "centralized_plant", runner)
    offered = [[o["target"] for o in view["options"]] for view in runner.shown("release")]
    assert offered == [["job:J0"], ["job:J1"]]


def test_a_dispatch_is_stale_when_the_machine_goes_down_first() -> None:
    """Two wait when M0 is free at 5; the cell thinks until 9, M0 stops at 7; once more at 12."""
    jobs = [[{0: 5}], [{0: 5}], [{0: 5}]]
    instance = delayed(jobs, Coordination(cell=4), down={0: [(7, 12)]})
    episode = played(instance, "centralized_plant")
    rows = [row for row in decisions(episode, "time", "kind", "outcome") if row[1] == "dispatch"]
    assert rows[:3] == [(0, "dispatch", "ok"), (5, "dispatch", "stale"), (12, "dispatch", "ok")]
    assert events(episode, "dispatch", "time")[:2] == [(0,), (16,)]  # the first one was forced


def test_a_repair_ends_the_reroute_that_is_under_way() -> None:
    """The failure takes 5 to the plant; at 4 the machine is up again, and nobody is asked."""
    jobs = [[{0: 9}], [{0: 9, 1: 30}]]
    instance = delayed(jobs, Coordination(5), down={0: [(8, 12)]}, mean_repair=90)
    episode = played(instance, "centralized_plant")
    said = [row[0] for row in messages(episode, "performative")]
    assert events(episode, "stranded", "time", "job") == [(8, 1)]
    assert said.count("failure") == 1
    assert {"cancel", "reroute"}.isdisjoint(said)
    assert [row for row in decisions(episode, "kind") if row[0] == "reroute"] == []


def test_an_answer_about_an_item_that_was_repaired_is_stale() -> None:
    """Stranded at 30, the plant is asked at 35 and thinks until 45; at 40 the machine is up."""
    jobs = [[{0: 9}], [{0: 9, 1: 30}]]
    instance = delayed(jobs, Coordination(5, plant=10), down={0: [(30, 40)]}, mean_repair=900)
    runner = Scripted(route_cell=lambda view: target(view, "cell:C0"))
    episode = played(instance, "centralized_plant", runner)
    rows = decisions(episode, "time", "kind", "target", "outcome")
    assert (35, "reroute", "cell:C1", "stale") in rows
    assert "cancel" not in [row[0] for row in messages(episode, "performative")]
    assert events(episode, "dispatch", "job", "cell") == [(0, 0), (1, 0)]


class Slow(Scripted):
    """Some cells take long to bid; the notes say how long."""

    source = "rule"

    def __init__(self, **seconds: float) -> None:
        super().__init__()
        self.seconds = seconds
        self.notes: dict[str, Note] = {}

    def select_actions(self, decision: Mapping[str, Any]) -> dict[str, int]:
        """Answer by rules."""
        self.notes = {
            agent: Note("rule", latency_s=self.seconds.get(agent.removeprefix("cell:"), 0.0))
            for agent, view in decision["active_agents"].items()
            if view["kind"] == "bid"
        }
        return super().select_actions(decision)


def measured(deadline: int) -> Instance:
    """Three cells, the first of which is the fastest; decisions take what the notes say."""
    delays = Coordination(message_delay=1, is_measured=True, deadline=deadline)
    return delayed([[{0: 5, 1: 6, 2: 7}]], delays)


def test_measured_decisions_take_what_the_controller_took() -> None:
    """The round waits for the slowest, 8 s: call 1, bids 8, and three hops of 1 more."""
    episode = play(measured(-1), "heterarchical_cnp", Slow(C0=8.0, C1=2.0))
    assert events(episode, "assign", "time", "cell") == [(12, 0)]


def test_a_bid_after_the_deadline_is_late_and_turned_down() -> None:
    """C22: at the deadline is in (1 + 2 + 1 = 4), later is late (1 + 2.6 + 1); late is no bid."""
    episode = play(measured(4), "heterarchical_cnp", Slow(C0=3.0, C1=2.0))
    bids = [row[1:] for row in decisions(episode, "kind", "agent", "outcome") if row[0] == "bid"]
    assert bids == [("cell:C0", "late"), ("cell:C1", "ok"), ("cell:C2", "ok")]
    assert events(episode, "assign", "time", "cell") == [(6, 1)]
    said = messages(episode, "time", "receiver", "performative")
    assert (6, "cell:C0", "reject-proposal") in said
    assert said.index((4, "cell:C1", "accept-proposal")) > 0


def test_a_round_without_a_bid_in_time_places_nothing() -> None:
    """A deadline that nobody can meet closes every call empty."""
    instance = delayed([[{0: 5, 1: 6}]], Coordination(2, deadline=3), horizon=50)
    episode = played(instance, "heterarchical_cnp")
    assert {row[1] for row in decisions(episode, "kind", "outcome") if row[0] == "bid"} == {"late"}
    assert episode.measures["completed_jobs"] == 0


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_a_fork_knows_the_answers_that_are_under_way(paradigm: str) -> None:
    """Copied in the middle of sleeping conversations, an episode goes on to the same rows."""
    delays = Coordination(2, 1, 1, 1, deadline=9)
    episode = Episode(replace(random_instance(3), coordination=delays), paradigm=paradigm)
    runner = Scripted()
    for decision in episode:
        episode.act(runner.select_actions(decision))
        if episode.epoch > 15:
            break
    fork = episode.fork()
    for one in (fork, episode):
        one.play(runner)
    assert fork.trace.hash == episode.trace.hash


def test_one_message_delay_of_nothing_is_the_frozen_clock() -> None:
    """A case that states coordination without time is the same episode, row by row."""
    for paradigm in PARADIGMS:
        instance = random_instance(5)
        stated = replace(instance, coordination=Coordination(deadline=7))
        assert play(stated, paradigm).trace.hash == play(instance, paradigm).trace.hash


def test_a_chosen_cell_that_filled_up_meanwhile_refuses() -> None:
    """Holonic: J2 is sent to C0 at 17, J1 binds there at 19; at 20 C0 is full and says so."""
    jobs = [[{0: 50}], [{0: 50}], [{0: 50, 1: 60}]]
    full = {"inbound": 1, "commitment": 1, "areas": [[0, 1]]}
    instance = delayed(jobs, Coordination(3), release=[0, 10, 14], **full)
    runner = Scripted(route_cell=lambda view: target(view, "cell:C0"))
    said = messages(played(instance, "holonic_hybrid", runner), "time", "job", "performative")
    assert [(time, word) for time, job, word in said if job == 2] == [
        (14, "delegate"),
        (17, "assign"),
        (20, "reject"),
        (23, "reroute"),
        (26, "accept"),
    ]
