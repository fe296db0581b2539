"""What a sweep runs: options checked as a whole, then the product of everything asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import import_module
from itertools import product
from typing import Any

from desbench import registry
from desbench.compiled import check_paradigm, check_time, is_centralized
from desbench.errors import InputError
from desbench.instances.faults import Faults
from desbench.instances.suite import Case, Suite, load_suite
from desbench.language.settings import UNLIMITED, Economy
from desbench.paradigms import AuthorityMode, ShiftingAuthority, paradigm
from desbench.report.records import SCHEMA_VERSION, Record
from desbench.sweep import controllers
from desbench.sweep.controllers import Asked, loading
from desbench.sweep.options import MANY_RUNS, Options, parse_seeds
from desbench.trace import RunKey
from desbench.trace.schema import SCHEMA_VERSION as TRACE_VERSION

Settings = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Run:
    """One run to do; small, and sent to worker processes."""

    key: RunKey
    digest: str
    suite: str
    suite_digest: str
    settings: Settings
    case: Case
    paradigm: AuthorityMode | ShiftingAuthority
    controller: Asked | None  #: None: the caller's runner object
    traces: str
    compression: str
    faults: Faults | None = None
    attempt: int = 1
    earlier_s: float = 0.0  #: wall time of earlier attempts

    def record(self, status: str, cause: str = "", **known: Any) -> Record:
        """A record of this run."""
        return Record(
            key=self.key,
            digest=self.digest,
            profile=self.case.profile,
            seed=self.case.seed,
            status=status,
            cause=cause,
            traces=self.traces,
            attempts=self.attempt,
            **known,
        )


@dataclass(frozen=True)
class Plan:
    """All runs, and what the manifest says about where they come from."""

    runs: tuple[Run, ...]
    parameters: dict[str, Any]
    traces: str
    is_default_traces: bool


@lru_cache(maxsize=16)
def planned_suite(name: str, settings: Settings, digest: str) -> Suite:
    """Load a suite once per process, exactly as it was when the sweep was planned.

    Raises
    ------
    InputError
        When its file has changed since.
    """
    suite = load_suite(name).with_settings(dict(settings))
    if suite.digest != digest:
        raise InputError(f"suite {name}: its file has changed since the sweep started")
    return suite


@dataclass(frozen=True)
class Named:
    """A paradigm or a controller: its name in the results, its content, the thing itself."""

    label: str
    digest: str
    thing: Any


def make_plan(options: Options, own_label: str | None = None, economy: Economy = UNLIMITED) -> Plan:
    """Check everything and list the runs.

    Parameters
    ----------
    own_label
        Name of a runner object that answers instead of the named controllers.
    economy
        Limits of language models.

    Raises
    ------
    InputError
        For the first thing that cannot be done; nothing has been written by then.
    """
    options.check()
    import_module("desbench._engine.simulation")  # absent in a checkout that was never built
    suites = suites_of(options)
    paradigms = _distinct("paradigm", _paradigms(options))
    answering = _distinct("controller", _controllers(options, own_label, economy))
    cases = {label: _cases(options, suite) for label, (_, _, suite) in suites.items()}
    _check_cases(options, cases)
    _check_faults(options, suites, cases)
    pairs = _pairs(options, paradigms, answering)
    if any(_is_compiled(controller) for _, controller in pairs):
        _check_compiled(options, suites, cases)
    runs = [
        _run(options, label, suites[label], mode, controller, case, replicate)
        for label in suites
        for mode, controller in pairs
        for case in cases[label]
        for replicate in range(options.replicates)
    ]
    traces = options.traces or ("full" if len(runs) <= MANY_RUNS else "summary")
    digests = {
        "suite_digests": {label: suite.digest for label, (_, _, suite) in suites.items()},
        "paradigm_digests": {mode.label: mode.digest for mode in paradigms},
        "controller_digests": {controller.label: controller.digest for controller in answering},
    }
    return Plan(
        tuple(replace(run, traces=traces) for run in runs),
        {**options.parameters(), **digests, "version": _version()},
        traces,
        options.traces is None,
    )


def _pairs(
    options: Options, paradigms: Sequence[Named], answering: Sequence[Named]
) -> list[tuple[Named, Named]]:
    """Every paradigm with every controller; of `all` those that the controller plays."""
    pairs = []
    for mode, controller in product(paradigms, answering):
        if _is_compiled(controller):
            controller.thing.check_compiled()
            if "all" in options.paradigms and not is_centralized(mode.thing):
                continue
            check_paradigm(mode.thing)
        pairs.append((mode, controller))
    return pairs


def _is_compiled(controller: Named) -> bool:
    return controller.thing is not None and controller.thing.is_compiled


def _check_compiled(
    options: Options,
    suites: Mapping[str, tuple[str, Settings, Suite]],
    cases: Mapping[str, Sequence[Case]],
) -> None:
    """Refuse cases and faults in which agents would matter."""
    for label, found in cases.items():
        for case in {case.profile: case for case in found}.values():
            check_time(suites[label][2].realise(case), options.faults)


def _run(
    options: Options,
    label: str,
    source: tuple[str, Settings, Suite],
    mode: Named,
    controller: Named,
    case: Case,
    replicate: int,
) -> Run:
    name, settings, suite = source
    key = RunKey(label, mode.label, controller.label, case.id, replicate)
    content: dict[str, Any] = {
        "key": key,
        "suite": suite.digest,
        "paradigm": mode.digest,
        "controller": controller.digest,
        "version": _version(),
        "schema": [SCHEMA_VERSION, TRACE_VERSION],
    }
    if options.faults is not None:
        content["faults"] = options.faults.content()
    return Run(
        key=key,
        digest=_sha256(content)[:32],
        suite=name,
        suite_digest=suite.digest,
        settings=settings,
        case=case,
        paradigm=mode.thing,
        controller=controller.thing and controller.thing.replicate(replicate),
        traces="full",
        compression=options.trace_compression,
        faults=options.faults,
    )


@cache
def _version() -> str:
    from desbench import __version__

    return __version__


def suites_of(options: Options) -> dict[str, tuple[str, Settings, Suite]]:
    """Every suite with every combination of settings, by label."""
    keys = [key for key, _ in options.settings]
    found: dict[str, tuple[str, Settings, Suite]] = {}
    for name in dict.fromkeys(options.suites):
        for values in product(*(values for _, values in options.settings)):
            settings = tuple(zip(keys, values, strict=True))
            suite = load_suite(name).with_settings(dict(settings))
            told = ",".join(f"{key}={value}" for key, value in settings)
            label = f"{suite.name}[{told}]" if told else suite.name
            if label in found and found[label][2].digest != suite.digest:
                raise InputError(f"two suites are called {label!r}; rename one of the files")
            found.setdefault(label, (name, settings, suite))
    return found


def _paradigms(options: Options) -> list[Named]:
    """Every paradigm asked for; a mode is what its switches are, whatever file states them."""
    found = []
    for asked in options.paradigms or ("all",):
        for one in registry.names("paradigms") if asked == "all" else [asked]:
            with loading(one):
                mode = paradigm(one)
            if isinstance(mode, ShiftingAuthority) and mode.source is None:
                raise InputError(
                    f"paradigm {mode.mode_id}: a sweep needs the file of an authority function; "
                    f"give its path, such as ./FILE.py:{mode.mode_id}"
                )
            found.append(Named(mode.mode_id, _sha256(mode.switches()), mode))
    return found


def _controllers(options: Options, own_label: str | None, economy: Economy) -> list[Named]:
    """Every framework with every backend and model, or the caller's runner object."""
    if own_label is not None:
        if options.rules:
            raise InputError(f"rules={options.rules[0]}: the runner decides itself; leave it out")
        return [Named(options.label or own_label, own_label, None)]
    found = []
    for asked in controllers.asked_for(options, economy):
        with loading(asked.backend):
            runner = asked.runner()
        if hasattr(runner, "close"):
            runner.close()
        found.append(Named(options.label or asked.label, asked.digest, asked))
    return found


def _sha256(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _distinct(kind: str, found: Sequence[Named]) -> list[Named]:
    """Each thing once; two different ones of one name are refused."""
    by_label: dict[str, Named] = {}
    for one in found:
        first = by_label.setdefault(one.label, one)
        if first.digest != one.digest:
            raise InputError(
                f"two different {kind}s would be called {one.label!r}; run them separately"
            )
    return list(by_label.values())


def _cases(options: Options, suite: Suite) -> list[Case]:
    if options.case_ids:
        found = []
        for case_id in dict.fromkeys(options.case_ids):
            try:
                found.append(suite.case(case_id))
            except InputError:
                if len(options.suites) == 1:
                    raise
        return found[: options.limit]
    seeds = None if options.seeds is None else parse_seeds(options.seeds)
    return suite.cases(split=options.split, seeds=seeds, limit=options.limit)


def _check_cases(options: Options, cases: Mapping[str, Sequence[Case]]) -> None:
    known = {case.id for found in cases.values() for case in found}
    missing = [case_id for case_id in options.case_ids if case_id not in known]
    if missing and options.limit is None:
        raise InputError(f"no suite here has the case {missing[0]!r}")
    for label, found in cases.items():
        if not found and not options.case_ids:
            raise InputError(f"suite {label}: no cases in split={options.split}; name --seeds")


def _check_faults(
    options: Options,
    suites: Mapping[str, tuple[str, Settings, Suite]],
    cases: Mapping[str, Sequence[Case]],
) -> None:
    """Refuse faults of machines and agents that some profile does not have."""
    if options.faults is None:
        return
    for label, found in cases.items():
        for case in {case.profile: case for case in found}.values():
            options.faults.check(suites[label][2].realise(case))
