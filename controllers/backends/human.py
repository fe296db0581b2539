"""Human: shows each view on the terminal and reads an action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desbench.errors import InputError


class Human:
    """Asks until the answer is a legal action."""

    source = "human"

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console()

    def decide(self, view: Mapping[str, Any]) -> int:
        """Return the action typed.

        Raises
        ------
        InputError
            At the end of the input.
        """
        self._show(view)
        legal = view["legal_actions"]
        numbers = ", ".join(map(str, legal))
        while True:
            try:
                typed = self._console.input(f"action ({numbers}): ").strip()
            except EOFError:
                raise InputError("controller human: the input ended before the episode") from None
            if typed.isdecimal() and int(typed) in legal:
                return int(typed)
            self._console.print(f"not one of {numbers}")

    def _show(self, view: Mapping[str, Any]) -> None:
        from rich.table import Table

        options = view["options"]
        columns = list(dict.fromkeys(name for option in options for name in option))
        table = Table(title=f"{view['agent']}: {view['kind']}", title_justify="left")
        for name in columns:
            table.add_column(name)
        for option in options:
            table.add_row(*(_shown(option.get(name, "")) for name in columns))
        self._console.print(table)
        for name, value in view["context"].items():
            if value:
                self._console.print(f"{name}: {value}", markup=False, highlight=False)
        for factor in view["decision_factors"]:
            self._console.print(f"- {factor}", markup=False, highlight=False)


def _shown(value: Any) -> str:
    from rich.markup import escape

    return (
        "-" if value is None else escape(f"{value:g}" if isinstance(value, float) else f"{value}")
    )


BACKEND = Human
