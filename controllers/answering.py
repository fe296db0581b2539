"""Answering: one backend, one view; the same for backends that wait and those that do not.

A backend has `decide(view) -> action`, or `async answer(view, messages) -> Answered`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desbench.language import loop
from desbench.language.reply import Answered
from desbench.protocol.decision import EXTERNAL, Note

Answers = dict[str, Answered]


async def answer(backend: Any, view: Mapping[str, Any], asked: Any) -> Answered:
    """Return what a backend answers to a view, given the messages it would be sent."""
    if hasattr(backend, "answer"):
        given: Answered = await backend.answer(view, asked)
        return given
    return Answered(backend.decide(view), Note(getattr(backend, "source", EXTERNAL)))


class Orchestrator:
    """What every framework does alike; one of its own defines `answers(views)`."""

    def __init__(self, backend: Any) -> None:
        self.backend = backend
        self.source: str = getattr(backend, "source", EXTERNAL)
        self.notes: dict[str, Note] = {}

    @property
    def llm_calls(self) -> list[Any]:
        """Rows of the table llm_calls of this episode."""
        return getattr(self.backend, "llm_calls", [])

    @property
    def paid(self) -> dict[str, float]:
        """Calls, tokens and cost of this object so far."""
        return getattr(self.backend, "paid", {})

    def reset(self, info: Mapping[str, Any]) -> None:
        """Tell the backend that an episode begins."""
        self.notes = {}
        if hasattr(self.backend, "reset"):
            self.backend.reset(info)

    def close(self) -> None:
        """Close the files of the backend."""
        if hasattr(self.backend, "close"):
            self.backend.close()

    def select_actions(self, decision: Mapping[str, Any]) -> dict[str, Any]:
        """Return an action for each active agent with an answer that counts."""
        if hasattr(self.backend, "opened"):
            self.backend.opened(decision)
        given = loop.run(self.answers(decision["active_agents"]))
        self.notes = {agent: one.note for agent, one in given.items()}
        return {agent: one.action for agent, one in given.items() if one.action is not None}

    async def answers(self, views: Mapping[str, Any]) -> Answers:
        """Return the answers to the views of one epoch."""
        raise NotImplementedError
