"""What a suite file may not say: refused with file, line, value, rule and remedy, all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from desbench.errors import InputError
from instances.files import SHOP, changed, loaded

LISTED = ("count: 4, route: cut mill, arrivals: {between: {exponential: 3}}", "list: ")


def listed(jobs: str) -> str:
    return changed((LISTED[0], LISTED[1] + jobs))


@pytest.mark.parametrize(
    "old, new, message",
    [
        # numbers
        ("inbound: 2", "inbound: 0", "line 8: areas.A1.cells.C2.inbound=0, must be >= 1"),
        ("inbound: 2", "inbound: -3", "line 8: areas.A1.cells.C2.inbound=-3, must be >= 1"),
        ("inbound: 2", "inbound: 2.5", "inbound=2.5, must be a whole number"),
        ("inbound: 2", "inbound: 1e3", "YAML reads 1e3 as a text, write 1000 without"),
        ("inbound: 2", "inbound: no", "inbound=no, must be a whole number; YAML reads no as false"),
        ("inbound: 2", "inbound: 010", "010 is no plain decimal number"),
        (
            "duration: 5",
            "duration: .nan",
            "capabilities.cut.duration=.nan, must be a finite number",
        ),
        ("duration: 5", "duration: .NaN", "duration=.NaN, must be a finite number"),
        ("duration: 5", "duration: .inf", "duration=.inf, must be a finite number"),
        ("duration: 5", "duration: 1.0e+400", "1.0e+400, must be a finite number"),
        ("seeds:", "coordination: {message_delay: -1}\nseeds:", "message_delay=-1, must be >= 0"),
        ("seeds:", "coordination: {deadline: 0}\nseeds:", "coordination.deadline=0, must be > 0"),
        (
            "seeds:",
            "coordination: {decision_delay: quick}\nseeds:",
            "decision_delay=quick, must be measured, or a mapping such as {plant: 2, area: 1, ",
        ),
        (
            "seeds:",
            "coordination: {decision_delay: {plan: 2}}\nseeds:",
            "coordination.decision_delay.plan, unknown key; did you mean 'plant'?",
        ),
        ("seeds:", "review_period: 0\nseeds:", "review_period=0, must be > 0"),
        (
            "seeds:",
            "review_period: 5\nseeds:",
            "line 1: review_period=5, needs two areas with a power_cap to share out; those with",
        ),
        (
            "seeds:",
            "carbon: {intensity: dirty}\nseeds:",
            "carbon.intensity=dirty, must be a whole number",
        ),
        (
            "seeds:",
            "carbon: {intensity: [[0, 380, 1]]}\nseeds:",
            "must be g/kWh, or a list of [start, g/kWh] such as [[0, 380], [8, 210]]",
        ),
        (
            "seeds:",
            "carbon: {intensity: [[1, 380]]}\nseeds:",
            "intensity must start at 0 and each step later than the one before",
        ),
        ("seeds:", "carbon: {intensity: -3}\nseeds:", "carbon.intensity=-3, must be >= 0"),
        ("seeds:", "carbon: {period: 3}\nseeds:", "carbon.intensity is missing"),
        (
            "seeds:",
            "carbon: {intensity: [[0, 1], [8, 2]], period: 8}\nseeds:",
            "period=8, must be > 8, the last start",
        ),
        ("duration: 5", "duration: -1", "line 3: capabilities.cut.duration=-1, must be >= 0"),
        ("duration: 5", "duration: {normal: [5, 5]}", "normal needs min:"),
        (
            "duration: 5",
            "duration: {gauss: [5, 5]}",
            "duration.gauss, unknown key; known: constant",
        ),
        # keys
        ("inbound: 2", "inbund: 2", "line 8: areas.A1.cells.C2.inbund, unknown key; did you mean"),
        ("inbound: 2", "inbound: 2, inbound: 3", "line 8: key inbound is given twice"),
        ("travel: {default: 1}\n", "", "travel is missing"),
        ("C1: {can: [cut]}", "C1:", "areas.A1.cells.C1=null, must be a mapping"),
        ("[cut]", "[cut, 3]", "quote a name that reads as a number"),
        ("[mill]", "[mill, mil]", "line 8: areas.A1.cells.C2.machines.C2M1.can"),
        # names that must exist
        (
            "route: cut mill",
            "route: cut mil",
            "mil must be one of capabilities; did you mean 'mill'",
        ),
        ("can: [cut]", "can: [mill]", "line 9: jobs.route=cut mill, no machine can cut"),
        ("route: cut mill", "route: cut (mill", "line 9: jobs.route=cut (mill, route"),
        ("C2: {", "source: {", "areas.A1.cells.source, the name must be unique"),
        ("inbound: 2", "machines: {C1M1: {}}", "the name must be unique; cell C1 has such"),
        ("default: 1", "within_area: 1", "line 2: travel, no time from source to C1"),
        ("default: 1", "default: 1, pairs: [{from: C1, to: C3, time: 1}]", "travel.pairs.0.to=C3"),
        ("inbound: 2", "inbound: 3, commitment: 2", "commitment=2, must be >= inbound=3"),
        ("inbound: 2", "machines: 99999", "machines=99999, must be a whole number 0 .. 10000"),
        # stops
        (
            "inbound: 2",
            "machines: {F: {down: {breakdown: {up: 9, repair: 1}}}}",
            "down.breakdown, needs horizon: or down_until:",
        ),
        (
            "inbound: 2",
            "machines: {F: {down: {recorded: [[5, 9], [8, 10]]}}}",
            "recorded stop [8, 10], must end after it starts and follow the one before",
        ),
        (
            "inbound: 2",
            "machines: {F: {down: {recorded: [[5, 9, later]]}}}",
            "down.recorded.0, must be 'resume', 'restart' or 'wait'",
        ),
        (
            "inbound: 2",
            "machines: {F: {down: {recorded: [5, 9]}}}",
            "down.recorded.0=5, must be [start, end] or [start, end, interruption]",
        ),
        (
            "inbound: 2",
            "machines: {F: {down: {shift: {first: 1, every: 9, lasts: 2, interruption: never}}}}",
            "down.shift.interruption=never, must be 'resume', 'restart' or 'wait'",
        ),
        ("inbound: 2", "machines: {F: {interruption: wait}}", "F.interruption, unknown key"),
        # seeds
        ("[0]", "[]", "line 1: seeds, must hold at least one seed"),
        ("[0]", "[-1]", "seeds.test.0=-1, must be >= 0"),
        ("[0]", "[1.5]", "seeds.test.0=1.5, must be a whole number"),
        ("[0]", "[9223372036854775808]", "must be < 9223372036854775808"),
        ("[0]", "[0, 0]", "seed 0 is given twice"),
        ("[0]", "[0], train: [0]", "seed 0 is given twice, must belong to one part"),
        ("[0]", "10:20", "10:20 is no plain decimal number to YAML 1.1"),
        ("[0]", "'20:10'", "must hold 1 .. 1000000 seeds"),
        # structure
        ("count: 4", "count: 0", "jobs.count=0, must be >= 1"),
        (", route: cut mill", "", "count and route belong together"),
        ("seeds:", "noise: {uniform: [1, 2]}\nseeds:", "line 1: noise, must have mean 1"),
        ("seeds:", "base: nosuch\nseeds:", "line 1: base=nosuch: no suite 'nosuch'; known: "),
        ("seeds:", "base: ./shop.yaml\nseeds:", "base goes round in a circle"),
        ("seeds:", "profiles: [a]\nseeds:", "line 1: profiles=a, must be a profile of the base"),
        ("seeds:", "profiles: {a b: {}}\nseeds:", "line 1: profile a b, must be"),
        ("seeds:", "profiles: {a: {sat: {}}}\nseeds:", "profiles.a.sat, unknown key; did you mean"),
        (
            "seeds:",
            "profiles: {a: {set: {vehicles: {cout: 2}}}}\nseeds:",
            "line 1: vehicles.cout, unknown key; did you mean 'count'?",
        ),
        # YAML
        ("seeds:", "x: &x 1\ny: *x\nseeds:", "line 1: aliases (*name) are not read"),
        ("seeds:", "x: !!python/object:os.system y\nseeds:", "line 1: tag "),
        ("seeds:", "? [a]\n: 1\nseeds:", "a key must be a text"),
        ("seeds:", "\tseeds:", "line 1, column 1: not YAML"),
        ("seeds:", "[" * 3000 + "seeds:", "not YAML"),
        ("seeds:", "x: " + "[" * 200 + "]" * 200 + "\nseeds:", "nested more than 50 deep"),
    ],
)
def test_bad_input_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    """One mistake in a good file; the message says file, line, place, value and rule."""
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, changed((old, new)))
    assert message in str(caught.value)
    assert str(tmp_path / "shop.yaml") in str(caught.value)


@pytest.mark.parametrize(
    "jobs, message",
    [
        ("[]", "jobs.list, must hold at least 1, it is empty"),
        ("[{name: a, operations: []}]", "list.0.operations, must hold at least 1, it is empty"),
        ("[{name: a, operations: [{on: {C9: 3}}]}]", "operations.0.on.C9=3, must be a machine"),
        ("[{name: a, operations: [{do: cut}]}]", "do and time belong together"),
        ("[{name: a, operations: [{do: ct, time: 1}]}]", "must be something a machine can"),
        (
            "[{name: a, release: 5, due: 3, operations: [{on: {C1M1: 3}}]}]",
            "jobs.list.0, due=3, must be >= release=5",
        ),
        (
            "[{name: a, operations: [{on: {C1M1: 3}}]}, {name: a, operations: [{on: {C1M1: 3}}]}]",
            "line 9: jobs.list.1.name=a, must be unique",
        ),
    ],
)
def test_bad_listed_jobs_are_refused(tmp_path: Path, jobs: str, message: str) -> None:
    """Jobs written out by hand are checked like drawn ones."""
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, listed(jobs))
    assert message in str(caught.value)


def test_all_mistakes_are_told_at_once_in_order_of_lines(tmp_path: Path) -> None:
    """Nobody mends a file one error a run."""
    text = changed(("inbound: 2", "inbound: 0"), ("count: 4", "count: x")) + "opions: 3\n"
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, text)
    lines = str(caught.value).splitlines()
    assert [line.split("line ")[1].split(":")[0] for line in lines] == ["8", "9", "10"]


def test_a_mistake_in_a_default_is_told_once(tmp_path: Path) -> None:
    """Defaults are written into every machine, their mistakes are not repeated for each."""
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, SHOP + "defaults: {machine: {power: {idle: -5}}}\n")
    assert str(caught.value).splitlines() == [
        f"{tmp_path / 'shop.yaml'}, line 10: defaults.machine.power.idle=-5, must be >= 0"
    ]


def test_a_mistake_that_came_from_a_base_is_told_where_it_stands(tmp_path: Path) -> None:
    """The line belongs to the file that says it, not to the one that was asked for."""
    (tmp_path / "base.yaml").write_text(changed(("inbound: 2", "inbound: 0")), encoding="utf-8")
    with pytest.raises(InputError, match=r"base\.yaml, line 8: .*inbound=0"):
        loaded(tmp_path, "base: ./base.yaml\nhorizon: 100\n")


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "is empty"),
        (b"- a\n", "a suite is a mapping"),
        (b"\xff\xfe", "byte 0: not UTF-8"),
        (b"a: 1\n---\nb: 2\n", "not YAML"),
    ],
)
def test_a_file_that_is_no_suite_at_all(tmp_path: Path, content: bytes, message: str) -> None:
    """Empty, a list, another encoding, two documents."""
    with pytest.raises(InputError, match=message):
        loaded(tmp_path, content)


def test_byte_order_mark_and_any_script_are_read(tmp_path: Path) -> None:
    """Editors on Windows write a mark; names may be in any script, the file name too."""
    text = changed(("A1:", "Fräse-Ω:"), ("C1:", "作业1:"))
    suite = loaded(tmp_path, b"\xef\xbb\xbf" + text.encode(), "mein shop ä.yaml")
    instance = suite.realise(suite.cases()[0])
    assert instance.area_names == ("Fräse-Ω",)
    assert instance.machine_names == ("作业1M1", "C2M1")
    assert suite.profiles == ["mein-shop"]


def test_times_that_do_not_fit_into_ticks_are_refused_at_the_draw(tmp_path: Path) -> None:
    """1e15 units of 10^9 ticks are beyond int64; the message says which time."""
    text = changed(("duration: 5", "duration: 1.0e+15")) + "ticks_per_unit: 1000000000\n"
    suite = loaded(tmp_path, text)
    with pytest.raises(InputError, match=r"job J0: time=1e\+15, must be .* 2\*\*62"):
        suite.realise(suite.cases()[0])
