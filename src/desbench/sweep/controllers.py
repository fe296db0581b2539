"""Which controllers a sweep asks for: framework x backend x model, with their settings."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from desbench import registry
from desbench.compiled import compiled_rules
from desbench.controllers.backends.rules import combinations
from desbench.episode import make_runner
from desbench.errors import DesbenchError, InputError
from desbench.language import prompt
from desbench.language.secrecy import default_url
from desbench.language.settings import Economy, Settings, divided
from desbench.sweep.options import Options

ANSWERS = "answers.sqlite"  #: in the run folder, unless --llm-cache names another file
LEDGER = "ledger.sqlite"
LOGS = "logs"


@dataclass(frozen=True)
class Asked:
    """One controller: everything a worker needs to make its runner."""

    framework: str
    backend: str
    assigned: tuple[tuple[str, str], ...] = ()  #: role or kind, backend
    settings: Settings | None = None  #: None: no language model takes part
    rules: tuple[tuple[str, str], ...] = ()  #: kind, rule, where not the default
    command: tuple[str, ...] = ()  #: an external program that answers whole decisions
    timeout_s: float = 120.0  #: of the program, for a decision
    log: str | None = None  #: where what it says goes

    def runner(self) -> Any:
        """Make the runner."""
        if self.command:
            from desbench.controllers.command import Command

            return Command(self.command, self.timeout_s, Path(self.log) if self.log else None)
        rules = dict(self.rules)
        return make_runner(self.framework, self.backend, self.assigned, self.settings, rules)

    def within(self, folder: Path, run: str, workers: int) -> Asked:
        """The same for one run, with its files in a run folder and its share of the calls."""
        if self.command:
            logs = folder / LOGS
            logs.mkdir(exist_ok=True)
            return replace(self, log=str(logs / f"{run}.log"))
        if self.settings is None:
            return self
        share = max(1, self.settings.concurrency // workers)
        cache = self.settings.cache or str(folder / ANSWERS)
        ledger = str(folder / LEDGER)
        settings = replace(self.settings, concurrency=share, cache=cache, ledger=ledger, run=run)
        return replace(self, settings=settings)

    def replicate(self, number: int) -> Asked:
        """The same for a replicate; answers of another one are not reused."""
        if self.settings is None:
            return self
        return replace(self, settings=replace(self.settings, replicate=number))

    @property
    def label(self) -> str:
        """Name in the results: framework, backend or model, then who answers elsewhere."""
        if self.command:
            return f"command-{_program(self.command)[0]}"
        framework, backend = (_part(*one)[0] for one in self._parts[:2])
        settings, told = self.settings, [*self.assigned, *self.rules]
        if settings is not None:
            told += settings.models
            if settings.model and is_language(self.backend):
                is_plain = backend == "openai_compat"
                backend = settings.model if is_plain else f"{backend}-{settings.model}"
            elif settings.model:
                told.append(("model", settings.model))
        tail = ",".join(f"{where}={_stem(name)}" for where, name in told)
        return f"{framework}-{backend}[{tail}]" if tail else f"{framework}-{backend}"

    @property
    def is_compiled(self) -> bool:
        """Whether it plays whole runs in the engine and nobody is asked."""
        return not self.command and _says("is_compiled", self.backend)

    def check_compiled(self) -> None:
        """Refuse what cannot be had compiled.

        Raises
        ------
        InputError
            For a rule that is not compiled, or a framework that would have nothing to do.
        """
        compiled_rules(dict(self.rules))
        if self.framework != "native":
            raise InputError(
                f"controller compiled: framework={self.framework!r}, must be native, for nobody is "
                "asked; leave out --framework, or use --controller rules"
            )

    @property
    def digest(self) -> str:
        """SHA-256 over what determines its answers."""
        if self.command:
            return _program(self.command)[1]
        digests = [_part(*one)[1] for one in self._parts]
        if self.settings is None and not self.assigned and not self.rules:
            return "-".join(digests)
        content = {
            "parts": digests,
            "assigned": self.assigned,
            "rules": self.rules,
            "settings": self.settings.content() if self.settings else None,
            "prompt": prompt.VERSION,
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    @property
    def _parts(self) -> list[tuple[str, str]]:
        backends = [self.backend, *(name for _, name in self.assigned)]
        return [("frameworks", self.framework), *(("controllers", name) for name in backends)]


def asked_for(options: Options, economy: Economy) -> Iterator[Asked]:
    """Every controller the options ask for.

    Raises
    ------
    InputError
        For a name that means nothing, or a model that nobody would ask.
    """
    if options.controller_command:
        limit = _limit(options)
        yield Asked("native", "rules", command=options.controller_command, timeout_s=limit)
        return
    backends, assigned = divided("--controller", options.controllers or ("rules",))
    names, by_role = divided("--llm-model", options.llm_models)
    others = [name for _, name in assigned]
    is_asked, has_rules = False, False
    for framework in options.frameworks or ("native",):
        for backend in backends or ["rules"]:
            takes_rules = any(_says("takes_rules", name) for name in (backend, *others))
            has_rules |= takes_rules
            asks = any(_says("takes_settings", name) for name in (backend, *others))
            is_asked |= asks
            for rules in combinations(options.rules) if takes_rules else [{}]:
                one = Asked(framework, backend, assigned, None, tuple(rules.items()))
                if not asks:
                    yield replace(one, settings=_memory_only(options))
                for model in names or [""] if asks else ():
                    yield replace(one, settings=_settings(options, economy, model, by_role))
    if (names or by_role) and not is_asked:
        raise InputError(
            f"--llm-model {(options.llm_models)[0]}: no controller here asks a model; "
            "add --controller openai_compat"
        )
    if options.rules and not has_rules:
        raise InputError(
            f"--rule {options.rules[0]}: no controller here decides by rules; "
            "add --controller rules"
        )


def _limit(options: Options) -> float:
    """The limit of a decision of a program; a program that is not there is refused here."""
    program = options.controller_command[0]
    if shutil.which(program) is None:
        raise InputError(f"--controller-command {program}: no such program")
    others = options.llm_models or options.rules
    if tuple(options.controllers or ("rules",)) != ("rules",) or others:
        raise InputError("--controller-command answers everything; leave out --controller")
    return options.decision_timeout


def _memory_only(options: Options) -> Settings | None:
    """Frameworks of other backends still have a memory, which user backends may read."""
    if options.memory == "bounded":
        return None
    settings = Settings(memory=options.memory)
    settings.check()
    return settings


def _settings(
    options: Options, economy: Economy, model: str, models: tuple[tuple[str, str], ...]
) -> Settings:
    settings = Settings(
        model=model,
        models=models,
        base_url=options.base_url or default_url(),
        format=options.llm_format,
        max_tokens=options.llm_max_tokens,
        seed=options.llm_seed,
        extra=options.llm_extra,
        reasks=options.reasks,
        memory=options.memory,
        key_variable=options.key_variable,
        decision_timeout=options.decision_timeout,
        retries=economy.retries,
        concurrency=economy.concurrency,
        requests_per_minute=economy.requests_per_minute,
        tokens_per_minute=economy.tokens_per_minute,
        max_calls=economy.max_calls,
        max_cost=economy.max_cost,
        prices=read_prices(options.prices),
        cache=options.llm_cache or "",
    )
    settings.check()
    return settings


def read_prices(path: str | None) -> tuple[tuple[str, float, float], ...]:
    """Read `MODEL: {input: X, output: Y}`, money per million tokens, from a YAML or JSON file.

    Raises
    ------
    InputError
        Naming the model and what is allowed.
    """
    if path is None:
        return ()
    import yaml

    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        content = None
    if not isinstance(content, dict):
        raise InputError(f"{path}: must be MODEL: {{input: X, output: Y}}, per million tokens")
    found: list[tuple[str, float, float]] = []
    for model, price in content.items():
        values = []
        for name in _PRICED:
            value: Any = price.get(name) if isinstance(price, dict) else None
            if type(value) not in (int, float) or not 0 <= value < float("inf"):
                raise InputError(f"{path}, {model}: {name}={value!r}, must be a number >= 0")
            values.append(float(value))
        found.append((str(model), values[0], values[1]))
    return tuple(found)


_PRICED = ("input", "output")


def is_language(name: str) -> bool:
    """Whether a backend asks a language model."""
    return _says("takes_settings", name)


def _says(what: str, name: str) -> bool:
    """What the class of a backend says of itself, such as that it takes rules."""
    with loading(name):
        found = registry.load("controllers", name)
    return bool(getattr(getattr(found, "BACKEND", found), what, False))


@contextmanager
def loading(asked: object) -> Iterator[None]:
    """Say whose file it is that cannot be used."""
    try:
        yield
    except DesbenchError:
        raise
    except Exception as error:
        raise InputError(f"{asked}: cannot be used ({type(error).__name__}: {error})") from error


def _part(kind: str, asked: str) -> tuple[str, str]:
    """Name and digest of a part of a controller."""
    try:
        entry = registry.find(kind, asked)
    except InputError:  # made known by `registry.register`, in this process only
        told = json.dumps(repr(registry.load(kind, asked)))
        return asked, hashlib.sha256(told.encode()).hexdigest()
    return f"{entry.name}.{entry.attribute}" if entry.attribute else entry.name, entry.digest


def _program(words: tuple[str, ...]) -> tuple[str, str]:
    """Name and digest of an external program: its words, and the files among them."""
    files = [Path(word) for word in words if Path(word).is_file()]
    told = [*words, *(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)]
    digest = hashlib.sha256(json.dumps(told).encode()).hexdigest()
    return (files[-1] if files else Path(words[0])).stem, digest


def _stem(name: str) -> str:
    """The name of a backend or model without the folders of a path to a file."""
    return _part("controllers", name)[0] if registry.is_path(name) and ".py" in name else name
