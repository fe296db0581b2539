"""Counting decisions and messages."""

from __future__ import annotations

from typing import Any

from desbench.measures import coordination as c
from desbench.measures import measure
from measures.handmade import event, small_trace


def action(epoch: int, kind: str, source: str, outcome: str = "ok") -> dict[str, Any]:
    return {"epoch": epoch, "time": epoch, "kind": kind, "source": source, "outcome": outcome}


ROWS = [
    action(0, "release", "forced"),
    action(1, "route_cell", "rule"),
    action(2, "dispatch", "forced"),
    action(2, "dispatch", "llm"),
    action(2, "dispatch", "rule", "superseded"),
    action(3, "dispatch", "fallback"),
]


def test_a_step_is_an_epoch_with_a_choice() -> None:
    """Epoch 0 was forced throughout; epoch 2 counts once although two agents chose."""
    assert c.decision_steps(small_trace(decisions=ROWS)) == 3


def test_sources_and_outcomes() -> None:
    """Forced actions are decisions of nobody; a superseded one was still an answer."""
    trace = small_trace(decisions=ROWS)
    assert c.decisions(trace) == 6
    assert c.agent_decisions(trace) == 4
    assert c.forced_decisions(trace) == 2
    assert c.fallback_decisions(trace) == 1
    assert c.llm_decisions(trace) == 1
    assert c.superseded_decisions(trace) == 1


def test_decisions_by_kind() -> None:
    """Every kind has its two columns, also when it never occurs."""
    result = measure(small_trace(decisions=ROWS))
    assert (result["agent_dispatch"], result["forced_dispatch"]) == (3, 1)
    assert (result["agent_release"], result["forced_release"]) == (0, 1)
    assert (result["agent_bid"], result["forced_bid"]) == (0, 0)


def test_messages_per_operation() -> None:
    """Two messages for one finished operation; null when none is finished."""
    rows = [{"epoch": 0, "time": 0}, {"epoch": 1, "time": 4}]
    assert c.messages(small_trace(messages=rows)) == 2
    assert c.messages_per_operation(small_trace(messages=rows)) is None
    trace = small_trace(messages=rows, events=[event(9, "finish", job=0)])
    assert c.messages_per_operation(trace) == 2.0
