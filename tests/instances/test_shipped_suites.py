"""What the shipped suites promise: the static part of `docs/suites.md`."""

from __future__ import annotations

import time

import numpy as np
import pytest

from desbench import registry
from desbench.instances.suite import load_suite
from desbench.instances.survey import properties, table

SUITES = registry.names("suites")


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_realises_its_first_case(name: str) -> None:
    """A file that ships must load, with a purpose in its first line and something to run."""
    suite = load_suite(name)
    assert suite.path.read_text(encoding="utf-8").startswith("# ")
    case = (suite.cases() or suite.cases("train"))[0]
    assert suite.realise(case).case == case.id


def test_profile_ids_name_one_stream() -> None:
    """A profile id means the same cases wherever it occurs."""
    digests: dict[str, set[str]] = {}
    for name in SUITES:
        suite = load_suite(name)
        for profile in suite.profiles:
            case = next(c for c in suite.cases() if c.profile == profile)
            digests.setdefault(case.id, set()).add(suite.realise(case).digest)
    assert {case: len(found) for case, found in digests.items() if len(found) > 1} == {}


@pytest.mark.parametrize("part", ["branch", "cluster", "late"])
def test_the_parts_of_the_main_suite_are_its_cases(part: str) -> None:
    """Ten test seeds each, with the digests they have in the whole suite."""
    whole, one = load_suite("intercell_a5c12_harder"), load_suite(f"intercell_a5c12_{part}")
    assert one.profiles == [f"a5c12-{part}"]
    assert len(one.cases()) == 10
    assert len(whole.cases()) == 30
    assert all(one.realise(case).digest == whole.realise(case).digest for case in one.cases())


@pytest.mark.parametrize("split", ["train", "validation", "test"])
@pytest.mark.parametrize("name", ["intercell_a5c12_harder", "intercell_a3c9_wide"])
def test_reported_suites_have_all_splits(name: str, split: str) -> None:
    """Methods that learn need seeds of their own."""
    assert len(load_suite(name).seeds(split)) >= 10


def means(suite: str, profile: str) -> dict[str, float]:
    loaded = load_suite(suite)
    found = [properties(loaded.realise(c)) for c in loaded.cases() if c.profile == profile]
    return {name: float(np.mean([f[name] for f in found])) for name in found[0]}


@pytest.mark.parametrize(
    "suite, profile",
    [
        ("intercell_a5c12_harder", "a5c12-branch"),
        ("intercell_a5c12_harder", "a5c12-cluster"),
        ("intercell_a5c12_harder", "a5c12-late"),
        ("intercell_a3c9_wide", "a3c9-cross"),
    ],
)
def test_reported_cases_have_the_stated_size(suite: str, profile: str) -> None:
    """20 to 30 jobs of 4 to 6 operations on average, with some breakdowns."""
    found = means(suite, profile)
    assert 20 <= found["jobs"] <= 30
    assert 4 <= found["operations"] / found["jobs"] <= 6
    assert found["stops"] >= 10


def test_branch_pressure_offers_many_cells_in_several_areas() -> None:
    """At least four eligible cells an operation, in at least two areas."""
    found = means("intercell_a5c12_harder", "a5c12-branch")
    assert found["cells per operation"] >= 4
    assert found["areas per operation"] >= 2


def test_cluster_pull_has_its_fastest_cells_together() -> None:
    """Routing by shortest processing time sends most operations to one area."""
    found = means("intercell_a5c12_harder", "a5c12-cluster")
    assert found["fastest cell in the commonest area"] >= 0.7


def test_late_commitment_ends_in_two_cells() -> None:
    """The last operations of all jobs fit in at most two cells."""
    assert means("intercell_a5c12_harder", "a5c12-late")["cells of last operations"] <= 2


def test_cross_area_steps_change_area() -> None:
    """At least four of five consecutive operations have no area in common."""
    assert means("intercell_a3c9_wide", "a3c9-cross")["steps that must change area"] >= 0.8


def test_smoke_is_quick() -> None:
    """Loading and realising the first suite a newcomer runs takes a moment."""
    load_suite("smoke")
    start = time.perf_counter()
    suite = load_suite("smoke")
    suite.realise(suite.cases()[0])
    assert time.perf_counter() - start < 1


def test_the_survey_prints_one_row_a_profile() -> None:
    """The table of `docs/suites.md` comes from this command."""
    lines = table([load_suite("smoke")]).splitlines()
    assert len(lines) == 3
    assert lines[2].startswith("| smoke | 1 | 8 |")
