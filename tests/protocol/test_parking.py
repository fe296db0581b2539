"""What is closed, and when it opens again."""

from __future__ import annotations

from typing import Any

from desbench.protocol.parking import Parking
from protocol.playing import Scripted, View, decisions, decline, play
from shops import shop


def times(runner: Scripted, kind: str) -> list[int]:
    """The time of each view of a kind."""
    return [view["observation"]["time"] for view in runner.shown(kind)]


def test_hold_closes_what_was_offered_until_time_moves() -> None:
    """An item held at 0 is offered again at 2, when another arrives, not before."""
    runner = Scripted(release=lambda view: decline(view) if len(view["options"]) == 1 else 0)
    episode = play(shop([[{0: 1}], [{0: 1}]], release=[0, 2]), "centralized_plant", runner)
    sizes = [len(view["options"]) for view in runner.shown("release")]
    assert list(zip(times(runner, "release"), sizes, strict=True))[:2] == [(0, 1), (2, 2)]
    assert episode.status == "no_progress"  # the last item is held for ever


def test_want_of_room_closes_until_room_grows() -> None:
    """A full cell is asked once, not at every event, and again when an item has left its buffer.

    Cell 0 takes one commitment. J0 is dispatched at 0; J1 waits inbound from 0 to 10, when it is
    dispatched. J2 fails at 0 and must not be tried at the arrivals in between (J3 at 3, J4 at 4).
    """
    jobs = [[{0: 10}], [{0: 10}], [{0: 10}], [{1: 1}], [{1: 1}]]
    instance = shop(jobs, release=[0, 0, 0, 3, 4], inbound=1, commitment=1)
    for paradigm in ("heterarchical_cnp", "hierarchical_chain", "holonic_hybrid"):
        episode = play(instance, paradigm, Scripted(release=lambda view: 0, commit=lambda view: 0))
        rows = decisions(episode, "time", "kind", "job")
        assert [t for t, kind, job in rows if (kind, job) == ("release", 2)] == [0, 10]


def test_the_plant_that_sees_room_offers_only_what_fits() -> None:
    """plant_direct: an item without a cell with room is not offered, so nothing fails."""
    jobs = [[{0: 10}]] * 3
    instance = shop(jobs, inbound=1, commitment=1)
    episode = play(instance, "centralized_plant")
    rows = decisions(episode, "time", "kind", "job")
    assert [row for row in rows if row[1:] == ("release", 2)] == [(10, "release", 2)]


def test_wait_closes_the_cell_until_time_moves() -> None:
    """A cell that waits for the item on its way is asked again when it has come."""
    runner = Scripted(dispatch=decline)
    # J0 arrives at 2; J1, released at 1, is on its way until 3.
    instance = shop([[{0: 5}], [{0: 5}]], release=[0, 1], travel=2)
    play(instance, "centralized_plant", runner)
    assert times(runner, "dispatch") == [2, 3]  # at 3 nothing is coming: two items, no waiting
    assert runner.shown("dispatch")[0]["legal_actions"] == [0, 8]
    assert runner.shown("dispatch")[1]["legal_actions"] == [0, 1]


def test_a_stall_opens_everything() -> None:
    """When nothing else moves the agents are asked again, `no_progress_limit` times."""
    runner = Scripted(release=decline)
    episode = play(shop([[{0: 5}]], no_progress_limit=7), "centralized_plant", runner)
    assert episode.status == "no_progress"
    stalls = [v["context"]["recent_events"].count("stalled") for v in runner.shown("release")]
    assert stalls == [0] + [1] * 7


def test_closed_items_close_their_pairs_and_growth_opens_both() -> None:
    """The arithmetic of parking on its own, with a counter a cell."""
    growth = [0, 0]
    parking = Parking(growth.__getitem__)
    parking.fail(1, 0, [0])
    parking.fail(1, -1, [0, 1])
    assert [parking.is_open(1, 0), parking.is_open(1), parking.is_open(1, 1)] == [
        False,
        False,
        True,
    ]
    growth[1] += 1
    assert [parking.is_open(1, 0), parking.is_open(1)] == [False, True]
    parking.decline(1)
    growth[0] += 1
    assert not parking.is_open(1, 0)
    parking.time_moved()
    assert parking.is_open(1, 0)


def test_always_declining_ends_in_no_progress() -> None:
    """No agent that says no to everything may hang the benchmark."""

    def no(view: View) -> int:
        return decline(view)

    script: dict[str, Any] = dict.fromkeys(("release", "bid", "commit", "route_cell"), no)
    jobs = [[{0: 3, 1: 3}, {1: 2}]] * 3
    for paradigm in (
        "centralized_plant",
        "hierarchical_chain",
        "heterarchical_cnp",
        "holonic_hybrid",
    ):
        episode = play(shop(jobs), paradigm, Scripted(**script))
        assert episode.status == "no_progress"
