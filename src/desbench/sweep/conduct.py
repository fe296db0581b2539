"""One sweep from options to summary files."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from desbench.errors import InputError
from desbench.language.settings import UNLIMITED, Economy
from desbench.report.records import Record, row_order
from desbench.sweep.control import Control, signals
from desbench.sweep.execute import execute
from desbench.sweep.folder import MANIFEST, Folder, default_folder, read_parameters
from desbench.sweep.options import MANY_RUNS, Options
from desbench.sweep.plan import Plan, Run, make_plan
from desbench.sweep.worker import Runner

Progress = Callable[[Record, int, int], None]


@dataclass(frozen=True)
class Execution:
    """How a sweep is carried out; nothing here changes a result."""

    output_dir: Path | str | None = None  #: None: the first free desbench-runs/<suite>-<n>
    resume: bool = False
    workers: int = 1  #: 1 plays in this process
    fail_fast: bool = False
    economy: Economy = UNLIMITED


@dataclass(frozen=True)
class Outcome:
    """What a sweep left: a record of every planned run."""

    folder: Path
    records: tuple[Record, ...]
    traces: str
    signal: int | None = None  #: SIGINT or SIGTERM, if one ended the sweep
    reason: str = ""  #: why it ended early by itself

    @property
    def exit_code(self) -> int:
        """0 all runs scored, 1 some run is not a result, 130 or 143 interrupted."""
        if self.signal is not None:
            return 128 + self.signal
        return int(any(not record.is_result for record in self.records))


def sweep(
    options: Options,
    execution: Execution,
    progress: Progress = lambda record, done, total: None,
    say: Callable[[str], None] = lambda sentence: None,
    runner: Runner | None = None,
    repeats: Path | None = None,
) -> Outcome:
    """Play every run that the options ask for and write the run folder.

    Parameters
    ----------
    progress
        Called with each finished run, the number finished and the number to do.
    say
        Told in a sentence what a user should know.
    runner
        A runner object that answers in the place of the named controllers.
    repeats
        A manifest that the sweep must agree with in everything that determines results.

    Raises
    ------
    InputError
        Before anything is written, when something asked for cannot be done.
    """
    own = None if runner is None else f"python-{type(runner).__name__}"
    plan = make_plan(options, own, execution.economy)
    if runner is not None and execution.workers > 1:
        raise InputError("workers > 1 needs a controller by name or path, not a runner object")
    if repeats is not None:
        _check_same(plan, repeats)
    folder = _folder(plan, execution)
    if plan.is_default_traces and plan.traces != "full":
        say(f"{len(plan.runs)} runs, more than {MANY_RUNS}: writing summaries without traces"
            " (--traces full writes them)")  # fmt: skip
    with folder.locked():
        if not execution.resume:
            _refuse_used(folder)  # again: it may have been filled while we looked
        if not folder.is_used:
            folder.write_manifest(plan.parameters)
        kept, todo = _divide(plan.runs, folder) if execution.resume else ([], list(plan.runs))
        if kept:
            say(f"{len(kept)} of {len(plan.runs)} runs are finished, {len(todo)} to do")
        control = Control(_counting(progress, len(todo)), execution.fail_fast)
        with signals(control):
            workers = min(execution.workers, max(1, len(todo)))
            execute(
                [_placed(run, folder, workers) for run in todo], folder, workers, control, runner
            )
            records = _complete(plan.runs, [*kept, *control.records])
            folder.write_summaries(records)
    return Outcome(folder.path, tuple(records), plan.traces, control.signal, control.reason)


def _folder(plan: Plan, execution: Execution) -> Folder:
    """The folder to write to, refused when it holds something else."""
    if execution.output_dir is None:
        if execution.resume:
            raise InputError("resume needs the folder to continue: name it (--output-dir OUT)")
        return Folder(default_folder(plan.runs[0].key.suite.partition("[")[0]))
    folder = Folder(execution.output_dir)
    if execution.resume and folder.is_used:
        _check_same(plan, folder.path / MANIFEST)
    elif not execution.resume:
        _refuse_used(folder)
    if folder.path.exists() and not folder.path.is_dir():
        raise InputError(f"{folder.path}: is a file; name a folder")
    return folder


def _refuse_used(folder: Folder) -> None:
    if folder.is_used:
        raise InputError(
            f"{folder.path}: already holds a run; add --resume to finish it or name another folder"
        )


def _check_same(plan: Plan, manifest: Path) -> None:
    """Refuse to go on with anything that would give other results than the manifest's."""
    before = read_parameters(manifest)
    names = sorted({*before, *plan.parameters})
    changed = [name for name in names if before.get(name) != plan.parameters.get(name)]
    if changed:
        told = ", ".join(
            _change(name, before.get(name), plan.parameters.get(name)) for name in changed
        )
        raise InputError(
            f"{manifest}: asks for something else than what is here now ({told}); "
            "start a new sweep in another folder"
        )


def _change(name: str, old: Any, new: Any) -> str:
    if isinstance(old, dict) and isinstance(new, dict):
        parts = [part for part in sorted({*old, *new}) if old.get(part) != new.get(part)]
        return f"{name} of {', '.join(parts)} differ"
    return f"{name}: {old} there, {new} here"


def _placed(run: Run, folder: Folder, workers: int) -> Run:
    """A run whose language model keeps its files in the folder."""
    if run.controller is None:
        return run
    return replace(run, controller=run.controller.within(folder.path, run.digest, workers))


def _divide(runs: Sequence[Run], folder: Folder) -> tuple[list[Record], list[Run]]:
    """Finished runs, and those to do with the attempts they already had."""
    kept, todo = [], []
    for run in runs:
        record = folder.finished(run.digest, run.key)
        if record is not None:
            kept.append(record)
            continue
        earlier = folder.previous(run.digest)
        if earlier is not None:
            run = replace(run, attempt=earlier.attempts + 1, earlier_s=earlier.wall_time_s)
        todo.append(run)
    return kept, todo


def _complete(runs: Sequence[Run], records: Sequence[Record]) -> list[Record]:
    """A record for every run; one that was not played is `cancelled`."""
    played = {record.key: record for record in records}
    every = [played.get(run.key) or run.record("cancelled", "not played") for run in runs]
    return sorted(every, key=row_order)


def _counting(progress: Progress, total: int) -> Callable[[Record], None]:
    done = 0

    def count(record: Record) -> None:
        nonlocal done
        done += 1
        progress(record, done, total)

    return count


def raise_if_interrupted(outcome: Outcome) -> None:
    """Hand an interrupt on to a Python caller, after everything is on disk."""
    if outcome.signal == signal.SIGINT:
        raise KeyboardInterrupt
    if outcome.signal is not None:
        raise SystemExit(outcome.exit_code)
