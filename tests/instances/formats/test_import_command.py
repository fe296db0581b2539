"""`desbench import`: what it prints, what it writes, how it exits."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from desbench.cli import COMMANDS, main
from desbench.instances import formats
from desbench.instances.suite import load_suite
from instances.formats.typed import EX11, FJSP05, FT06, FT06_TAILLARD, LAYOUT, MK01, write


@pytest.fixture(autouse=True)
def _wired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMANDS, "import", "importing:import_command")


def command(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["import", *map(str, words)])


def test_report(tmp_path: Path) -> None:
    """Format, base, counts, unused machines and the reference, each on its line."""
    done = command(write(tmp_path, MK01.replace("10 6", "10 8"), "mk01.txt"))
    assert done.exit_code == 0
    lines = dict(line.split(maxsplit=1) for line in done.output.splitlines())
    assert lines["format"] == "fjsp (detected)"
    assert lines["base"] == "machines count from 0 in the file (detected)"
    assert (lines["jobs"], lines["machines"], lines["operations"]) == ("10", "8", "55")
    assert lines["alternatives"] == "115 (2.09 per operation)"
    assert lines["unused"] == "machines M6, M7 (kept)"
    assert lines["reference"].startswith("makespan 40 (optimum; ")
    assert lines["digest"] == formats.load(tmp_path / "mk01.txt").digest
    assert list(tmp_path.iterdir()) == [tmp_path / "mk01.txt"]


def test_what_was_asked_is_not_called_detected(tmp_path: Path) -> None:
    """The report tells a guess from an order."""
    done = command(write(tmp_path, FT06), "--format", "jsp", "--base", "0")
    assert done.exit_code == 0
    assert "detected" not in done.output


def test_suite(tmp_path: Path) -> None:
    """-o writes what `desbench run --suite` takes."""
    file, layout = write(tmp_path, FJSP05, "a b.data"), write(tmp_path, LAYOUT, "layout.data")
    suite = tmp_path / "new folder" / "fjsp05.yaml"
    done = command(file, "--layout", layout, "--vehicles", "3", "-o", suite)
    assert done.exit_code == 0, done.output
    assert str(suite) in done.output
    instance = load_suite(suite).realise("fjsp05-s00")
    assert len(instance.vehicle_names) == 3
    assert len(instance.job_names) == 5


def test_several_instances_in_a_file(tmp_path: Path) -> None:
    """A table of all; one suite needs one name."""
    path = write(tmp_path, FT06_TAILLARD * 2, "tai.txt")
    done = command(path)
    assert done.exit_code == 0
    assert [line.split()[1] for line in done.output.splitlines()] == [
        "instance",
        "tai-1",
        "tai-2",
    ]
    refused = command(path, "-o", tmp_path / "tai.yaml")
    assert refused.exit_code == 2
    assert "name one with --instance" in refused.output
    named = command(path, "--instance", "tai-2", "-o", tmp_path / "tai.yaml")
    assert named.exit_code == 0
    assert (tmp_path / "tai.yaml").exists()


def test_folder(tmp_path: Path) -> None:
    """Every file with its counts; the refused ones with their reason; tables are one file."""
    (tmp_path / "deep").mkdir()
    write(tmp_path, FT06, "ft06.txt")
    write(tmp_path / "deep", EX11, "ex11.json")
    write(tmp_path, "6 6\n1 2\n", "broken.txt")
    write(tmp_path, "hidden", ".hidden")
    formats.write_tables(formats.load(tmp_path / "ft06.txt"), tmp_path / "deep" / "plant")
    done = command(tmp_path)
    assert done.exit_code == 0
    rows = [line.split() for line in done.output.splitlines()]
    assert rows[0][:3] == ["file", "instance", "format"]
    assert [row[:3] for row in rows[1:4]] == [
        ["ft06.txt", "ft06", "jsp"],
        ["deep/ex11.json", "EX11", "transport_json"],
        ["deep/plant", "ft06", "tables"],
    ]
    assert "broken.txt, line 2" in done.output
    assert done.output.endswith("3 files with 3 instances imported, 1 files refused\n")


def test_a_folder_makes_no_suite(tmp_path: Path) -> None:
    """One suite is one file."""
    write(tmp_path, FT06)
    done = command(tmp_path, "-o", tmp_path / "all.yaml")
    assert done.exit_code == 2
    assert "-o and --instance take one file of it" in done.output


def test_a_folder_without_any_shop(tmp_path: Path) -> None:
    """Nothing imported is no success."""
    write(tmp_path, "words\n")
    done = command(tmp_path)
    assert done.exit_code == 2
    assert "holds nothing that can be imported" in done.output


@pytest.mark.parametrize(
    "text, words, message",
    [
        ("6 6\n1 2\n", (), "line 2, token 2 '2': the file ends here"),
        (FT06, ("--format", "fjsp"), "it fits the format jsp: --format jsp"),
        (FT06, ("--format", "xml"), "format=xml"),
        (FT06, ("--base", "2"), "'2' is not one of 'auto', '0', '1'"),
        (FT06, ("--base", "1"), "line 2, token 3 '0': machine must be 1 .. 6"),
        ("1 1\n0 4000000000000000000\n", ("--format", "jsp"), "use larger ticks"),
        (FT06, ("--vehicles", "-1"), "-1 is not in the range"),
    ],
)
def test_refused_leaves_nothing(
    tmp_path: Path, text: str, words: tuple[str, ...], message: str
) -> None:
    """Exit code 2, one sentence, and neither suite nor folder."""
    suite = tmp_path / "new" / "shop.yaml"
    done = command(write(tmp_path, text), *words, "-o", suite)
    assert done.exit_code == 2
    assert message in done.output
    assert done.output.count("\n") == 1
    assert not suite.parent.exists()


def test_tables_of_a_folder(tmp_path: Path) -> None:
    """A folder with operations.csv is one shop."""
    folder = formats.write_tables(formats.load(write(tmp_path, FT06)), tmp_path / "plant")
    done = command(folder, "-o", tmp_path / "plant.yaml")
    assert done.exit_code == 0
    assert "format        tables" in done.output
    assert load_suite(tmp_path / "plant.yaml").realise("plant-s00").operations == 36
