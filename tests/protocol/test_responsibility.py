"""Commitments in the plant: how they are made, what follows when one fails, how they end."""

from __future__ import annotations

from collections import Counter
from typing import Any

from desbench.episode import Episode
from desbench.instances.coordination import Coordination
from desbench.instances.instance import Instance
from desbench.verify import verify
from protocol.broken import BROKEN_AT, four_cells, minute, mode
from protocol.playing import Scripted, View, decline, play, target
from shops import shop


def words(episode: Episode, *, job: int | None = None, forced: int | None = None) -> list[str]:
    """The kinds of the messages, in order."""
    return [
        row["kind"]
        for row in episode.trace.commitments.to_pylist()
        if job in (None, row["job"]) and forced in (None, row["forced"])
    ]


def choose(name: str) -> Any:
    """An answer that takes the option with this target where it is offered, else the first."""

    def answer(view: View) -> int:
        offered = [option["target"] for option in view["options"]]
        return target(view, name) if name in offered else int(view["legal_actions"][0])

    return answer


def played(instance: Instance, runner: Scripted | None = None, **switches: bool) -> Episode:
    """An episode that keeps every law and plays again to the same rows."""
    episode = play(instance, mode(**switches), runner)
    report = verify(episode.trace, instance)
    assert report.ok, report.findings[:3]
    return episode


def one_item(**settings: Any) -> Instance:
    """One item that three cells of one area can do."""
    return shop([[{0: 5, 1: 6, 2: 7}]], areas=[[0, 1, 2]], travel=1, **settings)


def test_an_operation_without_trouble_is_eight_messages() -> None:
    """Two levels, asked and accepted, reported and verified; half of them are bookkeeping."""
    episode = played(one_item())
    assert words(episode) == [*["request"] * 2, *["accept"] * 2, *["report", "verify"] * 2]
    assert words(episode, forced=0) == ["request", "request", "accept"]
    assert episode.measures["messages"] == 8


def test_only_the_affected_operations_are_replaced() -> None:
    """Three were accepted by the cell that broke down: two move, the running one is revised."""
    rows = minute(recursive=False)
    assert [
        (row["job"], row["kind"]) for row in rows if row["kind"] in ("revise", "terminate")
    ] == [
        (0, "revise"),
        (1, "terminate"),
        (2, "terminate"),
    ]
    assert 3 not in {row["job"] for row in rows}
    untouched = words(played(four_cells(), recursive=False), job=3)
    assert untouched == [*["request"] * 2, *["accept"] * 2, *["report", "verify"] * 2]


def test_a_cell_passes_on_and_still_owes_it() -> None:
    """A third level opens below; at the finish every level is closed, the lowest first."""
    episode = played(four_cells())
    rows = [r for r in episode.trace.commitments.to_pylist() if r["job"] == 1]
    assert [r["kind"] for r in rows if r["time"] == BROKEN_AT] == ["request", "accept"]
    closing = [(r["sender"], r["kind"]) for r in rows if r["time"] == 20]
    assert closing[::2] == [("cell:C1", "report"), ("cell:C0", "report"), ("area:A0", "report")]


def test_nobody_acts_on_what_nobody_knows() -> None:
    """Silent cells and areas that may not probe: the items wait for the repair."""
    silent = Scripted(notify=decline)
    episode = played(four_cells(), silent, recursive=False, monitor=False)
    assert not {"inform", "probe", "revise"} & set(words(episode))
    assert not silent.shown("monitor")


def test_an_area_may_probe_what_its_counts_show() -> None:
    """The probe is chosen, the answer is owed."""
    episode = played(four_cells(), Scripted(notify=decline), recursive=False)
    told = Counter(words(episode, forced=1))
    assert Counter(words(episode, forced=0))["probe"] == told["inform"] >= 3


def test_patience_at_a_gate_shows_in_no_count() -> None:
    """The queue is the cell's own affair: untold, the area has nothing to ask about."""
    instance = shop(
        [[{0: 30, 1: 90}]] * 3, inbound=1, commitment=4, travel=1, patience=5, areas=[[0, 1]]
    )
    runner = Scripted(notify=decline, delegate=choose("cell:C0"))
    episode = played(instance, runner, recursive=False)
    assert episode.measures["strandings"]
    assert all(view["context"]["signal"]["cause"] == "late" for view in runner.shown("monitor"))


def test_without_intervention_failures_are_only_told() -> None:
    """The ablation of the paper: information alone changes nothing."""
    episode = played(four_cells(), recursive=False, intervene=False)
    assert "inform" in words(episode)
    assert not {"revise", "terminate"} & set(words(episode))


def test_a_counter_is_turned_down_while_somebody_else_can_be_asked() -> None:
    """At most two cells are asked, and the second counter is the last word."""
    episode = played(one_item(), Scripted(respond=counters))
    assert words(episode)[:9] == [
        *("request", "request", "counter", "reject"),
        *("request", "counter", "accept", "accept", "report"),
    ]


def test_work_that_is_done_ends_a_replacement_that_is_not_agreed_on_yet() -> None:
    """The request to C1 is on its way when C0 starts and finishes the item after all."""
    jobs: Any = [[{0: 6}], [{0: 2}], [{0: 2}], [{0: 2, 1: 90}]]
    crowded = {"inbound": 1, "commitment": 9, "patience": 3, "areas": [[0, 1]]}
    instance = shop(jobs, coordination=Coordination(message_delay=4), **crowded)
    runner = Scripted(delegate=choose("cell:C0"), intervene=choose("replace"))
    episode = played(instance, runner)
    ended = [r for r in episode.trace.commitments.to_pylist() if r["cause"] == "finished"]
    assert [(row["receiver"], row["before"]) for row in ended] == [("cell:C1", "proposed")]
    said = words(episode, job=ended[0]["job"])[-5:]
    assert said == ["terminate", "report", "violate", "report", "verify"]


def counters(view: View) -> int:
    """A cell counters; a delegator answers by its rule."""
    return Scripted().rules.decide(view) if view["role"] != "cell" else target(view, "counter")


def test_a_rejected_item_goes_to_the_next_area() -> None:
    """Two cells of an area reject; the third is not asked, the area rejects, the plant goes on."""
    instance = shop([[{0: 5, 1: 6, 2: 7, 3: 50}]], areas=[[0, 1, 2], [3]], travel=1)
    runner = Scripted(respond=lambda view: decline(view) if view["agent"] != "cell:C3" else 0)
    episode = played(instance, runner)
    assert words(episode)[:8] == [
        *("request", "request", "reject", "request", "reject", "reject"),
        *("request", "request"),
    ]
    assert episode.status == "done"


def test_a_revision_may_be_rejected_and_the_old_date_stands() -> None:
    """Then the finish after it is a violation, of the cell and of nobody else."""

    def obey(view: View) -> int:
        agree = [option for option in view["options"] if option["target"] == "agree"]
        return decline(view) if agree else 0

    episode = played(four_cells(), Scripted(respond=obey), recursive=False)
    rows = [r for r in episode.trace.commitments.to_pylist() if r["job"] == 0]
    closed = [(r["sender"], r["kind"]) for r in rows if r["kind"] in ("verify", "violate")]
    assert closed == [("area:A0", "violate"), ("plant", "verify")]


def test_a_missed_due_date_is_charged_to_the_area_at_the_last_operation() -> None:
    """The upper level is about the job: only its last operation can miss the due date."""
    late = shop([[{0: 5}, {1: 5}]], areas=[[0, 1]], travel=1, due=3)
    rows = played(late).trace.commitments.to_pylist()
    verdicts = [r["kind"] for r in rows if r["sender"] == "plant" and r["before"] == "reported"]
    assert verdicts == ["verify", "violate"]


def test_a_terminated_item_returns_to_the_plant() -> None:
    """Both levels end, by the area, and the item is released again."""
    runner = Scripted(intervene=choose("terminate"))
    episode = played(four_cells(), runner, recursive=False)
    rows = [r for r in episode.trace.commitments.to_pylist() if r["job"] == 1]
    ended = [(r["sender"], r["receiver"]) for r in rows if r["kind"] == "terminate"]
    assert ended[:2] == [("area:A0", "cell:C0"), ("area:A0", "plant")]
    assert len(runner.shown("release")) > 4
    assert episode.status == "done"


def test_what_is_open_at_the_end_is_terminated() -> None:
    """A horizon cuts the work: no commitment outlives the episode."""
    episode = played(one_item(horizon=4))
    last = [r for r in episode.trace.commitments.to_pylist() if r["cause"] == "end"]
    assert [(r["after"], r["receiver"]) for r in last] == [
        ("terminated", "cell:C0"),
        ("terminated", "area:A0"),
    ]
