"""Ctrl-C while a model is being asked: quiet and at once, whoever orchestrates the agents."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from language.faults import Body, serving
from language.faulttable import FRAMEWORKS
from language.runs import rows

pytest.importorskip("openai", reason="needs desbench[llm]")

KEPT = 2  #: answers before the server falls silent
RUN = [sys.executable, "-m", "desbench", "run"]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_an_interrupted_question_leaves_no_noise(framework: str, tmp_path: Path) -> None:
    """A framework that takes a cancelled call for a reply would end in a traceback."""
    if framework != "native":
        pytest.importorskip(framework, reason=f"needs desbench[{framework}]")
    is_waiting = threading.Event()

    def script(_: Body, number: int) -> str:
        if number <= KEPT or is_waiting.is_set():
            return "first"
        is_waiting.set()
        return "never"

    out = str(tmp_path / "out")
    words = ["--suite", "smoke", "--paradigm", "holonic_hybrid", "--limit", "1"]
    words += ["--framework", framework, "--controller", "rules"]
    words += ["--controller", "dispatch=openai_compat", "--llm-model", "M"]
    with serving(script) as server:
        line = [*RUN, *words, "--base-url", server.url, "--output-dir", out]
        pipe = subprocess.PIPE
        process = subprocess.Popen(line, stdout=pipe, stderr=pipe, text=True)
        assert is_waiting.wait(60)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=20)
        assert (process.returncode, errors) == (130, "")
        assert "partial: 1 of 1 runs were not done (interrupted)" in output
        again = [*RUN, "--resume", "--output-dir", out]
        done = subprocess.run(again, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(rows(tmp_path / "out")[0]["llm_cached"]) >= KEPT
