"""AgentScope: one agent for the plant, each area and cell; needs desbench[agentscope].

The agents of an epoch reply at once. Then each observes what it did, and the one that has to go
on observes a handoff note. The notes become its working memory when it is asked next.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desbench.controllers import memory
from desbench.controllers.answering import Answers, Orchestrator

from desbench.errors import MissingExtra
from desbench.language.loop import together
from desbench.language.reply import Answered


class AgentScope(Orchestrator):
    """Relays between agents of AgentScope.

    Parameters
    ----------
    memory_mode
        `bounded`: handoff notes and observations; `off`: none.
    """

    has_memory = True

    def __init__(self, backend: Any, memory_mode: str = "bounded") -> None:
        super().__init__(backend)
        try:
            from desbench.controllers.relay import Member
        except ImportError as error:
            if (error.name or "").startswith("desbench"):
                raise
            raise MissingExtra('framework agentscope: pip install "desbench[agentscope]"') from None
        self._member = Member
        self._is_remembering = memory_mode == "bounded"
        self._members: dict[str, Any] = {}

    def reset(self, info: Mapping[str, Any]) -> None:
        """Begin an episode with fresh agents."""
        super().reset(info)
        self._members = {}

    async def answers(self, views: Mapping[str, Any]) -> Answers:
        """Let all active agents reply, then hand on."""
        given = await together([self._reply(view) for view in views.values()])
        answers = dict(zip(views, given, strict=True))
        if self._is_remembering:
            for agent, view in views.items():
                await self._hand_on(view, answers[agent])
        return answers

    async def _reply(self, view: Any) -> Answered:
        member = self._of(view["agent"])
        if self._is_remembering:
            memory.remember(view, member.notes)
        given: Answered = await member.reply(view)
        return given

    async def _hand_on(self, view: Mapping[str, Any], given: Answered) -> None:
        await self._of(view["agent"]).observe(view["agent"], memory.outcome(view, given))
        told = memory.handoff(view, given)
        if told:
            await self._of(told[0]).observe(view["agent"], told[1])

    def _of(self, agent: str) -> Any:
        if agent not in self._members:
            self._members[agent] = self._member(agent, self.backend)
        return self._members[agent]


FRAMEWORK = AgentScope
