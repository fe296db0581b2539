"""Settings: everything a language-model controller is told. Plain values, sent to workers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from desbench.errors import InputError
from desbench.protocol.decision import KINDS

ROLES: Final = ("plant", "area", "cell")
FORMATS: Final = ("schema", "json", "grammar", "text")
MEMORIES: Final = ("bounded", "off")
MEMORY_LIMIT: Final = 600  #: characters of `working_memory`
DEFAULT_URL: Final = "https://api.openai.com/v1"


@dataclass(frozen=True)
class Settings:
    """How a language model is asked; the first group determines results, the second does not."""

    model: str = ""
    models: tuple[tuple[str, str], ...] = ()  #: role or kind, model
    base_url: str = DEFAULT_URL  #: without credentials
    format: str = "schema"
    max_tokens: int = 24
    temperature: float = 0.0
    seed: int = 0  #: the replicate is added
    extra: str = ""  #: JSON object merged into every request; null removes a field
    reasks: int = 0
    memory: str = "bounded"
    replicate: int = 0

    key_variable: str = "OPENAI_API_KEY"
    decision_timeout: float = 120.0  #: seconds for one decision, retries and re-asks included
    retries: int = 4  #: of the client, after 408, 409, 429, 5xx and lost connections
    concurrency: int = 8
    requests_per_minute: float = 0.0  #: 0 = no limit
    tokens_per_minute: float = 0.0
    max_calls: int = 0  #: 0 = no limit; over all workers and attempts of a run folder
    max_cost: float = 0.0
    prices: tuple[tuple[str, float, float], ...] = ()  #: model, per million tokens in, out
    cache: str = ""  #: file of answers; "" = none is kept
    ledger: str = ""  #: file of limits and bills shared by workers; "" = in memory
    run: str = ""  #: whose bill it is

    def content(self) -> dict[str, Any]:
        """What determines results, for digests."""
        names = [item.name for item in fields(self)]
        return {name: getattr(self, name) for name in names[: names.index("replicate")]}

    def model_of(self, view: Mapping[str, Any]) -> str:
        """Return the model for a view: by kind, else by role, else the common one."""
        chosen = dict(self.models)
        return chosen.get(view["kind"]) or chosen.get(view["role"]) or self.model

    @property
    def named_models(self) -> list[str]:
        """Every model that may be asked."""
        return [name for name in dict.fromkeys((self.model, *dict(self.models).values())) if name]

    def check(self) -> None:
        """Refuse values no server can make sense of.

        Raises
        ------
        InputError
            Naming the value and what is allowed.
        """
        for name, allowed in (("format", FORMATS), ("memory", MEMORIES)):
            if getattr(self, name) not in allowed:
                told = f"{name}={getattr(self, name)!r}, must be one of {', '.join(allowed)}"
                raise InputError(told)
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if not value >= least:  # also false for NaN
                raise InputError(f"{name}={value!r}, must be >= {least}")
        unpriced = set(self.named_models) - {model for model, _, _ in self.prices}
        if self.max_cost and unpriced:
            told = ", ".join(sorted(unpriced))
            raise InputError(f"max_cost={self.max_cost} needs the price of {told}: add --prices")


@dataclass(frozen=True)
class Economy:
    """Limits of a run; none of them changes a result, and a resumed run may have others."""

    concurrency: int = 8
    retries: int = 4
    requests_per_minute: float = 0.0
    tokens_per_minute: float = 0.0
    max_calls: int = 0
    max_cost: float = 0.0


UNLIMITED: Final = Economy()
_LEAST: Final[dict[str, float]] = {
    "max_tokens": 1,
    "temperature": 0,
    "reasks": 0,
    "decision_timeout": 0.001,
    "retries": 0,
    "concurrency": 1,
    "requests_per_minute": 0,
    "tokens_per_minute": 0,
    "max_calls": 0,
    "max_cost": 0,
}


def divided(option: str, texts: Iterable[str]) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    """Divide `B` and `ROLE=B` texts into the plain ones and the assignments.

    Raises
    ------
    InputError
        Where the left side is neither a role nor a kind of decision, or is named twice.
    """
    plain: list[str] = []
    assigned: dict[str, str] = {}
    for text in texts:
        left, equals, right = text.partition("=")
        if not equals or "/" in left or "\\" in left:
            plain.append(text)
            continue
        if left not in (*ROLES, *KINDS) or not right:
            known = ", ".join((*ROLES, *KINDS))
            raise InputError(f"{option} {text}: must be NAME or ROLE=NAME, ROLE one of {known}")
        if assigned.get(left, right) != right:
            raise InputError(f"{option}: {left} is given twice")
        assigned[left] = right
    return plain, tuple(sorted(assigned.items()))
