"""All published files at hand: they import, with the counts that docs/formats.md states.

They are not part of the project. DESBENCH_DATA names their folder; without it `shared/data` beside
the checkout is taken.
"""

from __future__ import annotations

import csv
import os
from collections import Counter
from pathlib import Path

import pytest

from desbench.instances import formats
from desbench.instances.formats import Options, Refused
from desbench.instances.formats.registry import read_folder
from instances.formats.typed import FATTAHI01, FJSP05, FT06, LA01, LAYOUT, MK01, write

ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path(os.environ.get("DESBENCH_DATA") or ROOT.parent / "shared" / "data")
pytestmark = pytest.mark.skipif(
    not (FOLDER / "best_known.csv").exists(), reason=f"no published files in {FOLDER}"
)

#: folder -> format, base, files, operations, alternatives
COUNTS = {
    "jsp": ("jsp", 0, 242, 123686, 123686),
    "fjsp/barnes": ("fjsp", 0, 21, 3325, 3885),
    "fjsp/brandimarte": ("fjsp", 0, 15, 2578, 6203),
    "fjsp/dauzere": ("fjsp", 0, 18, 5256, 13846),
    "fjsp/fattahi": ("fjsp", 0, 20, 348, 807),
    "fjsp/hurink": ("fjsp", 0, 198, 26412, 68573),
    "fjsp/kacem": ("fjsp", 0, 4, 127, 1123),
    "fjsp_onebased": ("fjsp", 1, 5, 682, 1703),
    "sdst": ("sdst", 1, 20, 348, 807),
    "deroussi": ("deroussi", 1, 10, 177, 354),
}


def layout() -> Options:
    return Options(layout=FOLDER / "deroussi" / "layout.data")


@pytest.mark.parametrize("folder", sorted(COUNTS))
def test_every_file_is_imported(folder: str) -> None:
    """Each with the one format and base of its collection; only the licence is refused."""
    options = layout() if folder == "deroussi" else Options()
    found, refused = [], []
    for path, shops in read_folder(FOLDER / folder, options):
        if isinstance(shops, Refused):
            refused.append(path.name)
        else:
            found += shops
    assert set(refused) <= {"LICENSE"}
    kinds = Counter((shop.format, shop.base) for shop in found)
    format, base, files, operations, alternatives = COUNTS[folder]
    assert kinds == {(format, base): files}
    assert sum(shop.operations for shop in found) == operations
    assert sum(shop.alternatives for shop in found) == alternatives
    assert all(formats.to_instance(shop).operations == shop.operations for shop in found)


def test_forty_shops_of_bilge_and_ulusoy() -> None:
    """Ten sets of jobs in four layouts; two of the forty have no proved value."""
    shops = formats.read(FOLDER / "bilge_ulusoy.json")
    assert [shop.name for shop in shops[:5]] == ["EX11", "EX12", "EX13", "EX14", "EX21"]
    assert len(shops) == 40
    without = [shop.name for shop in shops if formats.reference_of(shop) is None]
    assert without == ["EX71", "EX74"]


@pytest.mark.parametrize("number", ["01", "06", "08", "10"])
def test_both_copies_of_brandimarte_are_one_instance(number: str) -> None:
    """From 0 and from 1, two and three numbers in the header, blanks and tabs."""
    zero = formats.load(FOLDER / f"fjsp/brandimarte/mk{number}.txt")
    one = formats.load(FOLDER / f"fjsp_onebased/Mk{number}.fjs")
    assert zero.digest == one.digest


@pytest.mark.parametrize("number, unused", [("01", 0), ("06", 0), ("08", 1), ("10", 4)])
def test_unused_machines_of_brandimarte(number: str, unused: int) -> None:
    """mk08 uses 9 of 10 machines, mk10 11 of 15; they are kept and reported."""
    assert len(formats.read_one(FOLDER / f"fjsp/brandimarte/mk{number}.txt").unused) == unused


def test_both_copies_of_kacem_are_one_instance() -> None:
    """k1 and Kacem1."""
    zero, one = FOLDER / "fjsp/kacem/k1.txt", FOLDER / "fjsp_onebased/Kacem1.fjs"
    assert formats.load(zero).digest == formats.load(one).digest


def test_orb07_has_an_operation_of_length_zero() -> None:
    """And an optimum of 397 all the same."""
    found = formats.read_one(FOLDER / "jsp/orb07.txt")
    assert sum(ticks == 0 for job in found.jobs for o in job for _, ticks in o) == 1
    known = formats.reference_of(found)
    assert known is not None
    assert known.upper == 397


@pytest.mark.parametrize(
    "typed, file",
    [
        (FT06, "jsp/ft06.txt"),
        (LA01, "jsp/la01.txt"),
        (MK01, "fjsp/brandimarte/mk01.txt"),
        (FATTAHI01, "sdst/Fattahi_setup_01.fjs"),
    ],
)
def test_typed_figures_are_the_published_ones(tmp_path: Path, typed: str, file: str) -> None:
    """A slip of the pen would make every other test agree with itself only."""
    path = write(tmp_path, typed)
    assert formats.load(path).digest == formats.load(FOLDER / file).digest


def test_typed_transport_figures(tmp_path: Path) -> None:
    """The same for jobs in brackets and their layout."""
    options = Options(layout=write(tmp_path, LAYOUT, "layout.data"))
    typed = formats.load(write(tmp_path, FJSP05), options)
    assert typed.digest == formats.load(FOLDER / "deroussi/fjsp05.data", layout()).digest


@pytest.mark.parametrize(
    "name, file",
    [
        ("classic_ft06", "jsp/ft06.txt"),
        ("classic_la01", "jsp/la01.txt"),
        ("classic_mk01", "fjsp/brandimarte/mk01.txt"),
        ("classic_fattahi01", "sdst/Fattahi_setup_01.fjs"),
        ("classic_ex11", "bilge_ulusoy.json"),
    ],
)
def test_classic_suites_are_the_published_files(name: str, file: str) -> None:
    """A run of the suite may be compared with the literature."""
    from desbench.instances.suite import realise

    options = Options(instance="EX11") if name == "classic_ex11" else None
    assert realise(name).digest == formats.load(FOLDER / file, options).digest


def test_references_are_those_of_the_list() -> None:
    """Every value of the list is found by the content of its file."""
    with (FOLDER / "best_known.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 505
    for row in rows:
        known = formats.reference_of(formats.read_one(FOLDER / row["file"]))
        assert known is not None
        assert (known.lower, known.upper) == (int(row["lower_bound"]), int(row["upper_bound"]))


@pytest.mark.parametrize("file", ["README.md", "best_known.csv", "jsp_fjsp_schedules.json"])
def test_what_is_no_shop_is_refused(file: str) -> None:
    """Other files lie beside them."""
    with pytest.raises(Refused):
        formats.read(FOLDER / file)
