"""How a function becomes a measure: one decorator, which keeps what the docs print."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from desbench.trace.trace import Trace

Value = int | float | None
Function = Callable[[Trace], Value]


class Definition(NamedTuple):
    """What a measure is called and what it means."""

    symbol: str  #: of the paper; empty for a secondary measure
    column: str  #: in the summary; the name of the function
    family: str  #: name of the module, as in `FAMILIES`
    definition: str  #: one sentence, the first line of the docstring
    unit: str  #: time (the suite's time unit), kWh, 1 (a count or ratio), ...


DEFINITIONS: list[tuple[Definition, Function]] = []


def primary(symbol: str, unit: str = "1") -> Callable[[Function], Function]:
    """Register a function as one of the fifteen measures."""

    def register(function: Function) -> Function:
        sentence = (function.__doc__ or "").strip().splitlines()[0]
        add(symbol, function.__name__, sentence, unit, function)
        return function

    return register


def secondary(unit: str = "1") -> Callable[[Function], Function]:
    """Register a function as a secondary measure."""
    return primary("", unit)


def add(symbol: str, column: str, sentence: str, unit: str, function: Function) -> None:
    """Register a measure by hand; a group of like measures is made in a loop."""
    family = function.__module__.rpartition(".")[2]
    DEFINITIONS.append((Definition(symbol, column, family, sentence, unit), function))
