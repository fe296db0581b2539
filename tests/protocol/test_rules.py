"""The default rules, each on a view written by hand."""

from __future__ import annotations

from typing import Any

import pytest
from desbench.controllers.backends import rules

from desbench.errors import InputError
from desbench.protocol.estimate import from_counts, tied

PLACE = {"travel": 2.0, "committed": 0, "nominal": 5.0, "machines_up": 1, "machines": 1}


def view(*options: dict[str, Any], slots: int = 5, wait: bool = True, **context: Any) -> Any:
    """A view with these options and a legal decline in slot 4."""
    numbered = [{**option, "action": action} for action, option in enumerate(options)]
    mask = [1] * len(options) + [0] * (slots - 1 - len(options)) + [int(wait)]
    return {"options": numbered, "action_mask": mask, "context": {"recent_events": [], **context}}


def place(**changed: Any) -> dict[str, Any]:
    """A cell at travel 2 with one free machine that takes 5."""
    return {**PLACE, "repair": 0.0, **changed}


def test_estimate_from_counts() -> None:
    """Travel overlaps with the queue; what is up shares it, all if nothing is."""
    assert from_counts(2, 0, 5, 1, 1) == 2 + 5
    assert from_counts(2, 3, 5, 1, 2) == 15 + 5
    assert from_counts(2, 3, 5, 0, 2, repair=9) == 7.5 + 5 + 9
    assert tied(0.1 + 0.2) == tied(0.3)


def test_least_slack_then_earliest_release_then_no_due_date() -> None:
    """Items without due date come last; ties go to the lower action."""
    late = {"slack": -3.0, "release": 9.0}
    early = {"slack": -3.0, "release": 1.0}
    free = {"slack": None, "release": 0.0}
    assert rules.least_slack(view(free, late, early)) == 2
    assert rules.least_slack(view(free, free)) == 0


def test_earliest_finish_minds_queue_and_repair() -> None:
    """Shortest processing falls for the lure, earliest finish does not."""
    lure = place(nominal=3.0, committed=4)  # 12 + 3
    calm = place(nominal=6.0)  # 2 + 6
    down = place(nominal=1.0, machines_up=0, repair=50.0)
    assert rules.earliest_finish(view(lure, calm, down)) == 1
    assert rules.shortest_processing(view(lure, calm)) == 0
    assert rules.earliest_finish(view()) == 4


@pytest.mark.parametrize(
    "machines_up, events, feedback, action",
    [
        (1, [], [], 0),
        (0, [], [], 4),
        (0, [], ["awarded"], 0),  # the promise of its bid has counted the repair
        (0, ["stalled"], [], 0),  # nothing else moves
    ],
)
def test_a_cell_refuses_while_it_is_down(
    machines_up: int, events: list[str], feedback: list[str], action: int
) -> None:
    """A cell that cannot say when it starts is better not relied on."""
    shown = view(place(machines_up=machines_up), recent_events=events, feedback=feedback)
    assert rules.refuse_when_down(shown) == action


def test_a_cell_that_may_not_refuse_accepts() -> None:
    """Under accept_only the last slot is not legal."""
    obeys = view(place(machines_up=0), wait=False, recent_events=[], feedback=[])
    assert rules.refuse_when_down(obeys) == 0


@pytest.mark.parametrize(
    "options, here, action",
    [
        ([place()], place(repair=9.0, machines_up=0), 0),  # 7 < 5 + 9
        ([place(committed=9)], place(repair=9.0, machines_up=0), 4),  # 45 + 5 > 2 + 5 + 9
        ([{"target": "plant"}], place(repair=9.0, machines_up=0), 0),  # 9 > 5: up to the plant
        ([{"target": "plant"}], place(repair=4.0, machines_up=0), 4),
        ([], place(repair=9.0, machines_up=0), 4),
        ([place(committed=2), place()], None, 1),  # a fresh refusal: the best sibling
    ],
)
def test_reroute_only_for_the_better(
    options: list[dict[str, Any]], here: dict[str, Any] | None, action: int
) -> None:
    """A move has to beat the wait for the repair."""
    context = {} if here is None else {"here": here}
    assert rules.better_elsewhere(view(*options, **context)) == action


def test_urgent_before_short() -> None:
    """An item that is late goes first, among those the shortest setup + processing."""
    short = {"slack": 5.0, "length": 1.0}
    late = {"slack": -1.0, "length": 9.0}
    later = {"slack": -2.0, "length": 8.0}
    assert rules.urgent_then_shortest(view(short, late, later)) == 2
    assert rules.urgent_then_shortest(view({"slack": None, "length": 2.0}, short)) == 1


def test_dispatching_rules_of_the_field() -> None:
    """fifo, spt, lpt, edd, mwkr on two items."""
    first = {"position": 0, "nominal": 5.0, "due": None, "remaining_work": 5.0}
    second = {"position": 1, "nominal": 4.0, "due": 9.0, "remaining_work": 7.0}
    chosen = {
        name: rules.RULES["dispatch"][name](view(first, second))
        for name in ("fifo", "spt", "lpt", "edd", "mwkr")
    }
    assert chosen == {"fifo": 0, "spt": 1, "lpt": 0, "edd": 1, "mwkr": 1}


def test_eco_for_the_busiest_normal_cell() -> None:
    """A cell in eco already, or idle, cannot help."""
    idle = {"mode": "eco", "present": "normal", "busy": 0}
    busy = {"mode": "eco", "present": "normal", "busy": 2}
    back = {"mode": "normal", "present": "eco", "busy": 3}
    pause = {"mode": "pause", "present": "normal", "busy": 3}
    assert rules.eco_for_the_busiest(view(idle, busy, back, pause)) == 1
    assert rules.eco_for_the_busiest(view(idle, back)) == 4


def test_rules_are_chosen_by_name_and_a_wrong_name_is_told_the_right_ones() -> None:
    """`--rule dispatch=spt`."""
    shown = {**view({"position": 0, "nominal": 5.0}, {"position": 1, "nominal": 4.0})}
    assert rules.Rules({"dispatch": "spt"}).decide({**shown, "kind": "dispatch"}) == 1
    with pytest.raises(InputError, match=r"rule dispatch='sptt', must be one of .*spt"):
        rules.Rules({"dispatch": "sptt"})
    with pytest.raises(InputError, match="rule for kind='despatch'"):
        rules.Rules({"despatch": "spt"})


def test_routing_is_one_word_for_all_kinds_that_choose_a_place() -> None:
    """A user need not know which kind routes where; who lacks the rule keeps its own."""
    place = {"travel": 0.0, "committed": 0, "machines_up": 1, "machines": 1, "target": "cell:C0"}
    shown = view({**place, "nominal": 5.0}, {**place, "nominal": 4.0, "committed": 9})
    shown |= {"context": {"item": {"job": "J", "operation": 0}}, "observation": {}, "role": "area"}
    for kind in rules.ROUTING:
        assert rules.Rules({"routing": "spt"}).decide({**shown, "kind": kind}) == 1
        assert rules.Rules({"routing": "bottleneck"}).decide({**shown, "kind": kind}) == 0
