"""Masks and commands agree; an action that became illegal is asked again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from desbench.controllers.backends.random import RandomBackend
from hypothesis import given, settings
from hypothesis import strategies as st

from desbench._engine.simulation import Simulation
from desbench.errors import IllegalAction
from desbench.instances.instance import Instance
from desbench.protocol.authority import CONTRACT_ACTIONS, ROUTING_MODES, AuthorityMode
from protocol.playing import Scripted, View, decisions, messages, play
from shops import random_instance, shop

SWITCHES = st.builds(
    AuthorityMode,
    mode_id=st.just("test_any"),
    routing_authority_mode=st.sampled_from(ROUTING_MODES),
    cell_contract_actions=st.sampled_from(CONTRACT_ACTIONS),
    area_local_reroute_enabled=st.booleans(),
    plant_reroute_required=st.booleans(),
    mediated_bid_round_enabled=st.booleans(),
)


class Watched:
    """Random answers; every mask is compared with the shop before it is answered."""

    source = "random"

    def __init__(self, instance: Instance, seed: int) -> None:
        self.sim = Simulation(instance)
        self.backend = RandomBackend(seed)

    def shop(self, _: Instance) -> Simulation:
        """The shop that the episode plays, shared with this runner."""
        return self.sim

    def select_actions(self, decision: Mapping[str, Any]) -> dict[str, int]:
        """Check, then draw."""
        for view in decision["active_agents"].values():
            self.check(view)
        return {a: self.backend.decide(v) for a, v in decision["active_agents"].items()}

    def check(self, view: View) -> None:
        """Whatever is offered is legal in the shop, and the mask says what the list says."""
        legal, mask = view["legal_actions"], view["action_mask"]
        assert [slot for slot, bit in enumerate(mask) if bit] == legal
        assert len(legal) > 1
        assert [option["action"] for option in view["options"]] == [
            a for a in legal if a < len(mask) - 1
        ]
        for option in view["options"]:
            assert self.accepts(view, option), (view["kind"], option)

    def accepts(self, view: View, option: Mapping[str, Any]) -> bool:
        """Would the shop take the command of an option?"""
        sim, kind, item = self.sim, view["kind"], view["context"]["item"]
        if kind == "dispatch":
            return sim.can_dispatch(option["job"], option["machine"])
        if kind == "mode":
            return sim.can_set_mode(option["cell"], option["mode"])
        if kind == "release":
            return option["job"] in sim.ready()
        if kind in ("route_cell", "award") or (kind == "reroute" and "here" not in view["context"]):
            return sim.can_assign(item["job"], self.cell(option["target"]))
        if kind == "reroute" and option["target"].startswith("cell:"):
            room = sim.room(self.cell(option["target"]), item["job"])
            return room > 0 and sim.can_unassign(item["job"])
        if kind in ("bid", "commit"):
            return sim.room(self.cell(view["agent"]), item["job"]) > 0
        return True

    @staticmethod
    def cell(agent: str) -> int:
        """The index in a name of these shops, `cell:C3`."""
        return int(agent.removeprefix("cell:C"))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), SWITCHES)
def test_masks_agree_with_the_shop(seed: int, mode: AuthorityMode) -> None:
    """C19: what a mask allows the shop accepts, and nobody is asked with one legal action."""
    instance = random_instance(seed)
    runner = Watched(instance, seed)
    episode = play(instance, mode, runner, shop=runner.shop)
    outcomes = {row[0] for row in decisions(episode, "outcome")}
    assert outcomes <= {"ok"}
    for legal, action, source in decisions(episode, "legal", "action", "source"):
        assert action in legal
        assert (len(legal) == 1) == (source == "forced")


class Stubborn:
    """The shop, but it refuses some commands that it has called legal."""

    def __init__(self, instance: Instance, **refuse: int) -> None:
        self._sim = Simulation(instance)
        self._refuse = refuse  #: command -> how often

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sim, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            setattr(self._sim, name, value)

    def _turn(self, command: str, *arguments: Any) -> Any:
        if self._refuse.get(command, 0):
            self._refuse[command] -= 1
            if command.startswith("can_"):
                return False
            raise IllegalAction(f"{command} is not legal any more")
        return getattr(self._sim, command)(*arguments)

    def dispatch(self, *arguments: Any) -> None:
        """Refuse or obey."""
        self._turn("dispatch", *arguments)

    def assign(self, *arguments: Any) -> None:
        """Refuse or obey."""
        self._turn("assign", *arguments)

    def set_mode(self, *arguments: Any) -> None:
        """Refuse or obey."""
        self._turn("set_mode", *arguments)

    def can_assign(self, *arguments: Any) -> Any:
        """Deny or tell the truth."""
        return self._turn("can_assign", *arguments)


@pytest.mark.parametrize(
    "paradigm, refuse, kind",
    [
        ("centralized_plant", {"dispatch": 2}, "dispatch"),
        ("centralized_plant", {"can_assign": 2}, "route_cell"),
        ("heterarchical_cnp", {"can_assign": 1}, "award"),
        ("heterarchical_cnp", {"assign": 1}, "commit"),
        ("centralized_plant", {"set_mode": 2}, "mode"),
    ],
)
def test_what_became_illegal_is_superseded_and_asked_again(
    paradigm: str, refuse: dict[str, int], kind: str
) -> None:
    """C22: a bidder that breaks down between bid and award loses it; the round goes on."""
    jobs = [[{0: 5, 1: 5}], [{0: 5, 1: 5}]]
    instance = shop(jobs, areas=[[0], [1]], power_cap=[4, -1])
    episode = play(instance, paradigm, Scripted(), shop=lambda given: Stubborn(given, **refuse))
    rows = [outcome for k, outcome in decisions(episode, "kind", "outcome") if k == kind]
    assert rows.count("superseded") == sum(refuse.values())
    assert rows[0] == "superseded"
    assert rows[-1] == "ok"
    assert episode.status == "done"


def test_a_superseded_award_goes_to_the_bid_left() -> None:
    """The second bidder gets the item in the same round, with no new call."""
    instance = shop([[{0: 5, 1: 5}]], areas=[[0], [1]])
    episode = play(
        instance,
        "heterarchical_cnp",
        shop=lambda given: Stubborn(given, can_assign=1),
    )
    said = messages(episode, "sender", "receiver", "performative")
    assert said[4:] == [
        ("plant", "cell:C0", "reject-proposal"),
        ("plant", "cell:C1", "accept-proposal"),
        ("cell:C1", "plant", "inform"),
    ]


def test_more_candidates_than_slots_leave_the_best_and_a_count() -> None:
    """K = 3: of five cells the three with the earliest estimates, in their own order."""
    runner = Scripted()
    jobs = [[{0: 9, 1: 2, 2: 7, 3: 1, 4: 3}]]
    play(shop(jobs, options=3), "centralized_plant", runner)
    (view,) = runner.shown("route_cell")
    assert [option["target"] for option in view["options"]] == ["cell:C1", "cell:C3", "cell:C4"]
    assert view["not_offered"] == 2
    assert view["legal_actions"] == [0, 1, 2, 3]


def test_one_slot_is_still_three() -> None:
    """A bid has three options, so fewer slots than that are raised to three."""
    runner = Scripted()
    episode = play(shop([[{0: 3}]] * 5, options=1), "heterarchical_cnp", runner)
    assert {len(view["action_mask"]) for view in runner.views} == {4}
    assert episode.status == "done"


def test_the_option_to_escalate_is_never_left_out() -> None:
    """An area with more siblings than slots may still hand the item up."""
    runner = Scripted()
    jobs = [[{0: 9}], [{0: 1, **dict.fromkeys(range(1, 6), 5)}]]
    instance = shop(jobs, options=3, down={0: [(2, 42)]}, mean_repair=40)
    play(instance, "holonic_hybrid", Scripted(route_cell=lambda v: 0, commit=lambda v: 0))
    runner = Scripted(route_cell=lambda v: 0, commit=lambda v: 0)
    play(instance, "holonic_hybrid", runner)
    view = runner.shown("reroute")[0]
    assert [option["target"] for option in view["options"]] == ["cell:C1", "cell:C2", "plant"]
    assert view["not_offered"] == 3


def test_wait_is_legal_only_while_an_item_is_on_its_way() -> None:
    """A cell never waits for nothing."""
    instance = random_instance(11, jobs=8, cells=3)

    class Waiting(Watched):
        def check(self, view: View) -> None:
            if view["kind"] == "dispatch":
                cell = self.cell(view["agent"])
                assert bool(view["action_mask"][-1]) == bool(self.sim.coming(cell))

    runner = Waiting(instance, 3)
    play(instance, "centralized_plant", runner, shop=runner.shop)


def test_each_cell_decides_its_own_mode_in_a_contract_net() -> None:
    """A power alarm of an area: one epoch; here the cells, elsewhere the area or the plant."""
    instance = shop([[{0: 5}], [{1: 5}]], cells=[[0], [1], []], power_cap=4)
    askers = {}
    for paradigm in (
        "centralized_plant",
        "hierarchical_chain",
        "heterarchical_cnp",
        "holonic_hybrid",
    ):
        rows = decisions(play(instance, paradigm), "epoch", "kind", "agent", "target")
        modes = [row for row in rows if row[1] == "mode"]
        first = [row for row in modes if row[0] == modes[0][0]]
        askers[paradigm] = [row[2:] for row in first]
    assert askers == {
        "centralized_plant": [("plant", "cell:C0:eco")],
        "hierarchical_chain": [("area:A0", "cell:C0:eco")],
        "heterarchical_cnp": [("cell:C0", "cell:C0:eco"), ("cell:C1", "cell:C1:eco")],
        "holonic_hybrid": [("area:A0", "cell:C0:eco")],
    }
