"""Calibration: what the shipped suites load the plant with, and how the paradigms differ on them.

`desbench study calibration --suite NAME` plays every test case under rules and prints, per
profile and paradigm, the statuses and the mean load figures.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from desbench.studies.load import load_figures

if TYPE_CHECKING:
    from desbench.instances.suite import Suite


@dataclass
class Load:
    """Sums over the cases of one profile under one paradigm."""

    cases: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    sums: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def mean(self, name: str) -> float:
        """Mean of a figure over the cases."""
        return self.sums[name] / self.cases


def survey(suite: Suite, paradigms: Iterable[str]) -> dict[tuple[str, str], Load]:
    """Play the test cases of a suite under rules; loads by (profile, paradigm)."""
    from desbench.controllers.backends.rules import Rules
    from desbench.controllers.frameworks.native import Native
    from desbench.episode import Episode

    loads: dict[tuple[str, str], Load] = defaultdict(Load)
    for paradigm in paradigms:
        for case in suite.cases("test"):
            episode = Episode(suite, case.id, paradigm)
            episode.play(Native(Rules()))
            load = loads[case.profile, paradigm]
            load.cases += 1
            load.statuses[episode.status] += 1
            for name, value in load_figures(episode.trace).items():
                load.sums[name] += value
    return loads
