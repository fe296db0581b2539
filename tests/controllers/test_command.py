"""An external program as the controller: what it is told, what its lines do, how it ends."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from desbench.controllers.command import Command

from desbench.cli import main
from desbench.episode import Episode
from desbench.errors import ControllerEnded

PAGE = Path(__file__).resolve().parents[2] / "docs" / "controllers.md"
LOOP = """
import json, sys, time
for line in sys.stdin:
    told = json.loads(line)
    if told["type"] != "decision":
        print(told["type"], file=sys.stderr, flush=True)
        continue
    actions = {agent: view["legal_actions"][0] for agent, view in told["active_agents"].items()}
    answer = {"epoch": told["epoch"], "actions": actions}
"""


def program(folder: Path, answering: str, name: str = "mine.py") -> list[str]:
    """A program whose last lines decide what becomes of `answer`."""
    file = folder / name
    body = "".join(f"    {line}\n" for line in answering.splitlines())
    file.write_text(LOOP + body, encoding="utf-8")
    return [sys.executable, str(file)]


def played(words: list[str], **settings: Any) -> tuple[Episode, Command]:
    """A smoke episode answered by the program."""
    runner, episode = Command(words, **settings), Episode("smoke", paradigm="holonic_hybrid")
    try:
        episode.play(runner)
    finally:
        runner.close()
    return episode, runner


def outcomes(episode: Episode) -> set[tuple[str, str]]:
    """Source and outcome of the actions that were asked for."""
    rows = episode.trace.decisions.to_pylist()
    return {(r["source"], r["outcome"]) for r in rows if r["source"] != "forced"}


SAY = "print(json.dumps(answer), flush=True)"


class First:
    """The same choices in this process."""

    def select_actions(self, decision: Any) -> dict[str, int]:
        """The first legal action of each."""
        return {a: v["legal_actions"][0] for a, v in decision["active_agents"].items()}


def test_a_program_plays_as_an_object_does(tmp_path: Path) -> None:
    """The wire changes nothing: the same answers give the same rows."""
    episode, _ = played(program(tmp_path, SAY), log=tmp_path / "log")
    plain = Episode("smoke", paradigm="holonic_hybrid")
    plain.play(First())
    assert episode.trace.hash == plain.trace.hash
    assert (tmp_path / "log").read_text().split() == ["hello", "reset", "end"]


def test_the_program_of_the_page_runs(tmp_path: Path) -> None:
    """What a reader copies must work as it stands."""
    (text,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "my_runner.py").write_text(text, encoding="utf-8")
    episode, _ = played([sys.executable, str(tmp_path / "my_runner.py")])
    assert outcomes(episode) == {("external", "ok")}


@pytest.mark.parametrize(
    "answering, outcome",
    [
        ("print('I would take the second', flush=True)", "malformed"),
        ("print(json.dumps([1]), flush=True)", "malformed"),
        ("answer['actions'] = {}\n" + SAY, "empty"),
        ("answer['actions'] = dict.fromkeys(actions, '0')\n" + SAY, "wrong_type"),
        ("answer['actions'] = dict.fromkeys(actions, 99)\n" + SAY, "illegal"),
    ],
)
def test_what_does_not_count_falls_back(tmp_path: Path, answering: str, outcome: str) -> None:
    """The contract-safe rule answers, and the outcome says why."""
    episode, _ = played(program(tmp_path, answering))
    assert outcomes(episode) == {("fallback", outcome)}
    assert episode.status == "done"


def test_a_late_line_is_passed_over(tmp_path: Path) -> None:
    """One answer comes after its time: it is late, and no later epoch takes it for its own."""
    slow = "time.sleep(0.6 if told['epoch'] == 1 else 0)\n" + SAY
    episode, _ = played(program(tmp_path, slow), timeout_s=0.3)
    rows = [r for r in episode.trace.decisions.to_pylist() if r["source"] != "forced"]
    assert (rows[0]["source"], rows[0]["outcome"]) == ("fallback", "late")
    assert {r["outcome"] for r in rows[3:]} == {"ok"}


@pytest.mark.parametrize(
    "answering, message",
    [
        ("sys.exit(3)", "ended with exit code 3 in epoch 1"),
        ("answer['epoch'] += 1\n" + SAY, "answered epoch 2 in epoch 1"),
    ],
)
def test_a_broken_protocol_is_no_result(tmp_path: Path, answering: str, message: str) -> None:
    """A program that leaves or runs ahead says nothing about a paradigm."""
    with pytest.raises(ControllerEnded, match=message):
        played(program(tmp_path, answering))


def test_a_program_that_reads_nothing_ends_within_its_limits(tmp_path: Path) -> None:
    """Its pipe fills up; each decision is late, and nobody waits for ever."""
    deaf = [sys.executable, "-c", "import time; time.sleep(600)"]
    runner = Command(deaf, timeout_s=0.001)
    episode = Episode("smoke", paradigm="holonic_hybrid")
    episode.play(runner)
    assert outcomes(episode) == {("fallback", "late")}
    assert sum(len(line or "") for line in runner._told.queue) > 0, "the pipe never filled"
    runner._process.kill()
    runner.close()


def test_a_program_that_closes_its_output_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says no more and does not leave: it is killed, and the case ends."""
    monkeypatch.setattr("desbench.controllers.command.GRACE_S", 0.1)
    mute = "import os, time; os.close(1); time.sleep(600)"
    with pytest.raises(ControllerEnded, match="ended with exit code -9"):
        played([sys.executable, "-c", mute])


def test_usage_that_cannot_be_added_is_left_out(tmp_path: Path) -> None:
    """NaN or a negative count would spoil every sum after it."""
    usage = "answer['usage'] = {'messages': float('nan'), 'cost': -1, 'input_tokens': 3}\n"
    _, runner = played(program(tmp_path, usage + SAY))
    assert list(runner.usage) == ["input_tokens"]


def command(here: Path, *words: str) -> tuple[int, str, list[dict[str, str]]]:
    """Exit code, output and summary rows of `desbench run` on smoke."""
    asked = ["run", "--suite", "smoke", "--paradigm", "holonic", "--output-dir", str(here / "OUT")]
    done = CliRunner().invoke(main, [*asked, *words])
    summary = here / "OUT" / "suite_summary.csv"
    rows: list[dict[str, str]] = []
    if summary.exists():
        with open(summary, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    return done.exit_code, done.output, rows


@pytest.mark.parametrize("is_quoted", [True, False])
def test_the_command_takes_it_quoted_or_not(tmp_path: Path, is_quoted: bool) -> None:
    """Both ways people type it; usage stands beside the messages of the protocol."""
    usage = "answer['usage'] = {'messages': 2, 'cost': 0.5, 'other': 'x'}\n"
    words = program(tmp_path, usage + SAY)
    told = [" ".join(words)] if is_quoted else words
    code, output, (row,) = command(tmp_path, "--controller-command", *told)
    assert code == 0, output
    assert row["controller"] == "command-mine"
    assert float(row["controller_messages"]) == 2 * int(row["decision_steps"])
    assert float(row["controller_cost"]) == 0.5 * int(row["decision_steps"])
    assert row["controller_input_tokens"] == ""
    (log,) = (tmp_path / "OUT" / "logs").iterdir()
    assert log.read_text().split() == ["hello", "reset", "end"]
    assert json.loads((tmp_path / "OUT" / "manifest.json").read_text())


def test_a_program_that_dies_makes_an_error_and_says_where_its_words_are(tmp_path: Path) -> None:
    """Its run is not a result: exit code 1, and the log holds what it said."""
    words = program(tmp_path, "raise ValueError('no plan')")
    code, _, (row,) = command(tmp_path, "--controller-command", *words)
    assert (code, row["status"]) == (1, "error")
    assert "what it said is in" in row["cause"]
    (log,) = (tmp_path / "OUT" / "logs").iterdir()
    assert "no plan" in log.read_text()


@pytest.mark.parametrize(
    "words, message",
    [
        (["--controller-command", "no_such_program_here x"], "no such program"),
        (["--controller-command", ""], "is empty"),
        (["--controller-command", "'unclosed"], "No closing quotation"),
        (["--controller-command", "python x.py", "--controller", "random"], "leave out --contr"),
        (["stray"], "'stray' belongs to no option"),
    ],
)
def test_bad_commands_are_refused_at_the_door(
    tmp_path: Path, words: list[str], message: str
) -> None:
    """One sentence, exit code 2, nothing written."""
    code, output, _ = command(tmp_path, *words)
    assert code == 2
    assert message in output
    assert not (tmp_path / "OUT").exists()
