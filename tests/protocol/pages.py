"""The generated parts of the pages, between `<!-- NAME: begin -->` and `<!-- NAME: end -->`.

`python tests/protocol/pages.py` writes them; `test_pages.py` compares them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from desbench.protocol.decision import KINDS  # noqa: E402
from desbench.protocol.fields import FIELDS  # noqa: E402
from protocol.broken import story  # noqa: E402
from protocol.playing import Scripted, play  # noqa: E402 - runs as a script too
from protocol.worked import four_items, tables  # noqa: E402


def fields() -> str:
    """A table of the option fields of each kind."""
    parts = []
    for kind in KINDS:
        rows = [f"| `{name}` | {meaning} |" for name, meaning in FIELDS[kind].items()]
        parts.append("\n".join([f"**{kind}**", "", "| field | meaning |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def example() -> str:
    """The view of the area that is asked first in the worked example, options cut to one line."""
    runner = Scripted()
    play(four_items(), "hierarchical_chain", runner)
    return f"```json\n{json.dumps(runner.shown('route_cell')[0], indent=1)}\n```"


BLOCKS = {
    ("protocols.md", "worked example"): tables,
    ("rcm.md", "breakdown"): story,
    ("payload.md", "fields"): fields,
    ("payload.md", "example"): example,
}


def marks(name: str) -> tuple[str, str]:
    """What stands before and after a generated part."""
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def shown(page: str, name: str) -> str:
    """A generated part as it stands in its page."""
    begin, end = marks(name)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return text.partition(begin)[2].partition(end)[0].strip()


def write(page: str, name: str, content: str) -> None:
    """Put a generated part into its page."""
    begin, end = marks(name)
    path = ROOT / "docs" / page
    before, found, rest = path.read_text(encoding="utf-8").partition(begin)
    assert found, f"{page} has no part {name!r}"
    after = rest.partition(end)[2]
    path.write_text(f"{before}{begin}\n\n{content}\n\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    for (page, name), content in BLOCKS.items():
        write(page, name, content())
