"""Suites: cases, bases, profiles, settings, and who shares whose chance."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from desbench.errors import InputError
from desbench.instances.coordination import Coordination
from desbench.instances.instance import CAUSES, UNLIMITED, Instance
from desbench.instances.suite import Case, Suite, load_suite, realise
from instances.files import SHOP, changed, loaded, write

NOISY = (
    changed(("inbound: 2", "inbound: 2, machines: 2"))
    + """\
horizon: 500
noise: {lognormal: [1, 0.3]}
defaults: {machine: {down: {breakdown: {up: {exponential: 60}, repair: {uniform: [2, 9]}}}}}
"""
).replace("mill,", "mill, due: {uniform: [2, 4]},")


def first(suite: Suite) -> Instance:
    return suite.realise(suite.cases()[0])


def stops_of(instance: Instance, machine: str) -> list[tuple[int, int]]:
    m = instance.machine_names.index(machine)
    span = slice(instance.down_offset[m], instance.down_offset[m + 1])
    return list(zip(instance.down_start[span], instance.down_end[span], strict=True))


# Realising


def test_a_listed_shop_is_taken_over_as_it_stands(tmp_path: Path) -> None:
    """Every number of a small written-out suite, in ticks, by hand."""
    suite = loaded(
        tmp_path,
        """\
time_unit: min
ticks_per_unit: 10
horizon: 50
seeds: {test: [0]}
travel: {source: 1, within_area: 2, between_areas: 3, pairs: [{from: C1, to: source, time: 4}]}
vehicles: {count: 2, power: 7}
capabilities: {cut: {power: 90}}
defaults:
  cell: {inbound: 3, outbound: 0}
  machine:
    power: {idle: 5, processing: 50}
    setup: {initial: 1, same: 0.5, different: 2, pairs: {red: {cut: 9}}}
areas:
  A1: {power_cap: 100, cells: {C1: {can: {cut: 1.5}}, C2: {machines: {F: {power: {idle: 6}}}}}}
  A2: {wip_cap: 4, cells: {C3: {machines: 0, inbound: unlimited, commitment: unlimited}}}
jobs:
  list:
    - {name: a, release: 1, due: 9, weight: 2, operations: [{do: cut, time: 2}, {on: {F: 0.25}}]}
    - name: b
      patience: 3
      operations: [{on: {F: 4, C1M1: 5}, realised: {F: 6}, family: red, power: 8}]
""",
    )
    i = first(suite)
    assert (i.case, i.time_unit, i.ticks_per_unit, i.horizon) == ("shop-s00", "min", 10, 500)
    assert i.job_names == ("a", "b")
    assert i.release.tolist() == [10, 0]
    assert i.due.tolist() == [90, -1]
    assert i.weight.tolist() == [2.0, 1.0]
    assert i.patience.tolist() == [0, 30]
    assert i.operation_offset.tolist() == [0, 2, 3]
    assert i.eligible_machine.tolist() == [0, 1, 0, 1]
    assert i.nominal.tolist() == [30, 3, 50, 40]  # 2 x 1.5; 2.5 ticks round up
    assert i.realised.tolist() == [30, 3, 50, 60]
    assert i.processing_power.tolist() == [90, 50, 8, 8]
    assert i.family.tolist() == [0, 1, 2]  # cut, default, red
    assert i.setup[0].tolist() == [[10, 10, 10], [5, 20, 20], [20, 5, 20], [90, 20, 5]]
    assert i.power_idle.tolist() == [5, 6]
    assert i.machine_names == ("C1M1", "F")
    assert i.inbound.tolist() == [3, 3, UNLIMITED]
    assert i.commitment.tolist() == [6, 6, UNLIMITED]
    assert i.outbound.tolist() == [0, 0, 0]
    assert i.power_cap.tolist() == [100, -1]
    assert i.wip_cap.tolist() == [-1, 4]
    assert i.vehicle_names == ("V1", "V2")
    assert i.travel.tolist() == [[0, 10, 10, 10], [40, 0, 20, 30], [10, 20, 0, 30], [10, 30, 30, 0]]
    assert i.decision_limit == 50 * 3


def test_sums_that_are_equal_in_units_are_equal_in_ticks(tmp_path: Path) -> None:
    """0.1 + 0.2 and 0.3 tie: each time is rounded once, to a tick, before anything is added."""
    text = changed(
        ("count: 4, route: cut mill, arrivals: {between: {exponential: 3}}", "list: LIST"),
        (
            "LIST",
            "[{name: a, operations: [{on: {C1M1: 0.1}}, {on: {C1M1: 0.2}}]},"
            " {name: b, operations: [{on: {C1M1: 0.3}}]}]",
        ),
    )
    nominal = first(loaded(tmp_path, text)).nominal
    assert nominal[0] + nominal[1] == nominal[2] == 300


def test_due_dates_and_noise_are_stated_in_the_documented_way(tmp_path: Path) -> None:
    """Due = release + factor x work content; noise leaves nominal durations alone."""
    text = changed(("route: cut mill", "route: cut, due: 3"), ("can: [cut]", "can: {cut: 2.0}"))
    plain = first(loaded(tmp_path, text))
    assert (plain.due - plain.release).tolist() == [15_000] * 4  # 3 x 5, not 3 x 5 x 2
    assert plain.nominal.tolist() == plain.realised.tolist() == [10_000] * 4
    noisy = first(loaded(tmp_path, text + "noise: {uniform: [0.5, 1.5]}\n"))
    assert noisy.nominal.tolist() == plain.nominal.tolist()
    assert len(set(noisy.realised.tolist())) == 4
    assert noisy.realised.min() >= 5000
    assert noisy.realised.max() <= 15_000


def test_coordination_is_stated_in_the_unit_of_the_suite(tmp_path: Path) -> None:
    """Delays are times like any other; `measured` leaves decisions to the controller's clock."""
    suite = loaded(tmp_path, SHOP)
    roles = {"coordination.decision_delay": "{plant: 2, area: 1.5, cell: 1}"}
    delays = {"coordination.message_delay": 0.25, "coordination.deadline": 4, **roles}
    told = first(suite.with_settings(delays)).coordination
    assert told == Coordination(250, 2000, 1500, 1000, is_measured=False, deadline=4000)
    measured = first(suite.with_settings({"coordination.decision_delay": "measured"}))
    assert measured.coordination == Coordination(is_measured=True)


def test_coordination_without_time_is_none(tmp_path: Path) -> None:
    """Suites written before it existed keep their content, their cases and their traces."""
    suite = loaded(tmp_path, SHOP)
    zero = suite.with_settings({"coordination.message_delay": 0})
    late = suite.with_settings({"coordination.message_delay": 1})
    assert (zero.digest, first(zero).digest) == (suite.digest, first(suite).digest)
    assert late.digest != suite.digest
    assert first(late).digest != first(suite).digest


# Chance


def test_seeds_are_different_cases_and_zero_is_one_of_them(tmp_path: Path) -> None:
    """Eight seeds, eight instances; the same seed again is the same instance."""
    suite = loaded(tmp_path, NOISY)
    digests = [suite.realise(case).digest for case in suite.cases(seeds=range(8))]
    assert len(set(digests)) == 8
    assert [suite.realise(case).digest for case in suite.cases(seeds=range(8))] == digests


def test_a_copied_suite_with_another_buffer_faces_the_same_chance(tmp_path: Path) -> None:
    """Only the buffer differs; the file's name does not matter either."""
    one = first(loaded(tmp_path, NOISY))
    other = first(loaded(tmp_path, NOISY.replace("inbound: 2", "inbound: 5"), "copy.yaml"))
    for name in ("release", "due", "family", "nominal", "realised", "down_start", "down_end"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert one.digest != other.digest


def test_one_more_machine_changes_no_draw_of_the_others(tmp_path: Path) -> None:
    """Entities count by name: same releases, due dates, durations and stops on the old machines."""
    one = first(loaded(tmp_path, NOISY))
    other = first(
        loaded(
            tmp_path,
            NOISY.replace("C1: {can: [cut]}", "C0: {can: [cut, mill]}\n      C1: {can: [cut]}"),
        )
    )
    assert one.release.tolist() == other.release.tolist()
    assert one.due.tolist() == other.due.tolist()
    for machine in one.machine_names:
        assert stops_of(one, machine) == stops_of(other, machine)
        columns = []
        for i in (one, other):
            on = i.eligible_machine == i.machine_names.index(machine)
            columns.append((i.nominal[on].tolist(), i.realised[on].tolist()))
        assert columns[0] == columns[1]


def test_more_jobs_leave_the_first_ones_alone(tmp_path: Path) -> None:
    """Job J3 is J3 however many follow."""
    one = first(loaded(tmp_path, NOISY))
    other = first(loaded(tmp_path, NOISY.replace("count: 4", "count: 9")))
    assert other.release[:4].tolist() == one.release.tolist()
    assert other.realised[: len(one.realised)].tolist() == one.realised.tolist()


def test_another_process_draws_the_same(tmp_path: Path) -> None:
    """Digests do not depend on the hash seed of the interpreter."""
    path = write(tmp_path, NOISY)
    code = (
        "import sys; from desbench.instances.suite import load_suite;"
        "s = load_suite(sys.argv[1]); print(s.digest, *(s.realise(c).digest for c in s.cases()))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, str(path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    suite = load_suite(path)
    assert outputs == {f"{suite.digest} {first(suite).digest}\n"}


# Cases


def test_cases_are_profiles_times_seeds(tmp_path: Path) -> None:
    """Order of the file, ids with two digits, splits apart, limits and single cases."""
    text = changed(("{test: [0]}", "{test: [0, 12], train: '100:103'}"))
    suite = loaded(tmp_path, text + "profiles: {a-x: {}, b-y: {paper: late}}\n")
    assert [case.id for case in suite.cases()] == ["a-x-s00", "a-x-s12", "b-y-s00", "b-y-s12"]
    assert suite.seeds("train") == [100, 101, 102]
    assert suite.cases(limit=1) == [Case("a-x", 0)]
    assert suite.cases(seeds=[7], case_id=None)[1].id == "b-y-s07"
    assert suite.cases(case_id="b-y-s100") == [Case("b-y", 100)]
    assert suite.about_profile("b-y").paper == "late"


@pytest.mark.parametrize("case_id", ["a-s0", "a-s000", "b-s00", "a", "a-s-1", "", "a-s" + "9" * 30])
def test_what_is_no_case_is_refused_with_what_is_near(tmp_path: Path, case_id: str) -> None:
    """One spelling per case: two ids of one case would run it twice."""
    suite = loaded(tmp_path, SHOP + "profiles: {a: {}}\n")
    with pytest.raises(InputError):
        suite.cases(case_id=case_id)


def test_wrong_selections_are_refused(tmp_path: Path) -> None:
    """Each in words: split, seeds, limit, profile."""
    suite = loaded(tmp_path, SHOP)
    with pytest.raises(InputError, match="split=tset"):
        suite.cases(split="tset")
    with pytest.raises(InputError, match="must be distinct"):
        suite.cases(seeds=[1, 1])
    with pytest.raises(InputError, match="limit=0"):
        suite.cases(limit=0)
    with pytest.raises(InputError, match="no profile 'x'"):
        suite.shop("x")


def test_realise_takes_a_case_or_a_seed(tmp_path: Path) -> None:
    """A seed alone is enough where the suite has one profile, and only there."""
    one = loaded(tmp_path, SHOP)
    assert realise(one).case == "shop-s00"
    assert realise(one, seed=3).case == "shop-s03"
    assert realise(one, case="shop-s04").case == "shop-s04"
    two = loaded(tmp_path, SHOP + "profiles: {a: {}, b: {}}\n")
    with pytest.raises(InputError, match="several profiles; case: a-s03, b-s03"):
        realise(two, seed=3)
    with pytest.raises(InputError, match="state only one"):
        realise(one, case="shop-s00", seed=0)


# Bases, profiles, settings


def test_a_base_is_changed_only_where_the_file_says_so(tmp_path: Path) -> None:
    """Mappings merge key by key, lists and numbers are replaced, null takes away."""
    write(tmp_path, NOISY, "base.yaml")
    text = """\
base: ./base.yaml
horizon: null
down_until: 80
areas: {A1: {cells: {C1: {inbound: 7}, C3: {can: [cut]}}}}
"""
    i = first(loaded(tmp_path, text))
    assert i.horizon == -1
    assert i.cell_names == ("C1", "C2", "C3")
    assert i.inbound.tolist() == [7, 2, UNLIMITED]


def test_what_a_file_changes_wins_over_the_profiles_of_its_base(tmp_path: Path) -> None:
    """`profiles` of the base belong to the base: laid on it before the new file is."""
    write(tmp_path, SHOP + "profiles: {a: {set: {jobs: {count: 9}}}, b: {}}\n", "base.yaml")
    text = "base: ./base.yaml\njobs: {count: 2}\nprofiles: {c: {set: {jobs: {count: 3}}}}\n"
    suite = loaded(tmp_path, text)
    counts = {profile: suite.shop(profile).jobs.count for profile in suite.profiles}
    assert counts == {"a": 2, "b": 2, "c": 3}


def test_a_selected_profile_has_the_same_cases(tmp_path: Path) -> None:
    """The stream key is the profile's: same digests under the new suite name."""
    write(tmp_path, NOISY + "profiles: {a: {}, b: {stream: a}, c: {}}\n", "base.yaml")
    base = load_suite(tmp_path / "base.yaml")
    part = loaded(tmp_path, "base: ./base.yaml\nprofiles: [c, b]\n")
    assert part.profiles == ["c", "b"]
    for case in part.cases():
        assert part.realise(case).digest == base.realise(case.id).digest
    assert base.realise("a-s00").digest == base.realise("b-s00").digest
    assert base.realise("a-s00").digest != base.realise("c-s00").digest


def test_settings_win_and_change_the_digest(tmp_path: Path) -> None:
    """`--set` reads YAML, reaches into defaults and lists, and is validated."""
    suite = loaded(tmp_path, SHOP + "profiles: {a: {set: {jobs: {count: 9}}}}\n")
    changed_suite = suite.with_settings({"jobs.count": "3", "defaults.cell.outbound": 0})
    assert changed_suite.shop().jobs.count == 3
    assert first(changed_suite).outbound.tolist() == [0, 0]
    assert changed_suite.digest != suite.digest
    assert suite.shop().jobs.count == 9
    assert suite.with_settings({"seeds.test.0": 4}).seeds() == [4]
    assert suite.with_settings({}).digest == suite.digest


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("defaults.cell.inbund", "3", "--set defaults.cell.inbund: defaults.cell.inbund, unknown"),
        ("defaults.cell.inbund", "null", "unknown key"),
        ("jobs.count", "zero", "--set jobs.count: jobs.count=zero, must be a whole number"),
        ("jobs.count.x", "1", "count is the value '4' and has no x"),
        ("seeds.test.9", "1", "9 in a list, must be a position 0 .. 0"),
        ("profiles.a", "1", "must be a key of the shop"),
        ("", "1", "must be a key of the shop"),
        ("jobs.count", "[1", "not YAML"),
    ],
)
def test_bad_settings_are_refused(tmp_path: Path, key: str, value: str, message: str) -> None:
    """A mistyped key must not run the unchanged suite."""
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, SHOP).with_settings({key: value})
    assert message in str(caught.value)


def test_digest_is_of_content(tmp_path: Path) -> None:
    """Comments, order of keys, descriptions and the file's name do not count; one number does."""
    suite = loaded(tmp_path, SHOP + "profiles: {a: {}}\n")
    same = "# note\nabout: text\nprofiles: {a: {about: x}}\n" + SHOP
    assert loaded(tmp_path, same, "other.yaml").digest == suite.digest
    other = changed(("duration: 5", "duration: 6")) + "profiles: {a: {}}\n"
    assert loaded(tmp_path, other).digest != suite.digest


def test_references_are_read(tmp_path: Path) -> None:
    """A known optimum with its source; the date needs no quotes."""
    line = "reference: {makespan: 55, kind: optimum, source: made up, date: 2024-01-31}\n"
    reference = loaded(tmp_path, SHOP + line).reference
    assert reference is not None
    assert (reference.makespan, reference.kind, reference.date) == (55, "optimum", "2024-01-31")


def test_planned_stops_keep_their_cause(tmp_path: Path) -> None:
    """Causes reach the instance as codes."""
    down = "{maintenance: {first: 5, every: 50, lasts: 2}, shift: {first: 20, every: 50, lasts: 9}}"
    i = first(loaded(tmp_path, SHOP + f"horizon: 60\ndefaults: {{machine: {{down: {down}}}}}\n"))
    causes = [CAUSES[code] for code in i.down_cause[: i.down_offset[1]]]
    assert causes == ["maintenance", "shift", "maintenance"]
