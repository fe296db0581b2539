"""`desbench verify` and `desbench measure`: a run folder checked, and measured again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from desbench.cli import debug_option
from desbench.errors import InputError, TraceError

if TYPE_CHECKING:
    from desbench.instances.suite import Suite
    from desbench.report.records import Record

FOLDER = click.Path(path_type=Path, file_okay=False)
SHOWN = 5  #: complaints per run at most


@click.command()
@click.argument("folder", metavar="OUT", type=FOLDER)
@debug_option
def verify(folder: Path) -> int:
    """Check every trace of a run folder against the laws of the model.

    Recomputes hashes and measures, plays the recorded actions through the engine once more and
    compares every row. Exit code 1 when anything differs.
    """
    records, damaged = _with_traces(folder)
    for sentence in damaged:
        click.echo(sentence)
    suites = _suites(folder)
    wrong = 0
    for record in records:
        complaints = complaints_about(folder, record, suites.get(record.key.suite))
        wrong += bool(complaints)
        show(record, complaints)
    click.echo(f"{len(records)} runs checked, {wrong + len(damaged)} with complaints")
    return int(wrong + len(damaged) > 0)


def show(record: Record, complaints: Sequence[str]) -> None:
    """Print the first complaints about a run, and how many more there are."""
    for complaint in complaints[:SHOWN]:
        click.echo(f"{record.key.case} {record.key.paradigm}: {complaint}")
    if len(complaints) > SHOWN:
        click.echo(f"  and {len(complaints) - SHOWN} more")


def _suites(folder: Path) -> dict[str, Suite]:
    """The suites of a sweep by label, those that are still what they were."""
    from desbench.sweep import Options
    from desbench.sweep.folder import MANIFEST, read_parameters
    from desbench.sweep.plan import suites_of

    parameters = read_parameters(folder / MANIFEST)
    try:
        found = suites_of(Options.from_parameters(parameters))
    except InputError as error:
        click.echo(f"{error}: actions are not played again", err=True)
        return {}
    same = {}
    for label, (_, _, suite) in found.items():
        if parameters.get("suite_digests", {}).get(label) == suite.digest:
            same[label] = suite
        else:
            told = "has changed since; its actions are not played again"
            click.echo(f"suite {label} {told}", err=True)
    return same


def complaints_about(folder: Path, record: Record, suite: Suite | None) -> list[str]:
    """What is wrong with the trace of a run; with its suite the actions are played again."""
    from desbench.measures import measure as measures_of
    from desbench.trace import read
    from desbench.verify import verify as findings_of

    try:
        trace = read(folder, record.key)
    except TraceError as error:
        return [str(error)]
    instance = suite.realise(record.key.case) if suite is not None else None
    report = findings_of(trace, instance, trace_hash=record.trace_hash)
    complaints = [str(finding) for finding in report.findings]
    try:
        measured = measures_of(trace)
    except TraceError as error:  # a row that no measure can read
        return [*complaints, f"measures: {error}"]
    for name, value in measured.items():
        if record.measures.get(name) != value:
            stored = record.measures.get(name)
            complaints.append(f"measures: {name} is {value}, stored was {stored}")
    return complaints


@click.command()
@click.argument("folder", metavar="OUT", type=FOLDER)
@debug_option
def measure(folder: Path) -> int:
    """Compute all measures again from the traces and rewrite the summary files."""
    from desbench.measures import measure as measures_of
    from desbench.report.records import read_records
    from desbench.sweep.folder import Folder
    from desbench.trace import read

    place = Folder(folder)
    found, damaged = _with_traces(folder)
    if damaged:
        raise TraceError(damaged[0])
    with place.locked():
        for record in found:
            trace = read(folder, record.key)
            place.write_record(replace(record, measures=measures_of(trace)))
        place.write_summaries(read_records(folder)[0])
    click.echo(f"{len(found)} runs measured again: {folder}")
    return 0


def _with_traces(folder: Path) -> tuple[list[Record], list[str]]:
    """Runs that have traces, and what is wrong with run files; others are told of."""
    from desbench.report.records import read_records

    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    records, damaged = read_records(folder)
    if not records and not damaged:
        raise InputError(f"{folder}: no finished runs here; make some with `desbench run`")
    found = [record for record in records if record.traces == "full" and record.is_result]
    if not found and not damaged:
        raise InputError(f"{folder}: no run here has a trace; write them with --traces full")
    if len(found) < len(records):
        click.echo(f"{len(records) - len(found)} runs have no trace and are left out", err=True)
    return found, damaged
