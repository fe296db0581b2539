"""Faults on purpose: what each does, the same for every paradigm, and that it can be repeated."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from desbench.controllers import make_runner

import desbench
from desbench.cli import main
from desbench.episode import Episode
from desbench.errors import InputError
from desbench.instances.coordination import FROZEN_CLOCK, Coordination
from desbench.instances.faults import read_faults, stopped
from desbench.instances.instance import Instance
from desbench.paradigms import ALIASES, AuthorityMode
from desbench.protocol.absence import AREA_BY_MESSAGE, BY_MESSAGE, Absence
from desbench.protocol.decision import Agent
from desbench.trace.trace import Trace
from desbench.verify import reexecute, verify
from shops import random_instance, shop

PARADIGMS = tuple(ALIASES.values())
#: Modes whose cells must obey, one for each way a cell is told.
OBEYING = [
    AuthorityMode("obeying_net", "mediated_cnp", "accept_only", mediated_bid_round_enabled=True),
    AuthorityMode("obeying_chain", "plant_area_cell", "accept_only", plant_reroute_required=True),
]
FILE = """\
machines:
  - {machine: A1C1M1, from: 60, length: 30}
silent:
  - {agent: plant, from: 60, until: 120}
messages: {lost: 0.1}
"""


def played(instance: Instance, paradigm: Any, faults: Any, backend: str = "rules") -> Trace:
    """The trace of an episode with faults."""
    episode = Episode(instance, paradigm=paradigm, faults=faults)
    episode.play(make_runner("native", backend))
    return episode.trace


def decided(trace: Trace) -> list[dict[str, Any]]:
    """The decisions of a trace."""
    return list(trace.decisions.to_pylist())


def kinds(trace: Trace) -> list[str | None]:
    """The kinds of the events of a trace."""
    return trace.texts("events", "kind")


# what goes wrong


@pytest.mark.parametrize("paradigm", PARADIGMS)
@pytest.mark.parametrize("agent", ["plant", "area:A1"])
def test_an_agent_silent_for_an_hour_holds_nothing_up_where_messages_take_time(
    paradigm: str, agent: str
) -> None:
    """Late on its way, lost, delayed and past a deadline at once: still an ending and every law."""
    faults = {
        "silent": [{"agent": agent, "from": 60, "until": 120}],
        "messages": {"lost": 0.1, "delayed": 0.1, "delay": 5},
    }
    instance = desbench.realise("intercell_a5c12_harder")
    unit = instance.ticks_per_unit
    instance = replace(instance, coordination=Coordination(unit // 2, cell=unit, deadline=4 * unit))
    trace = played(instance, paradigm, faults)
    assert trace.info["status"] == "done"
    assert trace.end > 120 * unit
    verify(trace, instance).raise_if_broken()


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_the_shipped_plant_with_all_faults_ends_and_keeps_every_law(paradigm: str) -> None:
    """Faults are part of the model, so a trace with them is checked like any other."""
    faults = {
        "machines": [{"machine": "A1C1M1", "from": 60, "length": 30}],
        "silent": [{"agent": "plant", "from": 60, "until": 120}],
        "messages": {"lost": 0.1, "delayed": 0.1, "delay": 5},
    }
    instance = desbench.realise("intercell_a5c12_harder")
    trace = played(instance, paradigm, faults)
    assert trace.info["status"] == "done"
    assert verify(trace, instance).ok
    unit = instance.ticks_per_unit
    late = [row for row in decided(trace) if row["outcome"] == "late"]
    assert late
    assert {row["agent"] for row in late} == {"plant"}
    assert all(60 * unit <= row["time"] < 120 * unit for row in late)
    lost = {row["kind"] for row in decided(trace) if row["outcome"] == "lost"}
    assert lost <= BY_MESSAGE | AREA_BY_MESSAGE


@pytest.mark.parametrize(
    "coordination",
    [FROZEN_CLOCK, Coordination(deadline=4), Coordination(1, 1, 2, 1, deadline=6)],
    ids=("frozen clock", "deadline", "delays"),
)
@pytest.mark.parametrize("paradigm", [*PARADIGMS, *OBEYING], ids=str)
def test_blind_agents_with_faults_keep_every_law(paradigm: Any, coordination: Coordination) -> None:
    """Collisions of lost messages with strandings, full cells and refusals are rare with rules."""
    for seed in range(4):
        instance = random_instance(seed, options=8)
        delay = 5 / instance.ticks_per_unit
        faults = {
            "machines": [{"machine": instance.machine_names[0], "from": 3, "length": 9}],
            "silent": [{"agent": f"cell:{instance.cell_names[0]}", "from": 0, "until": 20}],
            "messages": {"lost": 0.3, "delayed": 0.3, "delay": delay, "seed": seed},
        }
        instance = replace(instance, coordination=coordination)
        trace = played(instance, paradigm, faults, "random")
        report = verify(trace, instance, trace_hash=trace.hash)
        assert report.ok, f"seed {seed}: {report.findings[:3]}"


@pytest.mark.parametrize("paradigm", [*PARADIGMS, *OBEYING], ids=str)
def test_without_any_message_nobody_works_and_the_episode_ends(paradigm: Any) -> None:
    """An agent that waited for an answer for ever would never give the sweep back."""
    instance = shop([[{0: 3, 1: 4}], [{0: 3, 1: 4}]], decision_limit=500)
    trace = played(instance, paradigm, {"messages": {"lost": 1.0}})
    assert trace.info["status"] in ("no_progress", "decision_limit")
    assert "assign" not in kinds(trace)
    assert verify(trace, instance).ok


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_a_silent_agent_is_not_asked(paradigm: str) -> None:
    """A question to it would cost a call of a model, whose answer came too late anyway."""
    faults = {"silent": [{"agent": "plant", "from": 0, "until": 1000}]}
    instance = shop([[{0: 3, 1: 4}], [{0: 3, 1: 4}]])
    asked = set()

    class Noting:
        def __init__(self) -> None:
            self.rules = make_runner()

        def reset(self, info: Mapping[str, Any]) -> None:
            self.rules.reset(info)

        def select_actions(self, decision: Mapping[str, Any]) -> dict[str, int]:
            asked.update(decision["active_agents"])
            actions: dict[str, int] = self.rules.select_actions(decision)
            return actions

    episode = Episode(instance, paradigm=paradigm, faults=faults)
    assert episode.play(Noting()) == "done"
    assert "plant" not in asked
    plant = [row for row in decided(episode.trace) if row["agent"] == "plant"]
    answered = {(row["source"], row["outcome"]) for row in plant}
    assert answered <= {("fallback", "late"), ("forced", "ok")}
    assert ("fallback", "late") in answered


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_nothing_in_the_file_is_nothing_in_the_rows(paradigm: str) -> None:
    """The machinery itself must not change an episode."""
    instance = random_instance(12, options=8)
    nothing = {"machines": [], "messages": {"lost": 0.0, "delayed": 0.0, "delay": 3}}
    assert played(instance, paradigm, nothing).hash == played(instance, paradigm, None).hash


@pytest.mark.parametrize(
    "paradigm, exchanges", [*zip(PARADIGMS, (1, 2, 2, 2, 2), strict=True)], ids=PARADIGMS
)
def test_a_delayed_exchange_takes_effect_later(paradigm: str, exchanges: int) -> None:
    """Order; delegate, assign; bid, award; two requests. The plant goes on meanwhile."""
    instance = shop([[{0: 3, 1: 4}]], areas=[[0], [1]])
    faults = {"messages": {"delayed": 1.0, "delay": 7 / instance.ticks_per_unit}}
    trace = played(instance, paradigm, faults)
    placed = [row["time"] for row in trace.events.to_pylist() if row["kind"] == "assign"]
    assert placed == [7 * exchanges]
    assert trace.info["status"] == "done"
    verify(trace, instance).raise_if_broken()


def test_an_order_that_comes_too_late_finds_the_cell_full() -> None:
    """Two orders for one place under way: the second is turned down when it arrives, stale."""
    instance = shop([[{0: 5}], [{0: 5}]], inbound=1, commitment=1)
    faults = {"messages": {"delayed": 1.0, "delay": 2 / instance.ticks_per_unit}}
    trace = played(instance, "centralized_plant", faults)
    outcomes = [
        (row["job"], row["outcome"]) for row in decided(trace) if row["kind"] == "route_cell"
    ]
    assert (1, "stale") in outcomes
    assert trace.info["status"] == "done"


def test_a_delayed_bid_misses_the_deadline() -> None:
    """The call closes at 3, every bid comes at 4: late, recorded as said, and no bid."""
    instance = shop([[{0: 5, 1: 6}]], horizon=40, coordination=Coordination(deadline=3))
    faults = {"messages": {"delayed": 1.0, "delay": 4 / instance.ticks_per_unit}}
    trace = played(instance, "heterarchical_cnp", faults)
    bids = [row for row in decided(trace) if row["kind"] == "bid" and row["time"] < 30]
    assert {row["outcome"] for row in bids} == {"late"}
    assert "assign" not in kinds(trace)
    verify(trace, instance).raise_if_broken()


def test_chance_follows_the_agent_not_the_order() -> None:
    """A paradigm that asks others first must not lose other messages of this agent."""
    instance = shop([[{0: 3, 1: 4}]])
    faults = read_faults({"messages": {"lost": 0.5, "delayed": 0.5, "delay": 1}})
    one, other = (Agent(f"cell:C{n}", "cell", n) for n in range(2))
    alone, mixed = Absence(instance, faults), Absence(instance, faults)
    expected = [alone.exchange(one) for _ in range(40)]
    found = []
    for number in range(40):
        for _ in range(number % 3):
            mixed.exchange(other)
        found.append(mixed.exchange(one))
    assert found == expected
    assert 5 < sum(is_lost for is_lost, _ in expected) < 35
    assert 5 < sum(delay > 0 for _, delay in expected) < 35


def test_stops_unite_with_those_of_the_case() -> None:
    """The engine trusts a calendar that is disjoint with a tick between; twice is once."""
    instance = shop([[{0: 3, 1: 4}]], down={0: [(10, 20, "breakdown", "wait")]}, mean_repair=[0, 0])
    unit = instance.ticks_per_unit
    spans = [(15, 10), (25, 5), (40, 2)]
    name = instance.machine_names[0]
    faults = read_faults(
        {"machines": [{"machine": name, "from": a / unit, "length": b / unit} for a, b in spans]}
    )
    once = stopped(instance, faults)
    assert list(zip(once.down_start, once.down_end, strict=True)) == [(10, 30), (40, 42)]
    assert once.down_cause.tolist() == [0, 3]
    assert once.mean_repair.tolist() == [11, 0]
    assert stopped(once, faults).digest == once.digest != instance.digest


# the trace knows


@pytest.mark.parametrize(
    "fault",
    [
        {"machines": [{"machine": "M0", "from": 1, "length": 5}]},
        {"messages": {"lost": 0.5}},
    ],
    ids=str,
)
def test_without_its_faults_a_trace_does_not_play_again(fault: dict[str, Any]) -> None:
    """Otherwise the check by re-execution would not look at them."""
    instance = shop([[{0: 3, 1: 4}]] * 6)
    trace = played(instance, "centralized_plant", fault)
    assert reexecute(trace, instance) == []
    bare = {name: value for name, value in trace.info.items() if name != "faults"}
    assert reexecute(replace(trace, info=bare), instance) != []


# the command


def command(*words: Any) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main, list(map(str, words)))


def rows(folder: Path) -> list[dict[str, str]]:
    """Rows of a suite summary without the column that follows the clock."""
    with open(folder / "suite_summary.csv", newline="", encoding="utf-8") as file:
        return [
            {k: v for k, v in row.items() if k != "wall_time_s"} for row in csv.DictReader(file)
        ]


def test_a_run_with_faults_can_be_repeated_from_its_manifest_alone(tmp_path: Path) -> None:
    """The file may be gone when somebody wants to know what was run."""
    file, first, second = (tmp_path / name for name in ("faults.yaml", "first", "second"))
    file.write_text(FILE, encoding="utf-8")
    words = (
        "run",
        "--suite",
        "intercell_a5c12_harder",
        "--paradigm",
        "heterarchical_cnp",
        "--limit",
        "1",
    )
    assert command(*words, "--faults", file, "--output-dir", first).exit_code == 0
    file.unlink()
    done = command("run", "--from", first / "manifest.json", "--output-dir", second)
    assert done.exit_code == 0, done.output
    assert rows(first) == rows(second)
    told = json.loads((first / "manifest.json").read_text(encoding="utf-8"))["parameters"]
    assert told["faults"]["machines"][0]["machine"] == "A1C1M1"
    assert command("verify", second).output.endswith("1 runs checked, 0 with complaints\n")
    other = command(*words, "--resume", "--output-dir", first)
    assert other.exit_code == 2
    assert "faults" in other.output


def test_python_takes_the_same_faults(tmp_path: Path) -> None:
    """What the command can do, a call can; other faults are another run."""
    found = []
    for number, lost in enumerate((None, 0.0, 0.5)):
        faults = None if lost is None else {"messages": {"lost": lost}}
        folder = tmp_path / str(number)
        desbench.run("smoke", "holonic", limit=1, faults=faults, output_dir=folder)
        found.append([path.name for path in folder.glob("runs/*.json")])
    assert len({tuple(names) for names in found}) == 3


BAD = {
    "machines: 3": "line 1: machines=3, must be a list",
    "machines:\n- {machine: A1C9, from: 0, length: 1}": "line 2: machine=A1C9, must be of case",
    "machines:\n- {machine: A1C1M1, from: 0}": "line 2: machines.0.length is missing",
    "machines:\n- {machine: A1C1M1, from: 0, length: 0}": "machines.0.length=0, must be > 0",
    "silent:\n- {agent: 'area:B', from: 0, until: 1}": "line 2: agent=area:B, must be of case",
    "silent:\n- {agent: plant, from: 5, until: 1}": "until=1, must be > from=5",
    "messages: {lost: 2}": "line 1: messages.lost=2, must be <= 1",
    "messages: {delayed: 0.1}": "line 1: messages, delayed=0.1, must come with delay > 0",
    "messages: {delayed: 0.1, delay: -1}": "messages.delay=-1, must be >= 0",
    "messages: {lots: 0.1}": "messages.lots, unknown key; did you mean 'lost'?",
    "- 1": "line 1: a file of faults is a mapping",
}


@pytest.mark.parametrize("text", BAD, ids=list(BAD))
def test_a_wrong_file_is_refused_with_its_line(text: str, tmp_path: Path) -> None:
    """A misspelt machine would otherwise be a run without its fault; nothing is written."""
    file = tmp_path / "faults.yaml"
    file.write_text(text, encoding="utf-8")
    out = tmp_path / "out"
    words = ("--suite", "intercell_a5c12_harder", "--faults", file, "--output-dir", out)
    done = command("run", *words)
    assert done.exit_code == 2
    assert BAD[text] in done.output
    assert not out.exists()


def test_plain_values_are_checked_like_a_file() -> None:
    """A script that makes its faults deserves the same sentence."""
    with pytest.raises(InputError, match=r"^--faults: messages\.lost=2\.0, must be <= 1"):
        read_faults({"messages": {"lost": 2.0}})


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_a_fork_has_the_same_faults(paradigm: str) -> None:
    """Who looks ahead would else see a plant in which nothing goes wrong."""
    faults = {
        "machines": [{"machine": "M0", "from": 1, "length": 5}],
        "silent": [{"agent": "cell:C1", "from": 0, "until": 4}],
        "messages": {"lost": 0.3},
    }
    episode = Episode(shop([[{0: 3, 1: 4}]] * 6), paradigm=paradigm, faults=faults)
    for _, decision in zip(range(3), episode, strict=False):
        episode.act({a: v["legal_actions"][0] for a, v in decision["active_agents"].items()})
    fork = episode.fork()
    assert fork.play(make_runner()) == episode.play(make_runner())
    assert fork.trace.hash == episode.trace.hash
