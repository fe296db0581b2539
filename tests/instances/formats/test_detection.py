"""Which format a file has, and what is said where it has another one or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from desbench.errors import InputError
from desbench.instances import formats
from desbench.instances.formats import Options, Refused
from instances.formats.typed import FATTAHI01, FJSP05, FT06, LAYOUT, MK01, TYPED, write


@pytest.mark.parametrize(
    "text, asked, fits",
    [
        (MK01, "jsp", "fjsp"),
        (FT06, "fjsp", "jsp"),
        (FATTAHI01, "fjsp", "sdst"),
        (MK01, "sdst", "fjsp"),
        (TYPED["ft06_taillard"], "jsp", "taillard"),
        (TYPED["ex11_plain"], "fjsp", "transport"),
        (TYPED["ex11"], "transport", "transport_json"),
    ],
)
def test_a_neighbour_is_named(tmp_path: Path, text: str, asked: str, fits: str) -> None:
    """A plain job shop given to the flexible reader is the commonest mistake of all."""
    with pytest.raises(Refused, match=rf"line \d+.*it fits the format {fits}: --format {fits}"):
        formats.read(write(tmp_path, text), Options(format=asked))


def test_both_fit(tmp_path: Path) -> None:
    """One job of `1 1 0 5` is two operations, or one with one alternative; nobody can tell."""
    path = write(tmp_path, "1 2\n1 1 0 5\n")
    with pytest.raises(Refused, match="fits the formats fjsp and jsp; say --format fjsp or"):
        formats.read(path)
    assert formats.read_one(path, Options(format="jsp")).operations == 2
    assert formats.read_one(path, Options(format="fjsp")).operations == 1


def test_unknown_format(tmp_path: Path) -> None:
    """With what is near."""
    with pytest.raises(InputError, match="format=jps; did you mean 'jsp'"):
        formats.read(write(tmp_path, FT06), Options(format="jps"))


def test_a_layout_is_no_shop(tmp_path: Path) -> None:
    """It lies beside the shops, so it will be tried."""
    with pytest.raises(Refused, match="a layout, no shop; name it with --layout"):
        formats.read(write(tmp_path, LAYOUT))


def test_deroussi_needs_its_layout(tmp_path: Path) -> None:
    """Without travel times it would be another problem with a makespan of its own."""
    with pytest.raises(Refused, match="--layout FILE"):
        formats.read(write(tmp_path, FJSP05))


def test_layout_must_fit(tmp_path: Path) -> None:
    """Places are the station and the machines, no more and no less."""
    layout = write(tmp_path, LAYOUT, "layout.data")
    with pytest.raises(Refused, match="9 places, must be 7"):
        formats.read(write(tmp_path, FT06), Options(layout=layout))
    with pytest.raises(Refused, match="states its travel times itself"):
        formats.read(write(tmp_path, TYPED["ex11"]), Options(layout=layout))


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "holds nothing"),
        (b"# only words\n\n", "holds nothing"),
        (b"\x80\x04\x95\x10\x00\x00", r"line 1, byte 0: no text"),
        (b"6 6\n\xff\xfe\n", r"line 2, byte 4: no text"),
        (b"\xef\xbb\xbf", "holds nothing"),
        (b"MIT License\n", "line 1: begins like no format known"),
        ("name: Fräse\n".encode(), "begins like no format known"),
    ],
)
def test_no_shop_at_all(tmp_path: Path, content: bytes, message: str) -> None:
    """Pickles are among the published copies; they are never loaded."""
    with pytest.raises(Refused, match=message):
        formats.read(write(tmp_path, content))


def test_a_missing_file(tmp_path: Path) -> None:
    """One sentence, no traceback."""
    with pytest.raises(Refused, match=r"nowhere.txt: cannot be read \(No such file"):
        formats.read(tmp_path / "nowhere.txt")
