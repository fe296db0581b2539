"""`--controller compiled` in a sweep: results as by rules, and what is refused at the door."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import desbench
from desbench.errors import InputError
from desbench.measures import OF_AGENTS, PRIMARY, SECONDARY
from desbench.sweep import Execution, Options, Outcome, sweep

COMPILED = {"suites": ("smoke",), "controllers": ("compiled",), "seeds": "0:4"}


def go(folder: Path, workers: int = 1, **asked: Any) -> Outcome:
    return sweep(Options(**{**COMPILED, **asked}), Execution(folder, workers=workers))


def test_measures_are_those_of_rules(tmp_path: Path) -> None:
    """Everything that is not about agents is the same number."""
    outcome = go(tmp_path / "out", controllers=("rules", "compiled"), rules=("dispatch=edd",),
                 paradigms=("centralized_plant",))  # fmt: skip
    by_controller: dict[str, list[dict[str, Any]]] = {}
    for record in outcome.records:
        by_controller.setdefault(record.key.controller, []).append(dict(record.measures))
    rules, compiled = (
        by_controller["native-rules[dispatch=edd]"],
        by_controller["native-compiled[dispatch=edd]"],
    )
    for definition in (*PRIMARY, *SECONDARY):
        own, other = ([measured[definition.column] for measured in m] for m in (compiled, rules))
        is_unknown = definition.family in OF_AGENTS or definition.column == "fallback_share"
        assert own == ([None] * len(other) if is_unknown else other), definition.column


def test_all_paradigms_are_those_that_it_plays(tmp_path: Path) -> None:
    """Without --paradigm a user gets what there is, and nothing that is empty."""
    outcome = go(tmp_path / "out", controllers=("rules", "compiled"), seeds="0")
    played = [(r.key.paradigm, r.key.controller) for r in outcome.records]
    assert ("centralized_plant", "native-compiled") in played
    assert len(played) == 5 + 1


def test_results_do_not_depend_on_workers_or_on_resuming(tmp_path: Path) -> None:
    one, two = go(tmp_path / "one"), go(tmp_path / "two", workers=2)
    hashes = [record.trace_hash for record in one.records]
    assert hashes == [record.trace_hash for record in two.records]
    victim = next((tmp_path / "two" / "runs").glob("*.json"))
    victim.unlink()
    again = sweep(Options(**COMPILED), Execution(tmp_path / "two", resume=True))
    assert [record.trace_hash for record in again.records] == hashes
    assert victim.exists()


def test_from_python(tmp_path: Path) -> None:
    result = desbench.run("smoke", controller="compiled", output_dir=tmp_path / "out")
    assert result.summary.column("messages").null_count == 1
    assert result.table("decisions", case="smoke-s00").num_rows == 0


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"paradigms": ("rcm",)}, "paradigm='responsibility_rcm', must be centralized_plant; "),
        ({"rules": ("dispatch=atc",)}, r"rule dispatch='atc' is not compiled, must be one of "),
        ({"rules": ("routing=bottleneck",)}, r"rule routing='bottleneck' is not compiled, must"),
        ({"rules": ("bid=expected",)}, r"rule bid='expected' is not compiled, kinds are release,"),
        ({"frameworks": ("langgraph",)}, "framework='langgraph', must be native"),
        ({"controllers": ("compiled", "cell=rules")}, "compiled answers whole decisions"),
        ({"controllers": ("rules", "cell=compiled")}, "a runner of whole decisions cannot"),
        ({"settings": (("coordination.message_delay", ("1",)),)}, "takes time, must take none"),
        ({"settings": (("coordination.decision_delay", ("measured",)),)}, "takes time, must take"),
    ],
)  # fmt: skip
def test_refused_at_the_door(asked: dict[str, Any], told: str, tmp_path: Path) -> None:
    """Before anything is written, in one sentence that says what to do."""
    with pytest.raises(InputError, match=told) as refused:
        go(tmp_path / "out", **asked)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "faults",
    [
        {"silent": [{"agent": "plant", "from": 1, "until": 2}]},
        {"messages": {"lost": 0.1}},
        {"messages": {"delayed": 0.1, "delay": 1}},
    ],
)
def test_faults_of_agents_are_refused(faults: dict[str, Any], tmp_path: Path) -> None:
    """Nobody would be silent, and no message lost: the run would look as if faults did nothing."""
    with pytest.raises(InputError, match="silent or messages, must be machines only"):
        desbench.run("smoke", controller="compiled", faults=faults, output_dir=tmp_path / "out")


def test_an_organisation_that_shifts_is_refused(tmp_path: Path) -> None:
    """It could give any mode at any time."""
    path = tmp_path / "shifting.py"
    path.write_text(
        "from desbench.paradigms import paradigm\n"
        "def authority(summary):\n    return paradigm('centralized')\n"
    )
    with pytest.raises(InputError, match="paradigm='shifting', must be centralized_plant"):
        go(tmp_path / "out", paradigms=(str(path),))
