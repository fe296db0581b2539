"""The fault matrix: each fault under each framework, as a table.

`python tests/language/faulttable.py` writes it into docs/language_models.md.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))

from language.faults import Body, free_port_url, serving  # noqa: E402 - runs as a script too
from language.runs import ask, calls  # noqa: E402

PAGE = ROOT / "docs" / "language_models.md"
FRAMEWORKS = ("native", "langgraph", "agentscope")
AT = 3  #: the request that meets the fault; all others are answered

#: Name in the table, what the server does, whether it stays so.
FAULTS = {
    "429, then well": ("429 0.05", False),
    "429 for ever": ("429 0.05", True),
    "500, then well": ("500", False),
    "500 for ever": ("500", True),
    "400": ("400", False),
    "401": ("401", False),
    "slow": ("slow", False),
    "never answers": ("never", False),
    "a byte at a time": ("drip", False),
    "cut body, then well": ("cut_body", False),
    "cut body for ever": ("cut_body", True),
    "not JSON": ("not_json", False),
    "prose": ("prose", False),
    "prose, illegal answer": ("prose_illegal", False),
    "fenced JSON": ("fenced", False),
    "action as a string": ("string", False),
    "action as a boolean": ("boolean", False),
    "out of range": ("out_of_range", False),
    "refusal": ("refusal", False),
    "empty": ("empty", False),
    "cut by length": ("length", False),
    "usage missing": ("no_usage", False),
    "nobody listens": ("", True),
}


def row(name: str, framework: str, folder: Path) -> list[str]:
    """Outcome of the reply, retries, fallbacks, status of the case and exit code of the sweep."""
    fault, stays = FAULTS[name]

    def script(body: Body, number: int) -> str:
        return fault if number == AT or (stays and number > AT) else "first"

    with serving(script) as server:
        url = server.url if fault else free_port_url()
        outcome = ask(
            folder, url, frameworks=(framework,), decision_timeout=1.5, limit=1, memory="off"
        )
        record = outcome.records[0]
        if record.status == "infra_error":
            return [name, "-", "-", "-", record.status, str(outcome.exit_code)]
        told = sorted(calls(outcome), key=lambda one: (one["outcome"] == "ok", -one["retries"]))
        retries = sum(one["retries"] for one in told)
        fallbacks = str(record.measures["fallback_decisions"])
        return [
            *(name, told[0]["outcome"], str(retries), fallbacks),
            *(record.status, str(outcome.exit_code)),
        ]


def table(framework: str) -> list[list[str]]:
    """Every fault under one framework."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            row(name, framework, Path(folder, str(number))) for number, name in enumerate(FAULTS)
        ]


def page(rows: list[list[str]]) -> str:
    """The rows as a table of the page."""
    head = ["fault", "outcome", "retries", "fallbacks", "status", "exit code"]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    from protocol.pages import write

    write(PAGE.name, "faults", page(table("native")))
