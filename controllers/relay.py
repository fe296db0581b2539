"""Relay: an AgentScope agent whose model is a desbench backend.

AgentScope holds the agents, their messages and their contexts. The request itself goes through
the one client, cache, limiter and gate that all frameworks share, so its body is the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agentscope.agent import Agent, InjectionConfig, ModelConfig, ReActConfig
from agentscope.credential import OpenAICredential
from agentscope.formatter import OpenAIChatFormatter
from agentscope.message import AssistantMsg, TextBlock, UserMsg
from agentscope.model import ChatModelBase, ChatResponse
from agentscope.state import AgentState
from desbench.controllers.answering import answer

from desbench.language.prompt import messages
from desbench.language.reply import Answered

NOTES = 8  #: an agent keeps
ROOM = 1 << 40  #: tokens; more than any payload, so AgentScope never rewrites a context


class FlatFormatter(OpenAIChatFormatter):  # type: ignore[misc]  # AgentScope is untyped here
    """Messages as role and plain text: no blocks, no names."""

    async def format(self, msgs: list[Any], **options: Any) -> list[dict[str, Any]]:
        """Return the messages as every other framework sends them."""
        return [{"role": one.role, "content": one.get_text_content()} for one in msgs]


class BackendModel(ChatModelBase):  # type: ignore[misc]
    """A chat model that asks a backend about the view at hand."""

    def __init__(self, backend: Any) -> None:
        super().__init__(
            credential=OpenAICredential(api_key="none"),
            model="desbench",
            parameters=ChatModelBase.Parameters(),
            stream=False,
            max_retries=0,
            context_size=ROOM,
        )
        self.formatter = FlatFormatter()
        self.view: Any = None
        self.given: Answered | None = None
        self.error: Exception | None = None
        self._backend = backend

    def turn_to(self, view: Any) -> None:
        """Forget the last view and its answer."""
        self.view, self.given, self.error = view, None, None

    async def _call_api(
        self,
        model_name: str,
        messages: list[Any],
        tools: Any = None,
        tool_choice: Any = None,
        **rest: Any,
    ) -> Any:
        """Ask the backend. An error is kept for the runner: agents would turn it into a reply."""
        asked = await self.formatter.format(messages)
        try:
            self.given = await answer(self._backend, self.view, asked)
        except Exception as error:
            self.error = error
        action = self.given.action if self.given else None
        text = f'{{"action": {"null" if action is None else action}}}'
        return ChatResponse(content=[TextBlock(text=text)], is_last=True)


class Member:
    """One agent: the plant, an area or a cell."""

    def __init__(self, name: str, backend: Any) -> None:
        from desbench.language.prompt import CONTRACT

        self._model = BackendModel(backend)
        self._agent = Agent(
            name=re.sub(r"[^\w-]", "_", name),
            system_prompt=CONTRACT,
            model=self._model,
            model_config=ModelConfig(max_retries=0),
            react_config=ReActConfig(max_iters=1, interruption_raise_cancelled_error=True),
            injection_config=InjectionConfig(inject_runtime_state=False),
        )
        self._notes: list[Any] = []

    @property
    def notes(self) -> list[str]:
        """Lines this agent observed, oldest first."""
        return [str(note.get_text_content()) for note in self._notes]

    async def reply(self, view: Mapping[str, Any]) -> Answered:
        """Let the agent reply to a view, in a context that holds nothing else."""
        model, agent = self._model, self._agent
        model.turn_to(view)
        agent.state = AgentState()
        await agent.reply(UserMsg(name="runner", content=messages(view)[1]["content"]))
        if model.error is not None:
            raise model.error
        assert model.given is not None, "the agent has not called its model"
        return model.given

    async def observe(self, speaker: str, line: str) -> None:
        """Take in a note; the oldest one goes."""
        self._agent.state = AgentState()
        await self._agent.observe(AssistantMsg(name=re.sub(r"[^\w-]", "_", speaker), content=line))
        self._notes = [*self._notes, *self._agent.state.context][-NOTES:]
