"""The compiled plant against the same rules in Python under `centralized_plant`, row for row."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from desbench.controllers import make_runner
from desbench.controllers.backends.rules import RULES

from desbench._engine.simulation import EVENT_KINDS, PLANT_RULES, Simulation
from desbench.compiled import CompiledEpisode
from desbench.episode import Episode
from desbench.errors import IllegalAction, InputError
from desbench.instances.instance import Instance
from desbench.instances.suite import load_suite
from desbench.trace.trace import Trace
from desbench.verify import verify
from shops import random_instance, shop

TABLES = ("events", "intervals", "violations")


def both(case: Instance, rules: dict[str, str], **told: Any) -> tuple[Trace, Trace]:
    """The traces by rules in Python and by compiled ones."""
    episode = Episode(case, **told)
    episode.play(make_runner(rules=rules), strict=True)
    return episode.trace, CompiledEpisode(case, rules=rules, **told).trace


def assert_equal(case: Instance, rules: dict[str, str], told: str, **more: Any) -> Trace:
    """Every row and how it ended; the trace is that of the compiled run."""
    python, compiled = both(case, rules, **more)
    for name in TABLES:
        assert compiled.raw(name).equals(python.raw(name)), f"{told}, {rules}: {name}"
    for name in ("status", "time", "cycle"):
        assert compiled.info[name] == python.info[name], f"{told}, {rules}: {name}"
    return compiled


def drawn(seed: int) -> Instance:
    rng = Random(seed)
    jobs = rng.randint(1, 12)
    due = [rng.choice((-1, rng.randint(12, 40))) for _ in range(jobs)]
    options = rng.choice((1, 3, 4, 8))
    return random_instance(rng, jobs=jobs, due=due, options=options)


def some_rules(rng: Random) -> dict[str, str]:
    """Two thirds of the kinds by a rule drawn, the others by their default."""
    return {kind: rng.choice(names) for kind, names in PLANT_RULES.items() if rng.random() < 0.66}


def test_random_shops() -> None:
    """Who compares by `rules` and sweeps by `compiled` must have the same experiment."""
    ends: Counter[str] = Counter()
    kinds: Counter[str | None] = Counter()
    for seed in (*range(200), 591, 881, 1401):  # the last three stop without progress
        trace = assert_equal(drawn(seed), some_rules(Random(seed)), f"seed {seed}")
        ends[trace.info["status"]] += 1
        kinds.update(trace.texts("events", "kind"))
    assert {"done", "deadlock", "horizon", "decision_limit", "no_progress"} <= ends.keys(), ends
    assert set(EVENT_KINDS) <= kinds.keys()


@pytest.mark.parametrize("kind", PLANT_RULES)
def test_every_rule(kind: str) -> None:
    """A rule that is right by its name only would show on shops with choices."""
    for name in PLANT_RULES[kind]:
        for seed in range(1000, 1025):
            assert_equal(drawn(seed), {kind: name}, f"seed {seed}")


SUITES = {
    "smoke": {},
    "smoke_budget": {},
    "intercell_a5c12_harder": {},
    "intercell_a5c12_harder, more vehicles": {"vehicles.count": 9},
    "intercell_a5c12_harder, four options": {"options": 4},
    "intercell_a3c9_wide": {},
    "classic_ft06": {},
    "classic_mk01": {},
    "scale_a3c9": {},
}


@pytest.mark.parametrize("told", SUITES)
def test_shipped_suites(told: str) -> None:
    """Breakdowns, reroutes, caps, eco modes, vehicles and blocking at the size users have."""
    suite = load_suite(told.partition(",")[0]).with_settings(SUITES[told])
    for number, case in enumerate(suite.cases()[::5]):
        instance = suite.realise(case)
        assert_equal(instance, {}, case.id)
        assert_equal(instance, some_rules(Random(number)), case.id)


def test_suites_show_what_is_compared() -> None:
    """The comparison above would say nothing if no item were rerouted and no cell set to eco."""
    suite = load_suite("intercell_a5c12_harder")
    kinds: Counter[str | None] = Counter()
    for case in suite.cases()[::5]:
        kinds.update(CompiledEpisode(suite.realise(case)).trace.texts("events", "kind"))
    for kind in ("unassign", "mode", "alarm", "breakdown", "vehicle_move", "blocking_start"):
        assert kinds[kind] > 0, kind


def test_machines_down_on_purpose() -> None:
    """Faults of machines are stops like others; they need nobody to be asked."""
    down = {"machines": [{"machine": "M0", "from": 1, "length": 9}]}
    for seed in range(40):
        assert_equal(drawn(seed), {}, f"seed {seed}", faults=down)


def test_a_long_queue_shows_as_many_options_as_there_are_slots() -> None:
    """40 items for 3 machines are 120 pairs: the rule chooses among the 3 shortest only."""
    rng = Random(7)
    jobs = [[{m: rng.randint(1, 9) for m in range(3)}] for _ in range(40)]
    instance = shop(jobs, cells=[[0, 1, 2]], inbound=40, options=3)
    traces = [assert_equal(instance, {"dispatch": name}, name) for name in ("fifo", "lpt")]
    wide = shop(jobs, cells=[[0, 1, 2]], inbound=40, options=200)
    assert traces[0].hash != assert_equal(wide, {"dispatch": "fifo"}, "wide").hash


def test_names_are_those_of_the_python_rules() -> None:
    """What one controller calls a rule the other must not call something else."""
    kinds = {**RULES, "routing": RULES["route_cell"]}
    for kind, names in PLANT_RULES.items():
        assert set(names) <= kinds[kind].keys()
        assert names[0] == next(iter(kinds[kind]))


def test_route_cell_is_the_routing_of_the_plant() -> None:
    instance = drawn(3)
    named = CompiledEpisode(instance, rules={"route_cell": "nearest"})
    assert named.trace.hash == CompiledEpisode(instance, rules={"routing": "nearest"}).trace.hash


def test_nobody_is_asked_and_nothing_is_counted_as_nothing() -> None:
    """A null says that it is not known; a 0 would say that agents agreed without a word."""
    episode = CompiledEpisode("smoke")
    assert episode.trace.decisions.num_rows == episode.trace.messages.num_rows == 0
    for name in ("decision_steps", "messages", "fallback_decisions", "llm_decisions", "decisions",
                 "agent_dispatch", "messages_per_operation", "fallback_share", "signals",
                 "communicate", "robustness"):  # fmt: skip
        assert episode.measures[name] is None, name
    assert episode.measures["completed_jobs"] > 0  # type: ignore[operator]


def test_a_compiled_run_is_verified_by_the_python_rules() -> None:
    """There are no actions to play again, but there is a second program."""
    episode = CompiledEpisode("smoke", rules={"dispatch": "fifo"})
    assert verify(episode.trace, episode.instance).ok
    other = replace(episode.trace, info={**episode.trace.info, "compiled": {"dispatch": "lpt"}})
    assert [finding.law for finding in verify(other, episode.instance).findings][:1] == [
        "reexecute"
    ]


def test_the_engine_names_what_it_does_not_know() -> None:
    sim = Simulation(shop([[{0: 1}]]))
    with pytest.raises(InputError, match="dispatch='atc', must be one of urgent_then_shortest"):
        sim.run_plant(dispatch="atc")
    with pytest.raises(InputError, match="kind='bid', must be one of release"):
        sim.run_plant(bid="expected")
    assert sim.run_plant().status == "done"
    with pytest.raises(IllegalAction, match="the episode has ended"):
        sim.run_plant()


def test_it_answers_no_single_decision() -> None:
    with pytest.raises(InputError, match="answers no single decision"):
        Episode("smoke").play(make_runner(controller="compiled"))
