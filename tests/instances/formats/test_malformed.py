"""Broken files: each is refused, naming line and token; nothing is dropped or guessed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desbench.errors import InputError
from desbench.instances import formats
from desbench.instances.formats import Options, Refused
from instances.formats.typed import (
    EX11,
    EX11_PLAIN,
    FATTAHI01,
    FJSP05,
    FT06_TAILLARD,
    LAYOUT,
    write,
)

JSP = "2 3\n0 5 1 3 2 4\n2 2 0 3 1 6\n"
FJSP = "2 3\n2 1 0 5 2 1 3 2 4\n1 2 0 3 1 6\n"

#: format -> valid text and (old, new, what the message must hold)
BROKEN: dict[str, tuple[str, list[tuple[str, str, str]]]] = {
    "jsp": (
        JSP,
        [
            ("2 3\n", "2\n", r"line 1, token 1 '2': the line ends here, expected number of mach"),
            ("2 3\n", "2 3 4 5\n", r"line 1, token 3 '4': 2 token\(s\) too many"),
            ("2 3\n", "3 3\n", r"line 3, token 6 '6': the file ends here, expected job 2 of 3"),
            ("2 3\n", "1 3\n", r"line 3, token 1 '2': 1 line\(s\) too many"),
            ("2 3\n", "0 3\n", r"line 1, token 1 '0': number of jobs must be 1"),
            ("2 3\n", "2 -3\n", r"line 1, token 2 '-3': number of machines must be a whole"),
            ("1 6\n", "1\n", r"line 3, token 5 '1': the line ends here, expected duration"),
            ("1 6\n", "1 -6\n", r"line 3, token 6 '-6': duration must be >= 0"),
            ("1 6\n", "1 nan\n", r"line 3, token 6 'nan': duration must be a number"),
            ("1 6\n", "1 2.5\n", r"line 3, token 6 '2.5': .*--ticks-per-unit 10"),
            ("1 6\n", "1 inf\n", r"line 3, token 6 'inf': duration must be a number"),
            ("1 6\n", "1 6x\n", r"line 3, token 6 '6x': duration must be a number"),
            ("1 6\n", "1 1_0\n", r"line 3, token 6 '1_0': duration must be a number"),
            ("1 6\n", "1 ٣\n", r"line 3, token 6 '٣': duration must be a number"),
            ("1 6\n", "1 9999999999999999999\n", r"line 3, token 6 .* below 2\*\*62"),
            ("1 6\n", "1.0 6\n", r"line 3, token 5 '1.0': machine must be a whole number"),
            ("1 6\n", "4 6\n", r"line 3, token 5 '4': machine must be 0 .. 3"),
            ("1 6\n", "3 6\n", r"line 3, token 5 '3': machines 0 \(line 2\) and 3"),
            ("1 6\n", "1,6\n", r"line 3, token 5 '1,6': machine must be a whole number"),
            ("2 3\n", "2 100000\n", r"line 1, token 2 '100000': number of machines must be"),
        ],
    ),
    "fjsp": (
        FJSP,
        [
            ("2 3\n", "2 3 x\n", r"line 1, token 3 'x': third number of the header must be"),
            ("2 3\n", "2 3 2 2\n", r"line 1, token 4 '2': 1 token"),
            ("2 3\n", "3 3\n", r"line 3, token 6 '6': the file ends here"),
            ("2 3\n", "1 3\n", r"line 3, token 1 '1': 1 line\(s\) too many"),
            ("2 1 0", "3 1 0", r"line 2, token 9 '4': the line ends here, expected number of"),
            ("2 1 0", "1 1 0", r"line 2, token 5 '2': 5 token\(s\) too many"),
            ("2 1 0", "0 1 0", r"line 2, token 1 '0': number of operations must be 1"),
            ("1 2 0", "1 0 0", r"line 3, token 2 '0': number of machines of an operation"),
            ("1 2 0", "1 4 0", r"line 3, token 2 '4': number of machines of an operation"),
            ("1 2 0", "1 2 1", r"line 3, token 5 '1': a machine must be named once"),
            ("1 6\n", "1\n", r"line 3, token 5 '1': the line ends here, expected duration"),
            ("1 6\n", "1 -6\n", r"line 3, token 6 '-6': duration must be >= 0"),
            ("1 6\n", "5 6\n", r"line 3, token 5 '5': machine must be 0 .. 3"),
            ("1 6\n", "1 6 7\n", r"line 3, token 7 '7': 1 token\(s\) too many"),
        ],
    ),
    "sdst": (
        FATTAHI01,
        [
            ("2 2 2\n", "2 2 2 2\n", r"line 1, token 4 '2': 1 token"),
            ("2 2 2\n", "2 3 2\n", r"line 12, token 4 '6': the file ends here, expected row 0"),
            ("2 2 2\n", "2 1 2\n", r"line 2, token 2 '2': number of machines of an operation"),
            ("2 24\n", "2 24 1\n", r"line 2, token 12 '1': 1 token\(s\) too many"),
            ("3 3 7 4", "3 3 7", r"line 7, token 3 '7': the line ends here, expected time in the"),
            ("3 3 7 4", "3 3 7 4 5", r"line 7, token 5 '5': 1 token\(s\) too many"),
            ("3 3 7 4", "3 3 -7 4", r"line 7, token 3 '-7': .* must be >= 0"),
            ("3 3 7 4", "3 3 7.5 4", r"line 7, token 3 '7.5': .* whole number of ticks"),
            ("3 4 3 6\n", "", r"line 11, token 4 '4': the file ends here, expected row 3 of 4"),
            ("3 4 3 6\n", "3 4 3 6\n1 2\n", r"line 13, token 1 '1': 1 line\(s\) too many"),
            ("1 45", "3 45", r"line 3, token 3 '3': machine must be 0 .. 2"),
        ],
    ),
    "taillard": (
        FT06_TAILLARD,
        [
            ("Nb of jobs", "No of jobs", r"line 1: .* begins|line 1, token \d+ .*expected 'Nb of"),
            ("6 6 0 0 55 52", "6 6 0 0 55", r"line 2, token 5 '55': the line ends here"),
            ("6 6 0 0 55 52", "6 6 0 0 55 52 1", r"line 2, token 7 '1': 1 token"),
            ("6 6 0 0 55 52", "6 6 0 x 55 52", r"line 2, token 4 'x': machine seed must be"),
            ("Times", "Time", r"line 3, token 1 'Time': expected the title 'Times'"),
            ("\nMachines", "\nMaschinen", r"line 10, token 1 .*expected the title 'Machines'"),
            ("1 3 6 7 3 6", "1 3 6 7 3", r"line 4, token 5 '3': the line ends here"),
            ("1 3 6 7 3 6", "1 3 6 7 3 6 6", r"line 4, token 7 '6': 1 token"),
            ("3 1 2 4 6 5", "3 1 2 4 6 7", r"line 11, token 6 '7': machine must be 0 .. 6"),
            ("3 1 2 4 6 5", "3 1 2 4 0 5", r"line 1\d, token \d '6': machines 0 \(line 11\)"),
            ("2 4 6 1 5 3\n", "2 4 6 1 5 3\n7 7\n", r"line \d+, token 1"),
            ("Times", "Times 6", r"line 3, token 2 '6': 1 token"),
        ],
    ),
    "transport": (
        EX11_PLAIN,
        [
            ("5 4 2\n", "5 4\n", r"line 1, token 2 '4': the line ends here, expected number of ve"),
            ("5 4 2\n", "5 4 2.5\n", r"line 1, token 3 '2.5': number of vehicles must be a whole"),
            ("5 4 2\n", "5 4 2 1\n", r"line 1, token 4 '1': 1 token"),
            ("5 4 2\n", "6 4 2\n", r"line 7, token 1 '0': machine must be"),
            ("1 8 2 16 4 12", "0 8 2 16 4 12", r"line 2, token 1 '0': machine must be 1 .. 4"),
            ("1 8 2 16 4 12", "5 8 2 16 4 12", r"line 2, token 1 '5': machine must be 1 .. 4"),
            ("1 8 2 16 4 12", "1 8 2 16 4", r"line 2, token 5 '4': the line ends here"),
            ("0 6 8 10 12", "1 6 8 10 12", r"line 11.*travel from place 0 to itself is 1"),
            ("0 6 8 10 12", "0 6 8 10", r"line 7, token 4 '10': the line ends here"),
            ("0 6 8 10 12", "0 6 8 10 -12", r"line 7, token 5 '-12': .* must be >= 0"),
            ("6 10 8 6 0\n", "", r"line 10, token 5 '6': the file ends here, expected row 4"),
            ("6 10 8 6 0\n", "6 10 8 6 0\n1\n", r"line 12, token 1 '1': 1 line\(s\) too many"),
        ],
    ),
    "transport_json": (
        EX11,
        [
            ('"vehicles": 2', '"vehicles": 2.5', r"line 1: vehicles must be a whole number"),
            ('"vehicles": 2', '"vehicles": "2"', r"line 1: vehicles must be a whole number"),
            ('"vehicles": 2,', "", r"line 1: lacks the key vehicles"),
            (
                '"vehicles": 2',
                '"vehicles": 2, "vehicles": 3',
                r"line 1: key vehicles is given twice",
            ),
            ('"vehicles": 2', '"vehicels": 2', r"line 1: key vehicels is unknown; did you mean"),
            ("[0, 6, 8, 10, 12]", "[0, 6, 8, 10]", r"line 3: row 0 of layout 1 has 4 times"),
            ("[0, 6, 8, 10, 12]", "[1, 6, 8, 10, 12]", r"line 3: layout 1: travel from 0 to its"),
            ("[0, 6, 8, 10, 12]", "[0, 6, 8, 10, NaN]", r"line 3: .*\(NaN\) must be a number"),
            (
                "[1, 8]",
                "[0, 8]",
                r"line 10: job set 1, job 0, operation 0: machine=0, must be 1 .. 4",
            ),
            ("[1, 8]", "[5, 8]", r"line 10: .*machine=5, must be 1 .. 4"),
            ("[1, 8]", "[1, -8]", r"line 10: .*duration \(-8\) must be >= 0"),
            ("[1, 8]", "[1, 8, 9]", r"line 10: .*has 3 entries, must be \[machine, duration\]"),
            ("[1, 8]", "[]", r"line 10: .*must be a list with at least one entry"),
            ("[1, 8]", "[[1, 8], [1, 9]]", r"line 10: .*a machine must be named once"),
            ('"job_sets": {"1": [', '"job_sets": {"1": ', r"line \d+, column \d+: not JSON"),
        ],
    ),
    "deroussi": (
        FJSP05,
        [
            ("5 8\n", "5 8 2\n", r"line 1, token 3 '2': 1 token"),
            ("5 8\n", "6 8\n", r"line 6, token \d+ '\)': the file ends here, expected job 5"),
            ("5 8\n", "4 8\n", r"line 6, token 1 '2': 1 line\(s\) too many"),
            ("3 (2 (1 12)", "4 (2 (1 12)", r"line 2, token \d+ '\)': the line ends here"),
            ("3 (2 (1 12)", "2 (2 (1 12)", r"line 2, token \d+ '\(': \d+ token\(s\) too many"),
            ("3 (2 (1 12)", "3 (3 (1 12)", r"line 2, token 12 '\)': expected '\('"),
            ("3 (2 (1 12)", "3 (2 (0 12)", r"line 2, token 5 '0': machine must be 1 .. 8"),
            ("3 (2 (1 12)", "3 (2 (9 12)", r"line 2, token 5 '9': machine must be 1 .. 8"),
            ("3 (2 (1 12)", "3 (2 (2 12)", r"line 2, token 9 '2': a machine must be named once"),
            ("3 (2 (1 12)", "3 (2 (1 -12)", r"line 2, token 6 '-12': duration must be >= 0"),
            ("3 (2 (1 12)", "3 2 (1 12)", r"line 2, token 2 '2': expected '\('"),
            ("(2 (7 18) (8 18))\n3", "(2 (7 18) (8 18)\n3", r"line 2, token \d+ '\)': the line"),
        ],
    ),
}
CASES = [
    pytest.param(name, valid.replace(old, new, 1), message, id=f"{name}-{number}")
    for name, (valid, changes) in BROKEN.items()
    for number, (old, new, message) in enumerate(changes)
]


def options(folder: Path, name: str) -> Options:
    """The layout is there for who needs it."""
    if name != "deroussi":
        return Options(format=name)
    return Options(format=name, layout=write(folder, LAYOUT, "layout.data"))


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_the_unbroken_text_is_read(tmp_path: Path, name: str) -> None:
    """Else the tests below would show nothing."""
    valid, changes = BROKEN[name]
    assert len(changes) >= 10
    assert all(old in valid for old, _, _ in changes)
    assert formats.read(write(tmp_path, valid), options(tmp_path, name))


@pytest.mark.parametrize("name, text, message", CASES)
def test_refused_with_line_and_token(tmp_path: Path, name: str, text: str, message: str) -> None:
    """One sentence: file, line, token, and what was expected."""
    path = write(tmp_path, text)
    with pytest.raises(Refused, match=message) as caught:
        formats.read(path, options(tmp_path, name))
    assert str(path) in str(caught.value)
    assert caught.value.line > 0
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name, text, message", CASES)
def test_detection_does_not_accept_them_either(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    """A file broken in one format must not pass as another one by accident."""
    asked = options(tmp_path, "deroussi") if name == "deroussi" else Options()
    with pytest.raises(Refused):
        formats.read(write(tmp_path, text), replace(asked, format=None))


PIECES = st.sampled_from([*'0179-.()[]{},"# \n\t\x00', "nan", "1e99", "9" * 30, "Times", "é", "٣"])


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(BROKEN)), st.integers(0, 300), st.integers(0, 20), PIECES)
def test_any_damage_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, at: int, length: int, piece: str
) -> None:
    """Whatever a file holds, the answer is a shop or one sentence, never a traceback."""
    text = BROKEN[name][0]
    path = write(tmp_path_factory.getbasetemp(), text[:at] + piece + text[at + length :])
    said = ""
    try:
        for found in formats.read(path):
            formats.to_instance(found)
    except InputError as error:
        said = str(error)
    assert "\n" not in said
