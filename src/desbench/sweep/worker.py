"""One run: realise the case, play it, write its trace, then its record."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import Any, Protocol

from desbench.compiled import CompiledEpisode
from desbench.episode import Episode
from desbench.errors import DesbenchError, TraceError
from desbench.report.records import FAILURES, Record
from desbench.sweep.control import is_disk_full
from desbench.sweep.folder import Folder
from desbench.sweep.plan import Run, planned_suite
from desbench.trace import write


class Runner(Protocol):
    """Whoever answers for the agents."""

    def select_actions(self, decision: Any) -> dict[str, int]:
        """Choose one legal action for each active agent."""


def play(
    run: Run, path: str | os.PathLike[str], runner: Runner | None = None
) -> tuple[Record, bool]:
    """Play one run and write what it left.

    Returns
    -------
    record, disk_is_full
        An exception of the run becomes its status; only an interrupt passes through.
    """
    folder = Folder(path)
    started = time.perf_counter()
    disk_is_full = False
    answering: Any = runner
    try:
        if run.controller is not None:
            answering = run.controller.runner()
        record = _played(run, folder, answering)
    except Exception as error:  # a fault of a case, a paradigm or a controller is its result
        record = run.record(_status(error), _sentence(error))
        disk_is_full = is_disk_full(error)
    paid, usage = (dict(getattr(answering, name, {})) for name in ("paid", "usage"))
    if run.controller is not None and hasattr(answering, "close"):
        answering.close()
    spent = round(run.earlier_s + time.perf_counter() - started, 6)
    record = replace(record, wall_time_s=spent, paid=paid, usage=usage)
    try:
        folder.write_record(record)
    except TraceError as error:
        failed = run.record("error", _sentence(error))
        failed = replace(failed, wall_time_s=spent, paid=paid, usage=usage)
        return failed, disk_is_full or is_disk_full(error)
    return record, disk_is_full


def _played(run: Run, folder: Folder, runner: Any) -> Record:
    suite = planned_suite(run.suite, run.settings, run.suite_digest)
    key = run.key
    known: dict[str, Any] = {
        "controller": key.controller,
        "replicate": key.replicate,
        "faults": run.faults,
    }
    episode: Episode | CompiledEpisode
    if getattr(runner, "is_compiled", False):
        episode = CompiledEpisode(suite, key.case, run.paradigm, rules=runner.chosen, **known)
    else:
        episode = Episode(suite, key.case, run.paradigm, **known)
        episode.play(runner)
    if run.traces == "full":
        write(episode.trace, folder.path, key, run.compression)
    return run.record(
        episode.status,
        measures=episode.measures,
        time_unit=episode.instance.time_unit,
        ticks_per_unit=episode.instance.ticks_per_unit,
        instance_digest=episode.instance.digest,
        trace_hash="" if run.traces == "none" else episode.trace.hash,
    )


def _status(error: Exception) -> str:
    """`error`, or what the exception says of itself (a client's `infra_error`)."""
    told = getattr(error, "status", None)
    return told if told in FAILURES else "error"


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, DesbenchError) else f"{type(error).__name__}: {text}"
