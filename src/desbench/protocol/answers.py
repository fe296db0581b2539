"""Answers: what counts as a legal action, and what is said of one that does not."""

from __future__ import annotations

import operator
from typing import Any

from desbench.protocol.decision import EMPTY, ILLEGAL, WRONG_TYPE, Activation


def read(ask: Activation, action: Any) -> tuple[int, str]:
    """Return the action and "", or -1 and the outcome that says what is wrong with it."""
    if type(action) is not int:
        if action is None:
            return -1, EMPTY
        try:
            action = None if isinstance(action, bool) else operator.index(action)
        except TypeError:
            action = None
        if action is None:
            return -1, WRONG_TYPE
    return (action, "") if action in ask.legal else (-1, ILLEGAL)


def complaint(epoch: int, ask: Activation, action: Any, outcome: str) -> str:
    """Return the sentence about an action that does not count."""
    told = "no action" if outcome == EMPTY else f"action={action!r}"
    legal = ", ".join(map(str, ask.legal))
    return f"epoch {epoch}, {ask.agent.id}, {ask.kind}: {told}, must be an integer of {legal}"
