"""Compiled: one case under `centralized_plant` with compiled rules, in one call of the engine.

Events, intervals and violations are those of the controller `rules` with the same rules; nobody
is asked or told anything, so there are no decisions and no messages.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from desbench.episode import realised
from desbench.errors import InputError
from desbench.instances.faults import Faults, read_faults, stopped
from desbench.instances.instance import Instance
from desbench.instances.suite import Suite
from desbench.paradigms import Paradigm
from desbench.paradigms import paradigm as find_paradigm
from desbench.paradigms.centralized_plant import MODE
from desbench.protocol.authority import AuthorityMode, ShiftingAuthority
from desbench.trace.recorder import Recorder

if TYPE_CHECKING:
    from desbench.measures import Value
    from desbench.trace.trace import Trace

ROUTING = {"route_cell": "routing"}  #: the one kind of routing that this paradigm asks for


class CompiledEpisode:
    """One case, played to its end when it is made.

    Parameters
    ----------
    rules
        Names of rules by kind where not the default.

    Others as for `Episode`.

    Raises
    ------
    InputError
        For another paradigm, a rule that is not compiled, or agents that would have to be asked.
    """

    def __init__(
        self,
        suite: str | Suite | Instance,
        case: str | None = None,
        paradigm: Paradigm = "centralized_plant",
        *,
        rules: Mapping[str, str] | None = None,
        controller: str = "compiled",
        replicate: int = 0,
        faults: Faults | Mapping[str, Any] | str | os.PathLike[str] | None = None,
    ) -> None:
        from desbench._engine.simulation import Simulation

        self.mode = find_paradigm(paradigm)
        self.rules = compiled_rules(rules or {})
        self.faults = read_faults(faults)
        self.suite, instance, self.reference = realised(suite, case)
        check_paradigm(self.mode)
        check_time(instance, self.faults)
        self.instance = stopped(instance, self.faults)
        self.controller, self.replicate = controller, replicate
        self._recorder = Recorder(self.instance)
        shop = Simulation(self.instance)
        self._stop = shop.run_plant(**self.rules)
        self._recorder.finish(shop)

    @property
    def status(self) -> str:
        """As of an Episode that has ended."""
        return self._stop.status

    @cached_property
    def trace(self) -> Trace:
        """All rows of the episode."""
        told: dict[str, Any] = {"paradigm": self.mode.mode_id, "controller": self.controller}
        told.update(authority=self.mode.switches(), reference=self.reference, compiled=self.rules)
        if self.faults is not None:
            told["faults"] = self.faults.content()
        stop = self._stop
        ended = {"status": stop.status, "time": stop.time, "cycle": stop.cycle}
        return self._recorder.trace(
            {"suite": self.suite, "replicate": self.replicate, **told, **ended}
        )

    @cached_property
    def measures(self) -> dict[str, Value]:
        """Every measure by column."""
        from desbench.measures import measure

        return measure(self.trace)


def compiled_rules(chosen: Mapping[str, str]) -> dict[str, str]:
    """Give the rule of every kind, by name.

    Raises
    ------
    InputError
        For a rule that is not compiled.
    """
    from desbench._engine.simulation import PLANT_RULES

    rules = {kind: known[0] for kind, known in PLANT_RULES.items()}
    for asked, name in chosen.items():
        kind = ROUTING.get(asked, asked)
        if kind not in rules:
            allowed = f"kinds are {', '.join(rules)}; leave it out"
        elif name not in PLANT_RULES[kind]:
            allowed = f"must be one of {', '.join(PLANT_RULES[kind])}; name one of them"
        else:
            rules[kind] = name
            continue
        raise InputError(
            f"controller compiled: rule {asked}={name!r} is not compiled, {allowed}, or use "
            "--controller rules"
        )
    return rules


def check_paradigm(mode: AuthorityMode | ShiftingAuthority) -> None:
    """Refuse any organisation but the centralized one, whatever it is called."""
    if not is_centralized(mode):
        raise InputError(
            f"controller compiled: paradigm={mode.mode_id!r}, must be {MODE.mode_id}; "
            "name that one, or use --controller rules"
        )


def is_centralized(mode: AuthorityMode | ShiftingAuthority) -> bool:
    """Whether a mode has the switches of `centralized_plant`."""
    return isinstance(mode, AuthorityMode) and replace(mode, mode_id=MODE.mode_id) == MODE


def check_time(instance: Instance, faults: Faults | None) -> None:
    """Refuse what happens to agents and messages: there are none."""
    if instance.coordination.takes_time:
        raise InputError(
            f"controller compiled: coordination of case {instance.case} takes time, must take "
            "none; leave out coordination (message_delay, decision_delay), or use "
            "--controller rules"
        )
    if faults is not None and faults.concern_agents:
        raise InputError(
            "controller compiled: --faults with silent or messages, must be machines only; "
            "leave those out, or use --controller rules"
        )
