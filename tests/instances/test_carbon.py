"""The grid: a step function, what a suite says of it, and what the case holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from desbench.instances.carbon import UNCOUNTED, Carbon
from desbench.instances.formats import load, read_one, to_instance, write_suite, write_tables
from desbench.instances.instance import Instance
from desbench.instances.suite import load_suite
from instances.files import changed, loaded
from shops import shop


@pytest.mark.parametrize("period", [-1, 24])
def test_the_sum_is_that_of_every_tick(period: int) -> None:
    """Counted tick by tick, over several periods."""
    steps = Carbon((0, 8, 9), (300, 500, 7), period)
    each = [
        steps.intensity[
            sum(start <= time % (period if period > 0 else 99) for start in steps[0]) - 1
        ]
        for time in range(80)
    ]
    sums = np.cumsum([0, *each])
    assert steps.until(np.arange(81)).tolist() == sums.tolist()


def realised(folder: Path, line: str) -> Instance:
    suite = loaded(folder, changed(("seeds:", f"{line}\nseeds:")))
    return suite.realise(suite.cases()[0])


def test_a_suite_states_steps_or_one_number(tmp_path: Path) -> None:
    """Times in its unit become ticks; one number is one step."""
    stated = realised(tmp_path, "carbon: {intensity: [[0, 380], [8, 210]], period: 24}")
    assert stated.carbon == Carbon((0, 8000), (380, 210), 24_000)
    assert realised(tmp_path, "carbon: {intensity: 400}").carbon == Carbon((0,), (400,))
    assert realised(tmp_path, "").carbon == UNCOUNTED


def test_without_a_grid_or_reviews_a_case_is_what_it_was(tmp_path: Path) -> None:
    """Stored hashes of cases must stay true."""
    plain, dirty = (realised(tmp_path, line) for line in ("", "carbon: {intensity: 400}"))
    assert plain.digest != dirty.digest
    assert load_suite("smoke").realise("smoke-s00").digest.startswith("98d2a327c2d57486")


def test_reviews_and_grid_come_back_from_tables_and_suites(tmp_path: Path) -> None:
    """They are part of the case, so they must not be lost on the way out and back."""
    settings = {"areas": [[0], [1]], "power_cap": [5, 7], "review_period": 6}
    instance = shop([[{0: 5, 1: 5}]], carbon=Carbon((0, 4), (30, 20), 9), **settings)
    tables = write_tables(instance, tmp_path / "tables")
    assert load(tables).digest == instance.digest
    suite = load_suite(write_suite(read_one(tables), tmp_path / "suite.yaml"))
    assert suite.realise(suite.cases()[0]).digest == to_instance(read_one(tables)).digest
