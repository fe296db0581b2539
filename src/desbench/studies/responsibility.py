"""Responsibility: who told, watched and acted, by paradigm, and what each switch is worth.

`desbench study responsibility` plays the test cases of a suite under every paradigm and under
`responsibility_rcm` with one of its switches changed, with rules, and prints Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from desbench.paradigms import ALIASES, paradigm
from desbench.report.intervals import paired
from desbench.report.text import number

SUITE = "intercell_a5c12_harder"
PARADIGMS = tuple(ALIASES.values())
#: What is changed in responsibility_rcm, one switch at a time.
CHANGES: dict[str, dict[str, Any]] = {
    "without monitor": {"monitor": False},
    "without intervene": {"intervene": False},
    "without recursive": {"recursive": False},
    "initial: all_areas": {"initial": "all_areas"},
}
SHOWN = (
    *("signals", "communicate", "monitor", "intervene", "fulfilment", "responsibility"),
    *("robustness", "tardiness_all", "messages"),
    *("commitment_messages_forced", "commitment_messages_chosen"),
)
COMPARED = ("responsibility", "tardiness_all", "messages")

Measures = Mapping[str, Any]


def main(suite: str = SUITE, faults: str | None = None) -> str:
    """Play the test cases of a suite, with faults or without, and return the report as Markdown."""
    found = plays(suite, faults)
    lines = ["Means over the cases:", "", *_means(found), ""]
    lines += [f"Less `{PARADIGMS[-1]}`, paired over the cases, with 95 % intervals:", ""]
    return "\n".join([*lines, *_differences(found)]) + "\n"


def plays(suite: str, faults: str | None = None) -> dict[str, list[Measures]]:
    """Measures of each case, by paradigm and change."""
    from desbench.controllers.backends.rules import Rules
    from desbench.controllers.frameworks.native import Native
    from desbench.episode import Episode
    from desbench.instances.suite import load_suite

    loaded = load_suite(suite)
    whole = paradigm(PARADIGMS[-1])
    modes = {name: paradigm(name) for name in PARADIGMS}
    for name, switch in CHANGES.items():
        modes[name] = replace(whole, mode_id=f"{whole.mode_id}_{next(iter(switch))}", **switch)
    found: dict[str, list[Measures]] = {}
    for name, mode in modes.items():
        found[name] = []
        for case in loaded.cases("test"):
            episode = Episode(loaded, case.id, mode, faults=faults)
            episode.play(Native(Rules()), strict=True)
            found[name].append(episode.measures)
    return found


def _means(found: Mapping[str, Sequence[Measures]]) -> Iterator[str]:
    yield "| paradigm | done | " + " | ".join(SHOWN) + " |"
    yield "|---" * (len(SHOWN) + 2) + "|"
    for name, cases in found.items():
        done = sum(not measures["truncated"] for measures in cases)
        cells = [f"{done} of {len(cases)}"]
        for column in SHOWN:
            values = [measures[column] for measures in cases if measures[column] is not None]
            cells.append(number(sum(values) / len(values)) if values else "")
        yield f"| {name} | " + " | ".join(cells) + " |"


def _differences(found: Mapping[str, Sequence[Measures]]) -> Iterator[str]:
    yield "| paradigm | " + " | ".join(COMPARED) + " |"
    yield "|---" * (len(COMPARED) + 1) + "|"
    whole = found[PARADIGMS[-1]]
    for name, cases in found.items():
        if cases is whole:
            continue
        cells = []
        for column in COMPARED:
            over = paired([m[column] for m in whole], [m[column] for m in cases])
            cells.append(f"{number(over.mean)} ({number(over.low)} .. {number(over.high)})")
        yield f"| {name} | " + " | ".join(cells) + " |"
