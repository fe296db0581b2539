"""The command: what it prints, how it exits, and that bad input leaves no trace."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from desbench.cli import COMMANDS, main
from runners import runner_file


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to run in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(*words: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main, list(words))


def summary(folder: Path) -> list[dict[str, str]]:
    """Rows of a suite summary."""
    with open(folder / "suite_summary.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("words", [(), *((name,) for name in COMMANDS)])
def test_help_is_plain_ascii(words: tuple[str, ...]) -> None:
    """One arrow in a help text crashes it on a console of another code page."""
    done = command(*words, "--help")
    assert done.exit_code == 0
    assert done.output.isascii()


def test_help_on_a_windows_console_names_every_command() -> None:
    """The real program, in a code page that knows little, without UTF-8 mode."""
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "desbench", "--help"],
        capture_output=True,
        env=environment,
        check=True,
    )
    assert all(name in done.stdout.decode("cp1252") for name in COMMANDS)


BAD = {
    "--suite smoky": "did you mean 'smoke'",
    "--suite ./nowhere.yaml": "no such file",
    "--suite smoke --paradigm holonik": "did you mean 'holonic'",
    "--suite smoke --split tset": "split='tset', must be one of train, validation, test",
    "--suite smoke --seeds -1": "must be a whole number >= 0",
    "--suite smoke --seeds 1.5": "must be a whole number >= 0",
    "--suite smoke --seeds 5:2": "must be a whole number >= 0 or a range",
    "--suite smoke --case-id smoke-s0": "no case 'smoke-s0'",
    "--suite smoke --limit 0": "--limit",
    "--suite smoke --set vehicles.cont=2": "did you mean 'count'",
    "--suite smoke --set vehicles.count": "must be KEY=VALUE",
    "--suite smoke --controller rulez": "did you mean 'rules'",
    "--suite smoke --framework native2": "did you mean 'native'",
    "--suite smoke --rule dispatch=sptt": "rule dispatch='sptt', must be one of",
    "--suite smoke --rule despatch=spt": "rule for kind='despatch', must be one of routing,",
    "--suite smoke --rule spt": "rule 'spt', must be KIND=NAME",
    "--suite smoke --rule dispatch=spt --controller random": "no controller here decides by rules",
    "--suite smoke --rule dispatch=spt --controller-command python x.py": "leave out --controller",
    "--suite smoke --controller rules --controller random --label same": "run them separately",
    "--from nothing.json": "nothing.json: cannot be read",
    "--resume": "add --output-dir OUT",
    "--resume --output-dir empty": "holds no run to continue",
    "": "name a suite",
    "--sweet smoke": "no such option",
}


@pytest.mark.parametrize("line", BAD, ids=list(BAD))
def test_bad_input_is_one_sentence_and_nothing_is_written(here: Path, line: str) -> None:
    """A typo must cost a second and say what to do, not leave half a folder behind."""
    done = command("run", *line.split())
    assert done.exit_code == 2
    assert BAD[line].lower() in done.stderr.lower()
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.output
    assert list(here.iterdir()) == []


def test_unknown_command_names_the_nearest() -> None:
    """`desbench rum` is a typo of `run`."""
    done = command("rum")
    assert (done.exit_code, "did you mean 'run'" in done.stderr) == (2, True)


def test_run_prints_measures_and_where_the_files_are(here: Path) -> None:
    """The first run of a new user: default folder, all four families, exit code 0."""
    done = command("run", "--suite", "smoke", "--paradigm", "centralized")
    assert done.exit_code == 0, done.output
    for word in ("effectiveness", "constraints", "coordination", "robustness", "makespan"):
        assert word in done.stdout
    assert f"results in {Path('desbench-runs/smoke-1')}" in done.stdout
    folder = here / "desbench-runs/smoke-1"
    assert {path.name for path in folder.iterdir()} >= {
        "manifest.json", "suite_summary.csv", "paradigm_summary.csv", "runs", "traces",
    }  # fmt: skip
    assert summary(folder)[0]["status"] == "done"
    assert command("run", "--suite", "smoke", "--paradigm", "centralized").exit_code == 0
    assert (here / "desbench-runs/smoke-2").is_dir()


def test_a_truncated_run_is_a_result(here: Path) -> None:
    """Two epochs are too few to finish, but that is what the paradigm did: exit code 0."""
    line = "run --suite smoke --paradigm centralized --set decision_limit=2 --output-dir OUT"
    done = command(*line.split())
    assert done.exit_code == 0, done.output
    (row,) = summary(here / "OUT")
    assert (row["status"], row["truncated"]) == ("decision_limit", "1")
    assert row["suite"] == "smoke[decision_limit=2]"


def test_a_failed_run_is_not_a_result(here: Path) -> None:
    """A controller that crashes is reported with its own words, and the exit code is 1."""
    mine = runner_file(here, "raise ValueError('out of ideas')")
    done = command(
        *"run --suite smoke --paradigm holonic --output-dir OUT --controller".split(), mine
    )
    assert done.exit_code == 1
    assert "out of ideas" in done.output
    assert "Traceback" not in done.output
    (row,) = summary(here / "OUT")
    assert (row["status"], row["makespan"]) == ("error", "")


def test_options_multiply(here: Path) -> None:
    """2 paradigms x 2 settings x 2 seeds x 2 replicates = 16 runs, each a row of its own."""
    line = (
        "run --suite smoke --paradigm centralized --authority-mode holonic --seeds 0,5 "
        "--set vehicles.count=1,2 --replicates 2 --traces none --output-dir OUT"
    )
    assert command(*line.split()).exit_code == 0
    rows = summary(here / "OUT")
    keys = {(r["suite"], r["paradigm"], r["case"], r["replicate"]) for r in rows}
    assert (len(rows), len(keys)) == (16, 16)
    assert not (here / "OUT/traces").exists()


def test_a_manifest_repeats_its_sweep(here: Path) -> None:
    """`--from` gives the same rows up to the clock, and refuses a suite that has changed."""
    suite = here / "shop.yaml"
    suite.write_text("base: smoke\n", encoding="utf-8")
    run = ["run", "--suite", "./shop.yaml", "--paradigm", "holonic", "--output-dir", "ONE"]
    assert command(*run).exit_code == 0
    again = ["run", "--from", "ONE/manifest.json", "--output-dir"]
    assert command(*again, "TWO").exit_code == 0
    one, two = summary(here / "ONE"), summary(here / "TWO")
    for row in (*one, *two):
        del row["wall_time_s"]
    assert one == two
    suite.write_text("base: smoke\nvehicles:\n  count: 1\n", encoding="utf-8")
    done = command(*again, "THREE")
    assert (done.exit_code, "suite_digests of shop" in done.stderr) == (2, True)
    assert not (here / "THREE").exists()


def test_manifest_is_strict_json_with_provenance(here: Path) -> None:
    """Another tool must be able to read which software made a result, and from what."""
    assert command(*"run --suite smoke --paradigm holonic --output-dir OUT".split()).exit_code == 0
    content = json.loads((here / "OUT/manifest.json").read_text(encoding="utf-8"))
    assert list(content) == ["schema_version", "software", "parameters", "environment"]
    assert content["parameters"]["paradigms"] == ["holonic"]


def test_many_runs_leave_no_traces_and_say_so(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of traces fill a disk unasked, so above the limit only measures are kept."""
    monkeypatch.setattr("desbench.sweep.plan.MANY_RUNS", 1)
    line = "run --suite smoke --paradigm holonic --seeds 0:2 --output-dir OUT"
    done = command(*line.split())
    assert "--traces full" in done.stderr
    assert not (here / "OUT/traces").exists()
    assert all(row["trace_hash"] for row in summary(here / "OUT"))


def test_names_of_any_script_pass_a_narrow_console(here: Path) -> None:
    """A suite file called after a real shop must not crash the last line of a long run."""
    (here / "Fräse-Ω 1.yaml").write_text("base: smoke\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    words = ["run", "--suite", "./Fräse-Ω 1.yaml", "--paradigm", "holonic", "--output-dir", "作业"]
    done = subprocess.run(
        [sys.executable, "-m", "desbench", *words], capture_output=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert summary(here / "作业")[0]["suite"] == "Fräse-Ω 1"


def test_a_missing_engine_is_one_sentence(here: Path) -> None:
    """Somebody who forgot to build must read the command that builds, not an inner name."""
    code = (
        "import sys; sys.modules['desbench._engine.simulation'] = None\n"
        "from desbench.cli import main\n"
        "main(['run', '--suite', 'smoke', '--output-dir', 'OUT', '--paradigm', 'holonic'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "run `make build` or `pip install .`" in done.stderr
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    "words, text",
    [
        ("list suites", "smoke"),
        ("list paradigms", "holonic_hybrid"),
        ("list frameworks", "native"),
        ("list controllers", "rules"),
        ("list measures", "G_mk"),
        ("list rules", "least_setup"),
        ("show smoke", '"digest"'),
        ("show holonic", '"cell_contract_actions": "accept_reject"'),
        ("show payload dispatch", '"legal_actions"'),
    ],
)
def test_list_and_show(words: str, text: str) -> None:
    """Everything that can be named on the command line can be looked up there."""
    done = command(*words.split())
    assert done.exit_code == 0, done.output
    assert text in done.stdout


@pytest.mark.filterwarnings("ignore::desbench.instances.yardstick.BelowReference")
def test_a_makespan_below_its_reference_is_named_at_the_end(here: Path) -> None:
    """A negative gap is a new best or an error: it must not hide in one column of a long table."""
    (here / "best.yaml").write_text(
        "base: classic_ft06\n"
        "reference: {makespan: 1000, kind: best_known, source: made up, date: 2026-01-01}\n"
    )
    done = command("run", "--suite", "./best.yaml", "--paradigm", "centralized", "--traces", "none")
    assert done.exit_code == 0, done.output
    assert "below the makespan their suite refers to: 1 runs" in done.output
    done = command("run", "--suite", "classic_ft06", "--paradigm", "centralized")
    assert "below the makespan" not in done.output
