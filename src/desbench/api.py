"""The Python API: every command of `desbench` that makes or reads results is one call here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from desbench.errors import InputError
from desbench.instances.faults import read_faults
from desbench.instances.suite import realise
from desbench.language.settings import Economy
from desbench.paradigms import AuthorityMode
from desbench.report.records import Record
from desbench.report.result import Result
from desbench.sweep import Execution, Options, sweep
from desbench.sweep.conduct import raise_if_interrupted

__all__ = ["load", "realise", "run"]


def run(
    suites: str | Sequence[str],
    paradigms: str | AuthorityMode | Sequence[str | AuthorityMode] = "all",
    controller: Any = "rules",
    *,
    rules: str | Sequence[str] = (),
    controller_command: Sequence[str] = (),
    framework: str | Sequence[str] = "native",
    output_dir: str | os.PathLike[str] | None = None,
    split: str = "test",
    seeds: str | Sequence[int] | None = None,
    case_ids: str | Sequence[str] = (),
    limit: int | None = None,
    replicates: int = 1,
    settings: Mapping[str, Any] | None = None,
    faults: Any = None,
    label: str | None = None,
    traces: str | None = None,
    trace_compression: str = "none",
    resume: bool = False,
    workers: int = 1,
    fail_fast: bool = False,
    language: Mapping[str, Any] | None = None,
    progress: Callable[[Record, int, int], None] = lambda record, done, total: None,
) -> Result:
    """Play cases of suites under paradigms, as `desbench run` does.

    Parameters
    ----------
    suites, paradigms
        Names or paths; of paradigms also `all` and `AuthorityMode` objects.
    controller
        Names or paths of backends, or one runner object with `select_actions`.
    rules
        `KIND=NAME`, such as `dispatch=spt` or `routing=nearest`, for controllers that decide by
        rules; repeated kinds multiply.
    controller_command
        Program and arguments of an external controller, instead of `controller`.
    seeds
        Instead of the split: `0:100`, or numbers.
    settings
        Values of the suite by dotted key; a list of values multiplies.
    faults
        What goes wrong on purpose: a file, or its content as plain values.
    output_dir
        Default the first free `desbench-runs/<suite>-<n>`.
    language
        Options of language models by the names of the command line: `llm_models`, `base_url`,
        `memory`, `max_calls`, ...
    workers
        Above 1 the call must stand under ``if __name__ == "__main__":``.

    Raises
    ------
    InputError
        Before anything is written, when something asked for cannot be done.
    KeyboardInterrupt
        After an interrupt, when everything finished is on disk.
    """
    is_named = isinstance(controller, (str, list, tuple))
    asked, economy = _language(language or {})
    options = Options(
        suites=_several(suites),
        paradigms=(paradigms,) if isinstance(paradigms, AuthorityMode) else _several(paradigms),
        split=split,
        seeds=seeds if seeds is None or isinstance(seeds, str) else ",".join(map(str, seeds)),
        case_ids=_several(case_ids),
        limit=limit,
        replicates=replicates,
        settings=tuple((key, _texts(value)) for key, value in (settings or {}).items()),
        faults=read_faults(faults),
        frameworks=_several(framework),
        controllers=_several(controller) if is_named else (),
        rules=_several(rules),
        controller_command=tuple(controller_command),
        label=label,
        traces=traces,
        trace_compression=trace_compression,
        **asked,
    )
    where = None if output_dir is None else Path(output_dir)
    execution = Execution(where, resume, workers, fail_fast, economy)
    outcome = sweep(options, execution, progress, runner=None if is_named else controller)
    raise_if_interrupted(outcome)
    return Result(outcome.folder)


def load(folder: str | os.PathLike[str]) -> Result:
    """Open a run folder.

    Raises
    ------
    TraceError
        When it holds no finished run, or a damaged one.
    """
    return Result(folder)


def _several(asked: Any) -> tuple[Any, ...]:
    """One thing or several, as a tuple."""
    return (asked,) if isinstance(asked, (str, os.PathLike)) else tuple(asked)


def _language(told: Mapping[str, Any]) -> tuple[dict[str, Any], Economy]:
    """Divide options of language models into those of results and the limits of a run."""
    limits = {item.name for item in fields(Economy)}
    known = {item.name for item in fields(Options)}
    unknown = sorted(set(told) - limits - known)
    if unknown:
        raise InputError(f"language: no option {unknown[0]!r}")
    asked = {name: value for name, value in told.items() if name in known}
    if "llm_models" in asked:
        asked["llm_models"] = _several(asked["llm_models"])
    return asked, Economy(**{name: value for name, value in told.items() if name in limits})


def _texts(value: Any) -> tuple[str, ...]:
    import json

    values = value if isinstance(value, (list, tuple)) else [value]
    return tuple(one if isinstance(one, str) else json.dumps(one) for one in values)
