"""Each format reads what it should, to the last figure."""

from __future__ import annotations

from pathlib import Path

import pytest

from desbench.errors import InputError
from desbench.instances import formats
from desbench.instances.formats import Options, Refused, Shop
from desbench.instances.instance import UNLIMITED
from instances.formats.typed import (
    EX11,
    EX11_PLAIN,
    FATTAHI01,
    FJSP05,
    FT06,
    FT06_TAILLARD,
    LA01,
    LAYOUT,
    MK01,
    TYPED,
    counted_from_one,
    write,
)


def shop(folder: Path, text: str | bytes, options: Options | None = None) -> Shop:
    return formats.read_one(write(folder, text), options or Options())


@pytest.mark.parametrize(
    "name, format, jobs, machines, operations, alternatives, optimum",
    [
        ("ft06", "jsp", 6, 6, 36, 36, 55),
        ("la01", "jsp", 10, 5, 50, 50, 666),
        ("mk01", "fjsp", 10, 6, 55, 115, 40),
        ("fattahi01", "sdst", 2, 2, 4, 8, 70),
        ("ex11", "transport_json", 5, 4, 13, 13, 96),
        ("ex11_plain", "transport", 5, 4, 13, 13, 96),
        ("ft06_taillard", "taillard", 6, 6, 36, 36, 55),
    ],
)
def test_typed_instances(
    tmp_path: Path,
    name: str,
    format: str,
    jobs: int,
    machines: int,
    operations: int,
    alternatives: int,
    optimum: int,
) -> None:
    """The format is detected, the counts are published ones, the optimum is found by content."""
    found = shop(tmp_path, TYPED[name])
    assert found.format == format
    assert (len(found.jobs), found.machines) == (jobs, machines)
    assert (found.operations, found.alternatives) == (operations, alternatives)
    known = formats.reference_of(found)
    assert known is not None
    assert (known.upper, known.kind) == (optimum, "optimum")


def test_an_imported_shop_is_open_and_reliable(tmp_path: Path) -> None:
    """Published makespans hold for shops without limits, stops and ways, counted in whole units."""
    instance = formats.to_instance(shop(tmp_path, FT06))
    assert instance.case == "shop-s00"
    assert (instance.time_unit, instance.ticks_per_unit) == ("s", 1)
    assert instance.machine_cell.tolist() == [0, 1, 2, 3, 4, 5]
    assert instance.nominal[:6].tolist() == [1, 3, 6, 7, 3, 6]
    assert instance.eligible_machine[:6].tolist() == [2, 0, 1, 3, 5, 4]
    assert (instance.realised == instance.nominal).all()
    assert set(instance.inbound.tolist()) == {UNLIMITED}
    assert instance.vehicle_names == ()
    assert not instance.travel.any()
    assert not len(instance.down_start)


def test_bounds_of_a_taillard_file_are_a_note(tmp_path: Path) -> None:
    """They may be old or wrong, so they are shown and never used."""
    assert "52 .. 55" in shop(tmp_path, FT06_TAILLARD).notes[-1]


def test_both_forms_of_ft06_are_one_instance(tmp_path: Path) -> None:
    """Pairs from 0, or Taillard's matrices from 1 with and without words: the same shop."""
    bare = "\n".join(line for line in FT06_TAILLARD.splitlines() if line[0] not in "NTM")
    bare = bare.replace(" 6 6 0 0 55 52", "6 6")
    digests = {
        formats.to_instance(shop(tmp_path, text)).digest for text in (FT06, FT06_TAILLARD, bare)
    }
    assert len(digests) == 1


def test_several_taillard_shops_in_one_file(tmp_path: Path) -> None:
    """Taillard's own files hold ten each; they are numbered from 1, as they are published."""
    path = write(tmp_path, FT06_TAILLARD * 3, "tai6_6.txt")
    assert [s.name for s in formats.read(path)] == ["tai6_6-1", "tai6_6-2", "tai6_6-3"]
    with pytest.raises(Refused, match=r"holds 3 instances .* name one"):
        formats.read_one(path)
    assert formats.read_one(path, Options(instance="tai6_6-2")).operations == 36


def test_both_forms_of_ex11_are_one_instance(tmp_path: Path) -> None:
    """JSON or plain, the numbers are the same."""
    json, plain = (formats.to_instance(shop(tmp_path, text)) for text in (EX11, EX11_PLAIN))
    assert json.digest == plain.digest
    assert json.vehicle_names == ("V1", "V2")
    assert json.travel[0].tolist() == [0, 6, 8, 10, 12]
    assert json.travel[1].tolist() == [12, 0, 6, 8, 10]


def test_layout_in_a_file_of_its_own(tmp_path: Path) -> None:
    """A job shop, its layout and its fleet make the transport instance."""
    jobs = "5 4\n" + "\n".join(EX11_PLAIN.splitlines()[1:6])
    matrix = "5\n" + "\n".join(EX11_PLAIN.splitlines()[6:])
    layout = write(tmp_path, matrix, "layout.txt")
    found = shop(tmp_path, jobs, Options(layout=layout, vehicles=2))
    assert found.format == "jsp"
    assert formats.to_instance(found).digest == formats.load(write(tmp_path, EX11)).digest


def test_deroussi_with_its_layout(tmp_path: Path) -> None:
    """Brackets, two vehicles, place 0 of the layout is the station; optimum 94."""
    layout = write(tmp_path, LAYOUT, "layout.data")
    found = shop(tmp_path, FJSP05, Options(layout=layout))
    assert found.format == "deroussi"
    assert (found.machines, found.vehicles, found.operations) == (8, 2, 13)
    assert found.jobs[0][1] == [(2, 24), (3, 24)]
    known = formats.reference_of(found)
    assert known is not None
    assert known.upper == 94
    assert shop(tmp_path, FJSP05, Options(layout=layout, vehicles=3)).vehicles == 3


def test_setups_of_the_first_fattahi_file(tmp_path: Path) -> None:
    """Row = operation before, column = next one; nothing before the first; equal pairs cost too."""
    instance = formats.to_instance(shop(tmp_path, FATTAHI01))
    assert instance.family.tolist() == [0, 1, 2, 3]
    assert instance.setup[0].tolist() == [
        [0, 0, 0, 0],
        [6, 3, 4, 4],
        [3, 6, 4, 4],
        [3, 3, 7, 4],
        [4, 4, 4, 8],
    ]
    assert instance.setup[1].tolist() == [
        [0, 0, 0, 0],
        [6, 3, 4, 3],
        [3, 6, 3, 3],
        [3, 3, 6, 4],
        [3, 4, 3, 6],
    ]


@pytest.mark.parametrize("name", sorted(TYPED))
@pytest.mark.parametrize(
    "dress",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r").encode(),
        lambda text: text.rstrip("\n").encode(),
        lambda text: text.replace(" ", "\t \t").encode(),
        lambda text: text.replace("\n", "   \n\n  \n").encode(),
    ],
    ids=["byte order mark", "CRLF", "CR", "no final newline", "tabs", "blanks"],
)
def test_how_a_file_is_set_does_not_matter(tmp_path: Path, name: str, dress) -> None:  # type: ignore[no-untyped-def]
    """Copies of one instance differ in blanks, line ends and encoding only."""
    plain = shop(tmp_path, TYPED[name])
    assert shop(tmp_path, dress(TYPED[name])).content == plain.content


@pytest.mark.parametrize("name", ["ft06", "mk01", "fattahi01", "ex11_plain", "ft06_taillard"])
def test_comments_are_passed_over(tmp_path: Path, name: str) -> None:
    """Half of the classic files begin with `#` lines, one of them with `# +++`."""
    text = "# +++\n#\n" + TYPED[name].replace("\n", " # said by hand (1 2)\n")
    assert shop(tmp_path, text).content == shop(tmp_path, TYPED[name]).content


def test_uneven_rows_and_revisits(tmp_path: Path) -> None:
    """Jobs of one operation, of many, and back to the same machine are all job shops."""
    found = shop(tmp_path, "2 2\n1 7\n2 3 1 4 2 5\n")
    assert found.base == 1
    assert found.jobs == [[[(0, 7)]], [[(1, 3)], [(0, 4)], [(1, 5)]]]
    assert found.revisits == 1


def test_zero_durations(tmp_path: Path) -> None:
    """orb07 has an operation of length zero."""
    found = shop(tmp_path, "1 2\n0 0 1 3\n")
    assert formats.to_instance(found).nominal.tolist() == [0, 3]


@pytest.mark.parametrize("third", ["2", "3.5", "1.15", "2.00", ".5", "3.36796536796537", "1e2"])
def test_third_number_of_the_header_is_not_needed(tmp_path: Path, third: str) -> None:
    """It is an average of the alternatives in some copies, the vehicles in others."""
    text = MK01.replace("10 6", f"10 6 {third}", 1)
    assert shop(tmp_path, text).content == shop(tmp_path, MK01).content


def test_decimals_become_whole_by_ticks(tmp_path: Path) -> None:
    """2.5 is 5 half units or 25 tenths, never 2 or 3."""
    text = "1 2\n0 2.5 1 3.00\n"
    with pytest.raises(Refused, match=r"line 2, token 2 '2.5': .*--ticks-per-unit 10 makes it one"):
        shop(tmp_path, text)
    for ticks in (2, 10, 1000):
        found = shop(tmp_path, text, Options(ticks_per_unit=ticks))
        assert found.jobs == [[[(0, ticks * 5 // 2)], [(1, ticks * 3)]]]


def test_finer_ticks_keep_the_reference(tmp_path: Path) -> None:
    """The content counts in units, so ft06 in milliseconds is still ft06."""
    found = shop(tmp_path, LA01, Options(ticks_per_unit=1000))
    assert found.content == shop(tmp_path, LA01).content


@pytest.mark.parametrize(
    "text", [MK01, counted_from_one(MK01), counted_from_one(MK01).replace("\t2\r", "\t15.5\r")]
)
def test_mk01_from_zero_and_from_one_is_one_instance(tmp_path: Path, text: str) -> None:
    """Both copies are in use; a shift by one would go unnoticed for long."""
    assert formats.load(write(tmp_path, text)).digest == formats.load(write(tmp_path, MK01)).digest


class TestMachineNumbers:
    """From 0 or from 1: found over the whole file, or asked for."""

    def test_a_zero_anywhere_counts_from_zero(self, tmp_path: Path) -> None:
        """Also in the last row."""
        found = shop(tmp_path, "2 3\n1 7 2 5\n0 3 1 4\n")
        assert (found.base, found.notes) == (0, ())
        assert found.jobs[0] == [[(1, 7)], [(2, 5)]]

    def test_no_zero_counts_from_one(self, tmp_path: Path) -> None:
        """And the report says what it rests on when the last machine is not used either."""
        assert shop(tmp_path, "1 2\n1 7 2 3\n").notes == ()
        found = shop(tmp_path, "1 4\n1 7 2 3\n")
        assert found.base == 1
        assert found.unused == [2, 3]
        assert "neither machine 0 nor machine 4" in found.notes[0]

    def test_asked_for(self, tmp_path: Path) -> None:
        """The user may know better."""
        found = shop(tmp_path, "1 4\n1 7 2 3\n", Options(base=0))
        assert found.jobs == [[[(1, 7)], [(2, 3)]]]
        assert found.notes == ()

    @pytest.mark.parametrize(
        "base, text, message",
        [
            (1, "1 2\n1 7\n0 3\n", r"line 2, token 1 '0'"),
            (0, "1 2\n0 7 2 3\n", r"line 2, token 3 '2'"),
            (None, "1 2\n0 7 2 3\n", r"line 2, token 3 '2': machines 0 \(line 2\) and 2"),
            (None, "1 2\n1 7 3 3\n", r"line 2, token 3 '3': machine must be 0 .. 2"),
        ],
    )
    def test_contradictions(
        self, tmp_path: Path, base: int | None, text: str, message: str
    ) -> None:
        """Neither a wrong word of the user nor a mixed file is guessed right."""
        text = text.replace("\n1 7\n0 3", "\n0 3")
        with pytest.raises(Refused, match=message):
            shop(tmp_path, text, Options(format="jsp", base=base))

    def test_only_two_bases(self) -> None:
        """There is no file that counts from 2."""
        with pytest.raises(InputError, match="base=2"):
            Options(base=2)


def test_unused_machines_are_kept(tmp_path: Path) -> None:
    """mk06 is published with 10 and with 15 machines, of which 10 are used: one content."""
    short, long = (shop(tmp_path, MK01.replace("10 6", f"10 {m}", 1)) for m in (6, 15))
    assert (long.machines, long.unused) == (15, list(range(6, 15)))
    assert short.content == long.content
    assert len(formats.to_instance(long).machine_names) == 15


def test_a_hundred_thousand_operations(tmp_path: Path) -> None:
    """As large as the largest published file: 1002 jobs, 1000 machines, most jobs revisit."""
    rows = (
        " ".join(f"{(j * 7 + k * 11) % 1000} {1 + (j * k) % 70_000}" for k in range(100))
        for j in range(1002)
    )
    instance = formats.load(write(tmp_path, "1002 1000\n" + "\n".join(rows)))
    assert instance.operations == 100_200
