"""Energy and caps by hand. 10 ticks are one minute, so 1 watt-tick is 6 joules."""

from __future__ import annotations

import pytest

from desbench.instances.carbon import Carbon
from desbench.measures import constraints as c
from measures.handmade import event, i64, interval, small_case, small_trace

KWH = 6 / 3.6e6  #: of a watt-tick


def test_energy_takes_the_state_before_each_change() -> None:
    """200 W for 10 s, then 8 W for 5 s are 2040 J: the change itself adds nothing."""
    case = small_case(time_unit="s", ticks_per_unit=1)
    rows = [interval(0, "processing", 0, 10, 200), interval(0, "idle", 10, 15, 8)]
    trace = small_trace(case, time=15, intervals=rows)
    assert c.energy(trace) == pytest.approx(2040 / 3.6e6)


def test_energy_counts_vehicles() -> None:
    """A driving vehicle draws power of the plant."""
    rows = [interval(0, "idle", 0, 100, 10), interval(-1, "loaded", 5, 9, 50)]
    assert c.energy(small_trace(intervals=rows)) == pytest.approx(1200 * KWH)


def test_energy_is_exact_beyond_int64() -> None:
    """2^40 ticks at 2^30 W overflow int64; the sum must not wrap around."""
    rows = [interval(0, "idle", 0, 2**40, 2**30)]
    assert c.energy(small_trace(intervals=rows, time=2**40)) == pytest.approx(2**70 * KWH)


def test_energy_per_operation_needs_a_finished_operation() -> None:
    """Null before the first finish, never infinite."""
    rows = [interval(0, "processing", 0, 10, 100)]
    assert c.energy_per_operation(small_trace(intervals=rows)) is None
    finished = [event(5, "finish", job=0), event(10, "finish", job=1)]
    trace = small_trace(intervals=rows, events=finished)
    assert c.energy_per_operation(trace) == pytest.approx(500 * KWH)


CAPPED = [
    # area A1: 100 + 110 W in 20-30 against 150; vehicles are no concern of an area
    interval(0, "idle", 0, 10, 10),
    interval(0, "processing", 10, 30, 100),
    interval(1, "processing", 20, 50, 110),
    # area A2: 120 W in 40-60 against 90
    interval(2, "processing", 40, 60, 120),
    interval(-1, "loaded", 25, 45, 50),
]


def test_overshoot_per_area_and_plant() -> None:
    """A1: 60 W x 10. A2: 30 W x 20. Plant over 200 W: 25-30 by 60, 40-45 by 80, 20-25 and 45-50."""
    case = small_case(power_cap=i64(150, 90), plant_power_cap=200)
    trace = small_trace(case, intervals=CAPPED)
    watt_ticks = {entity: e / KWH for entity, e in c.overshoot_by_entity(trace).items()}
    plant = 5 * 10 + 5 * 60 + 5 * 80 + 5 * 30
    assert watt_ticks == pytest.approx({0: 600, 1: 600, c.PLANT: plant})
    assert c.energy_overshoot(trace) == pytest.approx((1200 + plant) * KWH)
    assert c.overshoot_areas(trace) == pytest.approx(1200 * KWH)
    assert c.overshoot_plant(trace) == pytest.approx(plant * KWH)


def test_overshoot_duration_counts_no_instant_twice() -> None:
    """Over at least one cap in 20-30 (A1 and plant) and 40-60 (A2, partly plant)."""
    case = small_case(power_cap=i64(150, 90), plant_power_cap=200)
    assert c.overshoot_duration(small_trace(case, intervals=CAPPED)) == 3.0


def test_power_equal_to_the_cap_is_allowed() -> None:
    """An excess is power above the cap."""
    case = small_case(power_cap=i64(210, 120))
    trace = small_trace(case, intervals=CAPPED)
    assert (c.energy_overshoot(trace), c.overshoot_duration(trace)) == (0.0, 0.0)


def test_two_changes_at_one_instant_cancel() -> None:
    """One machine stops as another starts: there is no peak of both."""
    case = small_case(power_cap=i64(150, -1))
    rows = [interval(0, "processing", 0, 10, 100), interval(1, "processing", 10, 20, 110)]
    assert c.energy_overshoot(small_trace(case, intervals=rows)) == 0.0


def test_no_cap_no_overshoot() -> None:
    """Without caps the answer is zero, not null: nothing was exceeded."""
    trace = small_trace(intervals=CAPPED)
    assert (c.energy_overshoot(trace), c.overshoot_duration(trace)) == (0.0, 0.0)


def test_violations_are_rows_of_both_kinds() -> None:
    """Power and WIP count alike in G_vc and apart beside it."""
    rows = [
        {"entity_kind": "power", "entity": -1, "start": 0, "end": 10, "magnitude": 5},
        {"entity_kind": "wip", "entity": 1, "start": 3, "end": 8, "magnitude": 1},
        {"entity_kind": "wip", "entity": 1, "start": 30, "end": 38, "magnitude": 2},
    ]
    trace = small_trace(violations=rows)
    assert (c.violations(trace), c.violations_power(trace), c.violations_wip(trace)) == (3, 1, 2)
    assert c.violation_time(trace) == 2.3


def test_overshoot_looks_at_the_cap_in_force() -> None:
    """A1 at 100 W in 10-30: over 150 never, over 60 by 40 from 14 on, over 90 by 10 from 20 on."""
    case = small_case(power_cap=i64(150, -1))
    moved = [event(14, "cap", area=0, amount=60), event(20, "cap", area=0, amount=90)]
    trace = small_trace(case, intervals=CAPPED[:2], events=moved)
    assert c.overshoot_by_entity(trace)[0] == pytest.approx((6 * 40 + 10 * 10) * KWH)


def test_carbon_weighs_energy_by_its_time() -> None:
    """10 W in 0-30: 10 ticks at 400, 15 at 100, then 400 again: 10 x (4000 + 1500 + 2000)."""
    case = small_case(carbon=Carbon((0, 10), (400, 100), 25))
    trace = small_trace(case, intervals=[interval(0, "idle", 0, 30, 10)])
    assert c.carbon(trace) == pytest.approx(10 * 7500 * KWH / 1000)


def test_carbon_is_null_where_no_grid_is_stated() -> None:
    """Zero would say that the power is clean."""
    assert c.carbon(small_trace(intervals=CAPPED)) is None
