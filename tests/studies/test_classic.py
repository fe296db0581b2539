"""The classic study: rules against best known makespans, and its page."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from desbench.errors import InputError
from desbench.instances import formats
from desbench.studies import classic
from desbench.studies.classic import RULES, Outcome, Play
from desbench.studies.page import between, markdown
from instances.formats.typed import FT06, LA01, MK01, write

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("DESBENCH_DATA") or ROOT.parent / "shared" / "data")
PAGE = ROOT / "docs" / "classic.md"
published = pytest.mark.skipif(
    not (FOLDER / "best_known.csv").exists(), reason=f"no published files in {FOLDER}"
)
EXAMPLE = Outcome("ft06", "jsp", "fifo", "done", 66, 47, 55, 55)


@pytest.mark.parametrize("name, text", [("ft06", FT06), ("la01", LA01), ("mk01", MK01)])
def test_rules_stay_above_the_optimum_and_the_page_says_what_they_reach(
    tmp_path: Path, name: str, text: str
) -> None:
    """A row of docs/classic.md is what is played today."""
    found = classic.play(Play(write(tmp_path, text, f"{name}.txt"), RULES))
    assert [one.rule for one in found] == list(RULES)
    assert all(one.status == "done" and not one.is_impossible for one in found)
    row = markdown(classic.rule_table(found)).splitlines()[2]
    assert row in PAGE.read_text(encoding="utf-8").splitlines()


def test_a_long_queue_is_offered_whole(tmp_path: Path) -> None:
    """20 jobs of 1 .. 20 on machine 0; the longest has 500 more on machine 1.

    The first to be released is 1 and starts at once, for dispatch comes before the next release;
    then lpt takes 20: 1 + 20 + 500. Offered the 16 shortest it would take 17, 18, 19 before.
    """
    rows = [f"0 {ticks} 1 {500 if ticks == 20 else 0}" for ticks in range(1, 21)]
    path = write(tmp_path, "\n".join(["20 2", *rows]))
    (found,) = classic.play(Play(path, ("lpt",)))
    assert found.makespan == 1 + 20 + 500


def test_processes_change_nothing(tmp_path: Path) -> None:
    """Results come in the order asked for."""
    plays = [
        Play(write(tmp_path, FT06, "ft06.txt"), ("fifo", "spt")),
        Play(write(tmp_path, LA01, "la01.txt"), (classic.RANDOM,), seeds=2),
    ]
    assert classic.outcomes(plays, workers=2) == classic.outcomes(plays)


def test_random_seeds_differ(tmp_path: Path) -> None:
    """Twenty seeds of one makespan would test one episode."""
    found = classic.play(Play(write(tmp_path, FT06), (classic.RANDOM,), seeds=5))
    assert len({one.makespan for one in found}) > 1


def test_what_is_impossible() -> None:
    """Below a proved optimum; where none is proved, below the load of a job or machine."""
    assert not EXAMPLE.is_impossible
    assert replace(EXAMPLE, makespan=54).is_impossible
    unproved = replace(EXAMPLE, optimum=None, best=55)
    assert not replace(unproved, makespan=54).is_impossible  # a new best
    assert replace(unproved, makespan=46).is_impossible
    assert not replace(EXAMPLE, makespan=None).is_impossible


def test_gaps_and_counts_in_the_tables() -> None:
    """66 is 20 per cent above 55; what is not done has no gap, what has no reference a dash."""
    stuck = replace(EXAMPLE, rule="spt", status="deadlock", makespan=None)
    unknown = replace(EXAMPLE, shop="mine", optimum=None, best=None)
    assert classic._cell(EXAMPLE) == "66 (20.0)"
    assert classic._cell(stuck) == "deadlock"
    assert classic._cell(unknown) == "66 (-)"
    table = classic.check_table([EXAMPLE, unknown, stuck])
    assert table[1] == ["jsp", "fifo", "2", "2", "2", "1", "0", "20.0", "20.0"]
    assert table[3] == ["jsp", "spt", "1", "1", "0", "1", "0", "-", "-"]


def test_a_folder_without_shops(tmp_path: Path) -> None:
    """A wrong --data is told at once."""
    with pytest.raises(InputError, match=r"lacks jsp/ft06\.txt"):
        classic.famous(tmp_path)
    with pytest.raises(InputError, match="holds no shop"):
        classic.everything(tmp_path)


def test_a_page_without_markers() -> None:
    """A table goes nowhere but between its markers."""
    page = "a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n"
    new = between(page, "x", "new\n")
    assert new == "a\n<!-- x: begin -->\n\nnew\n\n<!-- x: end -->\nb\n"
    assert between(new, "x", "new\n") == new
    with pytest.raises(InputError, match="needs a line"):
        between("a", "x", "new")


@published
def test_no_makespan_below_a_proved_optimum() -> None:
    """A sample of every 20th shop; `desbench study classic --all` plays all 523."""
    plays = classic.everything(FOLDER)
    shops = [one for one in plays if one.rules == classic.CHECKED]
    assert len(shops) == 523
    assert len(plays) - len(shops) == classic.DRAWN
    drawn = [replace(one, seeds=2) for one in plays[-3:]]
    found = classic.outcomes([*shops[::20], *drawn])
    assert [one for one in found if one.is_impossible or one.status != "done"] == []
    assert sum(one.optimum is not None for one in found) > 30


def test_the_page_begins_as_the_command_writes_it() -> None:
    """A changed sentence needs the page written again."""
    assert PAGE.read_text(encoding="utf-8").startswith(classic.page([["shop"]], None)[:700])


@published
def test_the_page_counts_every_shop() -> None:
    """Runs, done, and none impossible: 523 shops under each rule, 800 random runs."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    totals = {row[1]: row[2:7] for row in rows if row[0] == "all"}
    proved = sum(
        known is not None and known.kind == "optimum"
        for play in classic.everything(FOLDER)[:523]
        for known in [formats.reference_of(formats.read_one(play.file))]
    )
    for rule in classic.CHECKED:
        assert totals[rule] == ["523", "523", "523", str(proved), "0"]
    assert totals[classic.RANDOM][:3] == ["40", "800", "800"]
    assert totals[classic.RANDOM][4] == "0"
