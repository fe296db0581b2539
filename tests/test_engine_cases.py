"""Small shops with numbers worked out by hand, played on the engine."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from desbench._engine.simulation import (
    CAUSES,
    EVENT_KINDS,
    MACHINE_STATES,
    VEHICLE_STATES,
    Simulation,
)
from desbench.errors import IllegalAction
from desbench.instances.carbon import Carbon
from desbench.instances.instance import Instance
from oracle import Event, Interval, named_events, named_intervals
from shops import shop

SHOWN = ("idle", "setup", "processing", "blocked", "down")


class Run:
    """One episode with a plain commander: the first legal command, until none is left."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.engine = Simulation(instance)
        self.stop: Any = None
        self.events: list[Event] = []

    def advance(self) -> Any:
        self.stop = self.engine.advance()
        self.events += named_events(self.engine.event_rows(), EVENT_KINDS, CAUSES)
        return self.stop

    def act(self) -> None:
        """Dispatch what can be dispatched, assign what can be assigned, lowest first."""
        cells = range(len(self.instance.cell_names))
        for cell in cells:
            while pairs := self.engine.pairs(cell):
                machine, job = pairs[0]
                self.engine.dispatch(job, machine)
        for job in self.engine.ready():
            for cell in [c for c in cells if self.engine.can_assign(job, c)][:1]:
                self.engine.assign(job, cell)

    def to_the_end(self, act: Callable[[], None] | None = None) -> Any:
        while not self.advance().status:
            (act or self.act)()
        return self.stop

    def until(self, time: int) -> Any:
        """Act at every stop before `time`; the stop returned is the first not before it."""
        while self.advance().time < time:
            self.act()
        return self.stop

    def times(self, kind: str, **columns: int) -> list[int]:
        rows = [row for row in self.events if row.kind == kind]
        return [r.time for r in rows if all(getattr(r, n) == v for n, v in columns.items())]

    def intervals(self) -> list[Interval]:
        rows = self.engine.interval_rows()
        return named_intervals(rows, MACHINE_STATES, VEHICLE_STATES)

    def ticks(self, machine: int) -> dict[str, int]:
        """Ticks that the machine showed each state."""
        sums: dict[str, int] = {}
        for row in self.intervals():
            if (row.entity_kind, row.entity) == ("machine", machine):
                sums[row.state] = sums.get(row.state, 0) + row.end - row.start
        return sums


def finished(instance: Instance) -> Run:
    run = Run(instance)
    assert run.to_the_end().status == "done"
    return run


# deadlock


def ring() -> Instance:
    """Three cells in a ring, two jobs starting in each; one place inbound, none outbound."""
    jobs = [[{m: 1}, {(m + 1) % 3: 1}] for m in (0, 1, 2, 0, 1, 2)]
    return shop(jobs, inbound=1, outbound=0, commitment=1)


def test_a_ring_that_waits_for_itself_is_a_deadlock_with_its_cycle_named() -> None:
    """At t=1 each machine holds a finished item whose next cell is committed to one that waits."""
    run = Run(ring())
    stop = run.to_the_end()
    assert (stop.status, stop.time) == ("deadlock", 1)
    assert run.times("job_complete") == []
    # Job 0 wants cell 1, promised to job 4, which waits for machine 1, on which job 1 is done,
    # which wants cell 2: 5 -> machine 2 -> 2 -> cell 0: 3 -> machine 0 -> 0.
    assert stop.cycle == [
        ("item", 0),
        ("commitment", 1),
        ("item", 4),
        ("machine", 1),
        ("item", 1),
        ("commitment", 2),
        ("item", 5),
        ("machine", 2),
        ("item", 2),
        ("commitment", 0),
        ("item", 3),
        ("machine", 0),
        ("item", 0),
    ]


def test_one_place_outbound_dissolves_the_ring() -> None:
    """The deadlock comes from the missing place alone: with one, machines free and go on."""
    jobs = [[{m: 1}, {(m + 1) % 3: 1}] for m in (0, 1, 2, 0, 1, 2)]
    run = finished(shop(jobs, inbound=1, outbound=1, commitment=1))
    assert len(run.times("job_complete")) == 6


def test_three_jobs_in_a_ring_rotate_at_once() -> None:
    """With nobody else committed a cell may promise its place while its machine is full."""
    jobs = [[{m: 1}, {(m + 1) % 3: 1}] for m in range(3)]
    assert finished(shop(jobs, inbound=1, outbound=0, commitment=1)).stop.time == 2


def test_a_stall_is_not_a_deadlock() -> None:
    """Somebody could act: `no_progress_limit` stalled stops, then `no_progress`."""
    run = Run(shop([[{0: 1}]], no_progress_limit=2))
    stops = [run.advance() for _ in range(4)]
    assert [stop.stalled for stop in stops] == [False, True, True, False]
    assert [stop.status for stop in stops] == ["", "", "", "no_progress"]


# energy


def test_the_interval_before_a_change_has_the_power_of_before() -> None:
    """10 ticks at 200 W, then idle at 8 W: 1400 at t=7, 2000 at the change and for ever."""
    watts = {"idle": 8, "processing": 200}
    run = Run(shop([[{0: 10}], [{0: 1}], [{0: 1}]], release=[0, 7, 20], watts=watts))
    run.until(7)
    assert run.engine.energy()[0][0].tolist() == [0, 0, 1400, 0, 0]
    run.act()
    assert run.until(10).time == 10
    assert run.engine.energy()[0][0].tolist() == [0, 0, 2000, 0, 0]
    assert run.engine.power(0) == 8
    assert run.advance().time == 20
    assert run.engine.energy()[0][0].tolist() == [80, 0, 2000, 0, 0]


def test_reading_the_meter_does_not_move_it() -> None:
    """The total must not depend on how often somebody looks."""
    jobs = [[{0: 3}, {1: 4}], [{1: 2}, {0: 5}], [{0: 1}]]
    once, often = Run(shop(jobs, setup=1)), Run(shop(jobs, setup=1))
    once.to_the_end()

    def look_and_act() -> None:
        for _ in range(11):
            often.engine.energy()
        often.act()

    often.to_the_end(look_and_act)
    assert once.engine.energy()[0].tolist() == often.engine.energy()[0].tolist()


def test_two_changes_at_one_instant_add_nothing() -> None:
    """A zero-long operation at 10^6 W passes through `processing` without a watt-tick."""
    watts = {"idle": 1, "processing": 10**6}
    run = finished(shop([[{0: 0}], [{0: 0}]], release=[0, 7], watts=watts))
    assert run.engine.energy()[0].tolist() == [[7, 0, 0, 0, 0]]


def test_open_intervals_are_closed_at_the_end() -> None:
    """Two machines to t=9: powers times lengths of all intervals are the meter's total."""
    run = finished(shop([[{0: 4}, {1: 5}]], watts={"idle": 1, "processing": 10}))
    assert run.engine.energy()[0].tolist() == [[5, 0, 40, 0, 0], [4, 0, 50, 0, 0]]
    rows = run.intervals()
    assert max(row.end for row in rows) == 9
    assert sum(row.power * (row.end - row.start) for row in rows) == 99


def test_a_vehicle_draws_power_while_it_moves_and_for_the_plant_alone() -> None:
    """3 ticks loaded at 7 W: 21; the area sees its machine alone."""
    run = Run(shop([[{0: 1}]], vehicles=1, vehicle_power=7, travel=3, watts={"idle": 0}))
    run.until(3)
    assert run.engine.energy()[1].tolist() == [21]
    assert (run.engine.power(-1), run.engine.power(0)) == (0, 0)


# down time


def outage(interruption: str, *stops: tuple[int, int], jobs: int = 1) -> Run:
    """Operations of 10 ticks on machine 0, job j released at 90 j."""
    release = [90 * job for job in range(jobs)]
    instance = shop(
        [[{0: 10}]] * jobs, release=release, down={0: list(stops)}, interruption=interruption
    )
    return finished(instance)


def test_resume_works_off_the_rest() -> None:
    """4 ticks, 5 down, 6 ticks: ends at 15."""
    run = outage("resume", (4, 9))
    assert run.times("finish") == [15]
    assert run.ticks(0) == {"processing": 10, "down": 5}


def test_restart_starts_the_phase_again() -> None:
    """4 ticks lost, 5 down, 10 ticks: ends at 19."""
    run = outage("restart", (4, 9))
    assert run.times("finish") == [19]
    assert run.ticks(0) == {"processing": 14, "down": 5}


def test_a_stop_that_waits_begins_after_the_work() -> None:
    """Work 0-10 is finished; the outage of 5 at t=4 lasts from 10 to 15."""
    run = outage("wait", (4, 9), jobs=2)
    assert run.times("finish") == [10, 100]
    assert (run.times("breakdown"), run.times("repair")) == ([10], [15])
    assert run.ticks(0) == {"processing": 20, "idle": 75, "down": 5}


def test_a_stop_waits_for_setup_and_processing_alike() -> None:
    """Setup 0-4 and work 4-14 are one operation; due at 2, it begins at 14."""
    run = Run(shop([[{0: 10}], [{0: 1}]], setup=4, down={0: [(2, 5)]}, interruption="wait"))
    run.to_the_end()
    assert (run.times("setup_complete"), run.times("finish")) == ([4], [14, 18])
    assert (run.times("breakdown"), run.times("repair")) == ([14], [17])


def test_stops_that_fall_due_meanwhile_follow_each_other() -> None:
    """Work ends at 10; what was due at 4 (5 long), 12 (1 long) and 15 (2 long) lasts until 18."""
    run = Run(
        shop(
            [[{0: 10}], [{0: 3}]],
            down={0: [(4, 9, "shift", "wait"), (12, 13), (15, 17, "shift", "wait")]},
        )
    )
    run.to_the_end()
    assert run.times("breakdown") == [10, 15, 16]
    assert run.times("repair") == [15, 16, 18]
    assert run.times("finish") == [10, 21]


def test_the_length_of_an_outage_is_not_its_end() -> None:
    """A second outage of 5 at t=100 lasts until 105; the job of t=90 to 100 is untouched."""
    run = outage("resume", (4, 9), (100, 105), jobs=3)
    assert run.times("breakdown") == [4, 100]
    assert run.times("repair") == [9, 105]
    assert run.times("finish") == [15, 100, 190]
    assert [row.amount for row in run.events if row.kind == "breakdown"] == [5, 5]


@pytest.mark.parametrize("interruption", ["resume", "restart"])
def test_work_that_ends_at_the_instant_of_a_breakdown_has_ended(interruption: str) -> None:
    """Finish has rank 0, breakdown rank 4."""
    run = Run(
        shop(
            [[{0: 10}], [{0: 1}]], release=[0, 11], down={0: [(10, 15)]}, interruption=interruption
        )
    )
    run.to_the_end()
    kinds = [row.kind for row in run.events if row.time == 10]
    assert kinds == ["finish", "job_complete", "breakdown"]
    assert run.times("finish") == [10, 16]


def test_a_restarted_setup_is_restarted_alone() -> None:
    """Setup 0-4 stopped at 2 for 3 ticks starts again: 5-9, then 10 ticks of work."""
    instance = shop([[{0: 10}]], setup=4, down={0: [(2, 5)]}, interruption="restart")
    run = finished(instance)
    assert (run.times("setup_complete"), run.times("finish")) == ([9], [19])


# vehicles and delivery


def test_a_delivered_job_is_done_at_the_sink() -> None:
    """3 ticks there, 5 of work, 3 back: done at 11, one more trip than without delivery."""
    plain = finished(shop([[{0: 5}]], travel=3))
    run = finished(shop([[{0: 5}]], travel=3, deliver=True))
    assert (plain.stop.time, run.stop.time) == (8, 11)
    assert run.times("job_complete") == run.times("transport_complete", cell=-1) == [11]
    assert run.engine.place(0) == ("done", -1, -1)


def test_a_finished_item_holds_its_machine_until_it_is_fetched() -> None:
    """Job 0 is done at 7. The only vehicle fetches job 1 (2-7), brings it to cell 1 (7-12) and
    is back at 14: blocked from 7 to 14, then 5 ticks to the sink.
    """
    travel = [[0, 2, 5], [5, 0, 2], [5, 2, 0]]
    jobs = [[{0: 5}], [{1: 1}]]
    run = finished(shop(jobs, vehicles=1, travel=travel, outbound=0, deliver=True))
    assert run.times("blocking_start", machine=0) == [7]
    assert run.times("blocking_release", machine=0) == [14]
    assert run.times("job_complete", job=0) == [19]


def test_a_request_that_names_its_vehicle_waits_for_it() -> None:
    """Vehicle 0 is sent away and has to come back, vehicle 1 stands there: pick-up at 6, not 0."""
    run = Run(shop([[{0: 1}]], vehicles=2, travel=3))
    run.advance()
    run.engine.send(0, 1)
    run.engine.assign(0, 0, 0)
    run.to_the_end()
    assert run.times("vehicle_move", vehicle=0) == [0, 3]
    assert run.times("transport_start", vehicle=0) == [6]
    assert run.times("vehicle_move", vehicle=1) == []


def test_a_vehicle_that_was_sent_waits_where_it_arrives() -> None:
    """Sent to cell 1 at 0, there at 3: the way to the item then takes 3, and it is a stop."""
    run = Run(shop([[{0: 9}]], vehicles=1, travel=3, release=20))
    run.engine.vehicle_stops = True
    run.engine.send(0, 1)
    with pytest.raises(IllegalAction):
        run.engine.send(0, 0)  # on its way
    assert (run.advance().time, run.stop.vehicles) == (3, [0])
    assert run.engine.vehicle(0) == ("idle", -1, 1)
    assert run.times("transport_complete", vehicle=0, job=-1, cell=0) == [3]
    with pytest.raises(IllegalAction):
        run.engine.send(0, 1)  # it stands there


# ties


def tied(extra: bool) -> list[tuple[str, int]]:
    """Three jobs that finish at t=5, with or without a fourth of which nobody knows."""
    jobs = [[{m: 5}] for m in range(3)] + ([[{3: 5}]] if extra else [])
    cells = [[0, 1, 2], [3]] if extra else [[0, 1, 2]]
    run = finished(shop(jobs, cells=cells, inbound=3))
    rows = [row for row in run.events if row.time == 5 and row.job < 3]
    return [(row.kind, row.job) for row in rows]


def test_an_unrelated_event_does_not_change_a_tie() -> None:
    """The key (time, rank, entity) knows nothing of insertion order."""
    assert tied(extra=True) == tied(extra=False)
    assert [job for kind, job in tied(extra=False) if kind == "finish"] == [0, 1, 2]


def test_a_thousand_events_at_one_instant_come_in_key_order() -> None:
    """1000 arrivals at t=5, by job."""
    run = Run(shop([[{0: 1}]] * 1000, release=5, inbound=2**31 - 1))
    assert run.advance().ready == list(range(1000))
    assert run.times("arrival") == [5] * 1000


def test_ranks_order_one_instant() -> None:
    """At t=4: finish on 1, a vehicle unloads job 2, 0 breaks down, 3 is repaired, job 3 comes."""
    run = Run(
        shop(
            [[{1: 2}], [{2: 9}], [{0: 1}], [{0: 1}]],
            cells=[[0, 1, 2, 3]],
            release=[0, 0, 2, 4],
            travel=2,
            down={0: [(4, 5)], 3: [(1, 4)]},
            inbound=4,
        )
    )
    run.until(4)
    order = ["finish", "transport_complete", "breakdown", "repair", "arrival"]
    assert [row.kind for row in run.events if row.time == 4 and row.kind in order] == order


# two completions at one instant, one of them blocked


def blocked_run() -> Run:
    """Jobs 0 and 1 end at 3 and want cell 2, promised to job 2, which waits for job 3 till 5."""
    jobs = [[{0: 3}, {2: 1}], [{1: 3}, {2: 1}], [{2: 1}], [{2: 5}]]
    instance = shop(jobs, inbound=1, outbound=0, commitment=1, watts={"blocked": 7})
    run = Run(instance)
    run.advance()
    for job, cell in ((0, 0), (1, 1), (3, 2)):
        run.engine.assign(job, cell)
    run.advance()
    for job, machine in ((0, 0), (1, 1), (3, 2)):
        run.engine.dispatch(job, machine)
    run.engine.assign(2, 2)
    run.to_the_end()
    return run


def test_a_blocked_job_completes_once() -> None:
    """A later completion elsewhere must not finish it again: two operations, two finishes."""
    run = blocked_run()
    for job, operations in enumerate((2, 2, 1, 1)):
        assert len(run.times("finish", job=job)) == operations
        assert len(run.times("job_complete", job=job)) == 1


def test_the_blocked_stay_is_in_rows_intervals_and_energy() -> None:
    """Machine 0 is blocked from 3 to 5, machine 1, whose job comes second, to 6."""
    run = blocked_run()
    assert run.times("blocking_start") == [3, 3]
    assert run.times("blocking_release", machine=0) == [5]
    assert run.times("blocking_release", machine=1) == [6]
    energy = run.engine.energy()[0][:, SHOWN.index("blocked")]
    assert energy.tolist() == [14, 21, 0]


# can_* and commands


def commands(instance: Instance) -> list[tuple[str, tuple[Any, ...]]]:
    jobs = range(-1, len(instance.job_names) + 1)
    cells = range(-1, len(instance.cell_names) + 1)
    machines = range(-1, len(instance.machine_names) + 1)
    return [
        *(("assign", (job, cell)) for job in jobs for cell in cells),
        *(("dispatch", (job, machine)) for job in jobs for machine in machines),
        *(("unassign", (job,)) for job in jobs),
        *(("set_mode", (c, mode)) for c in cells for mode in ("normal", "eco", "pause", "fast")),
    ]


def test_can_says_what_the_command_does() -> None:
    """For every command at every stop: `can_` is true if and only if it is accepted."""
    instance = shop(
        [[{0: 2, 1: 3}, {2: 1}], [{1: 1}, {0: 2}], [{2: 2}]],
        cells=[[0, 1], [2]],
        inbound=1,
        outbound=0,
        power_cap=3,
        down={2: [(1, 4)]},
    )
    run, seen = Run(instance), set()

    def try_all() -> None:
        for kind, arguments in commands(instance):
            if kind == "unassign" and arguments != (1,):
                continue  # else nothing would ever be done
            allowed = getattr(run.engine, f"can_{kind}")(*arguments)
            seen.add((kind, allowed, accepts(run.engine, kind, arguments)))

    run.to_the_end(try_all)
    kinds = ("assign", "dispatch", "unassign", "set_mode")
    assert seen == {(kind, answer, answer) for kind in kinds for answer in (True, False)}


def accepts(engine: Simulation, kind: str, arguments: tuple[Any, ...]) -> bool:
    try:
        getattr(engine, kind)(*arguments)
    except IllegalAction:
        return False
    return True


def test_after_the_end_every_command_is_refused() -> None:
    """Also those that would be legal in the same state a moment before."""
    run = Run(shop([[{0: 5}], [{0: 5}]], horizon=3))
    assert run.to_the_end().status == "horizon"
    for kind, arguments in commands(run.instance):
        assert not getattr(run.engine, f"can_{kind}")(*arguments)
        assert not accepts(run.engine, kind, arguments)


def test_time_goes_on_when_every_machine_is_down() -> None:
    """Nothing can be done, so nobody is asked: the next stop is the repair."""
    run = Run(shop([[{0: 1}]], down={0: [(0, 6)]}))
    run.advance()
    run.act()
    assert (run.advance().time, run.stop.cells, run.stop.repairs) == (6, [0], [0])


# several things at one instant


def test_breakdown_arrival_and_reroute_at_one_instant() -> None:
    """At t=2 machine 0 stops under job 0 and strands job 1; job 2 arrives; job 1 goes to cell 1."""
    run = Run(
        shop(
            [[{0: 5}], [{0: 5, 1: 5}], [{0: 1}]],
            release=[0, 0, 2],
            down={0: [(2, 10)]},
        )
    )
    run.advance()
    run.act()
    run.until(2)
    assert (run.stop.breakdowns, run.stop.stranded, run.stop.ready) == ([0], [1], [2])
    with pytest.raises(IllegalAction):
        run.engine.dispatch(1, 0)  # the others see the new state
    run.engine.unassign(1)
    with pytest.raises(IllegalAction):
        run.engine.unassign(1)
    run.engine.assign(1, 1)
    run.to_the_end()
    times = [row.time for row in run.events]
    assert all(a <= b for a, b in pairwise(times))
    assert [run.times("finish", job=job) for job in range(3)] == [[13], [7], [14]]


def test_an_item_promised_to_a_dark_cell_is_stranded_by_the_next_breakdown_only() -> None:
    """Machines are down from 2 and from 8 on; job 2 is assigned again at 2, job 3 at 3."""
    down = {0: [(2, 6), (8, 9)], 1: [(1, 7), (8, 9)]}
    jobs = [[{0: 20, 1: 20}]] * 4
    run = Run(shop(jobs, cells=[[0, 1]], release=[0, 0, 0, 3], down=down, inbound=9))
    assert run.until(2).stranded == [2]
    run.engine.unassign(2)
    run.act()
    assert run.engine.stranded() == []
    assert run.until(8).stranded == [2, 3]
    assert run.engine.stranded() == [2, 3]


# zero-long operations


def test_a_zero_long_operation_starts_and_finishes() -> None:
    """It needs its machine for an instant: both rows, in order, and no interval."""
    run = finished(shop([[{0: 0}, {1: 0}]]))
    kinds = [row.kind for row in run.events if row.kind in ("start", "finish", "job_complete")]
    assert kinds == ["start", "finish", "start", "finish", "job_complete"]
    assert run.stop.time == 0
    assert run.intervals() == []


def test_a_zero_long_operation_waits_for_its_machine() -> None:
    """Machine 0 works until 5; the operation of 0 ticks takes its turn then."""
    run = finished(shop([[{0: 5}], [{0: 0}]]))
    assert run.times("finish") == [5, 5]
    assert run.times("start", job=1) == [5]


# integer time


def test_time_does_not_drift() -> None:
    """1 + 2 and 3 tie exactly; 1000 steps of 10^6 ticks end at 10^9 exactly."""
    run = finished(shop([[{0: 1}, {1: 2}], [{2: 3}]]))
    assert [row.time for row in run.events if row.kind == "job_complete"] == [3, 3]
    long = finished(shop([[{0: 10**6}]] * 1000, inbound=2**31 - 1))
    assert long.stop.time == 10**9


def test_touching_intervals_do_not_overlap() -> None:
    """[0, 3) and [3, 5): one machine, back to back."""
    run = finished(shop([[{0: 3}], [{0: 2}]]))
    assert [(row.start, row.end) for row in run.intervals()] == [(0, 3), (3, 5)]


# orders that random shops seldom reach


@pytest.mark.parametrize(("horizon", "status"), [(4, "horizon"), (5, "done"), (6, "done")])
def test_a_last_job_that_ends_at_the_horizon_is_done(horizon: int, status: str) -> None:
    """The events of the horizon count, so 5 ticks of work fit into a horizon of 5."""
    stop = Run(shop([[{0: 5}]], horizon=horizon)).to_the_end()
    assert (stop.status, stop.time) == (status, min(horizon, 5))


def test_finished_items_leave_in_the_order_in_which_they_finished() -> None:
    """Machine 1 is done at 2, machine 0 at 3: at 4 the place outbound goes to machine 1."""
    jobs = [[{2: 1}, {3: 1}], [{1: 2}, {3: 1}], [{0: 3}, {3: 1}], [{3: 1}]]
    run = Run(shop(jobs, cells=[[0, 1, 2], [3]], inbound=3, release=[0, 0, 0, 4]))
    run.advance()
    run.act()
    run.advance()
    run.act()
    while run.advance().time < 4:
        pass
    assert run.engine.outbound(0) == [0]
    run.engine.assign(0, 1)
    run.advance()
    assert run.engine.outbound(0) == [1]
    assert run.engine.place(2) == ("machine", 0, 0)


def test_a_sleeping_conversation_keeps_the_episode_alive_and_is_named() -> None:
    """Whoever waits for an answer is neither stalled nor in a deadlock until it has come."""
    run = Run(shop([[{0: 5}]]))
    run.advance()
    run.engine.wake(7, 3)
    run.engine.wake(2**31 - 1, 3)
    stop = run.advance()
    assert (stop.time, stop.woken, stop.stalled) == (3, [7, 2**31 - 1], False)
    assert run.advance().stalled
    assert [event.time for event in run.events if event.kind != "arrival"] == [0], "no row"


@pytest.mark.parametrize("conversation, time", [(0, 5), (-1, 5), (1, 0), (1, -1), (1, 2**62)])
def test_a_wake_that_means_nothing_is_refused(conversation: int, time: int) -> None:
    """The present is no time to wake up, and conversations count from 1."""
    run = Run(shop([[{0: 5}]]))
    run.advance()
    with pytest.raises(IllegalAction, match=f"wake conversation {conversation} at t={time}: "):
        run.engine.wake(conversation, time)


def test_a_conversation_sleeps_once_at_a_time() -> None:
    """Two wakes of one number would be one event key."""
    run = Run(shop([[{0: 5}]]))
    run.advance()
    run.engine.wake(1, 4)
    with pytest.raises(IllegalAction, match="sleeps already"):
        run.engine.wake(1, 5)
    run.advance()
    run.engine.wake(1, 5)
    assert run.advance().woken == [1]


def capped(**settings: Any) -> Run:
    """One item of 10 ticks at 5 W in area 0, cap 9; area 1 idles at 1 W, cap 4; area 2 has none."""
    known = {"areas": [[0], [1], [2]], "power_cap": [9, 4, -1], **settings}
    return Run(shop([[{0: 10, 1: 99, 2: 99}]], **known))


def test_a_review_lets_the_shop_stop_and_is_named_once() -> None:
    """At 4 and 8 nothing else happens; the item that ends at 10 ends the episode."""
    run, stops = capped(review_period=4), []
    while not run.advance().status:
        stops.append((run.stop.time, run.stop.review))
        run.act()
    assert [time for time, review in stops if review] == [4, 8]
    assert run.times("budget_review") == [4, 8]
    assert run.stop.time == 10


def test_reviews_keep_no_episode_alive() -> None:
    """With nobody to act the shop stalls at 0, however many reviews are to come."""
    run = capped(review_period=4)
    assert run.advance().ready == [0]
    assert run.advance().stalled
    assert run.to_the_end(lambda: None).status == "no_progress"
    assert run.stop.time == 0


def test_a_cap_counts_from_the_instant_at_which_it_is_set() -> None:
    """5 W: within 9 until 4, 3 too much until 8, 1 too little above from then on."""
    run = capped(review_period=4)
    run.until(4)
    run.engine.set_cap(0, 2)
    stop = run.advance()
    assert (stop.time, stop.alarms) == (4, [("power", 0)])
    run.until(8)
    run.engine.set_cap(0, 6)
    assert run.to_the_end().status == "done"
    (cause,) = {row.cause for row in run.events if row.kind == "alarm"}
    rows = run.engine.violation_rows()
    found = {name: column.tolist() for name, column in rows.items()}
    assert cause == "power"
    assert (found["start"], found["end"], found["magnitude"]) == ([4], [8], [3])
    moved = [row for row in run.events if row.kind == "cap"]
    assert [(row.time, row.area, row.amount) for row in moved] == [(4, 0, 2), (8, 0, 6)]


def test_a_pause_looks_at_the_cap_in_force() -> None:
    """Legal only above the cap as it is now, and over when the cap is raised."""
    run = capped(review_period=4)
    run.until(4)
    assert not run.engine.can_set_mode(0, "pause")
    run.engine.set_cap(0, 2)
    run.engine.set_mode(0, "pause")
    run.advance()
    assert run.engine.mode(0) == "pause"
    run.engine.set_cap(0, 5)
    run.advance()
    assert run.engine.mode(0) == "normal"


@pytest.mark.parametrize(
    "area, cap, reason",
    [
        (3, 5, "area 3 to 5: no such area"),
        (-1, 5, "area -1 to 5: no such area"),
        (2, 5, "area A2 to 5: it has no power cap in this case; caps can be moved, not made"),
        (0, 9, "area A0 to 9: it has that cap already"),
        (0, -1, "area A0 to -1: must be >= 0 and < 2\\*\\*62 watts"),
        (0, 2**62, "must be >= 0 and < 2\\*\\*62 watts"),
    ],
)
def test_a_cap_that_means_nothing_is_refused(area: int, cap: int, reason: str) -> None:
    """One sentence with area, value and rule; nothing has changed."""
    run = capped()
    run.advance()
    assert not run.engine.can_set_cap(area, cap)
    with pytest.raises(IllegalAction, match=reason):
        run.engine.set_cap(area, cap)
    assert [run.engine.cap(area) for area in (0, 1, 2, -1)] == [9, 4, -1, -1]


def test_carbon_by_hand() -> None:
    """Steps of 6 ticks, 10 then 100 g/kWh, again and again; 10 ticks: 6 at 10, 4 at 100.

    Area 0 draws 5 W, the others 1 W each; the item is dispatched at 0 without a way.
    """
    run = capped(carbon=Carbon((0, 6), (10, 100), 12))
    assert run.to_the_end().time == 10
    grams = 6 * 10 + 4 * 100
    areas, plant = run.engine.carbon()
    assert (areas.tolist(), plant) == ([5 * grams, grams, grams], 7 * grams)
