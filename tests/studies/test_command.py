"""`desbench study`: names of studies, and what is wrong is said before the long part."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from desbench.cli import main


def study(*words: str | Path) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main, ["study", *map(str, words)])


def test_every_study_is_a_command() -> None:
    """With its options explained, in plain ASCII."""
    listed = study("--help").stdout
    for name in (
        "analytic",
        "calibration",
        "classic",
        "message_delay",
        "responsibility",
        "scaling",
    ):
        assert name in listed
        told = study(name, "--help")
        assert told.exit_code == 0
        assert told.stdout.isascii()


def test_a_folder_without_shops_and_a_page_without_markers(tmp_path: Path) -> None:
    """One sentence each, at once."""
    empty = study("classic", "--data", tmp_path)
    assert empty.exit_code == 2
    assert "lacks jsp/ft06.txt" in empty.stderr
    page = study("analytic", "--output", tmp_path / "page.md")
    assert page.exit_code == 2
    assert "needs a line <!-- analytic: begin -->" in page.stderr
    assert not (tmp_path / "page.md").exists()
    delay = study("message_delay", "--output", tmp_path / "page.md")
    assert "needs a line <!-- message_delay: begin -->" in delay.stderr
