"""Replay: proved optima reach their makespan, what cannot run is refused at its first step."""

from __future__ import annotations

import json
import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from desbench import load, realise, replay
from desbench.cli import main
from desbench.errors import InputError
from desbench.verify import verify
from shops import shop

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(os.environ.get("DESBENCH_DATA") or ROOT.parent / "shared" / "data")
FILES = {"jsp_fjsp_schedules.json": 16, "bilge_ulusoy_schedules.json": 38}

#: An optimal schedule of ft06.
FT06: dict[str, Any] = {
    "name": "ft06",
    "suite": "classic_ft06",
    "makespan": 55,
    "machine_sequences": {
        "0": [[0, 1], [3, 1], [2, 3], [5, 3], [1, 4], [4, 4]],
        "1": [[1, 0], [3, 0], [5, 0], [0, 2], [4, 1], [2, 4]],
        "2": [[2, 0], [0, 0], [1, 1], [4, 0], [3, 2], [5, 5]],
        "3": [[2, 1], [5, 1], [3, 3], [0, 3], [1, 5], [4, 5]],
        "4": [[1, 2], [4, 2], [3, 4], [2, 5], [5, 4], [0, 5]],
        "5": [[2, 2], [5, 2], [1, 3], [0, 4], [4, 3], [3, 5]],
    },
}
#: An optimal schedule of EX11; its file counts machines from 1.
EX11: dict[str, Any] = {
    "name": "EX11",
    "suite": "classic_ex11",
    "makespan": 96,
    "machine_sequences": {
        "M0": [[0, 0], [1, 0], [4, 1], [2, 2]],
        "M1": [[0, 1], [3, 1], [1, 2]],
        "M2": [[2, 0], [4, 0], [1, 1]],
        "M3": [[3, 0], [2, 1], [0, 2]],
    },
    "vehicle_trips": [
        [[0, 0], [3, 0], [4, 0], [2, 1], [3, 1], [0, 2], [2, 2]],
        [[1, 0], [2, 0], [0, 1], [1, 1], [4, 1], [1, 2]],
    ],
}


def command(*words: str | Path) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main, ["replay", *map(str, words)])


def written(folder: Path, *schedules: dict[str, Any]) -> Path:
    """Write a file of schedules."""
    path = folder / "schedules.json"
    path.write_text(json.dumps(schedules), encoding="utf-8")
    return path


@pytest.mark.parametrize("file", FILES)
def test_proved_optima_are_reached_exactly(file: str) -> None:
    """Each optimum is a test of engine and importer by people who knew neither."""
    if not (FOLDER / file).exists():
        pytest.skip(f"no published schedules in {FOLDER}")
    reached = {}
    for stated in replay.read(FOLDER / file):
        instance, base = replay.instance_of(stated, FOLDER)
        found = replay.play(instance, stated, base)
        reached[stated["name"]] = found.makespan - stated["makespan"]
    assert reached == dict.fromkeys(reached, 0)
    assert len(reached) == FILES[file]


@pytest.mark.parametrize("stated", [FT06, EX11], ids=["ft06", "EX11"])
def test_typed_optima_keep_every_law(stated: dict[str, Any]) -> None:
    """A makespan is no use if a vehicle was in two places."""
    found = replay.play(realise(stated["suite"]), stated)
    assert found.makespan == stated["makespan"]
    assert found.events == found.trace.events.num_rows
    assert verify(found.trace).ok


def test_a_vehicle_drives_ahead() -> None:
    """It waits at the machine when the item is done: 35 + 5 + 1. Called only then it would come
    at 40 and the makespan be 46.

    J0 to M0 by 5, done at 35; back to the source by 10, J1 to M1 by 15; on to M0 by 20.
    """
    instance = shop([[{0: 30}, {1: 1}], [{1: 10}]], vehicles=1, travel=5)
    plan = {
        "machine_sequences": [[[0, 0]], [[1, 0], [0, 1]]],
        "vehicle_trips": [[[0, 0], [1, 0], [0, 1]]],
    }
    assert replay.play(instance, plan).makespan == 35 + 5 + 1


def test_a_worse_order_takes_longer() -> None:
    """The sequence decides, not a rule: 9 before 1 delays the second machine by 9 - 1."""
    instance = shop([[{0: 9}], [{0: 1}, {1: 9}]])
    short = {"machine_sequences": {"0": [[1, 0], [0, 0]], "1": [[1, 1]]}}
    long = {"machine_sequences": {"0": [[0, 0], [1, 0]], "1": [[1, 1]]}}
    assert replay.play(instance, short).makespan == 1 + 9
    assert replay.play(instance, long).makespan == 9 + 1 + 9


def test_moves_within_a_cell_need_no_trip() -> None:
    """Two machines of one cell: one trip brings the item, it goes on by itself."""
    instance = shop([[{0: 3}, {1: 4}]], cells=[[0, 1]], vehicles=1, travel=5)
    plan = {"machine_sequences": [[[0, 0]], [[0, 1]]], "vehicle_trips": [[[0, 0]]]}
    assert replay.play(instance, plan).makespan == 5 + 3 + 4
    plan["vehicle_trips"] = [[[0, 0], [0, 1]]]
    with pytest.raises(InputError, match=r"trip 1 \[0, 1\] cannot run: its operation before"):
        replay.play(instance, plan)


def test_the_way_back_is_no_trip_of_the_schedule() -> None:
    """Where jobs are delivered the vehicle is asked by itself: 5 + 3, and 5 back to the sink."""
    instance = shop([[{0: 3}]], vehicles=1, travel=5, deliver=True)
    plan = {"machine_sequences": [[[0, 0]]], "vehicle_trips": [[[0, 0]]]}
    assert replay.play(instance, plan).makespan == 5 + 3 + 5


def test_units_of_time() -> None:
    """A suite with ticks per unit states makespans in units."""
    from dataclasses import replace

    instance = replace(shop([[{0: 15}]]), ticks_per_unit=10)
    assert replay.play(instance, {"machine_sequences": [[[0, 0]]]}).makespan == 1.5


def changed(stated: dict[str, Any], machine: str, *steps: list[int]) -> dict[str, Any]:
    """A schedule with another sequence on one machine."""
    other = deepcopy(stated)
    other["machine_sequences"][machine] = list(steps)
    return other


def swapped(stated: dict[str, Any], vehicle: int, one: int, other: int) -> dict[str, Any]:
    """A schedule with two trips of a vehicle exchanged."""
    again = deepcopy(stated)
    trips = again["vehicle_trips"][vehicle]
    trips[one], trips[other] = trips[other], trips[one]
    return again


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "wrong machine": (
        changed(FT06, "0", [0, 0], [0, 1]),
        r"ft06: machine M0, step 0 \[0, 0\] cannot run: only M2 can do it",
    ),
    "missing": (
        changed(FT06, "0", [0, 1], [3, 1], [2, 3], [5, 3], [1, 4]),
        r"\[4, 4\] cannot run: no machine does it",
    ),
    "twice": (
        changed(FT06, "0", [0, 1], [3, 1], [0, 1]),
        r"machine M0, step 2 \[0, 1\] cannot run: it stands twice, before as machine M0, step 0",
    ),
    "deadlock": (
        changed(FT06, "0", [4, 4], [0, 1], [3, 1], [2, 3], [5, 3], [1, 4]),
        r"machine M0, step 0 \[4, 4\] cannot run: at time \d+ nothing moves any more; "
        r"job 4 is still at operation \d",
    ),
    "unknown job": (changed(FT06, "0", [6, 0]), r"\[6, 0\] cannot run, jobs are 0 \.\. 5"),
    "unknown operation": (changed(FT06, "0", [0, 6]), r"operations of job 0 are 0 \.\. 5"),
    "unknown machine": (changed(FT06, "6", [0, 0]), r"machine 6 is unknown \(known: M0 \.\. M5\)"),
    "no pair": (changed(FT06, "0", [0]), r"machine M0, entry 0: \[0\], must be \[job, operation\]"),
    "no whole number": (changed(FT06, "0", [True, 0]), r"\[True, 0\], must be"),
    "both names": (changed(FT06, "M0", [0, 1]), "machine M0 has two sequences"),
    "trips of nobody": (
        {**FT06, "vehicle_trips": [[[0, 0]]]},
        "vehicle 0 is unknown .*fleet is unlimited",
    ),
    "no trips": ({**EX11, "vehicle_trips": []}, r"\[0, 0\] cannot run: no vehicle carries it"),
    "third vehicle": ({**EX11, "vehicle_trips": [[], [], []]}, "vehicle 2 is unknown"),
    "trip twice": (
        {**EX11, "vehicle_trips": [EX11["vehicle_trips"][0], [[0, 0]]]},
        r"vehicle V2, trip 0 \[0, 0\] cannot run: it stands twice",
    ),
    "trips against the route": (
        swapped(EX11, 0, 1, 4),  # [3, 1] before [3, 0]
        r"cannot run: at time \d+ nothing moves any more; .*for which vehicle V1 would come after",
    ),
    "makespan": ({**FT06, "makespan": "55"}, "makespan='55', must be a number"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_run_is_refused(what: str, tmp_path: Path) -> None:
    """One sentence, the first step that cannot run, exit code 2, and no makespan."""
    stated, message = REFUSED[what]
    with pytest.raises(InputError, match=message):
        replay.play(realise(stated["suite"]), stated)
    done = command(written(tmp_path, stated))
    assert done.exit_code == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1


def test_a_full_horizon_is_no_makespan() -> None:
    """An episode that was cut has not done the schedule."""
    instance = shop([[{0: 9}], [{0: 9}]], horizon=10)
    with pytest.raises(InputError, match=r"step 1 \[1, 0\] cannot run|the last step cannot run"):
        replay.play(instance, {"machine_sequences": [[[0, 0], [1, 0]]]})


def test_one_line_a_schedule_and_the_same_bytes_again(tmp_path: Path) -> None:
    """What is archived must be repeatable."""
    path = written(tmp_path, FT06, EX11)
    outputs = []
    for name in ("one", "two"):
        done = command(path, "--output-dir", tmp_path / name)
        assert done.exit_code == 0
        outputs.append(done.stdout)
    lines = [json.loads(line) for line in outputs[0].splitlines()]
    assert [(line["name"], line["makespan"]) for line in lines] == [("ft06", 55), ("EX11", 96)]
    assert all(set(line) == {"name", "makespan", "events"} for line in lines)
    assert outputs[0] == outputs[1]
    first = sorted((tmp_path / "one" / "traces").rglob("*.arrow"))
    assert len(first) > 20
    for path in first:
        again = tmp_path / "two" / path.relative_to(tmp_path / "one")
        assert again.read_bytes() == path.read_bytes()


def test_a_replay_is_a_run_folder(tmp_path: Path) -> None:
    """It loads and verifies like every other, and its summary holds the makespan."""
    out = tmp_path / "out"
    command(written(tmp_path, FT06, EX11), "--output-dir", out)
    result = load(out)
    makespans = {r.key.suite: r.measures["makespan"] for r in result.records}
    assert makespans == {"ft06": 55, "EX11": 96}
    assert {r.key.paradigm for r in result.records} == {"replay"}
    done = CliRunner().invoke(main, ["verify", str(out)])
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (
        0,
        "2 runs checked, 0 with complaints",
    )


def test_only_what_is_named(tmp_path: Path) -> None:
    """A typing error gets the nearest name."""
    path = written(tmp_path, FT06, EX11)
    assert json.loads(command(path, "--name", "EX11").stdout)["makespan"] == 96
    wrong = command(path, "--name", "EX12")
    assert wrong.exit_code == 2
    assert "no schedule 'EX12'" in wrong.stderr


def test_a_claim_that_is_not_reached_is_loud(tmp_path: Path) -> None:
    """The file says 54; the engine says 55."""
    done = command(written(tmp_path, {**FT06, "makespan": 54}))
    assert json.loads(done.stdout)["makespan"] == 55
    assert "states makespan 54, reaches 55" in done.stderr


@pytest.mark.parametrize(
    "text, message",
    [
        ("[", "not JSON"),
        ("[]", "holds no schedule"),
        ("[1]", "must be an object with machine_sequences"),
        (json.dumps([FT06, FT06]), "name='ft06', must be a text that stands once"),
        (json.dumps({"machine_sequences": {}}), "must name the file of the instance"),
    ],
)
def test_files_that_hold_no_schedules(tmp_path: Path, text: str, message: str) -> None:
    """A wrong file is named, not guessed at."""
    path = tmp_path / "s.json"
    path.write_text(text, encoding="utf-8")
    done = command(path)
    assert done.exit_code == 2
    assert message in done.stderr


def test_a_file_of_one_schedule_and_an_instance_beside_it(tmp_path: Path) -> None:
    """One object instead of a list; --data defaults to the folder of the file."""
    (tmp_path / "tiny.txt").write_text("2 2\n0 3 1 2\n1 4 0 1\n", encoding="utf-8")
    plan = {
        "file": "tiny.txt",
        "machine_sequences": {"0": [[0, 0], [1, 1]], "1": [[1, 0], [0, 1]]},
    }
    (tmp_path / "tiny.json").write_text(json.dumps(plan), encoding="utf-8")
    line = json.loads(command(tmp_path / "tiny.json").stdout)
    assert (line["name"], line["makespan"]) == ("tiny", 4 + 2)
