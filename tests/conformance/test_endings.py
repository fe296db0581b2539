"""How episodes must end, whoever decides."""

from __future__ import annotations

import pytest

from desbench import registry
from desbench.episode import Episode, make_runner
from desbench.instances.instance import UNLIMITED
from shops import shop

PARADIGMS = [name for name in registry.names("paradigms") if not name.startswith("test_")]


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_one_knot_is_one_deadlock_under_every_paradigm(paradigm: str) -> None:
    """With no choice left the end is physics: same instant, same cycle, whoever is asked (C06)."""
    ring = [[{m: 1}, {(m + 1) % 3: 1}] for m in (0, 1, 2, 0, 1, 2)]
    episode = Episode(shop(ring, inbound=1, outbound=0, commitment=1), paradigm=paradigm)
    assert episode.play(make_runner()) == "deadlock"
    assert episode.trace.end == 1
    assert episode.measures["completed_jobs"] == 0
    assert episode.measures["cmax"] is None, "a deadlock has no makespan to be proud of"
    items = [index for kind, index in episode.trace.info["cycle"] if kind == "item"]
    assert items == [0, 4, 1, 5, 2, 3, 0]


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_a_hundred_jobs_at_once_are_done(paradigm: str) -> None:
    """Without limits to fill, a crowd at t = 0 is only work."""
    jobs = [[{j % 4: 3, (j + 1) % 4: 4}, {(j + 2) % 4: 2}] for j in range(100)]
    crowd = shop(jobs, inbound=UNLIMITED, outbound=UNLIMITED, commitment=UNLIMITED)
    episode = Episode(crowd, paradigm=paradigm)
    assert episode.play(make_runner()) == "done"
