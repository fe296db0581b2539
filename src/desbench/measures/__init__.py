"""Measures: pure functions of a trace.

To add one, write a function in a group module and decorate it. `measure` finds it by itself.
"""

from __future__ import annotations

from desbench.measures import (
    constraints,
    coordination,
    effectiveness,
    language,
    responsibility,
    robustness,
)
from desbench.measures.definition import DEFINITIONS, Definition, Value
from desbench.trace.trace import Trace

FAMILIES = (effectiveness, constraints, coordination, robustness, responsibility, language)
_ORDER = [family.__name__.rpartition(".")[2] for family in FAMILIES]
_SORTED = sorted(DEFINITIONS, key=lambda pair: _ORDER.index(pair[0].family))

#: The fifteen, in the order of the paper's table.
PRIMARY: tuple[Definition, ...] = tuple(d for d, _ in _SORTED if d.symbol)
SECONDARY: tuple[Definition, ...] = tuple(d for d, _ in _SORTED if not d.symbol)

__all__ = ["PRIMARY", "SECONDARY", "Definition", "Value", "measure"]


#: Families that read decisions and messages, which a compiled run does not have.
OF_AGENTS = ("coordination", "responsibility")


def measure(trace: Trace) -> dict[str, Value]:
    """Return every measure by column, `PRIMARY` then `SECONDARY`; None where undefined.

    A compiled run has no decisions and no messages, so what is made of them is not known there.
    """
    function = {definition.column: function for definition, function in DEFINITIONS}
    unknown = OF_AGENTS if "compiled" in trace.info else ()
    return {
        d.column: None if d.family in unknown else function[d.column](trace)
        for d in (*PRIMARY, *SECONDARY)
    }
