"""`desbench check`: a file of one's own read as a run would read it, then played and verified."""

from __future__ import annotations

from dataclasses import replace
from inspect import isclass, ismodule
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from desbench.cli import debug_option
from desbench.cli.checks import complaints_about, show
from desbench.cli.run import progress
from desbench.errors import InputError

if TYPE_CHECKING:
    from desbench.sweep import Options


@click.command()
@click.argument("path", metavar="PATH")
@click.option("--no-play", is_flag=True, help="Only read it.")
@debug_option
def check(path: str, no_play: bool) -> int:
    """Say whether a file is good: read it, play a few cases, verify them.

    PATH is a suite (.yaml), a paradigm, framework or controller (FILE.py or FILE.py:NAME), or a
    shop that `desbench import` reads: a file, or a folder of tables, which is read only. What is
    wrong is said in the words of `run`, `verify` and `import`; exit code 2 where it is refused, 1
    where a case goes wrong. Nothing is kept.
    """
    if path.endswith((".yaml", ".yml")):
        told, options = _suite(path)
    elif path.partition(".py:")[0].removesuffix(".py") != path:
        told, options = _python(path)
    else:
        told, options = _shops(Path(path)), None
    if no_play or options is None:
        click.echo(f"{path}: good, {told}")
        return 0
    played, wrong = _conformance(options)
    if wrong:
        click.echo(f"{path}: {wrong} of {played} runs with complaints, {told}")
        return 1
    click.echo(f"{path}: good, {told}; {played} runs played and verified")
    return 0


def _suite(path: str) -> tuple[str, Options]:
    """Plan all its cases; the first of each profile is to be played, under every paradigm."""
    from desbench.sweep import Options
    from desbench.sweep.plan import make_plan, suites_of

    options = Options((path,), traces="full")
    runs = make_plan(replace(options, paradigms=("centralized_plant",))).runs
    first = {run.case.profile: run.case for run in reversed(runs)}
    ((_, _, suite),) = suites_of(options).values()
    for case in first.values():
        suite.realise(case)
    told = f"suite {suite.name}: cases {len(runs)}, profiles {len(first)}"
    return told, replace(options, case_ids=tuple(case.id for case in first.values()))


def _python(path: str) -> tuple[str, Options]:
    """Import it, then plan a run of `smoke` that asks for it."""
    from desbench import registry
    from desbench.sweep import Options
    from desbench.sweep.controllers import loading
    from desbench.sweep.plan import make_plan

    with loading(path):
        found = registry.load("controllers", path)
    options = Options(("smoke",), limit=1, traces="full")
    if hasattr(found, "FRAMEWORK"):
        options = replace(options, frameworks=(path,))
        return f"framework {make_plan(options).runs[0].key.controller}", options
    if isclass(found) or hasattr(found, "BACKEND"):
        options = replace(options, controllers=(path,))
        return f"controller {make_plan(options).runs[0].key.controller}", options
    options = Options(("smoke",), (path,), controllers=("rules", "random"), traces="full")
    try:
        return f"paradigm {make_plan(options).runs[0].key.paradigm}", options
    except InputError as error:
        hint = f"; a controller is named by its class, {path}:CLASS" if ismodule(found) else ""
        raise InputError(f"{error}{hint}") from None


def _shops(path: Path) -> str:
    """Read all shops of it."""
    from desbench.instances import formats

    shops = formats.read(path)
    for shop in shops:
        formats.to_instance(shop)
    return f"{shops[0].format}: shops {len(shops)}, jobs {sum(len(shop.jobs) for shop in shops)}"


def _conformance(options: Options) -> tuple[int, int]:
    """Play in a folder that goes; return how many runs, and how many have complaints."""
    from desbench.sweep import Execution, sweep
    from desbench.sweep.conduct import raise_if_interrupted
    from desbench.sweep.plan import suites_of

    wrong = 0
    ((_, _, suite),) = suites_of(options).values()
    with TemporaryDirectory() as folder, progress() as advance:
        outcome = sweep(options, Execution(Path(folder) / "runs"), advance)
        raise_if_interrupted(outcome)
        for record in outcome.records:
            if record.is_result:
                complaints = complaints_about(outcome.folder, record, suite)
                unaccepted = record.measures.get("fallback_decisions")
                if unaccepted:
                    complaints.append(f"{unaccepted} answers did not count: the rule decided")
            else:
                complaints = [record.cause]
            wrong += bool(complaints)
            show(record, complaints)
    return len(outcome.records), wrong
