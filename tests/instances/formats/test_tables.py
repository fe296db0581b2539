"""Tables: what is exported comes back the same, what is typed is checked cell by cell."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from desbench.errors import InputError
from desbench.instances import formats
from desbench.instances.coordination import Coordination
from desbench.instances.formats import Options, Refused, Shop, table_files
from desbench.instances.instance import UNLIMITED, Instance
from desbench.instances.suite import load_suite
from instances.formats.typed import TYPED, write
from shops import random_instance, shop

PLANT = {
    "jobs": "job,release,due,weight,name\n0,0,40,1.5,作业1\n1,3,,1,\n",
    "operations": "job,operation,machine,nominal,realised,family,power\n"
    "0,0,0,5,6,0,100\n0,0,1,4,4,0,100\n0,1,2,3,3,1,100\n1,0,2,7,8,1,100\n",
    "machines": 'machine,name,cell,initial_family\n0,Fräse-Ω,0,\n1,"Drehbank, alt",0,1\n2,,1,\n',
    "cells": "cell,name,area,inbound,outbound,commitment\n0,..,0,2,0,4\n1,CON,0,,,\n",
    "areas": "area,name,power_cap\n0,Halle/1,500\n",
    "vehicles": "vehicle,name,power\n0,Wagen,50\n",
    "travel": "from,to,ticks\n0,1,2\n0,2,3\n1,0,4\n1,2,1\n2,0,5\n2,1,1\n",
    "setups": "machine,from,to,ticks\n0,0,1,9\n2,-1,1,2\n",
    "downtimes": "machine,start,end,cause,interruption\n2,50,60,,\n2,10,20,maintenance,wait\n",
    "case": "case,time_unit,ticks_per_unit,horizon,deliver\nplant-s00,min,60,100000,1\n",
}


def plant(folder: Path, **changes: str) -> Path:
    """The tables above, some of them replaced."""
    folder.mkdir(exist_ok=True)
    for name, text in (PLANT | changes).items():
        if text:
            (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


def read(folder: Path) -> Instance:
    return formats.load(folder)


@pytest.mark.parametrize("name", sorted(TYPED))
def test_round_trip_of_imports(tmp_path: Path, name: str) -> None:
    """Import, export as tables, import again: the same instance, known by its content."""
    first = formats.read_one(write(tmp_path, TYPED[name]))
    instance = formats.to_instance(first)
    found = formats.read_one(formats.write_tables(instance, tmp_path / "tables"))
    assert found.format == "tables"
    assert found.name == first.name
    assert found.notes == ()
    assert found.jobs == [[sorted(operation) for operation in job] for job in first.jobs]
    assert formats.to_instance(found).digest == instance.digest


@pytest.mark.parametrize("seed", range(40))
def test_round_trip_of_any_instance(tmp_path: Path, seed: int) -> None:
    """Buffers, stops, setups, caps, noise: whatever an instance holds is in its tables."""
    instance = random_instance(seed)
    assert read(formats.write_tables(instance, tmp_path / "tables")).digest == instance.digest


def test_round_trip_of_a_drawn_case(tmp_path: Path) -> None:
    """Also for the cases of suites, with every field of their own."""
    instance = load_suite("smoke").realise("smoke-s00")
    assert read(formats.write_tables(instance, tmp_path / "tables")).digest == instance.digest


def test_round_trip_of_what_agreeing_costs(tmp_path: Path) -> None:
    """Delays are part of the case, so they must not be lost on the way out and back."""
    delays = Coordination(3, 2, 1, 4, is_measured=True, deadline=9)
    instance = shop([[{0: 5}]], coordination=delays)
    assert read(formats.write_tables(instance, tmp_path / "tables")).digest == instance.digest


def test_an_unused_last_family_comes_back(tmp_path: Path) -> None:
    """It has no time and no operation, but it is part of the shape."""
    instance = shop([[{0: 1}]], families=[[0]], setup=[[[0, 0, 0]] * 4])
    assert instance.families == 3
    assert read(formats.write_tables(instance, tmp_path / "tables")).digest == instance.digest


def test_columns_are_those_of_the_case_tables() -> None:
    """Import and export are one format, and the one in which traces keep a case."""
    tables = shop([[{0: 1}]]).tables()
    found = {name: row.replace("!", "").split() for name, row in table_files.COLUMNS.items()}
    assert found == {name: table.column_names for name, table in tables.items()}


def test_everything_a_plant_engineer_can_say(tmp_path: Path) -> None:
    """Names of any script, empty cells for none and unlimited, recorded stops in any order."""
    instance = read(plant(tmp_path / "plant"))
    assert instance.case == "plant-s00"
    assert (instance.time_unit, instance.ticks_per_unit, instance.horizon) == ("min", 60, 100_000)
    assert instance.job_names == ("作业1", "J1")
    assert instance.machine_names == ("Fräse-Ω", "Drehbank, alt", "M2")
    assert instance.cell_names == ("..", "CON")
    assert instance.due.tolist() == [40, -1]
    assert instance.nominal.tolist() == [5, 4, 3, 7]
    assert instance.realised.tolist() == [6, 4, 3, 8]
    assert instance.initial_family.tolist() == [-1, 1, -1]
    assert instance.setup[:, :, 1].tolist() == [[0, 9, 0], [0, 0, 0], [2, 0, 0]]
    assert instance.down_start.tolist() == [10, 50]
    assert instance.down_cause.tolist() == [1, 3]
    assert instance.down_interruption.tolist() == [2, 0]
    assert instance.deliver is True
    assert instance.inbound.tolist() == [2, UNLIMITED]
    assert instance.travel[2].tolist() == [5, 1, 0]
    assert read(formats.write_tables(instance, tmp_path / "again")).digest == instance.digest


def test_two_tables_are_enough(tmp_path: Path) -> None:
    """The rest has defaults: a cell a machine, no ways, no stops."""
    folder = tmp_path / "small"
    folder.mkdir()
    write(folder, "job\n0\n", "jobs.csv")
    write(folder, "job,operation,machine,nominal\n0,0,1,5\n0,1,0,7.0\n", "operations.csv")
    found = formats.read_one(folder)
    assert found.jobs == [[[(1, 5)], [(0, 7)]]]
    assert found.name == "small"
    text = "1 2\n1 5 0 7\n"
    assert formats.to_instance(found).digest == formats.load(write(tmp_path, text)).digest


@pytest.mark.parametrize(
    "dress",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.rstrip("\n").encode(),
        lambda text: ("# from the planning department\n\n" + text).encode(),
    ],
    ids=["byte order mark", "CRLF", "no final newline", "comment"],
)
def test_how_a_table_is_saved_does_not_matter(tmp_path: Path, dress) -> None:  # type: ignore[no-untyped-def]
    """Spreadsheets write a byte order mark and CRLF."""
    expected = read(plant(tmp_path / "plain")).digest
    folder = plant(tmp_path / "dressed")
    for name, text in PLANT.items():
        (folder / f"{name}.csv").write_bytes(dress(text))
    assert read(folder).digest == expected


def test_a_changed_table_is_noted(tmp_path: Path) -> None:
    """The exported case says its digest; after an edit the report says that it is another case."""
    folder = formats.write_tables(shop([[{0: 5}]]), tmp_path / "tables")
    assert formats.read_one(folder).notes == ()
    jobs = (folder / "operations.csv").read_text(encoding="utf-8").replace(",5,5,", ",6,6,")
    write(folder, jobs, "operations.csv")
    assert "changed since they were exported" in formats.read_one(folder).notes[0]


BROKEN = [
    ("jobs", "\n1,3", "\n2,3", r"jobs.csv, line 3, token 1 \(job\) '2': must be 0 .. 1"),
    ("jobs", "\n1,3", "\n0,3", r"jobs.csv, line 3, token 1 .* is given twice, first in line 2"),
    ("jobs", "0,0,40", "0,50,40", r"jobs.csv, line 2, token 3 .*must be >= release=50"),
    ("jobs", "1.5", "-1.5", r"jobs.csv, line 2, token 4 \(weight\) '-1.5': must be a number >= 0"),
    ("jobs", "1.5", "nan", r"jobs.csv, line 2, token 4 \(weight\) 'nan': must be a number >= 0"),
    ("jobs", "weight", "wieght", r"jobs.csv, line 1: no column 'wieght'; did you mean 'weight'"),
    ("jobs", "weight", "due", r"jobs.csv, line 1: column 'due' is given twice"),
    ("jobs", "1,3,,1,\n", "1,3,,1\n", r"jobs.csv, line 3: 4 cells, must be 5"),
    ("jobs", "1,3,,1,\n", "1,3,,1,作业1\n", r"line 3: the name '作业1' is given twice, .* line 2"),
    ("jobs", "1,3,,1,\n", "1,3,,1,\n2,0,,1,x\n", r"jobs.csv, line 4, .*has no operation in operat"),
    ("jobs", ",", ";", r"jobs.csv, line 1: cells must be separated by commas"),
    ("operations", "0,1,2,3", "0,2,2,3", r"line 4, token 2 .*operation 1 of job 0 is missing"),
    ("operations", "0,0,1,4", "0,0,0,4", r"line 3, token 3 .*is given twice for this operation"),
    ("operations", "0,0,1,4", "0,0,3,4", r"line 3, token 3 \(machine\) '3': must be 0 .. 2"),
    ("operations", "0,0,1,4", "0,0,1,", r"line 3, token 4 \(nominal\) '': must be a whole number"),
    ("operations", "0,0,1,4", "0,0,1,4.5", r"line 3, token 4 \(nominal\) '4.5': must be a whole"),
    ("operations", "0,0,1,4", "0,0,1,-4", r"line 3, token 4 \(nominal\) '-4': must be >= 0"),
    ("operations", "4,4,0,100", "4,4,1,100", r"line 3, token 6 .*must be 0, as on its other"),
    ("operations", "nominal", "realised", r"line 1: column 'realised' is given twice"),
    ("operations", ",nominal", "", r"operations.csv, line 1: lacks the column 'nominal'"),
    ("machines", "cell,", "", r"machines.csv, line 2: 4 cells, must be 3"),
    ("machines", 'alt",0', 'alt",7', r"line 3, token 3 .*be 0 .. 1"),
    ("machines", '"Drehbank, alt"', '"Drehbank', r"machines.csv, line \d: no CSV"),
    ("cells", "0,..,0,2,0,4", "0,..,0,2,0,1", r"cells.csv, line 2, token 6 .*must be >= inbound=2"),
    ("cells", "0,..,0,2,0,4", "0,..,0,0,0,4", r"cells.csv, line 2, token 4 .*must be 1 .."),
    ("cells", "0,..,0,2", "0,..,1,2", r"cells.csv, line 2, token 3 \(area\) '1': must be 0 .. 0"),
    ("areas", "500", "-500", r"areas.csv, line 2, token 3 \(power_cap\) '-500': must be >= 0"),
    ("vehicles", "0,Wagen", "1,Wagen", r"vehicles.csv, line 2, token 1 .*must be 0 .. 0"),
    ("travel", "2,1,1\n", "", r"travel.csv: no row from place 2 to place 1"),
    ("travel", "2,1,1\n", "2,1,1\n2,1,2\n", r"travel.csv, line 8, .*given twice, first in line 7"),
    ("travel", "2,1,1\n", "2,1,1\n1,1,2\n", r"travel.csv, line 8, token 3 .*a place to itself"),
    ("travel", "2,1,1\n", "2,3,1\n", r"travel.csv, line 7, token 2 \(to\) '3': must be 0 .. 2"),
    ("setups", "0,0,1,9", "0,0,1,9\n0,0,1,9", r"setups.csv, line 3, .*given twice, first in line"),
    ("setups", "0,0,1,9", "0,-2,1,9", r"setups.csv, line 2, token 2 \(from\) '-2': must be -1"),
    ("downtimes", "2,50,60", "2,60,50", r"downtimes.csv, line 2, token 3 .*must be > start=60"),
    ("downtimes", "2,50,60", "2,20,60", r"downtimes.csv, line 2, token 2 .*must be > 20, the end"),
    ("downtimes", "maintenance", "lunch", r"downtimes.csv, line 3, token 4 .*one of breakdown,"),
    ("downtimes", "wait", "stop", r"downtimes.csv, line 3, token 5 .*one of resume, restart, wait"),
    ("case", "100000,1", "100000,2", r"case.csv, line 2, token 5 \(deliver\) '2': must be 0 .. 1"),
    ("case", "min", "day", r"case.csv, line 2, token 2 \(time_unit\) 'day': must be one of s, min"),
    ("case", "plant-s00", "a-s00,min,60,1,0\nb-s00", r"case.csv: 2 rows, must be one"),
]  # fmt: skip


@pytest.mark.parametrize("table, old, new, message", BROKEN)
def test_broken_cells(tmp_path: Path, table: str, old: str, new: str, message: str) -> None:
    """Each is refused with table, line and column."""
    assert old in PLANT[table]
    folder = plant(tmp_path / "plant", **{table: PLANT[table].replace(old, new)})
    with pytest.raises(Refused, match=message):
        formats.read(folder)


def test_unknown_and_missing_tables(tmp_path: Path) -> None:
    """A misspelled file name must not mean that its content is dropped."""
    folder = plant(tmp_path / "plant")
    (folder / "downtimes.csv").rename(folder / "downtime.csv")
    with pytest.raises(Refused, match=r"downtime.csv: no table .*did you mean 'downtimes'"):
        formats.read(folder)
    with pytest.raises(Refused, match=r"needs jobs\.csv and operations\.csv"):
        formats.read(plant(tmp_path / "other", operations=""))


@pytest.mark.parametrize(
    "options",
    [
        Options(base=1),
        Options(vehicles=2),
        Options(layout=Path("x")),
        Options(ticks_per_unit=10),
    ],
)
def test_tables_say_it_all(tmp_path: Path, options: Options) -> None:
    """An option that would contradict them is refused, not ignored."""
    with pytest.raises(Refused, match="tables say this themselves; leave --"):
        formats.read(plant(tmp_path / "plant"), options)


def test_export_never_mixes_with_what_is_there(tmp_path: Path) -> None:
    """Two instances in one folder would be read as one."""
    folder = tmp_path / "full"
    folder.mkdir()
    write(folder, "mine", "notes.txt")
    with pytest.raises(InputError, match="not an empty folder"):
        formats.write_tables(shop([[{0: 1}]]), folder)
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "notes.txt"]


def test_export_is_whole_or_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk must not leave half a folder under the final name."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(table_files, "_write_table", full)
    with pytest.raises(OSError, match="No space left"):
        formats.write_tables(shop([[{0: 1}]]), tmp_path / "tables")
    assert list(tmp_path.iterdir()) == []


def test_floats_come_back_to_the_last_bit(tmp_path: Path) -> None:
    """Weights are part of the digest."""
    instance = shop([[{0: 1}]], weight=0.1 + 0.2)
    folder = formats.write_tables(instance, tmp_path / "tables")
    with (folder / "jobs.csv").open(newline="", encoding="utf-8") as file:
        assert next(csv.DictReader(file))["weight"] == "0.30000000000000004"
    assert read(folder).digest == instance.digest


def test_shops_from_tables_have_a_content_too(tmp_path: Path) -> None:
    """It is what a reference is found by."""
    found: Shop = formats.read_one(plant(tmp_path / "plant"))
    assert len(found.content) == 64
