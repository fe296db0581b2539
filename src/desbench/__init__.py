"""desbench: measure how agents should be organised.

Importing this package loads nothing heavy; each name below loads its module when it is first used.

Examples
--------
>>> import desbench
>>> desbench.__version__.count(".")
2
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from desbench.errors import (
    DesbenchError,
    IllegalAction,
    InputError,
    InstanceError,
    LawBroken,
    MissingExtra,
    TraceError,
)

if TYPE_CHECKING:
    from desbench.api import load, realise, run
    from desbench.episode import Episode
    from desbench.report.result import Result

    __version__: str

__all__ = [
    "DesbenchError",
    "Episode",
    "IllegalAction",
    "InputError",
    "InstanceError",
    "LawBroken",
    "MissingExtra",
    "Result",
    "TraceError",
    "__version__",
    "load",
    "realise",
    "run",
]

_HOME = {
    "Episode": "desbench.episode",
    "Result": "desbench.report.result",
    "load": "desbench.api",
    "realise": "desbench.api",
    "run": "desbench.api",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("desbench")
    if name not in _HOME:
        raise AttributeError(f"module 'desbench' has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(_HOME[name]), name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("desbench._engine"):
            raise ImportError(ENGINE_MISSING) from None
        raise
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


#: What a user reads when the compiled engine is absent (a checkout that was never built).
ENGINE_MISSING = "desbench's engine is not built: run `make build` or `pip install .`"
