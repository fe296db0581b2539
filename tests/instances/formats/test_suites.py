"""Shops as suites: the same instance, and the classic ones that are shipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from desbench.errors import InputError
from desbench.instances import formats
from desbench.instances.formats import Options, suite_file
from desbench.instances.instance import Instance
from desbench.instances.suite import load_suite
from instances.formats.typed import EX11, FATTAHI01, FT06, LA01, MK01, TYPED, write
from shops import shop


def as_suite(folder: Path, instance: Instance) -> Instance:
    """Export as tables, import, write the suite, load and realise it."""
    found = formats.read_one(formats.write_tables(instance, folder / "tables"))
    suite = load_suite(formats.write_suite(found, folder / "again.yaml"))
    return suite.realise(suite.cases()[0])


@pytest.mark.parametrize("name", sorted(TYPED))
def test_a_suite_is_the_file(tmp_path: Path, name: str) -> None:
    """Byte for byte the same instance, so a published optimum holds for the suite too."""
    found = formats.read_one(write(tmp_path, TYPED[name]))
    suite = load_suite(formats.write_suite(found, tmp_path / f"{name}.yaml"))
    assert [case.id for case in suite.cases()] == [f"{name}-s00"]
    assert suite.realise(suite.cases()[0]).digest == formats.to_instance(found).digest
    assert suite.reference is not None
    assert suite.reference.kind == "optimum"


@pytest.mark.parametrize(
    "name, text, makespan",
    [
        ("classic_ft06", FT06, 55),
        ("classic_la01", LA01, 666),
        ("classic_mk01", MK01, 40),
        ("classic_ex11", EX11, 96),
        ("classic_fattahi01", FATTAHI01, 70),
    ],
)
def test_the_shipped_classics(tmp_path: Path, name: str, text: str, makespan: int) -> None:
    """Each is the published instance, figure by figure, with its optimum and where it is from."""
    suite = load_suite(name)
    instance = suite.realise(f"{name}-s00")
    assert instance.digest == formats.load(write(tmp_path, text)).digest
    reference = suite.reference
    assert reference is not None
    assert (reference.makespan, reference.kind) == (makespan, "optimum")
    assert reference.source
    assert reference.date


def test_a_plant_that_says_everything(tmp_path: Path) -> None:
    """Setups with exceptions, recorded stops, caps, due dates, noise, power, quotes in names."""
    instance = shop(
        [[{0: (5, 6), 1: 4}, {2: 3}], [{2: 7}]],
        cells=[[0, 1], [2]],
        areas=[[0], [1]],
        release=[0, 3],
        due=[40, -1],
        weight=[1.5, 1.0],
        patience=[0, 9],
        families=[[1, 0], [2]],
        setup=[
            [[2, 2, 2], [0, 9, 9], [9, 0, 4], [9, 9, 0]],
            [[0, 0, 0]] * 4,
            [[0, 0, 0], [1, 5, 5], [5, 1, 5], [5, 5, 2]],
        ],
        initial_family=[-1, 2, 0],
        down={2: [(10, 20, "recorded", "wait"), (50, 60, "recorded")]},
        mean_repair=[0, 3, 10],
        inbound=[2, 5],
        outbound=[0, 1],
        commitment=[4, 7],
        travel=[[0, 2, 3], [4, 0, 1], [5, 1, 0]],
        power_cap=[500, -1],
        wip_cap=[-1, 3],
        plant_power_cap=900,
        horizon=1000,
        deliver=True,
    )
    assert as_suite(tmp_path, instance).digest == instance.digest


def test_power_by_operation(tmp_path: Path) -> None:
    """One machine, two operations, two powers."""
    instance = formats.load(_tables(tmp_path, "0,0,0,5,100\n0,1,0,5,200\n"))
    assert as_suite(tmp_path, instance).processing_power.tolist() == [100, 200]


@pytest.mark.parametrize(
    "instance, what",
    [
        (shop([[{0: 1}]], down={0: [(1, 2, "breakdown")]}), "drawn stops"),
        (shop([[{0: 1}]], vehicles=2, vehicle_power=[1, 2]), "vehicles|names of vehicles"),
        (shop([[{0: 1}]], families=[[0]], setup=[[[1, 2], [0, 0], [0, 0]]]), "first setup"),
        (shop([[{0: 1}, {1: 1}]], cells=[[1], [0]]), "machines that do not follow"),
    ],
)
def test_what_a_suite_cannot_say(tmp_path: Path, instance: Instance, what: str) -> None:
    """It is refused by name: a suite that is almost the same would be another case."""
    found = formats.read_one(formats.write_tables(instance, tmp_path / "tables"))
    with pytest.raises(InputError, match=f"a suite cannot state .*({what}).*; keep it as tables"):
        formats.suite_text(found)


def test_power_by_operation_and_machine_stays_in_tables(tmp_path: Path) -> None:
    """The suite has one power an operation or one a machine."""
    rows = "0,0,0,5,100\n0,0,1,5,150\n0,1,0,5,200\n"
    with pytest.raises(InputError, match="processing power by operation and machine"):
        formats.suite_text(formats.read_one(_tables(tmp_path, rows)))


def _tables(folder: Path, rows: str) -> Path:
    tables = folder / "typed"
    tables.mkdir()
    write(tables, "job\n0\n", "jobs.csv")
    write(tables, "job,operation,machine,nominal,power\n" + rows, "operations.csv")
    return tables


@pytest.mark.parametrize(
    "name", ["no", "1e3", "作业 1", 'say "x"', "a: b", "#5", "~", "back\\slash"]
)
def test_names_that_yaml_would_change(tmp_path: Path, name: str) -> None:
    """`no` is false to YAML 1.1 and 1e3 a number."""
    cell = '"' + name.replace('"', '""') + '"'
    tables = _tables(tmp_path, "0,0,0,5,0\n")
    write(tables, f"job,name\n0,{cell}\n", "jobs.csv")
    write(tables, f"machine,name,cell\n0,{cell},0\n", "machines.csv")
    write(tables, f"cell,name\n0,{cell}\n", "cells.csv")
    instance = formats.load(tables)
    assert instance.job_names == (name,)
    assert as_suite(tmp_path, instance).digest == instance.digest


def test_decimal_times(tmp_path: Path) -> None:
    """Ticks come back exactly from the decimals that people read."""
    path = write(tmp_path, "1 1\n0 0.001 0 1234567.891 0 3\n")
    found = formats.read_one(path, Options(ticks_per_unit=1000))
    suite = load_suite(formats.write_suite(found, tmp_path / "fine.yaml"))
    assert suite.realise("fine-s00").nominal.tolist() == [1, 1_234_567_891, 3000]
    assert "M0: 0.001" in suite.path.read_text(encoding="utf-8")


def test_too_large_for_a_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite of a million lines would take minutes to read; the file itself takes seconds."""
    monkeypatch.setattr(suite_file, "MAX_ALTERNATIVES", 35)
    with pytest.raises(
        InputError, match="36 alternatives, a suite holds at most 35; load the file"
    ):
        formats.write_suite(formats.read_one(write(tmp_path, FT06)), tmp_path / "ft06.yaml")
    assert not (tmp_path / "ft06.yaml").exists()


def test_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old suite stays as it was when writing the new one fails."""
    found = formats.read_one(write(tmp_path, FT06))
    path = formats.write_suite(found, tmp_path / "ft06.yaml")
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        formats.write_suite(found, path)
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["ft06.yaml", "shop.txt"]


def test_a_suite_is_a_yaml_file(tmp_path: Path) -> None:
    """Another ending would not be found by name later."""
    with pytest.raises(InputError, match=r"must be a \.yaml file"):
        formats.write_suite(formats.read_one(write(tmp_path, FT06)), tmp_path / "ft06.json")
