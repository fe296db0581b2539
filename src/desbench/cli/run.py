"""`desbench run`: play cases of suites under paradigms and sum them up."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from desbench.cli import debug_option
from desbench.cli.language import ECONOMY, dry_run, language_options
from desbench.errors import InputError

if TYPE_CHECKING:
    from desbench.report.records import Record
    from desbench.sweep import Outcome

#: Options of how a sweep is executed; all others say what is run.
EXECUTION = ("output_dir", "resume", "workers", "fail_fast", "manifest", "dry_run", *ECONOMY)
LINES = 50  #: of progress at most, where there is no terminal


@click.command(
    epilog="Example: desbench run --suite intercell_a5c12_harder --paradigm heterarchical_cnp"
)
@click.option("--suite", "suites", multiple=True, metavar="S", help="Suite name or path; repeat.")
@click.option(
    "--paradigm",
    "--authority-mode",
    "paradigms",
    multiple=True,
    metavar="P",
    help="Paradigm name, alias or path, or 'all'; repeat.  [default: all]",
)
@click.option("--split", default="test", show_default=True, help="Seed split of the suite.")
@click.option("--seeds", metavar="A:B", help="Seeds instead of the split: 0:100, 3 or 0,4,7.")
@click.option("--case-id", "case_ids", multiple=True, metavar="C", help="Only this case; repeat.")
@click.option("--limit", type=click.IntRange(1), help="At most so many cases per suite.")
@click.option(
    "--replicates", type=click.IntRange(1), default=1, show_default=True, help="Runs per case."
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=V1[,V2]",
    help="Change a value of the suite; repeated keys and values multiply.",
)
@click.option("--faults", metavar="FILE", help="What goes wrong on purpose: docs/faults.md.")
@click.option(
    "--framework", "frameworks", multiple=True, default=["native"], show_default=True, metavar="F",
    help="Who orchestrates the agents; repeat.",
)  # fmt: skip
@click.option(
    "--controller", "--llm-backend", "controllers", multiple=True, default=["rules"],
    show_default=True, metavar="B", help="Who answers for them, a name or a path; repeat.",
)  # fmt: skip
@click.option(
    "--rule", "rules", multiple=True, metavar="KIND=NAME",
    help="Rule of a kind of decision (or of routing), of `desbench list rules`; repeated multiply.",
)  # fmt: skip
@click.option(
    "--controller-command", metavar="CMD",
    help="A program that answers, one JSON object a line; unquoted it takes the words at the end.",
)  # fmt: skip
@click.argument("words", nargs=-1, metavar="")
@language_options
@click.option("--label", help="Name of the controller in the results.")
@click.option(
    "--traces",
    type=click.Choice(["full", "summary", "none"]),
    help="Tables of every run, only measures and hashes, or measures alone.  "
    "[default: full, above 500 runs summary]",
)
@click.option(
    "--trace-compression",
    type=click.Choice(["none", "lz4", "zstd"]),
    default="none",
    show_default=True,
)
@click.option(
    "--output-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="OUT",
    help="Run folder.  [default: the first free desbench-runs/SUITE-N]",
)
@click.option("--resume", is_flag=True, help="Do only what is missing or damaged in OUT.")
@click.option(
    "--workers", "--jobs", type=click.IntRange(1), default=1, show_default=True,
    help="Processes; the results do not depend on it.",
)  # fmt: skip
@click.option("--fail-fast", is_flag=True, help="Stop at the first run that is not a result.")
@click.option(
    "--from", "manifest", type=click.Path(path_type=Path, dir_okay=False), metavar="MANIFEST",
    help="Repeat what a manifest.json says, exactly.",
)  # fmt: skip
@debug_option
@click.pass_context
def run(ctx: click.Context, /, **asked: Any) -> int:
    """Play cases of suites under paradigms and sum them up.

    Repeated options multiply. An option that names something takes a path as well.
    """
    from desbench.instances.faults import read_faults
    from desbench.language.settings import Economy
    from desbench.sweep import Execution, Options, sweep
    from desbench.sweep.folder import read_parameters

    execution = Execution(
        output_dir=asked["output_dir"],
        resume=asked["resume"],
        workers=asked["workers"],
        fail_fast=asked["fail_fast"],
        economy=Economy(**{name: asked[name] for name in ECONOMY}),
    )
    named = _named_options(ctx)
    source = _source(asked, named)
    if source is not None:
        options = Options.from_parameters(read_parameters(source))
    else:
        wanted = {name: asked[name] for name in asked if name not in EXECUTION}
        wanted["paradigms"] = wanted["paradigms"] or ("all",)
        wanted["faults"] = read_faults(asked["faults"])
        wanted["settings"] = _settings(asked["settings"])
        wanted["controller_command"] = _command(asked["controller_command"], wanted.pop("words"))
        options = Options(**wanted)
    if asked["dry_run"]:
        dry_run(options, execution.economy)
        return 0
    with progress() as advance:
        outcome = sweep(options, execution, advance, _say, repeats=source)
    _report(outcome)
    return outcome.exit_code


def _named_options(ctx: click.Context) -> list[str]:
    """Options given on the command line that say what is run."""
    given = click.core.ParameterSource.COMMANDLINE
    return [
        parameter.opts[0]
        for parameter in ctx.command.params
        if parameter.name not in EXECUTION
        and ctx.get_parameter_source(parameter.name) == given
        and parameter.expose_value
    ]


def _source(asked: dict[str, Any], named: list[str]) -> Path | None:
    """The manifest that says what to run, None when the options do."""
    manifest: Path | None = asked["manifest"]
    if manifest is None and asked["resume"] and not asked["suites"]:
        if asked["output_dir"] is None:
            raise InputError("--resume needs the folder to continue: add --output-dir OUT")
        manifest = Path(asked["output_dir"], "manifest.json")
        if not manifest.exists():
            raise InputError(f"{asked['output_dir']}: holds no run to continue; name a suite")
    if manifest is not None and named:
        raise InputError(f"{manifest} already says what to run: leave out {', '.join(named)}")
    if manifest is None and not asked["suites"]:
        raise InputError("name a suite: add --suite NAME (names: `desbench list suites`)")
    return manifest


def _command(text: str | None, words: tuple[str, ...]) -> tuple[str, ...]:
    """Words of an external program: one quoted text, or its first word and what follows."""
    if text is None and words:
        raise InputError(f"{words[0]!r} belongs to no option; see `desbench run --help`")
    if text is None:
        return ()
    try:
        found = (*shlex.split(text), *words)
    except ValueError as error:
        raise InputError(f"--controller-command {text}: {error}") from None
    if not found:
        raise InputError("--controller-command is empty, must name a program")
    return found


def _settings(texts: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Read `KEY=V1,V2` texts; the suite reads the values."""
    values: dict[str, list[str]] = {}
    for text in texts:
        key, equals, right = text.partition("=")
        parts = [part.strip() for part in _split(right)]
        if not key.strip() or not equals or not all(parts):
            raise InputError(f"--set {text}: must be KEY=VALUE, as in --set vehicles.count=2,4")
        values.setdefault(key.strip(), []).extend(parts)
    return tuple((key, tuple(found)) for key, found in values.items())


def _split(text: str) -> list[str]:
    """Split at commas outside brackets and quotes."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        if letter == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _say(sentence: str) -> None:
    click.echo(sentence, err=True)


@contextmanager
def progress() -> Iterator[Callable[[Record, int, int], None]]:
    """Yield what to call after each run: a bar on a terminal, plain lines elsewhere."""
    if not sys.stderr.isatty():
        yield _line
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        shown = bar.add_task("runs", total=None)

        def advance(record: Record, done: int, total: int) -> None:
            bar.update(shown, completed=done, total=total, description=record.key.paradigm)

        yield advance


def _line(record: Record, done: int, total: int) -> None:
    step = -(-total // LINES)
    if done % step == 0 or done == total or not record.is_result:
        key = record.key
        tail = f": {record.cause}" if record.cause else ""
        _say(f"{done}/{total} {key.case} {key.paradigm} {key.controller} {record.status}{tail}")


def _report(outcome: Outcome) -> None:
    """Print how the runs ended, the measures by family, and where the files are."""
    from desbench.report.table import overview, statuses

    for line in (*statuses(outcome.records), *overview(outcome.records)):
        click.echo(line)
    click.echo("")
    missing = sum(record.status == "cancelled" for record in outcome.records)
    if missing:
        why = outcome.reason or "interrupted"
        click.echo(f"partial: {missing} of {len(outcome.records)} runs were not done ({why})")
        click.echo(f"continue with: desbench run --resume --output-dir {outcome.folder}")
    below = [record.key.case for record in outcome.records if (record.measures.get("gap") or 0) < 0]
    if below:
        click.echo(
            f"below the makespan their suite refers to: {len(below)} runs, "
            f"the first in {below[0]}: a new best, or an error"
        )
    kept = {"full": "traces/, ", "summary": "", "none": ""}[outcome.traces]
    click.echo(f"results in {outcome.folder}:")
    click.echo(f"  suite_summary.csv, paradigm_summary.csv, manifest.json, {kept}runs/")
