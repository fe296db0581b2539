"""Calibration: what the shipped suites load the plant with, and how the paradigms differ on them.

`desbench study calibration` plays every test case of the intercell suites under rules and prints
Markdown: the load, what happened to stranded items, what routing rules make of each profile, and
the paired differences between the paradigms.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

from desbench.measures import PRIMARY
from desbench.report.intervals import Interval, paired
from desbench.report.text import number
from desbench.studies.load import FIGURES, load_figures

if TYPE_CHECKING:
    from desbench.instances.suite import Suite

SUITES = ("intercell_a5c12_harder", "intercell_a3c9_wide")
PARADIGMS = ("centralized_plant", "hierarchical_chain", "heterarchical_cnp", "holonic_hybrid")
#: Measures that can vary under rules: all but the two that count other sources.
VARYING = tuple(
    d.column for d in PRIMARY if d.column not in ("fallback_decisions", "llm_decisions")
)
#: Routing rules compared under the centralized plant, against the first.
ROUTING = ("earliest_finish", "spt", "bottleneck")


@dataclass
class Group:
    """The cases of one profile under one paradigm or rule, in the order of the cases."""

    statuses: Counter[str] = field(default_factory=Counter)
    figures: list[dict[str, float]] = field(default_factory=list)
    measures: list[Mapping[str, Any]] = field(default_factory=list)

    def mean(self, name: str) -> float:
        """Mean of a load figure over the cases."""
        return sum(figures[name] for figures in self.figures) / len(self.figures)

    def values(self, measure: str) -> list[Any]:
        """A measure, one value a case."""
        return [measures[measure] for measures in self.measures]


def main(suites: Sequence[str] = SUITES) -> str:
    """Play the test cases of the suites and return the report as Markdown."""
    from desbench.instances.suite import load_suite

    lines: list[str] = []
    for name in suites:
        suite = load_suite(name)
        groups = by_paradigm(suite)
        lines += [f"**{name}**, load:", "", *_load(groups), ""]
        lines += ["Routing rules under the centralized plant:", "", *_routing(by_rule(suite)), ""]
        lines += ["Paired differences, over all cases:", "", *_differences(groups), ""]
    lines += [f"*{name}*: {meaning}." for name, meaning in FIGURES.items()]
    return "\n".join(lines)


def by_paradigm(suite: Suite) -> dict[tuple[str, str], Group]:
    """Groups by (profile, paradigm)."""
    return {
        (profile, paradigm): group
        for paradigm in PARADIGMS
        for profile, group in _play(suite, paradigm, {}).items()
    }


def by_rule(suite: Suite) -> dict[tuple[str, str], Group]:
    """Groups by (profile, routing rule), under the centralized plant."""
    from desbench.controllers.backends.rules import RULES

    return {
        (profile, rule): group
        for rule in ROUTING
        if rule in RULES["route_cell"]
        for profile, group in _play(suite, PARADIGMS[0], {"route_cell": rule}).items()
    }


def _play(suite: Suite, paradigm: str, rules: Mapping[str, str]) -> dict[str, Group]:
    from desbench.controllers.backends.rules import Rules
    from desbench.controllers.frameworks.native import Native
    from desbench.episode import Episode

    groups: dict[str, Group] = defaultdict(Group)
    for case in suite.cases("test"):
        episode = Episode(suite, case.id, paradigm)
        status = episode.play(Native(Rules(rules)), strict=True)
        group = groups[case.profile]
        group.statuses[status] += 1
        group.figures.append(load_figures(episode.trace))
        group.measures.append(episode.measures)
    return groups


def _load(groups: Mapping[tuple[str, str], Group]) -> Iterator[str]:
    yield "| profile | paradigm | ended | " + " | ".join(FIGURES) + " |"
    yield "|---" * (len(FIGURES) + 3) + "|"
    for (profile, paradigm), group in sorted(groups.items(), key=lambda item: item[0][0]):
        ended = ", ".join(f"{n} {status}" for status, n in group.statuses.most_common())
        means = " | ".join(number(group.mean(name)) for name in FIGURES)
        yield f"| {profile} | {paradigm} | {ended} | {means} |"


def _routing(groups: Mapping[tuple[str, str], Group]) -> Iterator[str]:
    """Total tardiness by rule, as a mean and over the first rule's mean."""
    rules = [rule for rule in ROUTING if any(rule == r for _, r in groups)]
    yield "| profile | " + " | ".join(f"tardiness under {rule}" for rule in rules) + " |"
    yield "|---" * (len(rules) + 1) + "|"
    for profile in sorted({profile for profile, _ in groups}):
        means = [
            sum(v) / len(v)
            for v in (groups[profile, rule].values("tardiness_all") for rule in rules)
        ]
        cells = [f"{mean:.1f} ({mean / means[0] - 1:+.0%})" for mean in means]
        yield f"| {profile} | " + " | ".join(cells) + " |"


def _differences(groups: Mapping[tuple[str, str], Group]) -> Iterator[str]:
    """Per measure the pair of paradigms that differs most, in half-widths of its interval."""
    profiles = sorted({profile for profile, _ in groups})

    def values(paradigm: str, measure: str) -> list[Any]:
        return [v for profile in profiles for v in groups[profile, paradigm].values(measure)]

    yield "| measure | pairs that differ | clearest pair | mean difference | 95 % interval |"
    yield "|---|---|---|---|---|"
    for measure in VARYING:
        found = [
            (one, other, paired(values(one, measure), values(other, measure)))
            for one, other in combinations(PARADIGMS, 2)
        ]
        apart = [item for item in found if item[2].excludes_zero]
        if not apart:
            yield f"| {measure} | 0 of {len(found)} | | | |"
            continue
        one, other, interval = max(apart, key=lambda item: _clarity(item[2]))
        yield (
            f"| {measure} | {len(apart)} of {len(found)} | {other} - {one} "
            f"| {number(interval.mean)} | {number(interval.low)} .. {number(interval.high)} |"
        )


def _clarity(interval: Interval) -> float:
    """Distance from zero in widths of the interval; of one value only it is infinite."""
    mean, low, high = (value or 0.0 for value in (interval.mean, interval.low, interval.high))
    return abs(mean) / (high - low) if high > low else float("inf")
