"""Calls cost money: limits stop cleanly, nothing is paid twice, nothing is forgotten."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from desbench.cli import main
from desbench.errors import BudgetReached, InputError
from desbench.language.cache import Answer, Answers, canonical, key_of
from desbench.language.ledger import Ledger
from desbench.sweep.controllers import read_prices
from language.faults import serving
from language.runs import ask, calls, rows, sources

ANSWER = Answer('{"action": 1}', "stop", None, 100, 7, 0.5, 0)


def test_a_key_depends_on_all_that_determines_an_answer() -> None:
    """Another body, server or replicate is another question; the order of keys is not."""
    body = canonical({"b": 1, "a": 2})
    assert body == canonical({"a": 2, "b": 1})
    keys = {
        key_of(body, "u", 0),
        key_of(body, "u", 1),
        key_of(body, "v", 0),
        key_of(canonical({"a": 2}), "u", 0),
    }
    assert len(keys) == 4


def test_the_first_answer_stands(tmp_path: Path) -> None:
    """Two workers ask the same at once: a replay must meet the one that was played."""
    path = str(tmp_path / "answers.sqlite")
    one, two = Answers(path), Answers(path)
    assert one.keep("k", "{}", "u", 0, ANSWER) == ANSWER
    assert two.keep("k", "{}", "u", 0, ANSWER._replace(text="other")) == ANSWER


def test_a_file_of_answers_can_be_read_from_anywhere(tmp_path: Path) -> None:
    """A published file may lie where nothing can be written."""
    path = tmp_path / "answers.sqlite"
    answers = Answers(str(path))
    answers.keep("k", "{}", "u", 0, ANSWER)
    answers.close()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert Answers(str(path), is_there=True).get("k") == ANSWER
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    (tmp_path / "text").write_text("this is no database, whatever its name may say")
    with pytest.raises(InputError, match="not a file of answers"):
        Answers(str(tmp_path / "text"), is_there=True)
    with pytest.raises(InputError, match="add --llm-cache FILE"):
        Answers("", is_there=True)


def test_two_ledgers_keep_one_pace(tmp_path: Path) -> None:
    """60 a minute: five places in the queue, whoever takes them, are 0, 1, 2, 3, 4 s away."""
    path = str(tmp_path / "ledger.sqlite")
    ledgers = [Ledger(path, 60), Ledger(path, 60)]
    delays = [ledgers[number % 2].turn(1) for number in range(5)]
    assert delays == pytest.approx([0, 1, 2, 3, 4], abs=0.2)


def test_tokens_have_a_pace_too() -> None:
    """600 tokens a minute, 100 for each request: 10 s each."""
    ledger = Ledger("", 0, 600)
    assert [ledger.turn(100) for _ in range(3)] == pytest.approx([0, 10, 20], abs=0.2)


def test_a_pause_holds_for_everybody(tmp_path: Path) -> None:
    """The server said wait to one worker and means all."""
    path = str(tmp_path / "ledger.sqlite")
    Ledger(path).pause(5)
    assert Ledger(path).turn(1) == pytest.approx(5, abs=0.2)


def test_a_ledger_remembers_what_was_spent(tmp_path: Path) -> None:
    """The limit holds over workers and attempts, and the bill names the run."""
    path = str(tmp_path / "ledger.sqlite")
    Ledger(path).begin_call("a", 2, 0)
    ledger = Ledger(path)
    ledger.begin_call("b", 2, 0)
    ledger.spend("b", 100, 7, 0.25)
    with pytest.raises(BudgetReached, match="--max-calls 2 reached: 2 calls"):
        ledger.begin_call("b", 2, 0)
    with pytest.raises(BudgetReached, match=r"--max-cost 0.2 reached: 0.25"):
        ledger.begin_call("b", 0, 0.2)
    assert ledger.bill("b") == {"calls": 1, "input_tokens": 100, "output_tokens": 7, "cost": 0.25}
    assert ledger.bill("c")["calls"] == 0


@pytest.mark.parametrize(
    "text, told",
    [
        ("M: 3", "input=None"),
        ("M: {input: 1}", "output=None"),
        ("M: {input: 1, output: -1}", "output=-1"),
        ("M: {input: 1, output: .nan}", "output=nan"),
        ("- M", "must be MODEL"),
        ("M: {", "must be MODEL"),
    ],
)
def test_a_wrong_price_file_is_refused(tmp_path: Path, text: str, told: str) -> None:
    """A price read wrongly is a wrong bill and a limit that does not hold."""
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        read_prices(str(path))


openai = pytest.mark.skipif(
    not __import__("importlib.util").util.find_spec("openai"), reason="needs desbench[llm]"
)


def prices(folder: Path) -> str:
    """A price file: 100 tokens in and 7 out cost 0.001 + 0.00014."""
    folder.mkdir(exist_ok=True)
    path = folder / "prices.yaml"
    path.write_text("M: {input: 10, output: 20}\n")
    return str(path)


@openai
def test_tokens_and_cost_by_call_run_and_paradigm(tmp_path: Path) -> None:
    """Each call 100 tokens in, 7 out: the sums must be those of the calls, nothing lost."""
    with serving("first") as server:
        outcome = ask(tmp_path / "out", server.url, seeds="0:2", prices=prices(tmp_path))
    for number, record in enumerate(outcome.records):
        made = calls(outcome, number)
        paid = [one for one in made if not one["cached"]]
        assert made[0]["cost"] == pytest.approx(0.00114)
        assert record.measures["input_tokens"] == 100 * len(made)
        assert record.measures["llm_cost"] == pytest.approx(0.00114 * len(made))
        assert record.measures["llm_cost_per_call"] == pytest.approx(0.00114)
        assert record.paid["calls"] == len(paid)
        assert record.paid["cost"] == pytest.approx(0.00114 * len(paid))
    group = rows(tmp_path / "out", "paradigm_summary.csv")[0]
    mean = sum(100 * len(calls(outcome, number)) for number in range(2)) / 2
    assert float(group["input_tokens_mean"]) == mean
    assert float(group["llm_decisions_mean"]) == mean / 100


@openai
@pytest.mark.parametrize("limit", ["max_calls", "max_cost"])
def test_a_limit_stops_cleanly_and_resume_goes_on(tmp_path: Path, limit: str) -> None:
    """Ten calls may be made: the eleventh is not, the case is cancelled, and nothing is lost."""
    value = 10 if limit == "max_calls" else 10 * 0.00114 - 1e-9
    asked: dict[str, Any] = {"seeds": "0:3", "prices": prices(tmp_path)}
    out = tmp_path / "out"
    with serving("first") as server:
        first = ask(out, server.url, {limit: value, "concurrency": 1}, **asked)
        assert len(server.bodies) == 10
        assert {record.status for record in first.records} == {"cancelled"}
        assert first.exit_code == 1
        assert first.reason.startswith(f"--{limit.replace('_', '-')}")
        again = ask(out, server.url, {limit: value}, {"resume": True}, **asked)
        assert len(server.bodies) == 10  # still spent
        assert again.reason == first.reason
        done = ask(out, server.url, None, {"resume": True}, **asked)
        assert {record.status for record in done.records} == {"done"}
        total = len(server.bodies)
    assert sum(record.paid["calls"] for record in done.records) == total
    assert done.records[0].measures["llm_cached"] >= 10


@openai
def test_a_cost_limit_needs_prices(tmp_path: Path) -> None:
    """Without a price the limit would never be reached."""
    with pytest.raises(InputError, match="needs the price of M: add --prices"):
        ask(tmp_path, "http://127.0.0.1:1/v1", {"max_cost": 1.0})


@openai
def test_replicates_are_asked_anew(tmp_path: Path) -> None:
    """Replicates measure what a provider does not repeat: another seed, no kept answer."""
    with serving("first") as server:
        outcome = ask(tmp_path, server.url, limit=1, replicates=2)
        seeds = {body["seed"] for body in server.bodies}
        half = len(server.bodies) // 2
    assert seeds == {0, 1}
    assert [record.paid["calls"] for record in outcome.records] == [half, half]


@openai
def test_recorded_plays_the_same_episode_without_a_server(tmp_path: Path) -> None:
    """The same rows, to the hash, and the same tokens; a question never asked is an error."""
    with serving("ok") as server:
        live = ask(tmp_path / "live", server.url, limit=2)
    file = str(tmp_path / "live" / "answers.sqlite")
    other = {"controllers": ("rules", "release=recorded"), "llm_cache": file, "base_url": None}
    played = ask(tmp_path / "played", "", limit=2, **other)
    for one, two in zip(live.records, played.records, strict=True):
        assert two.trace_hash == one.trace_hash
        assert two.measures["input_tokens"] == one.measures["input_tokens"]
        assert two.paid["calls"] == 0
    missed = ask(tmp_path / "missed", "", seeds="7", **other)
    assert missed.records[0].status == "error"
    assert "recorded: no answer in" in missed.records[0].cause


@openai
def test_sources_add_up_to_all_agent_decisions(tmp_path: Path) -> None:
    """Every decision has exactly one source; calls are the model's decisions and its fallbacks."""
    with serving(lambda _, number: "prose" if number % 3 == 0 else "first") as server:
        outcome = ask(tmp_path, server.url, limit=1, paradigms=("all",))
    assert len(outcome.records) >= 4
    for number, record in enumerate(outcome.records):
        found = sources(outcome, number)
        agents = sum(count for source, count in found.items() if source != "forced")
        assert agents == record.measures["agent_decisions"]
        assert found["llm"] == record.measures["llm_decisions"] == record.measures["llm_ok"]
        assert found["fallback"] == record.measures["fallback_decisions"]
        assert found["llm"] + found["fallback"] == record.measures["llm_calls"]


@openai
def test_a_dry_run_asks_nothing_and_counts_what_a_run_would_ask(tmp_path: Path) -> None:
    """A rules run has the same questions when the model answers as the rules would."""
    words = ["run", "--suite", "smoke", "--paradigm", "centralized_plant", "--limit", "1"]
    words += ["--controller", "openai_compat", "--llm-model", "M", "--dry-run"]
    words += ["--prices", prices(tmp_path), "--output-dir", str(tmp_path / "out")]
    with serving("first") as server:
        done = CliRunner().invoke(main, [*words, "--base-url", server.url])
        assert server.bodies == []
    assert done.exit_code == 0, done.output
    assert not (tmp_path / "out").exists()
    from desbench.episode import Episode, make_runner

    episode = Episode("smoke", paradigm="centralized_plant")
    episode.play(make_runner())
    asked = episode.measures["agent_decisions"]
    assert f"in all {asked} calls, " in done.output
    assert "--- system\nYou are a benchmark controller agent." in done.output
    assert '"kind": "' in done.output


def test_the_ledger_is_a_plain_file(tmp_path: Path) -> None:
    """Anybody can look at what was spent."""
    path = tmp_path / "ledger.sqlite"
    ledger = Ledger(str(path))
    ledger.begin_call("a", 0, 0)
    ledger.close()
    assert sqlite3.connect(path).execute("SELECT calls FROM bills").fetchall() == [(1,)]
