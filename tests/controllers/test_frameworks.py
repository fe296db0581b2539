"""Frameworks: the same questions in the same words; they differ in memory alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from desbench.controllers import make_runner
from desbench.controllers.memory import handoff, outcome, target_of

from desbench.episode import Episode
from desbench.errors import InputError, MissingExtra
from desbench.language.reply import Answered
from desbench.language.settings import MEMORY_LIMIT, Settings
from desbench.protocol.decision import Note
from language.faults import FaultServer, payload_of, serving
from language.runs import ask

FRAMEWORKS = ("native", "langgraph", "agentscope")
needs_openai = pytest.mark.skipif(
    not __import__("importlib.util").util.find_spec("openai"), reason="needs desbench[llm]"
)


@pytest.fixture(params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest) -> str:
    """Every framework whose library is here."""
    if request.param != "native":
        pytest.importorskip(request.param, reason=f"needs desbench[{request.param}]")
    return str(request.param)


@pytest.mark.parametrize("backend", ["rules", "random"])
@pytest.mark.parametrize("memory", ["bounded", "off"])
def test_backends_without_words_answer_alike_under_every_framework(
    framework: str, backend: str, memory: str
) -> None:
    """A rule does not read a memory: the trace must be that of the native framework."""
    plain, here = (Episode("smoke", paradigm="holonic_hybrid") for _ in range(2))
    plain.play(make_runner("native", backend))
    here.play(make_runner(framework, backend, (), Settings(memory=memory)))
    assert here.trace.hash == plain.trace.hash


def bodies(framework: str, memory: str, folder: Path, paradigm: str) -> list[str]:
    """Every request body of an episode, as sent, in the order of the payloads."""
    if framework != "native":
        pytest.importorskip(framework, reason=f"needs desbench[{framework}]")
    with serving("ok") as server:
        asked = {"frameworks": (framework,), "memory": memory, "paradigms": (paradigm,)}
        done = ask(folder, server.url, {"concurrency": 1}, controllers=("openai_compat",), **asked)
        assert done.records[0].is_result, done.records[0].cause
        return [json.dumps(body, ensure_ascii=False) for body in server.bodies]


@needs_openai
@pytest.mark.slow
@pytest.mark.parametrize("paradigm", ["holonic_hybrid", "heterarchical_cnp"])
@pytest.mark.parametrize("other", FRAMEWORKS[1:])
def test_request_bodies_are_the_same_byte_for_byte(
    other: str, paradigm: str, tmp_path: Path
) -> None:
    """With the memory off a difference between frameworks would be ours, not theirs."""
    native = bodies("native", "off", tmp_path / "native", paradigm)
    there = bodies(other, "off", tmp_path / other, paradigm)
    assert there == native
    assert all(len(json.loads(body)["messages"]) == 2 for body in native)


@needs_openai
@pytest.mark.parametrize("name", FRAMEWORKS[1:])
def test_a_bounded_memory_is_filled_and_stays_small(name: str, tmp_path: Path) -> None:
    """600 characters after hundreds of epochs, and something in it, or it would be no memory."""
    seen = [
        json.loads(json.loads(body)["messages"][1]["content"])["context"]["working_memory"]
        for body in bodies(name, "bounded", tmp_path, "holonic_hybrid")
    ]
    assert seen[0] == ""
    assert 100 < max(map(len, seen)) <= MEMORY_LIMIT
    assert all("job" in memory or "mode" in memory for memory in seen[-5:])


def test_memory_is_made_of_what_was_shown_and_answered() -> None:
    """An area that chose a cell remembers it, and the cell is told who hands over what."""
    view: dict[str, Any] = {
        "agent": "area:A1",
        "kind": "route_cell",
        "options": [{"action": 0, "target": "cell:C1"}],
        "context": {"item": {"job": 3, "operation": 1}},
    }
    chosen = Answered(0, Note("llm"))
    assert outcome(view, chosen) == "route_cell job 3: cell:C1"
    assert handoff(view, chosen) == ("cell:C1", "from area:A1: route_cell job 3 operation 1")
    assert target_of(view, 16) == "decline"
    assert handoff(view, Answered(16, Note("llm"))) is None
    lost = Answered(None, Note("llm", "illegal"))
    assert outcome(view, lost) == "route_cell job 3: reply did not count (illegal)"
    assert handoff(view, lost) is None


def test_langgraph_sends_no_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables of LangSmith in a shell would send every payload to somebody else."""
    pytest.importorskip("langgraph", reason="needs desbench[langgraph]")
    with serving("ok") as spy:
        code = (
            "from desbench.episode import Episode, make_runner\n"
            "Episode('smoke').play(make_runner('langgraph'))\n"
            "from langchain_core.tracers.langchain import wait_for_all_tracers\n"
            "wait_for_all_tracers()"
        )
        address = spy.url.removesuffix("/v1")
        told = {
            **{f"{name}_TRACING": "true" for name in ("LANGSMITH", "LANGCHAIN")},
            **{f"{name}_ENDPOINT": address for name in ("LANGSMITH", "LANGCHAIN")},
            **{f"{name}_API_KEY": "planted" for name in ("LANGSMITH", "LANGCHAIN")},
            "LANGCHAIN_TRACING_V2": "true",
        }
        for name, value in told.items():
            monkeypatch.setenv(name, value)
        subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
        assert spy.paths == []


def test_a_missing_library_is_answered_by_the_install_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The remedy is one line to copy, not a traceback."""
    for library in ("langgraph.graph", "agentscope.agent", "openai"):
        monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, "desbench.controllers.relay", raising=False)
    for name in FRAMEWORKS[1:]:
        with pytest.raises(MissingExtra, match=rf'pip install "desbench\[{name}\]"'):
            make_runner(name)
    with pytest.raises(MissingExtra, match=r'pip install "desbench\[llm\]"'):
        make_runner("native", "openai_compat", (), Settings(model="M", base_url="http://h/v1"))


def models(server: FaultServer) -> set[tuple[str, str, str]]:
    """Who was asked what of which model."""
    found = ((payload_of(body), body["model"]) for body in server.bodies)
    return {(payload["role"], payload["kind"], model) for payload, model in found}


@needs_openai
def test_roles_and_kinds_may_have_their_own_backend_and_model(tmp_path: Path) -> None:
    """Kind before role before the common one, for backends and for models."""
    with serving("first") as server:
        outcome = ask(
            tmp_path,
            server.url,
            limit=1,
            paradigms=("hierarchical_chain",),
            controllers=("openai_compat", "dispatch=rules"),
            llm_models=("plant=M1", "area=M2", "route_area=M3", "cell=M4"),
        )
        asked = models(server)
    assert asked >= {("plant", "release", "M1"), ("plant", "route_area", "M3")}
    assert {one for one in asked if one[0] == "area"} <= {
        ("area", kind, "M2") for kind in ("route_cell", "reroute", "mode")
    }
    assert "dispatch" not in {kind for _, kind, _ in asked}
    assert outcome.records[0].key.controller == (
        "native-openai_compat[dispatch=rules,area=M2,cell=M4,plant=M1,route_area=M3]"
    )


@pytest.mark.parametrize(
    "controllers, models_, told",
    [
        (("openai_compat",), (), "add --llm-model NAME"),
        (("rules",), ("M",), "no controller here asks a model"),
        (("rules", "boss=random"), (), "ROLE one of plant, area, cell"),
        (("rules", "area=random", "area=human"), (), "area is given twice"),
        (("recorded",), ("M",), "add --llm-cache FILE"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_written(
    controllers: tuple[str, ...], models_: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    """A wrong name found after an hour of paid calls is found too late."""
    with pytest.raises(InputError, match=told):
        ask(tmp_path / "out", "http://h/v1", controllers=controllers, llm_models=models_)
    assert not (tmp_path / "out").exists()


def test_a_human_is_asked_until_the_answer_is_legal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip of the finger is no decision; the end of the input is no answer either."""
    typed = iter(["", "99", "x", "-1", "0"])

    def answer(*_: Any, **__: Any) -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("rich.console.Console.input", answer)
    runner = make_runner("native", "human")
    episode = Episode("smoke")
    decision = episode.decision
    assert decision is not None
    assert list(runner.select_actions(decision).values()) == [0]
    assert runner.source == "human"
    with pytest.raises(InputError, match="the input ended"):
        runner.select_actions(decision)
