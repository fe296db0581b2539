"""What a user may ask of a sweep."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from desbench.errors import InputError
from desbench.instances.faults import Faults, read_faults
from desbench.instances.suite import SPLITS
from desbench.language.secrecy import accept_url
from desbench.paradigms import AuthorityMode
from desbench.trace.writer import COMPRESSIONS

TRACES = ("full", "summary", "none")
#: More runs than this write summaries only, unless traces are asked for.
MANY_RUNS = 500
MAX_SEEDS = 10_000_000
_SEEDS = re.compile(r"(?P<start>\d{1,18})(:(?P<end>\d{1,18}))?", re.ASCII)


@dataclass(frozen=True)
class Options:
    """What was asked, in the words of the command line; several values multiply."""

    suites: tuple[str, ...]  #: names or paths
    paradigms: tuple[str | AuthorityMode, ...] = ("all",)  #: names, paths or modes
    split: str = "test"
    seeds: str | None = None  #: `0:100`, `3`, `0,4,7`; instead of the split
    case_ids: tuple[str, ...] = ()
    limit: int | None = None  #: cases per suite
    replicates: int = 1
    settings: tuple[tuple[str, tuple[str, ...]], ...] = ()  #: suite key, values as YAML texts
    faults: Faults | None = None  #: what goes wrong on purpose
    frameworks: tuple[str, ...] = ("native",)
    controllers: tuple[str, ...] = ("rules",)
    rules: tuple[str, ...] = ()  #: KIND=NAME; kinds and names multiply
    controller_command: tuple[str, ...] = ()  #: program and arguments, instead of controllers
    llm_models: tuple[str, ...] = ()  #: NAME, or ROLE=NAME; names multiply
    base_url: str | None = None  #: a credential in it moves to the environment at once
    key_variable: str = "OPENAI_API_KEY"  #: name of the environment variable
    llm_format: str = "schema"
    llm_max_tokens: int = 24
    llm_seed: int = 0
    llm_extra: str = ""  #: JSON object merged into every request
    llm_cache: str | None = None  #: file of answers; None: OUT/answers.sqlite
    prices: str | None = None  #: YAML file: model -> input, output, per million tokens
    decision_timeout: float = 120.0
    reasks: int = 0
    memory: str = "bounded"
    label: str | None = None
    traces: str | None = None  #: full, summary, none; None: full up to MANY_RUNS runs
    trace_compression: str = "none"

    def __post_init__(self) -> None:
        """Keep the public form of the base URL, so that no credential is written anywhere."""
        if self.base_url:
            object.__setattr__(self, "base_url", accept_url(self.base_url))

    def parameters(self) -> dict[str, Any]:
        """The options as the manifest holds them."""
        told = asdict(self) | {"faults": self.faults.content() if self.faults else None}
        plain: dict[str, Any] = json.loads(json.dumps(told))  # tuples become lists
        return plain

    @staticmethod
    def from_parameters(parameters: Mapping[str, Any]) -> Options:
        """Read back what `parameters` wrote; other keys are left aside.

        Raises
        ------
        InputError
            Where a value is of another type.
        """
        known = {
            item.name: parameters[item.name] for item in fields(Options) if item.name in parameters
        }
        try:
            for name, value in known.items():
                if isinstance(value, list):
                    known[name] = tuple(value)
            known["paradigms"] = tuple(
                AuthorityMode(**one) if isinstance(one, dict) else one
                for one in known.get("paradigms", ("all",))
            )
            known["settings"] = tuple(
                (key, tuple(values)) for key, values in known.get("settings", ())
            )
            known["faults"] = read_faults(known.get("faults"))
            return Options(**known)
        except (TypeError, ValueError) as error:
            raise InputError(f"the manifest's parameters cannot be read: {error}") from None

    def check(self) -> None:
        """Refuse values that no suite can make sense of.

        Raises
        ------
        InputError
            Naming the option, its value and what is allowed.
        """
        for name, value, allowed in (
            ("split", self.split, SPLITS),
            ("traces", self.traces or "full", TRACES),
            ("trace_compression", self.trace_compression, COMPRESSIONS),
        ):
            if value not in allowed:
                raise InputError(f"{name}={value!r}, must be one of {', '.join(allowed)}")
        for name, number in (("limit", self.limit), ("replicates", self.replicates)):
            if number is not None and (type(number) is not int or number < 1):
                raise InputError(f"{name}={number!r}, must be a whole number >= 1")
        if not self.suites:
            raise InputError("no suite was named; `desbench list suites` shows them")


def parse_seeds(text: str) -> list[int]:
    """Read `0:100` (from, to and not including), `3`, `0,4,7:9`.

    Raises
    ------
    InputError
        Where a part is neither a whole number >= 0 nor a range of them.
    """
    seeds: list[int] = []
    for part in text.split(","):
        match = _SEEDS.fullmatch(part.strip())
        if match is None or (match["end"] and int(match["end"]) <= int(match["start"])):
            raise InputError(
                f"seeds={text}: {part!r} must be a whole number >= 0 or a range such as 0:100"
            )
        start = int(match["start"])
        if match["end"] and int(match["end"]) - start > MAX_SEEDS:
            raise InputError(f"seeds={text}: {part!r} has more than {MAX_SEEDS} seeds")
        seeds.extend(range(start, int(match["end"] or start + 1)))
    return list(dict.fromkeys(seeds))
