"""`desbench study NAME`: one question about many runs, answered by a table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from desbench.cli import debug_option

FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
NEW_FOLDER = click.Path(path_type=Path, file_okay=False)
FILE = click.Path(path_type=Path, dir_okay=False)


@click.group(name="study")
@debug_option
def study_command() -> None:
    """Answer one question about many runs by a table."""


@study_command.command()
@click.option("--data", type=FOLDER, required=True, metavar="DIR", help="Folder of the shops.")
@click.option("--all", "everything", is_flag=True, help="Also play every shop of the folder.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option("--output", type=FILE, metavar="FILE", help="Write the page, as docs/classic.md is.")
@debug_option
def classic(data: Path, everything: bool, workers: int, output: Path | None) -> int:
    """Play the classic shops under every dispatching rule, against the best known makespans.

    With --all also every job shop and flexible job shop of the folder under fifo and spt, and some
    at random; exit code 1 when a makespan is below what is proved.
    """
    from desbench.studies import classic as study
    from desbench.trace import atomic_write

    def said(done: int, total: int) -> None:
        if done % 50 == 0 or done == total:
            click.echo(f"{done}/{total} shops", err=True)

    famous = study.outcomes(study.famous(data), workers, said)
    table, check = study.rule_table(famous), None
    _print(table)
    found = famous
    if everything:
        played = study.outcomes(study.everything(data), workers, said)
        check = study.check_table(played)
        click.echo("")
        _print(check, left=2)
        found = famous + played
    if output is not None:
        atomic_write(output, study.page(table, check).encode())
    wrong = [one for one in found if one.is_impossible]
    for one in wrong:
        told = f"{one.shop} under {one.rule}: makespan {one.makespan} is below what is proved"
        click.echo(f"{told}, {one.lower if one.optimum is None else one.optimum}")
    return int(bool(wrong))


@study_command.command()
@click.option(
    "--seeds", type=click.IntRange(30), default=60, show_default=True,
    help="Episodes of each queue; five times as many of shorter shops.",
)  # fmt: skip
@click.option("--output", type=FILE, metavar="FILE", help="Put the table between its markers.")
@debug_option
def analytic(seeds: int, output: Path | None) -> int:
    """Compare simulated figures with exact ones: queues, a line, stops, vehicles.

    Exit code 1 when an exact value lies outside the interval of its row.
    """
    from desbench.studies import analytic as study
    from desbench.studies.page import between, markdown
    from desbench.trace import atomic_write

    page = None
    if output is not None:  # looked at before the long part
        page = output.read_text(encoding="utf-8") if output.exists() else ""
        between(page, "analytic", "")
    found = list(study.checks(seeds))
    table = study.rows(found)
    _print(table, left=2)
    if output is not None and page is not None:
        atomic_write(output, between(page, "analytic", markdown(table)).encode())
    return int(not all(check.is_met for check in found))


@study_command.command()
@click.option("--suite", "suites", multiple=True, metavar="S", help="Suite; repeat.  [intercell]")
@click.option("--output", type=FILE, metavar="FILE", help="Put the report between its markers.")
@debug_option
def calibration(suites: tuple[str, ...], output: Path | None) -> None:
    """Show what suites load the plant with, and how the paradigms differ on them under rules."""
    from desbench.studies import calibration as study
    from desbench.studies.page import between
    from desbench.trace import atomic_write

    report = study.main(suites or study.SUITES)
    click.echo(report)
    if output is not None:
        text = output.read_text(encoding="utf-8")
        atomic_write(output, between(text, "calibration", report).encode())


@study_command.command()
@click.option("--suite", metavar="S", default="intercell_a5c12_harder", show_default=True)
@click.option("--faults", metavar="FILE", help="Faults on purpose, as in desbench run.")
@click.option("--output", type=FILE, metavar="FILE", help="Put the report between its markers.")
@debug_option
def responsibility(suite: str, faults: str | None, output: Path | None) -> None:
    """Show who told, watched and acted, by paradigm, and what each part of it is worth."""
    from desbench.studies import responsibility as study
    from desbench.studies.page import between
    from desbench.trace import atomic_write

    report = study.main(suite, faults)
    click.echo(report)
    if output is not None:
        text, marks = output.read_text(encoding="utf-8"), "responsibility"
        marks += " with faults" if faults else ""
        atomic_write(output, between(text, marks, report).encode())


@study_command.command()
@click.option("--suite", "suites", multiple=True, metavar="S", help="Suite; repeat.  [scale_..]")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option("--level", type=click.Choice(("easy", "hard", "harder")), help="Only this one.")
@click.option("--faults", metavar="FILE", help="Faults on purpose, as in desbench run.")
@click.option("--output-dir", type=NEW_FOLDER, required=True, metavar="DIR", help="For the files.")
@debug_option
def scaling(
    suites: tuple[str, ...],
    workers: int,
    level: str | None,
    faults: str | None,
    output_dir: Path,
) -> None:
    """Draw what coordination costs as the factory grows, one CSV and one SVG a quantity.

    Needs matplotlib (extra plot).
    """
    from desbench.instances.faults import read_faults
    from desbench.studies import scaling as study

    study.need_library()  # said before the long part
    read = read_faults(faults)

    def said(done: int, total: int) -> None:
        if done % 25 == 0 or done == total:
            click.echo(f"{done}/{total} runs", err=True)

    found = study.runs(suites or study.SUITES, workers, said, read, level)
    for path in study.write(found, output_dir):
        click.echo(path)


@study_command.command(name="message_delay")
@click.option("--suite", metavar="S", default="intercell_a5c12_harder", show_default=True)
@click.option("--output", type=FILE, metavar="FILE", help="Put the report between its markers.")
@debug_option
def message_delay(suite: str, output: Path | None) -> None:
    """Show whether a contract net and a hierarchy change places as messages take longer."""
    from desbench.studies import message_delay as study
    from desbench.studies.page import between
    from desbench.trace import atomic_write

    text = None
    if output is not None:  # looked at before the long part
        text = output.read_text(encoding="utf-8") if output.exists() else ""
        between(text, "message_delay", "")
    report = study.main(suite)
    click.echo(report)
    if output is not None and text is not None:
        atomic_write(output, between(text, "message_delay", report).encode())


def _print(rows: Sequence[Sequence[str]], left: int = 1) -> None:
    from desbench.report.text import aligned

    for line in aligned(rows, left=left) if rows else ():
        click.echo(line)
    sys.stdout.flush()
