"""Memory: what a framework tells an agent of earlier epochs, in at most 600 characters.

It is made of what agents were shown and answered, nothing else; the simulator does not know it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desbench.language.prompt import bounded
from desbench.language.reply import Answered
from desbench.protocol.decision import OK

LINES = 4  #: remembered of each sort


def target_of(view: Mapping[str, Any], action: int) -> str:
    """Return what an action stands for; `decline` for the last slot."""
    for option in view["options"]:
        if option["action"] == action:
            return str(option["target"])
    return "decline"


def outcome(view: Mapping[str, Any], given: Answered) -> str:
    """Return a line about what an agent did."""
    item = view["context"]["item"]
    about = f" job {item['job']}" if item else ""
    if given.action is None or given.note.outcome != OK:
        return f"{view['kind']}{about}: reply did not count ({given.note.outcome})"
    return f"{view['kind']}{about}: {target_of(view, given.action)}"


def handoff(view: Mapping[str, Any], given: Answered) -> tuple[str, str] | None:
    """Return the agent that has to go on after this answer, and a line for it."""
    if given.action is None:
        return None
    target = target_of(view, given.action)
    if target == view["agent"] or not (target == "plant" or target.startswith(("area:", "cell:"))):
        return None
    if target.count(":") > 1:  # cell:C1:eco, a mode
        return None
    item = view["context"]["item"]
    about = f" job {item['job']} operation {item['operation']}" if item else ""
    return target, f"from {view['agent']}: {view['kind']}{about}"


def remember(view: Any, lines: list[str]) -> None:
    """Put lines into the working memory of a view."""
    view["context"]["working_memory"] = bounded("\n".join(lines))
