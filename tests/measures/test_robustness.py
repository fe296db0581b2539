"""What an episode leaves undone."""

from __future__ import annotations

import pytest

from desbench.measures import robustness as r
from measures.handmade import done, event, small_trace


@pytest.mark.parametrize("status", ["deadlock", "no_progress", "horizon", "decision_limit"])
def test_every_end_but_done_is_a_truncation(status: str) -> None:
    """The mean of this column is the truncation rate."""
    assert r.truncated(small_trace(status=status)) == 1
    assert r.truncated(small_trace(status="done")) == 0


def test_unfinished_work() -> None:
    """J2 is done; of the four operations J0 has finished one and J2 its only one."""
    rows = [event(33, "finish", job=0), event(60, "finish", job=2), done(2, 60)]
    trace = small_trace(status="deadlock", time=130, events=rows)
    assert r.unfinished_jobs(trace) == 2
    assert r.remaining_operations(trace) == 2
    assert r.unfinished_tardiness(trace) == 3.0  # J0: 130 - 100; J1 has no due date


def test_an_unfinished_job_before_its_due_date_is_not_late_yet() -> None:
    """An episode that ends at 60 owes nothing for J0, due at 100, but 10 for J2, due at 50."""
    assert r.unfinished_tardiness(small_trace(status="deadlock", time=60)) == 1.0


def test_disturbances_are_counted() -> None:
    """Rows of the shop, whatever the agents made of them."""
    rows = [event(5, "breakdown", machine=0), event(5, "stranded", job=0), event(6, "repair")]
    trace = small_trace(events=rows)
    assert (r.breakdowns(trace), r.strandings(trace)) == (1, 1)
