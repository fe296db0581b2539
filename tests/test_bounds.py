"""Bounds: arithmetic that no makespan is below, gaps, and the solver where it is installed."""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from desbench import realise, replay
from desbench.bounds import bound, lower_bound
from desbench.cli import main
from desbench.errors import MissingExtra
from desbench.instances import formats
from desbench.instances.formats import Reference
from desbench.instances.yardstick import BelowReference, gap
from desbench.studies.queues import fifo
from instances.formats.typed import EX11, FT06, MK01, write
from shops import random_instance, shop

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(os.environ.get("DESBENCH_DATA") or ROOT.parent / "shared" / "data")
published = pytest.mark.skipif(
    not (FOLDER / "best_known.csv").exists(), reason=f"no published files in {FOLDER}"
)


def test_job_load() -> None:
    """Release 4 + the shorter of 5 and 3 + 7; no machine has that much."""
    assert lower_bound(shop([[{0: 5, 1: 3}, {2: 7}], [{0: 1}]], release=[4, 0])) == 4 + 3 + 7


def test_machine_load() -> None:
    """What can only run on machine 0, after its earliest job came; the operation with a choice does
    not count, and what happens counts, not what was thought: 6, not (2, 6)'s nominal.
    """
    jobs = [[{0: (2, 6)}], [{0: 5}], [{0: 9, 1: 9}]]
    assert lower_bound(shop(jobs, release=[3, 2, 0])) == 2 + 6 + 5


def test_a_machine_without_work_has_no_load() -> None:
    """Nor has one of which everything could go elsewhere."""
    assert lower_bound(shop([[{0: 0}], [{1: 4, 2: 4}]])) == 4


def test_no_makespan_is_below_the_bound() -> None:
    """Setups, stops, travel, tight buffers: each can only add."""
    done = 0
    for seed in range(150):
        instance = random_instance(Random(seed), horizon=-1)
        sim = fifo(instance)
        if sim.status == "done":
            done += 1
            assert sim.time >= lower_bound(instance)
    assert done > 30


def test_bounds_of_the_classics(tmp_path: Path) -> None:
    """ft06: job 2 lasts 47 and no machine more, the optimum is 55."""
    assert lower_bound(formats.load(write(tmp_path, FT06))) == 47
    assert lower_bound(formats.load(write(tmp_path, MK01))) <= 40


def test_gap() -> None:
    """66 is a fifth above 55; a run that is not done, or has no reference, has no gap."""
    assert gap(66, formats.reference("ft06")) == pytest.approx(0.2)
    assert gap(55, formats.reference("ft06")) == 0
    assert gap(None, formats.reference("ft06")) is None
    assert gap(66, None) is None


@pytest.mark.parametrize("lower, message", [(55, "proved optimum"), (50, "best known makespan")])
def test_a_negative_gap_is_loud(lower: int, message: str) -> None:
    """Below an optimum something is wrong; below a best known value it may be a new best."""
    known = Reference("ft06", lower, 55, "somebody", "2026")
    with pytest.warns(BelowReference, match=f"makespan 54 is below the {message} of ft06"):
        assert gap(54, known) == pytest.approx(54 / 55 - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gap(55, known)


@pytest.mark.parametrize(
    "name, lower, upper",
    [
        ("ft06", 55, 55),
        ("abz8", 667, 667),  # not the impossible 665 of another list
        ("k4", 11, 11),  # not 12
        ("orb07", 397, 397),
        ("ta01", 1231, 1231),
        ("ta41", 1926, 2005),
        ("mk10", 189, 193),
    ],
)
def test_references_where_lists_disagree(name: str, lower: int, upper: int) -> None:
    """Each says what it is, where it is from and of when."""
    known = formats.reference(name)
    assert known is not None
    assert (known.lower, known.upper) == (lower, upper)
    assert known.kind == ("optimum" if lower == upper else "best_known")
    assert known.source
    assert known.date


def test_a_shop_without_reference_has_no_gap(tmp_path: Path) -> None:
    """Not 0 and not NaN; a famous name on other figures is no famous shop."""
    made = formats.read_one(write(tmp_path, "1 1\n0 5\n", "ft06.txt"), formats.Options("jsp"))
    assert formats.reference_of(made) is None
    assert gap(5, formats.reference_of(made)) is None


@published
@pytest.mark.parametrize("file", ["fjsp/brandimarte/mk06.txt", "fjsp_onebased/Mk06.fjs"])
def test_both_copies_of_mk06_have_one_reference(file: str) -> None:
    """One header says 10 machines, one list 15; the content says which shop it is."""
    known = formats.reference_of(formats.read_one(FOLDER / file))
    assert known is not None
    assert (known.name, known.upper) == ("mk06", 57)


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence is the line to type."""
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    with pytest.raises(MissingExtra, match=r"pip install 'desbench\[ortools\]'"):
        bound(shop([[{0: 1}]]))
    done = CliRunner().invoke(main, ["bound", "classic_ft06"])
    assert done.exit_code == 2
    assert "pip install" in done.stderr


@pytest.mark.parametrize(
    "text, options, optimum",
    [(FT06, [], 55), (EX11, ["--instance", "EX11"], 96), (MK01, [], 40)],
    ids=["ft06", "EX11", "mk01"],
)
def test_what_the_solver_finds_replays(
    tmp_path: Path, text: str, options: list[str], optimum: int
) -> None:
    """Its schedule is played by the engine to the makespan it claims."""
    pytest.importorskip("ortools")
    path = write(tmp_path, text)
    done = CliRunner().invoke(main, ["bound", str(path), "--seconds", "20", *options])
    found = json.loads(done.stdout)
    assert found["lower_bound"] <= optimum <= found["makespan"]
    assert found["proved"] == (found["lower_bound"] == found["makespan"])
    plan = write(tmp_path, done.stdout, "plan.json")
    (stated,) = replay.read(plan)
    instance, base = replay.instance_of(stated, tmp_path)
    assert replay.play(instance, stated, base).makespan <= found["makespan"]


def test_zero_length_operations_touch_their_machine() -> None:
    """CP-SAT and the enumeration of the engine agree on 14."""
    pytest.importorskip("ortools")
    jobs = [[{1: 10}, {2: 0}, {0: 0}], [{2: 2}, {1: 0}, {0: 3}], [{2: 3}, {1: 0}, {0: 2}]]
    found = bound(shop(jobs, inbound=9, outbound=9), 10)
    assert (found.lower, found.upper) == (14, 14)


@pytest.mark.parametrize(
    "settings, left_out",
    [
        ({"setup": 3}, "setups"),
        ({"down": {0: [(1, 2)]}}, "stops"),
        ({"outbound": 0}, "buffers"),
        ({"deliver": True}, "delivery"),
    ],
)
def test_what_the_model_leaves_out_is_said(settings: dict[str, object], left_out: str) -> None:
    """The bound holds all the same; a schedule of another shop is none."""
    pytest.importorskip("ortools")
    roomy = {"inbound": 9, "outbound": 9}
    found = bound(shop([[{0: 4}, {1: 5}], [{0: 3}]], **{**roomy, **settings}), 10)
    assert found.left_out == (left_out,)
    assert (found.lower, found.upper, found.schedule) == (9, None, None)


def test_a_case_is_found_by_its_id() -> None:
    """As the summary of a run shows it."""
    pytest.importorskip("ortools")
    words = ["bound", "classic_ft06-s00", "--seconds", "20"]
    found = json.loads(CliRunner().invoke(main, words).stdout)
    assert (found["suite"], found["case"]) == ("classic_ft06", "classic_ft06-s00")
    assert replay.play(realise(found["suite"], found["case"]), found).makespan == 55
    unknown = CliRunner().invoke(main, ["bound", "nothing-s00"])
    assert unknown.exit_code == 2
