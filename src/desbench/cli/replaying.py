"""`desbench replay` and `desbench bound`: schedules played, and bounds on what any could reach."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from desbench.cli import debug_option
from desbench.errors import InputError

if TYPE_CHECKING:
    from desbench.instances.instance import Instance
    from desbench.replay import Replay

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command(name="replay")
@click.argument("file", metavar="SCHEDULE.json", type=FILE)
@click.option(
    "--data", type=FOLDER, metavar="DIR",
    help="Folder of the instance files.  [default: where SCHEDULE.json is]",
)  # fmt: skip
@click.option("--name", "names", multiple=True, metavar="NAME", help="Only this schedule; repeat.")
@click.option(
    "--output-dir", type=click.Path(path_type=Path, file_okay=False), metavar="OUT",
    help="Write the traces there, as a run folder.",
)  # fmt: skip
@debug_option
def replay_command(
    file: Path, data: Path | None, names: tuple[str, ...], output_dir: Path | None
) -> int:
    """Play the schedules of a file, each step as early as it can.

    Prints a JSON object a schedule. One that is incomplete or cannot run is refused with the first
    step that cannot.
    """
    from desbench import replay

    folder = file.parent if data is None else data
    records = []
    for stated in _chosen(replay.read(file), names, file):
        instance, base = replay.instance_of(stated, folder)
        plan = replay.schedule(instance, stated, base)
        found = replay.play(instance, plan)
        line = {"name": plan.name, "makespan": found.makespan, "events": found.events}
        click.echo(json.dumps(line))
        if plan.makespan not in (None, found.makespan):
            told = f"{plan.name}: states makespan {plan.makespan}, reaches {found.makespan}"
            click.echo(f"Warning: {told}", err=True)
        if output_dir is not None:
            records.append(_written(output_dir, instance, stated, found))
    if output_dir is not None:
        _close(output_dir, records, file)
    return 0


def _chosen(found: list[dict[str, Any]], names: tuple[str, ...], file: Path) -> list[Any]:
    from desbench.instances.complaints import near

    known = {stated["name"]: stated for stated in found}
    for name in names:
        if name not in known:
            raise InputError(f"{file}: no schedule '{name}'{near(name, known)}")
    return [known[name] for name in names or known]


def _written(folder: Path, instance: Instance, stated: dict[str, Any], found: Replay) -> Any:
    """Write the trace of a replay and give the record of the run."""
    import hashlib

    from desbench.measures import measure
    from desbench.report.records import Record
    from desbench.trace import write

    told = json.dumps([instance.digest, stated], sort_keys=True)
    trace = found.trace
    write(trace, folder, trace.key)
    return Record(
        key=trace.key,
        digest=hashlib.sha256(told.encode()).hexdigest(),
        profile=instance.case.rpartition("-s")[0],
        seed=0,
        status="done",
        measures=measure(trace),
        time_unit=instance.time_unit,
        ticks_per_unit=instance.ticks_per_unit,
        instance_digest=instance.digest,
        trace_hash=trace.hash,
        traces="full",
    )


def _close(folder: Path, records: list[Any], file: Path) -> None:
    """Write what makes a run folder of the traces."""
    from desbench.replay import PARADIGM
    from desbench.sweep.folder import Folder

    place = Folder(folder)
    with place.locked():
        place.write_manifest({"suites": [], "paradigms": [PARADIGM], "replay": file.name})
        for record in records:
            place.write_record(record)
        place.write_summaries(records)


@click.command(name="bound")
@click.argument("what", metavar="CASE|FILE")
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True,
    help="Time for the solver.",
)  # fmt: skip
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Threads.")
@click.option("--instance", metavar="NAME", help="Which one, where a file holds several.")
@click.option("--layout", type=FILE, help="File with the travel times.")
@click.option("--vehicles", type=click.IntRange(0, 100_000), metavar="N", help="Size of the fleet.")
@debug_option
def bound_command(
    what: str, seconds: float, workers: int, instance: str | None, layout: Path | None,
    vehicles: int | None,
) -> int:  # fmt: skip
    """Bound the makespan of a case or instance file with CP-SAT (extra: ortools).

    Prints a JSON object with lower bound and makespan that is also a schedule for `desbench
    replay`. What the model leaves out (buffers, stops, setups, delivery) is listed under left_out:
    the lower bound holds all the same, but there is no schedule then.
    """
    from desbench import bounds

    found, source = _instance(what, instance, layout, vehicles)
    result = bounds.bound(found, seconds, workers)
    unit = found.ticks_per_unit
    line: dict[str, Any] = {"name": instance or source.pop("name"), **source}
    line["lower_bound"] = result.lower / unit if result.lower % unit else result.lower // unit
    line["makespan"] = None
    if result.schedule is not None and result.upper is not None:
        line["makespan"] = result.upper / unit if result.upper % unit else result.upper // unit
        line |= result.schedule
    line |= {"proved": result.is_proved, "left_out": list(result.left_out)}
    click.echo(json.dumps(line))
    if result.left_out:
        listed = ", ".join(result.left_out)
        click.echo(f"Note: no schedule, the model leaves out: {listed}", err=True)
    elif result.schedule is None:
        click.echo(f"Note: no schedule found in {seconds:g} s", err=True)
    return 0


def _instance(
    what: str, name: str | None, layout: Path | None, vehicles: int | None
) -> tuple[Instance, dict[str, Any]]:
    """The instance of a file, suite or case id, and how a schedule file names it."""
    from desbench.instances import formats
    from desbench.instances.suite import load_suite

    path = Path(what)
    if path.exists() and path.suffix not in (".yaml", ".yml"):
        options = formats.Options(layout=layout, vehicles=vehicles, instance=name)
        shop = formats.read_one(path, options)
        told: dict[str, Any] = {"name": shop.name, "file": path.name}
        if layout is not None:
            told["layout"] = layout.name if layout.parent == path.parent else str(layout)
        if vehicles is not None:
            told["vehicles"] = vehicles
        return formats.to_instance(shop), told
    suite = load_suite(_suite_of(what))
    case = suite.case(what) if what != suite.name and not path.exists() else suite.cases()[0]
    told = {"name": case.id, "suite": what if path.exists() else suite.name, "case": case.id}
    return suite.realise(case), told


def _suite_of(what: str) -> str:
    """The suite a name, path or case id belongs to."""
    from desbench import registry

    if what in registry.names("suites") or registry.is_path(what):
        return what
    profile, mark, _ = what.rpartition("-s")
    for name in registry.names("suites") if mark else ():
        if profile in registry.load("suites", name).profiles:
            return name
    raise InputError(f"{what}: no such file, suite or case (suites: `desbench list suites`)")
