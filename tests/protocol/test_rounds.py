"""Messages and outcomes of routing, bid rounds, refusals."""

from __future__ import annotations

from typing import Any

import pytest

from desbench.instances.instance import Instance
from desbench.paradigms import AuthorityMode
from protocol.playing import Scripted, View, decisions, decline, messages, play, target
from shops import shop

SAY = ("sender", "receiver", "performative")


def once(answer: Any) -> Any:
    """An answer for the first view, the default rule for those after it."""
    from desbench.controllers.backends.rules import Rules

    calls: list[View] = []

    def decide(view: View) -> int:
        calls.append(view)
        return int(answer(view)) if len(calls) == 1 else Rules().decide(view)

    return decide


def one_item(cells: int = 3, **settings: Any) -> Instance:
    """One job of one operation, eligible in every cell, 5 ticks in each; a cell an area."""
    areas = [[cell] for cell in range(cells)]
    return shop([[dict.fromkeys(range(cells), 5)]], **{"areas": areas, **settings})


@pytest.mark.parametrize("cells", [1, 2, 3, 5])
@pytest.mark.parametrize(
    "paradigm, count",
    [
        ("centralized_plant", lambda n: 1),
        ("hierarchical_chain", lambda n: 3),
        ("heterarchical_cnp", lambda n: 3 * n + 1),
        ("holonic_hybrid", lambda n: 3),
    ],
)
def test_messages_per_operation_without_trouble(paradigm: str, count: Any, cells: int) -> None:
    """The cost of coordination the paper compares: 1, 3, 3n+1 and 3."""
    assert play(one_item(cells), paradigm).trace.messages.num_rows == count(cells)


def test_equal_bids_go_to_the_lowest_cell() -> None:
    """C22: three equal bids, whatever the order in which the answers come."""
    episode = play(one_item(), "heterarchical_cnp")
    assert ("plant", "cell:C0", "accept-proposal") in messages(episode, *SAY)


class Reversed(Scripted):
    """The same answers in a dict of the opposite order."""

    def select_actions(self, decision: Any) -> dict[str, int]:
        """Answer the last agent first."""
        return dict(reversed(super().select_actions(decision).items()))


@pytest.mark.parametrize("paradigm", ["heterarchical_cnp", "centralized_plant", "holonic_hybrid"])
def test_order_of_replies_changes_nothing(paradigm: str) -> None:
    """C22: actions take effect in the order of agents, never in the order of replies."""
    shop_ = shop(
        [[{0: 5, 1: 5, 2: 5}, {1: 4, 2: 4}] for _ in range(5)],
        cells=[[0], [1], [2]],
        power_cap=8,
        inbound=3,
    )
    assert play(shop_, paradigm).trace.hash == play(shop_, paradigm, Reversed()).trace.hash


def test_a_refused_award_goes_to_the_next_bid() -> None:
    """The mediator awards again among the bids left, and only those are turned down at the end."""
    episode = play(one_item(), "heterarchical_cnp", Scripted(commit=once(decline)))
    said = messages(episode, *SAY)[6:]
    assert said == [
        ("plant", "cell:C0", "accept-proposal"),
        ("cell:C0", "plant", "failure"),
        ("plant", "cell:C1", "accept-proposal"),
        ("cell:C1", "plant", "inform"),
        ("plant", "cell:C2", "reject-proposal"),
    ]
    epochs = decisions(episode, "epoch", "kind")
    assert [kind for _, kind in epochs if kind in ("award", "commit")] == ["award", "commit"] * 2
    assert len({epoch for epoch, kind in epochs if kind == "bid"}) == 1


def test_no_award_turns_every_bid_down() -> None:
    """`none` ends the round with a word to each bidder."""
    episode = play(one_item(), "heterarchical_cnp", Scripted(award=decline))
    said = messages(episode, "conversation", *SAY)
    first_round = [row[1:] for row in said if row[0] == 1]
    assert first_round[6:] == [("plant", f"cell:C{c}", "reject-proposal") for c in range(3)]


def test_a_bid_is_a_promise_of_three_kinds() -> None:
    """Optimistic = without backlog, expected, cautious = ceil(1.3 x expected)."""
    runner = Scripted(dispatch=decline)
    play(shop([[{0: 5}], [{0: 5}]], travel=2), "heterarchical_cnp", runner)
    first, second = (view["options"] for view in runner.shown("bid")[:2])
    assert [o["duration"] for o in first] == [7, 7, 10]  # 2 + 5; ceil(9.1)
    assert [o["duration"] for o in second] == [7, 10, 13]  # 2 + (5 - 2) + 5; 1.3 x 10


def test_mediator_is_the_area_if_all_cells_lie_in_one() -> None:
    """Local work is mediated locally."""
    areas = {"areas": [[0, 1], [2]]}
    inside = play(shop([[{0: 5, 1: 5}], [{2: 1}]], **areas), "heterarchical_cnp")
    across = play(shop([[{0: 5, 2: 5}]], **areas), "heterarchical_cnp")
    assert {s for s, _, p in messages(inside, *SAY) if p == "cfp"} == {"area:A0", "area:A1"}
    assert {s for s, _, p in messages(across, *SAY) if p == "cfp"} == {"plant"}


def test_a_cell_without_room_is_called_and_refuses_by_force() -> None:
    """The contract net calls all n eligible cells; want of room is no choice."""
    jobs = [[{0: 50}], [{0: 50}], [{0: 50, 1: 50}]]
    episode = play(shop(jobs, areas=[[0], [1]], inbound=1, commitment=1), "heterarchical_cnp")
    refused = [row for row in messages(episode, "job", *SAY) if row[3] == "refuse"]
    assert (2, "cell:C0", "plant", "refuse") in refused
    sources = decisions(episode, "kind", "agent", "job", "source")
    assert ("bid", "cell:C0", 2, "forced") in sources


def test_a_rejected_item_goes_to_a_sibling_where_the_area_may() -> None:
    """Holonic: the area reroutes before the plant hears of it, each cell at most once."""
    episode = play(one_item(areas=[[0, 1], [2]]), "holonic_hybrid", Scripted(commit=once(decline)))
    assert messages(episode, *SAY) == [
        ("plant", "area:A0", "delegate"),
        ("area:A0", "cell:C0", "assign"),
        ("cell:C0", "area:A0", "reject"),
        ("area:A0", "cell:C1", "reroute"),
        ("cell:C1", "area:A0", "accept"),
    ]


def test_a_failed_area_hands_the_item_up_and_the_plant_asks_the_next() -> None:
    """After a failure the plant is asked at once over the areas still open."""

    def refuse(view: View) -> int:
        return decline(view) if view["agent"] in ("cell:C0", "cell:C1") else 0

    runner = Scripted(commit=refuse, route_area=lambda view: 0)
    episode = play(one_item(areas=[[0, 1], [2]]), "holonic_hybrid", runner)
    assert messages(episode, *SAY)[3:] == [
        ("area:A0", "cell:C1", "reroute"),
        ("cell:C1", "area:A0", "reject"),
        ("area:A0", "plant", "escalate"),
        ("plant", "area:A1", "delegate"),
        ("area:A1", "cell:C2", "assign"),
        ("cell:C2", "area:A1", "accept"),
    ]
    assert {row[0] for row in messages(episode, "conversation")} == {1}
    options = [[o["target"] for o in view["options"]] for view in runner.shown("route_area")]
    assert options == [["area:A0", "area:A1"], ["area:A1"]]


def test_escalation_by_choice_closes_the_pair_until_time_moves() -> None:
    """An area that does not want an item is not asked again in the same instant."""
    runner = Scripted(route_cell=decline)
    play(one_item(2), "hierarchical_chain", runner)
    areas = [len(view["options"]) for view in runner.shown("route_area")]
    assert areas[:2] == [2, 1]
    assert len(runner.shown("release")) == 1 + 30  # then only the rounds of a stall


def test_a_plant_that_rules_directly_may_still_be_refused() -> None:
    """plant_direct with accept_reject: the answer goes to the plant."""
    mode = AuthorityMode("test_direct_reject", "plant_direct", "accept_reject")
    runner = Scripted(commit=once(decline))
    later = shop([[{0: 5, 1: 5}], [{1: 1}]], release=[0, 3])
    said = messages(play(later, mode, runner), "time", "job", *SAY)
    assert said[:2] == [
        (0, 0, "plant", "cell:C0", "assign"),
        (0, 0, "cell:C0", "plant", "reject"),
    ]
    assert (3, 0, "cell:C0", "plant", "accept") in said[2:]  # time has moved: asked again


def test_a_bid_round_may_replace_the_choice_of_an_area() -> None:
    """mediated_bid_round_enabled in a chain: only cells with room are called, by the area."""
    mode = AuthorityMode("test_area_bids", "plant_area_cell", mediated_bid_round_enabled=True)
    episode = play(one_item(areas=[[0, 1], [2]]), mode)
    assert messages(episode, *SAY) == [
        ("plant", "area:A0", "delegate"),
        ("area:A0", "cell:C0", "cfp"),
        ("area:A0", "cell:C1", "cfp"),
        ("cell:C0", "area:A0", "propose"),
        ("cell:C1", "area:A0", "propose"),
        ("area:A0", "cell:C0", "accept-proposal"),
        ("cell:C0", "area:A0", "inform"),
        ("area:A0", "cell:C1", "reject-proposal"),
    ]


def test_a_mediator_may_choose_without_bids() -> None:
    """mediated_cnp without a bid round: assign, and the cell answers the mediator."""
    mode = AuthorityMode("test_no_bids", "mediated_cnp")
    episode = play(one_item(), mode, Scripted(route_cell=lambda v: target(v, "cell:C2")))
    assert messages(episode, *SAY) == [
        ("plant", "cell:C2", "assign"),
        ("cell:C2", "plant", "accept"),
    ]
    assert ("commit", "forced") in decisions(episode, "kind", "source")
