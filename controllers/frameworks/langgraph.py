"""LangGraph: a state graph over the views of an epoch; needs desbench[langgraph].

START -> perceive -> plant | area | cell -> validate -> summarize -> END. One invocation is one
epoch; no checkpointer: what is carried on is the compact summaries, by agent.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from desbench.controllers import memory
from desbench.controllers.answering import Answers, Orchestrator, answer

from desbench.errors import MissingExtra
from desbench.language.loop import together
from desbench.language.prompt import messages
from desbench.language.reply import Answered
from desbench.language.settings import ROLES
from desbench.protocol.decision import ILLEGAL, OK, WRONG_TYPE

Summary = dict[str, list[str]]
SORTS = ("pressure", "outcomes", "handoffs")


def _merged(first: Answers, second: Answers) -> Answers:
    """Answers of role nodes that ran at the same time."""
    return {**first, **second}


class State(TypedDict):
    """What flows through the graph in one epoch."""

    views: dict[str, Any]
    summaries: dict[str, Summary]
    answers: Annotated[Answers, _merged]


class LangGraph(Orchestrator):
    """Asks the backend from the role nodes of a graph.

    Parameters
    ----------
    memory_mode
        `bounded`: summaries of backlog pressure, recent outcomes and handoffs; `off`: none.
    """

    has_memory = True

    def __init__(self, backend: Any, memory_mode: str = "bounded") -> None:
        super().__init__(backend)
        try:
            from langgraph.graph import END, START, StateGraph
            from langsmith.run_helpers import tracing_context
        except ImportError:
            raise MissingExtra('framework langgraph: pip install "desbench[langgraph]"') from None
        os.environ.pop("LANGCHAIN_TRACING", None)  # the library refuses to run without tracing
        self._is_remembering = memory_mode == "bounded"
        self._summaries: dict[str, Summary] = {}
        self._untraced = tracing_context
        graph = StateGraph(State)
        graph.add_node("perceive", self._perceive)
        for role in ROLES:
            graph.add_node(role, self._role_node(role))
            graph.add_edge(role, "validate")
        graph.add_node("validate", self._validate)
        graph.add_node("summarize", self._summarize)
        graph.add_edge(START, "perceive")
        graph.add_conditional_edges("perceive", _active_roles, [*ROLES])
        graph.add_edge("validate", "summarize")
        graph.add_edge("summarize", END)
        self._graph = graph.compile()

    def reset(self, info: Mapping[str, Any]) -> None:
        """Begin an episode without memory of others."""
        super().reset(info)
        self._summaries = {}

    async def answers(self, views: Mapping[str, Any]) -> Answers:
        """Invoke the graph once. Whatever the shell says, no trace of it leaves this computer."""
        start = {"views": dict(views), "summaries": self._summaries, "answers": {}}
        with self._untraced(enabled=False):
            end = await self._graph.ainvoke(start)
        self._summaries = end["summaries"]
        given: Answers = end["answers"]
        return {agent: given[agent] for agent in views}

    async def _perceive(self, state: State) -> dict[str, Any]:
        """Give each view the summary of its agent."""
        if self._is_remembering:
            for agent, view in state["views"].items():
                summary = state["summaries"].get(agent, {})
                lines = [f"{sort}: {'; '.join(summary[sort])}" for sort in SORTS if sort in summary]
                memory.remember(view, lines)
        return {"views": state["views"]}

    def _role_node(self, role: str) -> Any:
        async def node(state: State) -> dict[str, Any]:
            views = [view for view in state["views"].values() if view["role"] == role]
            given = await together([answer(self.backend, view, messages(view)) for view in views])
            named = zip((view["agent"] for view in views), given, strict=True)
            return {"answers": dict(named)}

        return node

    async def _validate(self, state: State) -> dict[str, Any]:
        """Let no illegal action leave the graph, whatever a backend returned."""
        checked = {}
        for agent, given in state["answers"].items():
            if given.action is not None and given.note.outcome == OK:
                legal = state["views"][agent]["legal_actions"]
                told = WRONG_TYPE if type(given.action) is not int else ILLEGAL
                if told == WRONG_TYPE or given.action not in legal:
                    given = Answered(None, given.note._replace(outcome=told))
            checked[agent] = given
        return {"answers": checked}

    async def _summarize(self, state: State) -> dict[str, Any]:
        """Fold this epoch into the summaries."""
        if not self._is_remembering:
            return {"summaries": {}}
        summaries = {agent: dict(kept) for agent, kept in state["summaries"].items()}
        for agent, view in state["views"].items():
            given = state["answers"][agent]
            pressure = f"{view['kind']} {len(view['options'])}+{view['not_offered']}"
            _add(summaries, agent, "pressure", pressure)
            _add(summaries, agent, "outcomes", memory.outcome(view, given))
            told = memory.handoff(view, given)
            if told:
                _add(summaries, told[0], "handoffs", told[1])
        return {"summaries": summaries}


def _add(summaries: dict[str, Summary], agent: str, sort: str, line: str) -> None:
    summary = summaries.setdefault(agent, {})
    summary[sort] = [*summary.get(sort, []), line][-memory.LINES :]


def _active_roles(state: State) -> list[str]:
    return sorted({view["role"] for view in state["views"].values()})


FRAMEWORK = LangGraph
