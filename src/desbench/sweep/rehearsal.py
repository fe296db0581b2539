"""Rehearsal: the cases of a sweep played by the rules, counting what a model would read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from desbench.controllers import make_backend, make_runner
from desbench.controllers.assigned import Assigned
from desbench.episode import Episode
from desbench.errors import InputError
from desbench.language import prompt
from desbench.language.reply import Answered
from desbench.language.settings import Economy, Settings
from desbench.protocol.decision import Note
from desbench.registry import register, unregister
from desbench.sweep.controllers import Asked, is_language
from desbench.sweep.options import Options
from desbench.sweep.plan import make_plan, planned_suite

METHOD = "estimated as UTF-8 bytes / 3 + 4 a message"
STAND_IN = "rehearsed"


@dataclass
class Total:
    """What the cases of one paradigm and controller would ask."""

    cases: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float | None = None


@dataclass
class Rehearsed:
    """All totals by (suite, paradigm, controller), and the first prompt."""

    totals: dict[tuple[str, str, str], Total] = field(default_factory=dict)
    first: list[prompt.Message] = field(default_factory=list)


class StandIn:
    """Answers by the rules in the place of a language model and counts the prompts."""

    source = "rule"

    def __init__(self, settings: Settings, found: Rehearsed, total: Total) -> None:
        self._settings, self._found, self._total = settings, found, total
        self._prices = {model: (read, written) for model, read, written in settings.prices}
        self._rules = make_backend("rules")

    async def answer(self, view: Mapping[str, Any], asked: Any) -> Answered:
        """Count the messages; answer by the rule."""
        total, read = self._total, prompt.tokens(asked)
        self._found.first = self._found.first or [dict(one) for one in asked]
        total.calls += 1
        total.tokens += read
        price = self._prices.get(self._settings.model_of(view))
        if price:
            spent = (read * price[0] + self._settings.max_tokens * price[1]) / 1e6
            total.cost = (total.cost or 0.0) + spent
        return Answered(self._rules.decide(view), Note(self.source))


def rehearse(options: Options, economy: Economy) -> Rehearsed:
    """Play every run of the options with rules instead of language models; write nothing.

    Costs count the whole length of an answer, so they are an upper bound.
    """
    plan = make_plan(options, None, replace(economy, max_calls=0))
    found = Rehearsed()
    for run in plan.runs:
        if run.controller is None or run.controller.settings is None:
            continue
        key = run.key
        total = found.totals.setdefault((key.suite, key.paradigm, key.controller), Total())
        total.cases += 1
        suite = planned_suite(run.suite, run.settings, run.suite_digest)
        episode = Episode(suite, key.case, run.paradigm, faults=run.faults)
        episode.play(_runner(run.controller, found, total))
    if not found.totals:
        raise InputError("--dry-run: no language model takes part; nothing would be asked")
    return found


def _runner(asked: Asked, found: Rehearsed, total: Total) -> Any:
    """The framework asked for, over rules in the place of language models."""
    assert asked.settings is not None
    stand_in = StandIn(asked.settings, found, total)

    def backend(name: str) -> Any:
        return stand_in if is_language(name) else make_backend(name)

    common = backend(asked.backend)
    if asked.assigned:
        common = Assigned(common, {where: backend(name) for where, name in asked.assigned})
    register("controllers", STAND_IN, lambda: common)
    try:
        return make_runner(asked.framework, STAND_IN, (), asked.settings)
    finally:
        unregister("controllers", STAND_IN)
