"""Native: ask the backend for one view after the other, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Native:
    """The runner of a single backend."""

    def __init__(self, backend: Any) -> None:
        self.backend = backend
        self.source: str = getattr(backend, "source", "external")

    def reset(self, info: Mapping[str, Any]) -> None:
        """Tell the backend that an episode begins."""
        if hasattr(self.backend, "reset"):
            self.backend.reset(info)

    def select_actions(self, decision: Mapping[str, Any]) -> dict[str, Any]:
        """Return one action for each active agent."""
        decide = self.backend.decide
        return {agent: decide(view) for agent, view in decision["active_agents"].items()}


FRAMEWORK = Native
