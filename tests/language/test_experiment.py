"""The main experiment of the paper in small: frameworks x models x paradigms x cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from language.faults import serving
from language.runs import ask, rows, sources

PARADIGMS = ("centralized_plant", "hierarchical_chain", "heterarchical_cnp", "holonic_hybrid")


@pytest.mark.slow
def test_two_frameworks_two_models_four_paradigms_two_cases(tmp_path: Path) -> None:
    """32 runs, 16 lines: each tells who answered, and no two lines are one by mistake."""
    pytest.importorskip("openai", reason="needs desbench[llm]")
    pytest.importorskip("langgraph", reason="needs desbench[langgraph]")
    pytest.importorskip("agentscope", reason="needs desbench[agentscope]")
    with serving("ok") as server:
        outcome = ask(
            tmp_path,
            server.url,
            execution={"workers": 2},
            seeds="0:2",
            paradigms=PARADIGMS,
            frameworks=("langgraph", "agentscope"),
            controllers=("openai_compat", "dispatch=rules"),
            llm_models=("M1", "M2"),
            # The scripted answers may hold items for ever: the limit ends such a case.
            settings=(("horizon", ("150",)),),
        )
        asked = len(server.bodies)
    assert len(outcome.records) == 32
    assert all(record.is_result for record in outcome.records)
    lines = [row for row in rows(tmp_path, "paradigm_summary.csv") if row["profile"] == "all"]
    assert len({(row["paradigm"], row["controller"]) for row in lines}) == len(lines) == 16
    assert {row["controller"] for row in lines} == {
        f"{framework}-{model}[dispatch=rules]"
        for framework in ("langgraph", "agentscope")
        for model in ("M1", "M2")
    }
    figures = {(row["messages_mean"], row["llm_decisions_mean"]) for row in lines}
    assert len(figures) == 16  # hashed answers: models and memories lead to other episodes
    for number, record in enumerate(outcome.records):
        found = sources(outcome, number)
        assert sum(found.values()) - found["forced"] == record.measures["agent_decisions"]
        assert found["llm"] == record.measures["llm_calls"]
    assert sum(record.paid["calls"] for record in outcome.records) == asked
