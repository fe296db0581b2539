"""Compiled: the rules without Python, a whole run of `centralized_plant` at once; no network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from desbench.errors import InputError


class Compiled:
    """Names the rules; `desbench run` hands them to the engine and asks nobody.

    Parameters
    ----------
    chosen
        Names of rules by kind where not the default, as for `rules`; not every rule is compiled.
    """

    source = "rule"
    takes_rules = True
    is_compiled = True

    def __init__(self, chosen: Mapping[str, str] | None = None) -> None:
        self.chosen = dict(chosen or {})

    def select_actions(self, decision: Mapping[str, Any]) -> NoReturn:
        """Refuse: it plays whole runs only."""
        raise InputError(
            "controller compiled answers no single decision; "
            "play whole runs with desbench.run(.., controller='compiled'), or use rules"
        )


BACKEND = Compiled
