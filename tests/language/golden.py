"""The golden prompts: the first payload of each kind under each paradigm, on the smoke suites.

`python tests/language/golden.py` writes the files and the part of the page that shows one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "golden"
PARADIGMS = (
    *("centralized_plant", "hierarchical_chain", "heterarchical_cnp", "holonic_hybrid"),
    "responsibility_rcm",
)
CASES = (
    *(("smoke", f"smoke-s0{seed}") for seed in range(3)),
    ("smoke_budget", "smoke_budget-s00"),  # only there is a budget
)


def prompts(paradigm: str) -> dict[str, Any]:
    """The first messages of each kind that occurs, contract left out."""
    from desbench.controllers.backends.random import RandomBackend
    from desbench.controllers.backends.rules import Rules
    from desbench.controllers.frameworks.native import Native

    from desbench.episode import Episode
    from desbench.language.prompt import messages

    found: dict[str, Any] = {}
    for backend in (Rules(), RandomBackend()):  # chance meets what rules avoid
        for suite, case in CASES:
            runner, episode = Native(backend), Episode(suite, case, paradigm)
            runner.reset(episode.info)
            for decision in episode:
                for view in decision["active_agents"].values():
                    if view["kind"] not in found:
                        found[view["kind"]] = json.loads(messages(view)[1]["content"])
                episode.act(runner.select_actions(decision))
    return found


def text(content: Any) -> str:
    """A golden file: one key a line at the top, so that a change is seen where it is."""
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def files() -> dict[str, str]:
    """Name and text of every golden file."""
    return {
        f"{paradigm}-{kind}.json": text(content)
        for paradigm in PARADIGMS
        for kind, content in prompts(paradigm).items()
    }


def example() -> str:
    """The part of the page: JSON schema and golden payload of one kind."""
    from desbench.language.prompt import CONTRACT, schema

    shown = json.loads((FOLDER / "holonic_hybrid-route_cell.json").read_text(encoding="utf-8"))
    parts = [
        f"The system message:\n\n> {CONTRACT}",
        f"A user message of kind `route_cell`:\n\n```json\n{_short(shown)}\n```",
        f"Its JSON schema:\n\n```json\n{_short(schema('route_cell'))}\n```",
    ]
    return "\n\n".join(parts)


def _short(content: dict[str, Any]) -> str:
    """JSON with one line for each key at the top."""
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.json"):
        old.unlink()
    for name, content in files().items():
        (FOLDER / name).write_text(content, encoding="utf-8")
    from protocol.pages import write

    write("language_models.md", "prompt", example())
