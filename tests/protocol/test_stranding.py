"""After a stranding: who is asked, what is said, what happens to the item."""

from __future__ import annotations

from typing import Any

import pytest

from desbench.instances.instance import Instance
from desbench.paradigms import AuthorityMode
from protocol.playing import Scripted, View, decisions, decline, messages, play, target
from shops import shop

SAY = ("sender", "receiver", "performative")


def stranding(**settings: Any) -> Instance:
    """J1 waits behind J0 in C0 when M0 goes down at 2; C1 is its sibling, C2 stands in area A1.

    J0 takes 4 on M0 and waits there; J1 may go to any cell and takes 4, 5 or 6.
    """
    jobs = [[{0: 4}], [{0: 4, 1: 5, 2: 6}]]
    defaults = {"areas": [[0, 1], [2]], "down": {0: [(2, 42)]}, "mean_repair": 40}
    return shop(jobs, **{**defaults, **settings})


def to_first(view: View) -> int:
    """Route J1 to C0, wherever a choice is."""
    return 0


def played(paradigm: Any, instance: Instance | None = None, **script: Any) -> Any:
    """Play the stranding: J1 goes to C0 before M0 breaks down."""
    firsts = dict.fromkeys(("route_area", "route_cell", "commit", "award"), to_first)
    return play(instance or stranding(), paradigm, Scripted(**{**firsts, **script}))


def after(episode: Any) -> list[tuple[Any, ...]]:
    """What was said about J1 from its stranding on."""
    rows = messages(episode, "time", "job", *SAY)
    return [row[2:] for row in rows if row[0] >= 2 and row[1] == 1]


def test_the_plant_that_rules_directly_moves_the_item() -> None:
    """Centralized: failure to the plant, cancel, reroute; obedience needs no answer."""
    episode = played("centralized_plant")
    assert after(episode) == [
        ("cell:C0", "plant", "failure"),
        ("plant", "cell:C0", "cancel"),
        ("plant", "cell:C1", "reroute"),
    ]
    assert decisions(episode, "agent", "kind", "target")[-2:] == [
        ("plant", "reroute", "cell:C1"),
        ("cell:C1", "dispatch", "machine:M1"),
    ]


def test_the_chain_asks_the_plant_then_the_area() -> None:
    """Hierarchical: the area relays, the plant names an area, that area a cell."""
    episode = played("hierarchical_chain", reroute=to_first)
    assert after(episode) == [
        ("cell:C0", "area:A0", "failure"),
        ("area:A0", "plant", "escalate"),
        ("plant", "area:A0", "delegate"),
        ("area:A0", "cell:C0", "cancel"),
        ("area:A0", "cell:C1", "reroute"),
    ]
    rows = decisions(episode, "agent", "kind", "legal", "target")
    assert [row for row in rows if row[1] == "reroute"] == [
        ("plant", "reroute", [0, 1, 8], "area:A0"),
        ("area:A0", "reroute", [0, 8], "cell:C1"),
    ]


def test_the_contract_net_takes_the_item_back_without_a_question() -> None:
    """Heterarchical: withdrawn to the backlog, then a new round in the same instant."""
    episode = played("heterarchical_cnp", bid=lambda view: 0)
    said = after(episode)
    assert said[:2] == [("cell:C0", "plant", "failure"), ("plant", "cell:C0", "cancel")]
    assert [row[2] for row in said[2:5]] == ["cfp"] * 3
    kinds = [row[2] for row in decisions(episode, "time", "job", "kind") if row[:2] == (2, 1)]
    assert kinds == ["release", "bid", "bid", "bid", "award", "commit", "dispatch"]


def test_an_area_that_mediates_hands_the_item_up() -> None:
    """Withdrawal under a mediating area: cancel below, escalate above."""
    instance = stranding(areas=[[0, 1, 2]])
    said = after(played("heterarchical_cnp", instance, bid=lambda view: 0))
    assert said[:3] == [
        ("cell:C0", "area:A0", "failure"),
        ("area:A0", "cell:C0", "cancel"),
        ("area:A0", "plant", "escalate"),
    ]


def test_the_holonic_area_asks_a_sibling_which_may_refuse() -> None:
    """Holonic: each sibling once; refused everywhere, the area may still keep or escalate."""
    refusals: list[str] = []

    def commit(view: View) -> int:
        stranded = view["observation"]["time"] >= 2
        if stranded and view["agent"] == "cell:C1":
            refusals.append(view["agent"])
            return decline(view)
        return 0

    runner = Scripted(route_area=to_first, route_cell=to_first, commit=commit, reroute=to_first)
    episode = play(stranding(), "holonic_hybrid", runner)
    assert after(episode)[:3] == [
        ("cell:C0", "area:A0", "failure"),
        ("area:A0", "cell:C1", "reroute"),
        ("cell:C1", "area:A0", "reject"),
    ]
    asked = runner.shown("reroute")
    assert [[o["target"] for o in view["options"]] for view in asked] == [
        ["cell:C1", "plant"],
        ["plant"],
    ]
    assert [view["legal_actions"] for view in asked] == [[0, 1, 8], [0, 8]]
    assert refusals


def test_escalation_withdraws_the_item() -> None:
    """Holonic: the plant is last; the item returns to its backlog and is placed anew."""
    episode = played("holonic_hybrid", reroute=lambda view: target(view, "plant"))
    assert after(episode)[:4] == [
        ("cell:C0", "area:A0", "failure"),
        ("area:A0", "cell:C0", "cancel"),
        ("area:A0", "plant", "escalate"),
        ("plant", "area:A0", "delegate"),
    ]


@pytest.mark.parametrize("paradigm", ["centralized_plant", "hierarchical_chain", "holonic_hybrid"])
def test_a_kept_item_stays_and_is_not_asked_about_again(paradigm: str) -> None:
    """Keep: one round a stranding; the item is done where it was, after the repair."""
    episode = played(paradigm, reroute=decline)
    assert after(episode)[0][2] == "failure"
    assert "cancel" not in [row[2] for row in after(episode)]
    assert [row for row in decisions(episode, "kind", "target") if row[0] == "reroute"] == [
        ("reroute", "keep")
    ]
    assert episode.status == "done"
    assert ("cell:C0", "dispatch", 1) in decisions(episode, "agent", "kind", "job")


def test_the_stranded_cell_is_no_option_and_full_cells_are_none() -> None:
    """With nowhere to go the answer is forced, and recorded as kept."""
    jobs = [[{0: 4}], [{0: 4}]]
    episode = play(shop(jobs, down={0: [(2, 42)]}), "centralized_plant")
    rows = decisions(episode, "kind", "legal", "target", "source")
    assert ("reroute", [8], "keep", "forced") in rows


def test_both_switches_ask_the_area_then_the_plant() -> None:
    """`area_local_reroute_enabled` with `plant_reroute_required`: the plant hears on escalation."""
    mode = AuthorityMode("test_both", "plant_direct", "accept_only", True, True)

    def reroute(view: View) -> int:
        return target(view, "plant" if view["role"] == "area" else "cell:C2")

    assert after(played(mode, reroute=reroute)) == [
        ("cell:C0", "area:A0", "failure"),
        ("area:A0", "plant", "escalate"),
        ("area:A0", "cell:C0", "cancel"),
        ("plant", "cell:C2", "reroute"),
    ]


def test_a_breakdown_an_arrival_and_a_reroute_at_one_instant() -> None:
    """C23: mode, reroute, dispatch, release is the order; time never goes back."""
    jobs = [[{0: 4}], [{0: 4, 1: 5}], [{1: 3}]]
    instance = shop(jobs, release=[0, 0, 2], down={0: [(2, 42)]}, mean_repair=40)
    episode = play(instance, "centralized_plant", Scripted(route_cell=to_first))
    at_two = [row[1:] for row in decisions(episode, "time", "kind", "job") if row[0] == 2]
    assert [kind for kind, _ in at_two] == ["reroute", "dispatch", "release", "route_cell"]
    moments = [row[0] for row in decisions(episode, "time")]
    assert moments == sorted(moments)
