"""The scaling study: what the suites promise, and that figures and files are those of the runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from desbench.instances.faults import read_faults
from desbench.instances.suite import load_suite
from desbench.studies import scaling

FAULTS = Path(__file__).parents[2] / "docs" / "scaling" / "faults.yaml"
SIZES = {"a3c9": 9, "a5c12": 12, "a8c24": 24, "a16c64": 64, "a32c256": 256}


@pytest.mark.parametrize("suite", scaling.SUITES)
def test_work_per_cell_is_the_same_at_every_size(suite: str) -> None:
    """Else a larger factory would be another load, not another size."""
    size = suite.removeprefix("scale_")
    loaded = load_suite(suite)
    assert list(loaded.profiles) == [f"{size}-{level}" for level in ("easy", "hard", "harder")]
    for case in loaded.cases()[::5]:
        instance = loaded.realise(case)
        cells = len(instance.cell_names)
        assert cells == SIZES[size]
        assert len(instance.job_names) == 2 * cells
        eligible = instance.eligible_offset[1:] - instance.eligible_offset[:-1]
        # A third of all cells; where a split leaves one over, one more or less.
        assert abs(eligible.mean() - cells / 3) < 0.5
        load = instance.nominal[instance.eligible_offset[:-1]].sum() / cells
        assert load / instance.ticks_per_unit == pytest.approx(2 * 4.8 * 12, rel=0.06)


def test_a_run_tells_its_level_and_size() -> None:
    """The figures of a run are its measures over its finished operations."""
    run = scaling.play("scale_a3c9", "a3c9-easy-s00", "heterarchical_cnp")
    assert (run["level"], run["cells"], run["rejected"]) == ("easy", 9, 0)
    # 3n + 1 messages for each operation, n = 3 eligible cells, without trouble.
    assert scaling.QUANTITIES["messages"].of(run) == 10


@pytest.mark.parametrize("paradigm", scaling.PARADIGMS)
def test_the_faults_of_the_page_fit_every_size(paradigm: str) -> None:
    """One file serves the smallest plant and the largest; who may refuse shows what was lost."""
    faults = read_faults(FAULTS)
    assert faults is not None
    for suite in scaling.SUITES:
        loaded = load_suite(suite)
        faults.check(loaded.realise(loaded.cases()[0]))
    run = scaling.play("scale_a3c9", "a3c9-easy-s00", paradigm, faults)
    may_refuse = paradigm not in ("centralized_plant", "hierarchical_chain")
    assert 0 < run["rejected"] < 0.3 if may_refuse else run["rejected"] == 0


def test_rows_are_means_over_cases_and_csv_has_a_head() -> None:
    """Two cases of 1 and 3 messages an operation: mean 2."""
    runs = [
        {"level": "hard", "paradigm": "p", "cells": 9, "operations": 10, "messages": messages}
        for messages in (10, 30)
    ]
    table = scaling.rows(runs, scaling.QUANTITIES["messages"])
    assert table[0][:5] == ("hard", "p", 9, 2, 2.0)
    head, line = scaling.as_csv(table).splitlines()
    assert head == "level,paradigm,cells,cases,mean,low,high"
    assert line.startswith("hard,p,9,2,2.0,1.0,3.0")


def test_one_csv_and_one_picture_a_quantity(tmp_path: Path) -> None:
    """Drawn twice the bytes are the same, so a picture changes only where figures do."""
    pytest.importorskip("matplotlib", reason="comes with desbench[plot]")
    runs = [
        {
            "level": level,
            "paradigm": paradigm,
            "cells": cells,
            "operations": 10,
            "messages": 10 * cells,
            "agent_decisions": 20,
            "tardiness_all": 5.0,
            "responsibility": 0.5,
            "rejected": 0.1,
        }
        for level in ("easy", "hard")
        for paradigm in scaling.PARADIGMS
        for cells in (9, 12)
    ]
    one, other = (scaling.write(runs, tmp_path / name) for name in ("one", "other"))
    assert [path.name for path in one][:2] == ["messages.csv", "messages.svg"]
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]
