"""Public mistakes of other benchmarks, each as a run that would repeat it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from desbench.errors import InputError
from desbench.instances.suite import load_suite
from desbench.trace import read
from desbench.verify import verify
from language.faults import Body, serving
from language.runs import ask, calls, rows, sources

pytest.importorskip("openai", reason="needs desbench[llm]")


def test_an_overloaded_server_never_scores_against_a_paradigm(tmp_path: Path) -> None:
    """C02: 429 for ever from the fifth decision of one seed; the others count, resume ends it."""
    is_down = True

    def script(_: Body, number: int) -> str:
        return "429" if is_down and number >= 5 else "first"

    with serving(script) as server:
        first = ask(tmp_path, server.url, seeds="0:2")
        assert [record.status for record in first.records] == ["infra_error", "infra_error"]
        assert first.exit_code == 1
        group = rows(tmp_path, "paradigm_summary.csv")[0]
        assert (group["infra_error"], group["makespan_n"]) == ("2", "0")
        assert float(rows(tmp_path)[0]["paid_calls"]) == 5  # 4 answered, 1 begun: nothing forgotten
        is_down, before = False, len(server.bodies)
        done = ask(tmp_path, server.url, seeds="0:2", execution={"resume": True})
        assert [record.status for record in done.records] == ["done", "done"]
        asked = len(server.bodies) - before
    llm = [int(row["llm_calls"]) for row in rows(tmp_path)]
    cached = [int(row["llm_cached"]) for row in rows(tmp_path)]
    assert sum(llm) - sum(cached) == asked
    assert cached[0] >= 4  # the four paid answers were not paid again
    assert float(rows(tmp_path)[0]["paid_input_tokens"]) == 100 * (llm[0] - cached[0] + 4)


def test_a_ghost_decision_is_recorded_as_illegal(tmp_path: Path) -> None:
    """C03: the prose names a legal number, the answer is 99: illegal, then the rule."""
    with serving(lambda _, number: "prose_illegal" if number == 2 else "first") as server:
        outcome = ask(tmp_path, server.url, limit=1)
    (row,) = [one for one in calls(outcome) if one["outcome"] != "ok"]
    assert (row["outcome"], row["action"]) == ("illegal", 99)
    assert row["text"].startswith("I considered ")
    assert outcome.records[0].measures["fallback_decisions"] == 1
    assert sources(outcome)["fallback"] == 1
    assert float(rows(tmp_path)[0]["fallback_share"]) > 0


@pytest.mark.parametrize("fault", ["never", "drip"])
def test_a_silent_server_ends_within_the_limit(tmp_path: Path, fault: str) -> None:
    """C14: nothing, or a byte now and then: each decision ends at its limit, reason late."""
    with serving(lambda _, number: fault if number <= 3 else "first") as server:
        started = time.perf_counter()
        outcome = ask(tmp_path, server.url, limit=1, decision_timeout=0.5)
        spent = time.perf_counter() - started
    assert outcome.records[0].status == "done"
    assert outcome.records[0].measures["llm_late"] == 3
    assert 1.5 <= spent < 15


def test_others_go_on_while_one_waits(tmp_path: Path) -> None:
    """C14: five cells are asked at once and one never answers: one limit, not five."""
    with serving("never") as server:
        started = time.perf_counter()
        outcome = ask(
            tmp_path,
            server.url,
            limit=1,
            paradigms=("heterarchical_cnp",),
            controllers=("rules", "bid=openai_compat"),
            decision_timeout=0.2,
            memory="off",
        )
        spent = time.perf_counter() - started
    late = int(outcome.records[0].measures["llm_late"] or 0)
    epochs = len({one["epoch"] for one in calls(outcome)})
    assert late > epochs  # several in one epoch
    assert spent < 0.2 * epochs * 1.5 + 10


def test_two_models_are_never_mixed_under_one_label(tmp_path: Path) -> None:
    """C15: model A counted under model B; the key knows the model, whatever it is called."""
    with serving("first") as server:
        ask(tmp_path / "a", server.url, limit=1, label="mine")
        with pytest.raises(InputError, match=r"asks for something else.*llm_models"):
            ask(
                tmp_path / "a",
                server.url,
                limit=1,
                label="mine",
                llm_models=("N",),
                execution={"resume": True},
            )
        with pytest.raises(InputError, match="two different controllers would be called 'mine'"):
            ask(tmp_path / "b", server.url, label="mine", llm_models=("M", "N"))
        outcome = ask(tmp_path / "c", server.url, limit=1, llm_models=("M", "N"))
    assert [record.key.controller for record in outcome.records] == [
        "native-rules[release=openai_compat,model=M]",
        "native-rules[release=openai_compat,model=N]",
    ]


def test_a_cut_answer_is_asked_again_with_more_room(tmp_path: Path) -> None:
    """C16: the cut answer looks whole; it is truncated, and the same limit would cut it again."""
    with serving(lambda _, number: "length" if number == 1 else "first") as server:
        outcome = ask(tmp_path, server.url, limit=1, reasks=1)
        limits = [body["max_tokens"] for body in server.bodies[:3]]
    assert limits == [24, 48, 24]
    first, second = calls(outcome)[:2]
    assert (first["outcome"], second["outcome"], second["attempt"]) == ("truncated", "ok", 2)
    assert outcome.records[0].measures["llm_truncated"] == 1
    assert outcome.records[0].measures["fallback_decisions"] == 0


@pytest.mark.slow
def test_eight_workers_share_one_quota(tmp_path: Path) -> None:
    """C24: two requests a second for all; 8 workers lose nothing and are hardly ever refused."""
    times: list[float] = []

    def script(_: Body, __: int) -> str:
        now = time.monotonic()
        times.append(now)
        return "429 0.5" if sum(now - one < 0.9 for one in times) > 2 else "first"

    with serving(script) as server:
        outcome = ask(
            tmp_path,
            server.url,
            {"requests_per_minute": 120, "retries": 12},  # a busy computer lets calls bunch up
            {"workers": 8},
            seeds="0:8",
            controllers=("rules", "mode=openai_compat"),
        )
        asked = len(server.bodies)
    assert {record.status for record in outcome.records} <= {"done", "horizon"}
    assert sum(record.paid["calls"] for record in outcome.records) <= asked
    assert asked > 8
    assert times[-1] - times[0] >= (asked - 1) / 2 * 0.7


def test_a_stated_wait_is_kept_and_wrong_requests_are_not_repeated(tmp_path: Path) -> None:
    """C24: Retry-After is waited for once by everybody; 400 and 401 would only be refused again."""
    with serving(lambda _, number: "429 0.7" if number == 1 else "first") as server:
        started = time.perf_counter()
        outcome = ask(tmp_path / "a", server.url, limit=1)
        assert time.perf_counter() - started >= 0.7
        assert outcome.records[0].status == "done"
        assert outcome.records[0].measures["llm_retries"] == 1
    for status in ("400", "401"):
        with serving(status) as server:
            outcome = ask(tmp_path / status, server.url, {"retries": 3}, limit=1)
            assert len(server.bodies) == 1
            assert f"answered {status}" in outcome.records[0].cause


def test_a_wait_longer_than_the_limit_is_nobodys_fault(tmp_path: Path) -> None:
    """C24: the server says 75 s, a decision may take 1: the case is set aside, not scored late."""
    with serving("429 75") as server:
        started = time.perf_counter()
        outcome = ask(tmp_path, server.url, limit=1, decision_timeout=1.0)
        assert time.perf_counter() - started < 10
    assert outcome.records[0].status == "infra_error"
    assert "answered 429, after 1 s" in outcome.records[0].cause


def test_measured_decisions_are_charged_and_play_again(tmp_path: Path) -> None:
    """A slow answer lets the plant go on; kept answers take the time they took at first."""
    settings = (
        ("coordination.decision_delay", ("measured",)),
        ("ticks_per_unit", ("60000000",)),  # a microsecond
    )
    with serving("first") as server:
        first = ask(tmp_path / "one", server.url, limit=1, settings=settings)
    (record,) = first.records
    trace = read(first.folder, record.key)
    took = {row["epoch"]: round(row["latency_s"] * 1e6) for row in calls(first)}
    assert min(took.values()) > 0
    (assigned,) = [row for row in trace.events.to_pylist() if row["kind"] == "assign"][:1]
    asked = [row for row in trace.decisions.to_pylist() if row["epoch"] <= assigned["epoch"]]
    released = max(row["epoch"] for row in asked if row["kind"] == "release")
    (start,) = {row["time"] for row in asked if row["epoch"] == released}
    assert assigned["time"] == start + took[released]
    instance = load_suite("smoke").with_settings({k: v for k, (v,) in settings})
    verify(trace, instance.realise(record.key.case)).raise_if_broken()
    kept = str(first.folder / "answers.sqlite")
    again = ask(
        tmp_path / "two",
        server.url,
        limit=1,
        settings=settings,
        controllers=("rules", "release=recorded"),
        llm_cache=kept,
    )
    assert read(again.folder, again.records[0].key).raw("events").equals(trace.raw("events"))
