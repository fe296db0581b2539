"""Signals and shares on the shop of `docs/rcm.md`: one breakdown, three operations hit."""

from __future__ import annotations

import pytest

from desbench.measures.signals import signals_of
from protocol.broken import BROKEN_AT, four_cells, mode
from protocol.playing import Scripted, decline, play
from shops import shop

HIT = [("execution", (0, 0)), ("resource", (1, 0)), ("resource", (2, 0))]


@pytest.mark.parametrize("paradigm", ["centralized_plant", "rcm"])
def test_the_same_failures_are_signals_in_every_paradigm(paradigm: str) -> None:
    """They are read from the rows of the shop, not from what a protocol says about them."""
    found = signals_of(play(four_cells(), paradigm).trace)
    at_once = [(s.group, s.item) for s in found if s.time == BROKEN_AT]
    assert at_once == HIT
    assert {s.cell for s in found if s.time == BROKEN_AT} == {0}


def test_shares_by_hand_under_commitments() -> None:
    """All three are told, chosen about by the area, revised (J0) or moved, and finished."""
    measures = play(four_cells(), mode(recursive=False)).measures
    assert measures["signals"] == 3
    shares = [measures[name] for name in ("communicate", "monitor", "intervene", "fulfilment")]
    assert shares == [1.0, 1.0, 1.0, 1.0]
    assert measures["responsibility"] == 1.0


def test_shares_by_hand_under_a_central_plant() -> None:
    """Nobody speaks of J0 under the stop; J1 and J2 are told, asked about and moved: 2 of 3."""
    measures = play(four_cells(), "centralized_plant").measures
    assert measures["communicate"] == measures["monitor"] == measures["intervene"] == 2 / 3
    assert measures["responsibility"] == pytest.approx((3 * 2 / 3 + 1) / 4)
    assert measures["communicate_execution"] == 0.0
    assert measures["communicate_resource"] == 1.0
    assert measures["signals_operational"] == measures["signals_validation"] == 0


def test_silence_is_no_communication_and_a_probe_is_monitoring() -> None:
    """The forced answer to a probe counts as told: the superior knows."""
    silent = play(four_cells(), mode(recursive=False, monitor=False), Scripted(notify=decline))
    assert silent.measures["communicate_execution"] == 0.0
    probed = play(four_cells(), mode(recursive=False), Scripted(notify=decline))
    assert probed.measures["monitor_execution"] == probed.measures["communicate_execution"] == 1.0


def test_a_broken_promise_is_a_signal_where_promises_are_made() -> None:
    """M0 takes 9 instead of 4: the promise 1 + 4 passes at 5, and the finish at 10 is no answer."""
    late = shop([[{0: (4, 9)}]], travel=1)
    (signal,) = signals_of(play(late, "holonic_hybrid").trace)
    assert (signal.group, signal.time) == ("operational", 5)
    assert (signal.communicated, signal.fulfilled) == (False, True)
    assert signals_of(play(late, "hierarchical_chain").trace) == ()


def test_a_search_without_a_cell_is_a_signal() -> None:
    """One place, two items: the plant looks in vain for the second until the first has left."""
    narrow = shop([[{0: 4}]] * 2, inbound=1, commitment=1, travel=1)
    found = signals_of(play(narrow, "hierarchical_chain").trace)
    assert [(s.group, s.item, s.time) for s in found] == [("operational", (1, 0), 0)]


def test_a_refused_item_is_a_signal() -> None:
    """A contract that was turned down, by choice."""
    shop_of_two = shop([[{0: 4, 1: 5}]], areas=[[0, 1]], travel=1)
    refuses = Scripted(commit=lambda view: decline(view) if view["agent"] == "cell:C0" else 0)
    found = signals_of(play(shop_of_two, "holonic_hybrid", refuses).trace)
    assert [(s.group, s.item) for s in found] == [("validation", (0, 0))]


def test_without_failures_there_is_nothing_to_share() -> None:
    """Undefined is null; robustness is 1, for no cell was hit."""
    measures = play(shop([[{0: 4}]], travel=1), "rcm").measures
    assert measures["signals"] == 0
    assert measures["communicate"] is measures["responsibility"] is None
    assert measures["robustness"] == 1.0


def test_shape_and_messages_of_commitments() -> None:
    """Four operations on two levels; with the passing on a third one. Elsewhere null."""
    plain = play(four_cells(), mode(recursive=False)).measures
    deep = play(four_cells(), "rcm").measures
    assert (plain["commitment_depth"], deep["commitment_depth"]) == (2, 3)
    assert (
        plain["commitment_messages_forced"] + plain["commitment_messages_chosen"]
        == plain["messages"]
    )
    assert play(four_cells(), "centralized_plant").measures["commitment_depth"] is None
