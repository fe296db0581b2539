"""Assigned: different backends for different roles or kinds of decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desbench.controllers.answering import answer

from desbench.errors import InputError
from desbench.language.reply import Answered


class Assigned:
    """Hands each view to the backend of its kind, else of its role, else to the common one."""

    def __init__(self, common: Any, others: Mapping[str, Any]) -> None:
        for where, backend in others.items():
            if hasattr(backend, "select_actions"):
                raise InputError(f"{where}: a runner of whole decisions cannot answer for one kind")
        self._common = common
        self._others = dict(others)
        self._all = [common, *others.values()]
        self.source: str = getattr(common, "source", "external")

    def of(self, view: Mapping[str, Any]) -> Any:
        """Return who answers a view."""
        others = self._others
        return others.get(view["kind"]) or others.get(view["role"]) or self._common

    def reset(self, info: Mapping[str, Any]) -> None:
        """Tell every backend that an episode begins."""
        for backend in self._all:
            if hasattr(backend, "reset"):
                backend.reset(info)

    def opened(self, decision: Mapping[str, Any]) -> None:
        """Tell every backend of the epoch."""
        for backend in self._all:
            if hasattr(backend, "opened"):
                backend.opened(decision)

    def close(self) -> None:
        """Close the files of every backend."""
        for backend in self._all:
            if hasattr(backend, "close"):
                backend.close()

    async def answer(self, view: Mapping[str, Any], asked: Any) -> Answered:
        """Return the answer of the backend in charge."""
        return await answer(self.of(view), view, asked)

    @property
    def llm_calls(self) -> list[Any]:
        """Rows of all language models."""
        rows = [row for backend in self._all for row in getattr(backend, "llm_calls", ())]
        return sorted(rows, key=lambda row: (row.epoch, row.agent, row.attempt))

    @property
    def paid(self) -> dict[str, float]:
        """What the run has cost; every language model of it knows the whole bill."""
        bills: list[dict[str, float]] = [getattr(backend, "paid", {}) for backend in self._all]
        return next((bill for bill in bills if bill), {})
