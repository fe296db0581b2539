"""`desbench import`: files of the field as suites, with a report of what was understood."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from desbench.cli import debug_option
from desbench.errors import InputError

if TYPE_CHECKING:
    from desbench.instances.formats import Options


@click.command(name="import")
@click.argument("path", type=click.Path(path_type=Path, exists=True), metavar="FILE|DIR")
@click.option("--format", "format_name", metavar="F", help="Format instead of the detected one.")
@click.option(
    "--layout",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="File with the travel times: a square matrix, the station first.",
)
@click.option(
    "--vehicles",
    type=click.IntRange(0, 100_000),
    metavar="N",
    help="Size of the fleet; 0 = unlimited.",
)
@click.option(
    "--base",
    type=click.Choice(["auto", "0", "1"]),
    default="auto",
    show_default=True,
    help="Number of the first machine in the file.",
)
@click.option(
    "--ticks-per-unit", type=click.IntRange(1, 1_000_000_000), default=1, show_default=True,
    help="Makes decimal times whole.",
)  # fmt: skip
@click.option("--instance", metavar="NAME", help="Which one, where a file holds several.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="SUITE.yaml",
    help="Write it as a suite.",
)  # fmt: skip
@debug_option
def import_command(
    path: Path,
    format_name: str | None,
    layout: Path | None,
    vehicles: int | None,
    base: str,
    ticks_per_unit: int,
    instance: str | None,
    output: Path | None,
) -> int:
    """Read a shop from a file or folder of tables, report it and write it as a suite.

    A folder of files is reported as a table, refused files with their reason. Without -o nothing
    is written.
    """
    from desbench.instances.formats import Options, tables

    options = Options(
        format=format_name,
        base=None if base == "auto" else int(base),
        layout=layout,
        vehicles=vehicles,
        ticks_per_unit=ticks_per_unit,
        instance=instance,
    )
    if path.is_dir() and not tables.is_tables(path):
        if output is not None or instance is not None:
            raise InputError(f"{path}: a folder; -o and --instance take one file of it")
        return _survey(path, options)
    return _one(path, options, output)


def _one(path: Path, options: Options, output: Path | None) -> int:
    """Report the shop of a file, or all shops where it holds several and none is named."""
    from desbench.instances.formats import read, read_one, report, to_instance, write_suite

    if output is None and options.instance is None:
        shops = read(path, options)
        if len(shops) > 1:
            _print([report.row(path.name, shop) for shop in shops])
            return 0
        shop = shops[0]
    else:
        shop = read_one(path, options)
    digest = to_instance(shop).digest  # before anything is said: it may be refused here
    click.echo(f"file          {path}")
    for line in report.describe(shop, options.format is not None, options.base is not None):
        click.echo(line)
    click.echo(f"digest        {digest}")
    if output is not None:
        click.echo(f"suite         {write_suite(shop, output)}")
    return 0


def _survey(folder: Path, options: Options) -> int:
    """Report every file below a folder."""
    from desbench.instances.formats import Refused, report
    from desbench.instances.formats.registry import read_folder

    rows: list[list[str]] = []
    refused: list[Refused] = []
    files = 0
    for path, found in read_folder(folder, options):
        if isinstance(found, Refused):
            refused.append(found)
        else:
            files += 1
            rows += [report.row(path.relative_to(folder).as_posix(), shop) for shop in found]
    if rows:
        _print(rows)
    for error in refused:
        click.echo(f"refused: {error}")
    click.echo(f"{files} files with {len(rows)} instances imported, {len(refused)} files refused")
    if not rows:
        raise InputError(f"{folder}: holds nothing that can be imported")
    return 0


def _print(rows: list[list[str]]) -> None:
    from desbench.instances.formats import report
    from desbench.report.text import aligned

    for line in aligned([list(report.COLUMNS), *rows], left=3):
        click.echo(line)
