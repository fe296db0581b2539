"""`desbench check`: a file of one's own read as a run would read it; nothing is played."""

from __future__ import annotations

from inspect import isclass, ismodule
from pathlib import Path

import click

from desbench.cli import debug_option
from desbench.errors import InputError


@click.command()
@click.argument("path", metavar="PATH")
@debug_option
def check(path: str) -> int:
    """Say whether a file is good, without running it.

    PATH is a suite (.yaml), a paradigm, framework or controller (FILE.py or FILE.py:NAME), or a
    shop that `desbench import` reads: a file, or a folder of tables. What is wrong is said in the
    words of `run` and `import`, with exit code 2.
    """
    if path.endswith((".yaml", ".yml")):
        told = _suite(path)
    elif path.partition(".py:")[0].removesuffix(".py") != path:
        told = _python(path)
    else:
        told = _shops(Path(path))
    click.echo(f"{path}: good, {told}")
    return 0


def _suite(path: str) -> str:
    """Plan all its cases, and draw one of each profile."""
    from desbench.sweep.options import Options
    from desbench.sweep.plan import make_plan, suites_of

    options = Options((path,), paradigms=("centralized_plant",))
    runs = make_plan(options).runs
    first = {run.case.profile: run.case for run in reversed(runs)}
    ((_, _, suite),) = suites_of(options).values()
    for case in first.values():
        suite.realise(case)
    return f"suite {suite.name}: cases {len(runs)}, profiles {len(first)}"


def _python(path: str) -> str:
    """Import it, then plan a run that asks for it."""
    from desbench import registry
    from desbench.sweep.controllers import loading
    from desbench.sweep.options import Options
    from desbench.sweep.plan import make_plan

    with loading(path):
        found = registry.load("controllers", path)
    if hasattr(found, "FRAMEWORK"):
        plan = make_plan(Options(("smoke",), ("centralized_plant",), frameworks=(path,)))
        return f"framework {plan.runs[0].key.controller}"
    if isclass(found) or hasattr(found, "BACKEND"):
        plan = make_plan(Options(("smoke",), ("centralized_plant",), controllers=(path,)))
        return f"controller {plan.runs[0].key.controller}"
    try:
        plan = make_plan(Options(("smoke",), (path,)))
    except InputError as error:
        hint = f"; a controller is named by its class, {path}:CLASS" if ismodule(found) else ""
        raise InputError(f"{error}{hint}") from None
    return f"paradigm {plan.runs[0].key.paradigm}"


def _shops(path: Path) -> str:
    """Read all shops of it."""
    from desbench.instances import formats

    shops = formats.read(path)
    for shop in shops:
        formats.to_instance(shop)
    return f"{shops[0].format}: shops {len(shops)}, jobs {sum(len(shop.jobs) for shop in shops)}"
