"""Rules by name that no default uses, each on a view written by hand."""

from __future__ import annotations

from typing import Any

import pytest
from desbench.controllers.backends.rules import RULES, Rules
from desbench.controllers.frameworks.native import Native

from desbench.episode import Episode

ITEM = {"setup": 0.0, "weight": 1.0, "due": None, "slack": None}


def dispatch(name: str, *items: dict[str, Any]) -> int:
    """The pair a dispatching rule takes of these items, in the order of the inbound buffer."""
    options = [{**ITEM, **item, "action": k, "position": k} for k, item in enumerate(items)]
    return RULES["dispatch"][name]({"options": options, "action_mask": [1] * (len(options) + 1)})


SHORT = {"nominal": 2.0, "remaining_work": 9.0, "remaining_operations": 2}
LONG = {"nominal": 5.0, "remaining_work": 6.0, "remaining_operations": 4}


@pytest.mark.parametrize(
    "name, chosen",
    [
        *(("fifo", 0), ("lifo", 1), ("spt", 0), ("lpt", 1), ("mwkr", 0), ("lwkr", 1)),
        *(("mopnr", 1), ("edd", 0), ("slack", 0), ("cr", 0), ("atc", 0), ("least_setup", 0)),
    ],
)
def test_two_items_without_due_dates(name: str, chosen: int) -> None:
    """2 of 9 in 2 operations before 5 of 6 in 4; without due dates edd, slack and cr are fifo."""
    assert dispatch(name, SHORT, LONG) == chosen


def test_slack_and_critical_ratio_disagree() -> None:
    """Slack 8 on work 8, ratio 2; slack 6 on work 2, ratio 4."""
    much = {"nominal": 1.0, "slack": 8.0, "remaining_work": 8.0}
    little = {"nominal": 1.0, "slack": 6.0, "remaining_work": 2.0}
    assert dispatch("slack", much, little) == 1
    assert dispatch("cr", much, little) == 0


def test_critical_ratio_without_work() -> None:
    """Operations of length zero divide nothing; one that is late comes first."""
    late = {"nominal": 0.0, "slack": -1.0, "remaining_work": 0.0}
    calm = {"nominal": 0.0, "slack": 3.0, "remaining_work": 0.0}
    assert dispatch("cr", calm, late) == 1


def test_apparent_tardiness_cost() -> None:
    """Mean nominal 3, so a slack of 6 weighs exp(-1) = 0.37: 0.37 / 2 < 1 / 4, and with weight 2
    0.74 / 2 > 1 / 4. A length of zero goes first.
    """
    calm = {"nominal": 2.0, "slack": 6.0}
    late = {"nominal": 4.0, "slack": -1.0}
    assert dispatch("atc", calm, late) == 1
    assert dispatch("atc", {**calm, "weight": 2.0}, late) == 0
    assert dispatch("atc", late, {"nominal": 0.0, "slack": 9.0}) == 1


def test_least_setup() -> None:
    """The setup, then the order of the buffer."""
    assert dispatch("least_setup", {"setup": 3.0}, {"setup": 1.0}, {"setup": 1.0}) == 1


PLACE = {"travel": 1.0, "committed": 0, "nominal": 5.0, "machines_up": 1, "machines": 1}


def route(name: str, *places: dict[str, Any], **view: Any) -> int:
    """The place a routing rule takes."""
    options = [
        {**PLACE, **place, "action": k, "target": f"cell:C{k}"} for k, place in enumerate(places)
    ]
    context = {"item": {"job": 7, "operation": 0}}
    mask = [1] * (len(options) + 1)
    shown = {"options": options, "action_mask": mask, "context": context, "observation": {}}
    return RULES["route_cell"][name]({**shown, **view})


BUSY_AND_FAST = {"committed": 3, "nominal": 2.0}
FREE_AND_FAR = {"travel": 9.0, "nominal": 4.0}
DOUBLE = {"committed": 2, "nominal": 6.0, "machines_up": 2, "machines": 2}


@pytest.mark.parametrize(
    "name, chosen",
    [
        ("earliest_finish", 0),  # 6 + 2, 9 + 4, 6 + 6
        ("spt", 0),  # 2, 4, 6
        ("least_work", 1),  # 6, 0, 6
        ("nearest", 0),  # 1, 9, 1, and of the near ones the earlier
    ],
)
def test_three_places(name: str, chosen: int) -> None:
    """Finish, nominal, queue and travel each choose for themselves."""
    assert route(name, BUSY_AND_FAST, FREE_AND_FAR, DOUBLE) == chosen


def test_random_is_the_same_again_and_reaches_every_place() -> None:
    """A rule is a function of the view: the lot hangs on job and operation."""
    chosen = [
        route("random", {}, {}, {}, context={"item": {"job": job, "operation": 0}})
        for job in range(50)
    ]
    assert set(chosen) == {0, 1, 2}
    assert route("random", {}, {}, {}) == route("random", {}, {}, {})


def test_bottleneck_keeps_the_cell_free_that_is_needed_later() -> None:
    """C0 finishes first (1 x 4 + 4 < 9), but operation 1 can only go there: 8 + 4 > 9."""
    first = [{"cell": 0}, {"cell": 1}]
    cells = [{"cell": 0, "name": "C0"}, {"cell": 1, "name": "C1"}]
    places = ({"committed": 1, "nominal": 4.0}, {"nominal": 8.0})
    later = {"route": [{"cells": first}, {"cells": [{"cell": 0}]}], "job": 7}
    free = {"route": [{"cells": first}, {"cells": first}], "job": 7}
    assert route("bottleneck", *places, observation={"jobs": [later], "cells": cells}) == 1
    assert route("bottleneck", *places, observation={"jobs": [free], "cells": cells}) == 0
    assert route("bottleneck", *places) == 0  # without sight of routes: earliest finish


@pytest.mark.parametrize("name", sorted(RULES["route_cell"]))
def test_every_place_rule_without_a_place(name: str) -> None:
    """Nothing to choose from means declining."""
    assert route(name) == 0


@pytest.mark.parametrize("paradigm", ["centralized_plant", "holonic_hybrid"])
@pytest.mark.parametrize(
    "kind, name",
    [(kind, name) for kind in ("dispatch", "route_cell", "route_area") for name in RULES[kind]],
)
def test_every_rule_plays_a_case(kind: str, name: str, paradigm: str) -> None:
    """Each reads only fields that the view really has, and no answer is illegal."""
    episode = Episode("smoke", paradigm=paradigm)
    episode.play(Native(Rules({kind: name})), strict=True)
    assert episode.status
