"""Native: ask the backend for the views of an epoch, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desbench.controllers.answering import Answers, Orchestrator, answer

from desbench.language.loop import together
from desbench.language.prompt import messages


class Native(Orchestrator):
    """The runner of a single backend; has no memory."""

    def select_actions(self, decision: Mapping[str, Any]) -> dict[str, Any]:
        """Return one action for each active agent."""
        if hasattr(self.backend, "answer"):
            return super().select_actions(decision)
        decide = self.backend.decide
        return {agent: decide(view) for agent, view in decision["active_agents"].items()}

    async def answers(self, views: Mapping[str, Any]) -> Answers:
        """Ask for all views at once."""
        given = await together(
            [answer(self.backend, view, messages(view)) for view in views.values()]
        )
        return dict(zip(views, given, strict=True))


FRAMEWORK = Native
