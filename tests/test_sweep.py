"""A sweep gives the same results however it is carried out, and loses nothing it finished."""

from __future__ import annotations

import csv
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from desbench.controllers.backends.rules import Rules

import desbench
from desbench.errors import InputError
from desbench.report.records import Record
from desbench.sweep import Execution, Options, Outcome, sweep
from desbench.sweep.folder import Folder
from desbench.sweep.options import parse_seeds
from runners import runner_file

CLOCK = ("attempts", "wall_time_s")


def go(folder: Path, execution: dict[str, Any] | None = None, **asked: Any) -> Outcome:
    """Run a small sweep: the smoke suite under one paradigm unless told otherwise."""
    wanted = {"suites": ("smoke",), "paradigms": ("centralized_plant",), "seeds": "0:6"} | asked
    return sweep(Options(**wanted), Execution(folder, **(execution or {})))


def rows(folder: Path) -> list[dict[str, str]]:
    """Rows of a suite summary without the columns that follow the clock."""
    with open(folder / "suite_summary.csv", newline="", encoding="utf-8") as file:
        return [
            {name: value for name, value in row.items() if name not in CLOCK}
            for row in csv.DictReader(file)
        ]


def start(folder: Path, *words: str, **options: Any) -> subprocess.Popen[str]:
    """Start the real command in a process group of its own."""
    line = [sys.executable, "-m", "desbench", "run", "--suite", "smoke", *words]
    line += ["--paradigm", "centralized_plant", "--output-dir", str(folder)]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        line, stdout=pipe, stderr=pipe, text=True, start_new_session=True, **options
    )


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def finished(folder: Path) -> int:
    """Number of run files."""
    return len(list(folder.glob("runs/*.json")))


def living(group: int) -> list[str]:
    """Processes of a group that are not just waiting to be buried."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended while we looked
            text = path.read_text(encoding="utf-8")
            state, _, own = text.rpartition(")")[2].split()[:3]
            if int(own) == group and state != "Z":
                found.append(text)
    return found


def test_same_bytes_in_every_process_and_with_any_number_of_workers(tmp_path: Path) -> None:
    """Sets, hashes of texts or the order of finishing must not reach a trace; whole files count."""
    folders = []
    for hash_seed, workers in (("0", "1"), ("1", "1"), ("2", "2")):
        folders.append(tmp_path / f"h{hash_seed}w{workers}")
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        words = ("--seeds", "0:3", "--paradigm", "heterarchical_cnp", "--workers", workers)
        process = start(folders[-1], *words, env=environment)
        assert process.wait(120) == 0
    first, *others = folders
    files = sorted(path.relative_to(first) for path in first.rglob("*.arrow"))
    assert len(files) > 6
    for other in others:
        assert rows(other) == rows(first)
        assert (other / "paradigm_summary.csv").read_bytes() == (
            first / "paradigm_summary.csv"
        ).read_bytes()
        for file in files:
            assert (other / file).read_bytes() == (first / file).read_bytes(), file


def test_seeds_are_distinct_and_seed_zero_is_a_seed(tmp_path: Path) -> None:
    """A shared stream gives equal replications, `if seed:` gives seed 0 a new one each time."""
    outcome = go(tmp_path / "a", {"workers": 2}, seeds="0:8")
    again = go(tmp_path / "b", seeds="0:8")
    hashes = [record.trace_hash for record in outcome.records]
    assert len(set(hashes)) == 8
    assert hashes == [record.trace_hash for record in again.records]


def test_one_failing_case_does_not_end_the_sweep(tmp_path: Path) -> None:
    """10 cases, the sixth raises: 9 results and 1 error, in the summary and in the exit code."""
    mine = runner_file(tmp_path, "if self.case == 'smoke-s05': raise ValueError('bad case')")
    outcome = go(tmp_path / "out", seeds="0:10", controllers=(mine,))
    statuses = [record.status for record in outcome.records]
    assert (statuses.count("done"), statuses[5], outcome.exit_code) == (9, "error", 1)
    assert outcome.records[5].cause == "ValueError: bad case"
    assert rows(tmp_path / "out")[5]["makespan"] == ""


def test_fail_fast_stops_and_says_why(tmp_path: Path) -> None:
    """Who asks for it gets the first failure at once; what was not played is `cancelled`."""
    mine = runner_file(tmp_path, "if self.case == 'smoke-s01': raise ValueError('bad case')")
    outcome = go(tmp_path / "out", {"fail_fast": True}, controllers=(mine,))
    assert [record.status for record in outcome.records] == ["done", "error", *["cancelled"] * 4]
    assert "bad case" in outcome.reason


def test_the_same_error_from_the_start_stops_the_sweep(tmp_path: Path) -> None:
    """A wrong key fails every run alike: five times are enough to know, a thousand cost a night."""
    mine = runner_file(tmp_path, "raise ValueError('no key for ' + self.case)")
    outcome = go(tmp_path / "out", seeds="0:9", controllers=(mine,))
    statuses = [record.status for record in outcome.records]
    assert (statuses.count("error"), statuses.count("cancelled")) == (5, 4)


def test_what_is_not_the_fault_of_a_paradigm_has_its_own_status(tmp_path: Path) -> None:
    """A dead server scores nobody and the sweep goes on; a spent budget ends it, to be resumed."""
    trouble = (
        "from desbench.errors import BudgetReached, InfraError\n"
        "        if self.case == 'smoke-s01': raise InfraError('no server')\n"
        "        if self.case == 'smoke-s03': raise BudgetReached('--max-calls 9 reached')"
    )
    mine = runner_file(tmp_path, trouble)
    outcome = go(tmp_path / "out", controllers=(mine,))
    statuses = [record.status for record in outcome.records]
    assert statuses == ["done", "infra_error", "done", "cancelled", "cancelled", "cancelled"]
    assert outcome.reason == "--max-calls 9 reached"
    assert outcome.exit_code == 1


def test_a_case_that_kills_its_worker_is_set_aside(tmp_path: Path) -> None:
    """Out of memory looks like this: the case is tried alone, then named; the others are done."""
    mine = runner_file(
        tmp_path, "if self.case == 'smoke-s02': os.kill(os.getpid(), signal.SIGKILL)"
    )
    outcome = go(tmp_path / "out", {"workers": 2}, controllers=(mine,))
    statuses = [record.status for record in outcome.records]
    assert statuses == ["done", "done", "killed", "done", "done", "done"]
    assert "died twice (SIGKILL)" in outcome.records[2].cause
    assert outcome.exit_code == 1


def test_a_worker_killed_once_costs_nothing(tmp_path: Path) -> None:
    """The second attempt succeeds, so the sweep must end as if nothing had happened."""
    flag = tmp_path / "killed"
    trouble = (
        f"flag = Path({str(flag)!r})\n"
        "        if self.case == 'smoke-s02' and not flag.exists():\n"
        "            flag.touch(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    outcome = go(tmp_path / "out", {"workers": 2}, controllers=(runner_file(tmp_path, trouble),))
    assert flag.exists()
    assert all(record.status == "done" for record in outcome.records)
    assert outcome.exit_code == 0


def test_resume_does_only_what_is_missing_or_damaged(tmp_path: Path) -> None:
    """Six runs; one record lost, one trace ten bytes short, one record cut: three are redone."""
    out = tmp_path / "out"
    before = go(out).records
    folder = Folder(out)
    folder.record_path(before[0].digest).unlink()
    trace = sorted(out.glob("traces/events/**/case=smoke-s01/**/*.arrow"))[0]
    trace.write_bytes(trace.read_bytes()[:-10])
    cut = folder.record_path(before[2].digest)
    cut.write_bytes(cut.read_bytes()[:40])
    first = rows(out)
    played: list[Record] = []
    outcome = sweep(
        Options(("smoke",), ("centralized_plant",), seeds="0:6"),
        Execution(out, resume=True),
        progress=lambda record, done, total: played.append(record),
    )
    assert sorted(record.key.case for record in played) == ["smoke-s00", "smoke-s01", "smoke-s02"]
    assert rows(out) == first
    assert [record.attempts for record in outcome.records] == [1, 2, 1, 1, 1, 1]


def test_resume_plays_failed_runs_again_and_adds_up_attempts(tmp_path: Path) -> None:
    """An error may be over tomorrow; what the first attempt cost stays in the total."""
    flag = tmp_path / "repaired"
    trouble = f"if not Path({str(flag)!r}).exists(): time.sleep(0.2); raise ValueError('not yet')"
    mine = runner_file(tmp_path, trouble)
    out = tmp_path / "out"
    assert go(out, seeds="0:2", controllers=(mine,)).exit_code == 1
    flag.touch()
    outcome = go(out, {"resume": True}, seeds="0:2", controllers=(mine,))
    assert outcome.exit_code == 0
    assert [record.attempts for record in outcome.records] == [2, 2]
    assert all(record.wall_time_s > 0.2 for record in outcome.records)


def test_resume_refuses_other_content_under_the_same_names(tmp_path: Path) -> None:
    """Half a sweep of one suite and half of another would look like one result."""
    shop = tmp_path / "shop.yaml"
    shop.write_text("base: smoke\n", encoding="utf-8")
    out = tmp_path / "out"
    go(out, suites=(str(shop),))
    with pytest.raises(InputError, match="limit: None there, 2 here"):
        go(out, {"resume": True}, suites=(str(shop),), limit=2)
    shop.write_text("base: smoke\nvehicles:\n  count: 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="suite_digests of shop differ"):
        go(out, {"resume": True}, suites=(str(shop),))


def test_two_runs_on_one_folder(tmp_path: Path) -> None:
    """The second must not write into the first one's files, and say who holds the folder."""
    out = tmp_path / "out"
    with Folder(out).locked(), pytest.raises(InputError, match=f"in use by process {os.getpid()}"):
        go(out)
    assert finished(out) == 0
    go(out, seeds="0")
    with pytest.raises(InputError, match="already holds a run"):
        go(out, seeds="0")


SLOW = "time.sleep(0 if self.case in ('smoke-s00', 'smoke-s01') else 60)"


@pytest.mark.parametrize("workers, number, code", [("2", "SIGINT", 130), ("1", "SIGTERM", 143)])
def test_interrupt_keeps_what_is_finished(
    tmp_path: Path, workers: str, number: str, code: int
) -> None:
    """Ctrl-C reaches the whole group: no new case, finished ones kept, no child left behind."""
    out = tmp_path / "out"
    mine = runner_file(tmp_path, SLOW)
    process = start(out, "--seeds", "0:6", "--workers", workers, "--controller", mine)
    wait_until(lambda: finished(out) == 2)
    time.sleep(0.3)
    os.killpg(process.pid, getattr(signal, number))
    output, errors = process.communicate(timeout=20)  # returns only when no child holds the pipes
    assert process.returncode == code, errors
    assert "Traceback" not in errors
    assert "partial: 4 of 6 runs were not done" in output
    assert [row["status"] for row in rows(out)] == ["done", "done", *["cancelled"] * 4]
    wait_until(lambda: living(process.pid) == [], 5)


def test_a_killed_parent_takes_its_workers_along_and_resume_goes_on(tmp_path: Path) -> None:
    """After kill -9 nobody is left to tidy up: workers must notice, the lock must be free."""
    out, flag = tmp_path / "out", tmp_path / "fast"
    trouble = (
        f"time.sleep(60 if self.case > 'smoke-s01' and not Path({str(flag)!r}).exists() else 0)"
    )
    mine = runner_file(tmp_path, trouble)
    process = start(out, "--seeds", "0:4", "--workers", "2", "--controller", mine)
    wait_until(lambda: finished(out) == 2)
    time.sleep(0.3)
    process.kill()
    process.communicate(timeout=20)
    flag.touch()
    words = [sys.executable, "-m", "desbench", "run", "--resume", "--output-dir", str(out)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "2 of 4 runs are finished, 2 to do" in done.stderr
    assert [row["status"] for row in rows(out)] == ["done"] * 4


def test_a_full_disk_is_a_failure_and_leaves_no_half_file(tmp_path: Path) -> None:
    """A limit on file size acts like a full disk in the middle of a trace; then there is room."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (24_000, 24_000))

    out = tmp_path / "out"
    process = start(out, "--seeds", "0:6", preexec_fn=limit)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "cannot be written (File too large)" in errors
    assert "Traceback" not in errors
    assert list(out.rglob("*.tmp")) == []
    outcome = go(out, {"resume": True})
    assert outcome.exit_code == 0
    assert rows(out) == rows_of_fresh(tmp_path / "fresh")


def rows_of_fresh(folder: Path) -> list[dict[str, str]]:
    """Rows of the same sweep on an empty disk."""
    go(folder)
    return rows(folder)


def test_python_callers_get_results_and_may_bring_a_runner(tmp_path: Path) -> None:
    """A notebook hands over an object; its label is its class, its runs are like any other."""
    from desbench.controllers.frameworks.native import Native

    class Mine(Native):
        """The rules by another name."""

    asked: dict[str, Any] = {"suites": "smoke", "paradigms": "holonic", "seeds": [0, 1]}
    result = desbench.run(controller=Mine(Rules()), output_dir=tmp_path / "a", **asked)
    named = desbench.run(output_dir=tmp_path / "b", **asked)
    assert result.summary["controller"].to_pylist() == ["python-Mine"] * 2
    assert result.summary["makespan"].equals(named.summary["makespan"])
    with pytest.raises(InputError, match="workers > 1 needs a controller by name"):
        desbench.run(controller=Mine(Rules()), workers=2, output_dir=tmp_path / "c", **asked)
    assert not (tmp_path / "c").exists()


def test_rules_by_name_multiply(tmp_path: Path) -> None:
    """Rules are compared like paradigms: each combination is a controller of its own name."""
    asked: dict[str, Any] = {"suites": "smoke", "paradigms": "centralized", "traces": "none"}
    rules = ["dispatch=fifo", "dispatch=lifo", "routing=nearest"]
    result = desbench.run(rules=rules, output_dir=tmp_path / "a", workers=2, **asked)
    assert result.summary["controller"].to_pylist() == [
        "native-rules[dispatch=fifo,routing=nearest]",
        "native-rules[dispatch=lifo,routing=nearest]",
    ]
    fifo, lifo = result.summary.to_pylist()
    assert fifo["mean_flow_time"] != lifo["mean_flow_time"]
    with pytest.raises(InputError, match="the runner decides itself"):
        desbench.run(controller=Rules(), rules="dispatch=spt", output_dir=tmp_path / "b", **asked)


def test_an_authority_mode_of_ones_own_runs_on_workers_too(tmp_path: Path) -> None:
    """A registered name is known in one process only, so the mode itself must travel."""
    from desbench.paradigms import AuthorityMode

    mode = AuthorityMode("polite", "plant_area_cell", cell_contract_actions="accept_reject")
    result = desbench.run("smoke", mode, seeds="0:2", workers=2, output_dir=tmp_path / "out")
    assert result.summary["paradigm"].to_pylist() == ["polite", "polite"]
    again = json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))
    assert Options.from_parameters(again["parameters"]).paradigms == (mode,)


def test_result_opens_a_table_by_what_is_unique(tmp_path: Path) -> None:
    """With one paradigm a case names a run; with two the message names the choice."""
    result = desbench.run("smoke", ["centralized", "holonic"], output_dir=tmp_path / "out")
    with pytest.raises(InputError, match="name also paradigm"):
        result.table("events", case="smoke-s00")
    ticks = result.table("events", case="smoke-s00", paradigm="holonic_hybrid")
    hours = result.table("events", case="smoke-s00", paradigm="holonic_hybrid", unit="h")
    last = ticks["time"].to_pylist()[-1]
    assert hours["time"].to_pylist()[-1] == pytest.approx(last / 1000 / 60)
    assert desbench.load(tmp_path / "out").summary.equals(result.summary)


@pytest.mark.parametrize(
    "text, seeds",
    [("0", [0]), ("0:3", [0, 1, 2]), ("7,0,4:6", [7, 0, 4, 5]), ("1,1", [1]), (" 2 , 3", [2, 3])],
)
def test_seeds(text: str, seeds: list[int]) -> None:
    """Ranges are half-open like every interval here; a seed counts once."""
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize("text", ["", "-1", "1.0", "3:3", "0x1", "1:", "٣", "0:99999999999"])
def test_seeds_refused(text: str) -> None:
    """Negative, fractional, empty, huge: refused in words, never a silent other seed."""
    with pytest.raises(InputError, match="seeds="):
        parse_seeds(text)
