"""Playing episodes in tests: runners that follow a script, and rows as plain tuples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from desbench.controllers.backends.rules import Rules

from desbench.episode import Episode
from desbench.instances.instance import Instance

View = Mapping[str, Any]
Answer = Callable[[View], int]


def decline(view: View) -> int:
    """The last slot if it is legal, else the first legal action."""
    return int(view["legal_actions"][-1])


def first(view: View) -> int:
    """The first legal action."""
    return int(view["legal_actions"][0])


def target(view: View, name: str) -> int:
    """The action of the option with a target."""
    (action,) = [option["action"] for option in view["options"] if option["target"] == name]
    return int(action)


class Scripted:
    """Follows the default rules but where `script` has an answer for the kind of a view."""

    def __init__(self, **script: Answer) -> None:
        self.script = script
        self.rules = Rules()
        self.views: list[dict[str, Any]] = []  #: as they were shown, observation included

    def select_actions(self, decision: Mapping[str, Any]) -> dict[str, int]:
        """Answer each view and keep a copy of it."""
        actions = {}
        for agent, view in decision["active_agents"].items():
            self.views.append({**view, "observation": dict(view["observation"].items())})
            actions[agent] = self.script.get(view["kind"], self.rules.decide)(view)
        return actions

    def shown(self, kind: str, agent: str | None = None) -> list[dict[str, Any]]:
        """The views of a kind, of one agent or all."""
        return [v for v in self.views if v["kind"] == kind and agent in (None, v["agent"])]


def play(instance: Instance, paradigm: Any, runner: Any | None = None, **settings: Any) -> Episode:
    """Play an episode to its end; illegal answers raise."""
    episode = Episode(instance, paradigm=paradigm, **settings)
    episode.play(runner or Scripted(), strict=True)
    return episode


def decisions(episode: Episode, *columns: str) -> list[tuple[Any, ...]]:
    """Some columns of the decisions of an episode."""
    return _rows(episode.trace.decisions, columns)


def messages(episode: Episode, *columns: str) -> list[tuple[Any, ...]]:
    """Some columns of the messages of an episode."""
    return _rows(episode.trace.messages, columns)


def _rows(table: Any, columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
    return [tuple(row[column] for column in columns) for row in table.to_pylist()]
