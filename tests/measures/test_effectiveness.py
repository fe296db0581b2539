"""Each measure beside the arithmetic a reader can do on paper; 10 ticks are one minute."""

from __future__ import annotations

import pytest

from desbench.measures import effectiveness as e
from measures.handmade import done, event, interval, small_case, small_trace


def test_makespan_is_the_end_of_the_episode_not_the_last_completion() -> None:
    """A run that ends early or late is measured at its end, whatever its jobs did."""
    trace = small_trace(time=123, status="horizon", events=[done(1, 90)])
    assert e.makespan(trace) == 12.3
    assert e.cmax(trace) is None  # not all jobs are done


def test_cmax_is_the_last_completion() -> None:
    """`done` says that every job is complete, so the last one counts."""
    trace = small_trace(time=95, events=[done(2, 60), done(1, 90), done(0, 95)])
    assert e.cmax(trace) == 9.5


def test_total_tardiness_counts_completed_jobs_with_due_dates_only() -> None:
    """J0 is 20 late, J2 is 10 early and earns nothing, J1 has no due date."""
    trace = small_trace(events=[done(0, 120), done(1, 900), done(2, 40)])
    assert e.total_tardiness(trace) == 2.0
    assert e.on_time_share(trace) == 0.5
    assert e.mean_flow_time(trace) == (120 + 890 + 20) / 3 / 10


def test_an_unfinished_job_has_no_tardiness_but_is_not_on_time() -> None:
    """Otherwise a deadlock would be the best way to be punctual."""
    trace = small_trace(status="deadlock", time=60, events=[done(2, 45)])
    assert e.total_tardiness(trace) == 0.0
    assert e.on_time_share(trace) == 0.5
    assert e.completed_jobs(trace) == 1


def test_weighted_tardiness() -> None:
    """J0: 1 x 20, J2: 2.5 x 10."""
    trace = small_trace(events=[done(0, 120), done(2, 60)])
    assert e.weighted_tardiness(trace) == pytest.approx(4.5)


def test_tardiness_all_charges_unfinished_jobs_up_to_the_horizon() -> None:
    """An early end must not look better than a late one: J0 is open, 300 - 100 = 200 late."""
    trace = small_trace(small_case(horizon=300), "deadlock", 60, events=[done(2, 70)])
    assert e.tardiness_all(trace) == 20.0 + 2.0


def test_tardiness_all_is_null_without_a_horizon_and_with_an_open_job() -> None:
    """There is no time up to which to count."""
    assert e.tardiness_all(small_trace(status="deadlock", time=60)) is None
    finished = [done(0, 101), done(2, 50), done(1, 20)]
    assert e.tardiness_all(small_trace(events=finished)) == 0.1


def test_mean_wip_and_throughput() -> None:
    """J0 is in the shop 0-40, J1 10-100 (open), J2 20-70: 180 job ticks in 100."""
    trace = small_trace(status="horizon", events=[done(0, 40), done(2, 70)])
    assert e.mean_wip(trace) == 1.8
    assert e.throughput(trace) == 0.2


def test_a_job_released_after_the_end_was_never_in_the_shop() -> None:
    """Its negative stay must not lower the mean: only J0 was there, all the time."""
    assert e.mean_wip(small_trace(status="decision_limit", time=5)) == 1.0


def test_no_time_passed_leaves_ratios_undefined() -> None:
    """Null, not a division by zero and not NaN."""
    trace = small_trace(time=0, status="decision_limit")
    assert e.mean_wip(trace) is None
    assert e.throughput(trace) is None
    assert e.mean_flow_time(trace) is None


def test_transport_time_ends_with_the_episode() -> None:
    """4 ticks on the road, and 3 of 10 before the end at 100."""
    rows = [
        event(10, "transport_start", job=0, amount=4),
        event(97, "transport_start", job=1, amount=10),
    ]
    assert e.transport_time(small_trace(events=rows)) == 0.7


def test_gate_wait_runs_to_admission_pickup_or_the_end() -> None:
    """J0 waits 10-15 and 30-36 (withdrawn, driven away), J1 from 80 to the end at 100."""
    rows = [
        event(10, "buffer_wait", job=0),
        event(12, "admission", job=2),
        event(15, "admission", job=0),
        event(30, "buffer_wait", job=0),
        event(36, "transport_start", job=0, amount=1),
        event(80, "buffer_wait", job=1),
    ]
    assert e.gate_wait_time(small_trace(events=rows)) == (5 + 6 + 20) / 10


def test_state_times_and_utilisation() -> None:
    """Three machines for 100 ticks are 300 machine ticks; vehicles do not count."""
    rows = [
        interval(0, "idle", 0, 50, 10),
        interval(0, "setup", 50, 80, 20),
        interval(0, "blocked", 80, 100, 15),
        interval(1, "processing", 0, 100, 100),
        interval(2, "down", 0, 60, 1),
        interval(2, "idle", 60, 100, 10),
        interval(-1, "idle", 0, 100, 0),
    ]
    trace = small_trace(intervals=rows)
    assert (e.setup_time(trace), e.blocking_time(trace)) == (3.0, 2.0)
    from desbench.measures import measure

    result = measure(trace)
    shares = [result[f"utilisation_{state}"] for state in e.MACHINE_STATES]
    assert shares == pytest.approx([90 / 300, 30 / 300, 100 / 300, 20 / 300, 60 / 300])
