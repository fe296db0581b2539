"""The main experiment of the paper in small: frameworks x models x paradigms x cases.

On a scripted server, whose answers are legal actions by a hash of body and model.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from language.faults import serving
from language.runs import ask, rows, sources

PARADIGMS = (
    *("centralized_plant", "hierarchical_chain", "heterarchical_cnp", "holonic_hybrid"),
    "responsibility_rcm",
)
#: Figures of a line that its decisions determine; the clock is none of them.
FIGURES = ("messages_mean", "llm_decisions_mean", "decision_steps_mean", "energy_mean")


@pytest.mark.slow
def test_two_frameworks_two_models_five_paradigms_two_cases(tmp_path: Path) -> None:
    """40 runs, 20 lines: each tells who answered, and no two lines are one by mistake."""
    pytest.importorskip("openai", reason="needs desbench[llm]")
    pytest.importorskip("langgraph", reason="needs desbench[langgraph]")
    pytest.importorskip("agentscope", reason="needs desbench[agentscope]")
    with serving("ok") as server:
        outcome = ask(
            tmp_path,
            server.url,
            economy={"retries": 8},  # a busy computer drops a connection, and no run may end by it
            execution={"workers": 2},
            seeds="0:2",
            paradigms=PARADIGMS,
            frameworks=("langgraph", "agentscope"),
            controllers=("openai_compat", "dispatch=rules"),
            llm_models=("M1", "M2"),
            # The scripted answers may hold items for ever: the limit ends such a case.
            settings=(("horizon", ("100",)), ("jobs.count", ("3",))),
            decision_timeout=600.0,  # nor may an answer come too late
        )
        asked = len(server.bodies)
    assert len(outcome.records) == 40
    assert all(record.is_result for record in outcome.records)
    lines = [row for row in rows(tmp_path, "paradigm_summary.csv") if row["profile"] == "all"]
    assert len({(row["paradigm"], row["controller"]) for row in lines}) == len(lines) == 20
    assert {row["controller"] for row in lines} == {
        f"{framework}-{model}[dispatch=rules]"
        for framework in ("langgraph", "agentscope")
        for model in ("M1", "M2")
    }
    figures = {tuple(row[name] for name in FIGURES) for row in lines}
    assert len(figures) == 20  # hashed answers: models and memories lead to other episodes
    for number, record in enumerate(outcome.records):
        found = sources(outcome, number)
        assert sum(found.values()) - found["forced"] == record.measures["agent_decisions"]
        assert found["llm"] == record.measures["llm_calls"]
    retried = sum(record.measures["llm_retries"] for record in outcome.records)
    assert sum(record.paid["calls"] for record in outcome.records) == asked - retried
