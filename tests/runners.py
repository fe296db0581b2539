"""Runners that misbehave, as files a user could write; each is handed over by its path."""

from __future__ import annotations

from pathlib import Path

#: Answers by the rules; `trouble` runs at the start of every case.
TEMPLATE = """
import os, signal, time
from pathlib import Path
from desbench.controllers.backends.rules import Rules
from desbench.controllers.frameworks.native import Native

class Mine(Native):
    def __init__(self):
        super().__init__(Rules())

    def reset(self, info):
        super().reset(info)
        self.case = info["case"]
        self.trouble()

    def trouble(self):
        {trouble}
"""


def runner_file(folder: Path, trouble: str) -> str:
    """Write a runner that does `trouble` (Python) at the start of each case; its name."""
    path = folder / "mine.py"
    path.write_text(TEMPLATE.format(trouble=trouble), encoding="utf-8")
    return f"{path}:Mine"
