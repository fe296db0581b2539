"""Episode: one case under one paradigm, decision by decision.

suite -> instance -> shop -> organisation -> steps -> Decision -> runner -> answers -> steps ..
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from desbench.controllers import make_runner
from desbench.errors import IllegalAction, InputError
from desbench.instances.faults import Faults, read_faults, stopped
from desbench.instances.instance import Instance
from desbench.instances.suite import Suite, load_suite
from desbench.paradigms import Paradigm
from desbench.paradigms import paradigm as find_paradigm
from desbench.protocol.answers import complaint, read
from desbench.protocol.decision import BUDGET, EXTERNAL, FALLBACK, LOST, OK, Activation, Note
from desbench.protocol.instants import episode as steps
from desbench.protocol.organisation import Organisation
from desbench.protocol.payload import view
from desbench.trace.recorder import Recorder

if TYPE_CHECKING:
    from desbench._engine.simulation import Simulation
    from desbench.measures import Value
    from desbench.trace.trace import Trace

__all__ = ["Episode", "make_runner"]

Decision = dict[str, Any]
Answers = Mapping[str, tuple[int, Note]]  #: action and how it came about, by agent
Shop = Callable[[Instance], "Simulation"]


class Episode:
    """One case under one paradigm.

    Iterating yields the decisions in which somebody must be asked; what is forced is applied and
    recorded without asking. Each must be answered with `act` before the next one.

    Parameters
    ----------
    suite
        Name or path of a suite, a Suite, or an Instance.
    case
        Case id; default the first case of the test split. None with an Instance.
    paradigm
        Name, alias or path, an AuthorityMode, or a function `authority(summary)` that gives one.
    controller, replicate
        How the run is called in the trace.
    faults
        What goes wrong on purpose: a file, plain values or Faults.
    shop
        What makes the shop of an instance; default the compiled engine.
    """

    def __init__(
        self,
        suite: str | Suite | Instance,
        case: str | None = None,
        paradigm: Paradigm = "centralized_plant",
        *,
        controller: str = EXTERNAL,
        replicate: int = 0,
        faults: Faults | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        shop: Shop | None = None,
    ) -> None:
        self.mode = find_paradigm(paradigm)
        self.suite, instance, self.reference = realised(suite, case)
        self.faults = read_faults(faults)
        self.instance = stopped(instance, self.faults)
        self.controller, self.replicate = controller, replicate
        self._recorder = Recorder(self.instance)
        self._shop = shop or _engine()
        sim = self._shop(self.instance)
        self._org = Organisation(sim, self.instance, self.mode, self._recorder, self.faults)
        self._steps = steps(self._org)
        self._asks: dict[str, Activation] = {}
        self._decision: Decision | None = None
        self._next()

    @property
    def status(self) -> str:
        """Empty while the episode runs; done, deadlock, no_progress, horizon or decision_limit."""
        return self._org.stop.status

    @property
    def epoch(self) -> int:
        """Epochs so far, forced ones included; the number of the open one."""
        return self._org.epochs

    @property
    def decision(self) -> Decision | None:
        """The open decision; None after the end."""
        return self._decision

    @cached_property
    def info(self) -> dict[str, Any]:
        """What a runner is told at the start: names, agents, authority, units."""
        facts = self._org.facts
        return {
            "episode": f"{self.instance.case}/{self.mode.mode_id}",
            "suite": self.suite,
            "case": self.instance.case,
            "digest": self.instance.digest,
            "replicate": self.replicate,
            "paradigm": self.mode.mode_id,
            "authority": self.mode.switches(),
            "agents": [agent.id for agent in (facts.plant, *facts.areas, *facts.cells)],
            "time_unit": self.instance.time_unit,
            "decline": facts.slot,
        }

    def __iter__(self) -> Iterator[Decision]:
        while (decision := self._decision) is not None:
            yield decision
            if self._decision is decision:
                raise IllegalAction(
                    f"epoch {self.epoch} has no answer: call act(actions) before the next decision"
                )

    def act(self, actions: Mapping[str, int], notes: Mapping[str, Note] | None = None) -> None:
        """Answer the open decision: one legal action for each active agent.

        Parameters
        ----------
        notes
            How the answers came about, by agent; default source `external`.

        Raises
        ------
        IllegalAction
            For a missing, ill-typed or illegal action, or an agent that was not asked; the state
            is untouched.
        """
        asks = self._open()
        if not isinstance(actions, Mapping):
            raise IllegalAction(
                f"epoch {self.epoch}: actions={actions!r}, must be {{agent: action}}"
            )
        for agent in actions:
            if agent not in asks:
                raise IllegalAction(f"{agent} was not asked in epoch {self.epoch}")
        answers = []
        for agent, ask in asks.items():
            action, outcome = read(ask, actions.get(agent))
            if outcome:
                raise IllegalAction(complaint(self.epoch, ask, actions.get(agent), outcome))
            answers.append((ask, action, (notes or {}).get(agent) or Note(EXTERNAL)))
        for ask, action, note in answers:
            ask.answer(action, note)
        self._next()

    def fork(self, epoch: int | None = None) -> Episode:
        """Return another episode of the same case, brought to an epoch by the recorded actions.

        The two do not touch each other: look ahead in the fork, or answer otherwise there.

        Parameters
        ----------
        epoch
            The first epoch that is not driven, default the open one; one in which nobody is asked
            stands for the next in which somebody is.

        Raises
        ------
        IllegalAction
            If the episode has not come that far.
        """
        until = self.epoch if epoch is None else epoch
        if not 1 <= until <= self.epoch:
            raise IllegalAction(f"fork: epoch={until}, must be 1 .. {self.epoch}")
        fork = Episode(
            self.instance,
            paradigm=self.mode,
            controller=self.controller,
            replicate=self.replicate,
            faults=self.faults,
            shop=self._shop,
        )
        fork.suite, fork.reference = self.suite, self.reference
        fork.follow(self._recorder.answers(), until)
        return fork

    def follow(self, answers: Mapping[int, Answers], until: float = math.inf) -> None:
        """Answer by recorded actions and notes, by epoch and agent, before the epoch `until`."""
        for asked in self:
            if asked["epoch"] >= until:
                return
            known = answers.get(asked["epoch"], {})
            chosen = {agent: known[agent] for agent in asked["active_agents"] if agent in known}
            self.act(
                {agent: action for agent, (action, _) in chosen.items()},
                {agent: note for agent, (_, note) in chosen.items()},
            )

    def play(self, runner: Any, *, strict: bool = False) -> str:
        """Let a runner answer to the end; returns the status.

        An answer that is not legal is replaced by the default rule of its kind, with the source
        `fallback`; with `strict` it raises IllegalAction. Errors of the runner pass through.
        """
        if hasattr(runner, "reset"):
            runner.reset(self.info)
        default = Note(getattr(runner, "source", EXTERNAL))
        for decision in self:
            actions = runner.select_actions(decision)
            notes = getattr(runner, "notes", None) or {}
            if strict:
                self.act(actions, {agent: notes.get(agent, default) for agent in self._asks})
            else:
                self._take(actions, notes, default)
        self._recorder.llm_calls = getattr(runner, "llm_calls", ())
        if hasattr(runner, "end"):
            runner.end({"status": self.status, "measures": self.measures})
        return self.status

    @cached_property
    def trace(self) -> Trace:
        """All rows of the episode, after its end."""
        if not self.status:
            raise IllegalAction(f"the episode still runs (epoch {self.epoch}): play it to its end")
        stop = self._org.stop
        told: dict[str, Any] = {"paradigm": self.mode.mode_id, "controller": self.controller}
        told.update(authority=self._authority(), reference=self.reference)
        if self.faults is not None:
            told["faults"] = self.faults.content()
        ended = {"status": stop.status, "time": stop.time, "cycle": stop.cycle}
        return self._recorder.trace(
            {"suite": self.suite, "replicate": self.replicate, **told, **ended}
        )

    @cached_property
    def measures(self) -> dict[str, Value]:
        """Every measure by column, after the end."""
        from desbench.measures import measure

        return measure(self.trace)

    def _authority(self) -> dict[str, Any]:
        shifting = self._org.shifting
        return self.mode.switches() if shifting is None else shifting.switches()

    def _open(self) -> dict[str, Activation]:
        if not self._asks:
            raise IllegalAction(f"the episode has ended ({self.status}); nobody is asked")
        return self._asks

    def _take(self, actions: Any, notes: Mapping[str, Note], default: Note) -> None:
        """Answer the open decision, with the contract-safe rule where an answer does not count."""
        given = actions if isinstance(actions, Mapping) else {}
        for agent, ask in self._asks.items():
            action, outcome = read(ask, given.get(agent))
            note = notes.get(agent, default)
            if outcome:
                action = self._contract_safe(cast(Decision, self._decision)["active_agents"][agent])
                told = outcome if note.outcome == OK else note.outcome
                note = Note(FALLBACK, told, note.attempts, note.latency_s)
            ask.answer(action, note)
        self._next()

    @cached_property
    def _contract_safe(self) -> Callable[[Mapping[str, Any]], int]:
        from desbench.controllers.backends.rules import Rules

        return Rules().decide

    def _next(self) -> None:
        """Go on to the next epoch in which somebody must be asked, or to the end."""
        org = self._org
        org.is_open = False
        self._asks, self._decision = {}, None
        may_be_absent = org.absence.is_possible
        for asks in self._steps:
            org.begin_epoch()
            chosen = []
            for ask in asks:
                if len(ask.legal) == 1:
                    ask.force()
                elif not (may_be_absent and self._is_absent(ask)):
                    chosen.append(ask)
            if chosen:
                org.is_open = True
                self._asks = {ask.agent.id: ask for ask in chosen}
                self._decision = self._shown(chosen)
                return
        self._recorder.finish(org.sim)

    def _is_absent(self, ask: Activation) -> bool:
        """Answer for an agent that is silent, or that no message reaches; False if it is there."""
        org = self._org
        outcome = org.absence.outcome(ask, org.now)
        if outcome:
            declines = outcome == LOST or ask.kind == BUDGET  # at a review nobody stands in
            action = ask.slot if declines else self._contract_safe(view(org, ask))
            ask.answer(action, Note(FALLBACK, outcome))
        return bool(outcome)

    def _shown(self, asks: list[Activation]) -> Decision:
        org = self._org
        return {
            "episode": self.info["episode"],
            "epoch": org.epoch,
            "time": org.now / org.facts.unit,
            "active_agents": {ask.agent.id: view(org, ask) for ask in asks},
        }


def realised(suite: str | Suite | Instance, case: str | None) -> tuple[str, Instance, float | None]:
    """Give the name of the suite, the case, and the makespan the suite knows of, if any."""
    if isinstance(suite, Instance):
        if case not in (None, suite.case):
            raise InputError(f"case={case!r}: the instance given is {suite.case!r}")
        return "instance", suite, None
    loaded = suite if isinstance(suite, Suite) else load_suite(suite)
    known = loaded.cases() or loaded.cases("train")
    instance = loaded.realise(known[0] if case is None else case)
    return loaded.name, instance, loaded.reference.makespan if loaded.reference else None


def _engine() -> Shop:
    from desbench._engine.simulation import Simulation

    return Simulation
