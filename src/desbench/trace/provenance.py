"""Provenance: which software, parameters and environment made a result."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping
from typing import Any

from desbench.errors import TraceError
from desbench.trace.schema import SCHEMA_VERSION


def provenance(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest of a run.

    Parameters
    ----------
    parameters
        What was asked: suites, paradigms, controllers, options.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "software": software(),
        "parameters": dict(parameters),
        "environment": environment(),
    }


def software() -> dict[str, Any]:
    """Versions of what computes a result."""
    from importlib.metadata import PackageNotFoundError, version

    import numpy
    import pyarrow

    try:
        own = version("desbench")
    except PackageNotFoundError:  # a source tree on the path, never installed
        own = "unknown"
    return {
        "desbench": own,
        "engine": _engine(),
        "numpy": numpy.__version__,
        "pyarrow": pyarrow.__version__,
    }


def environment() -> dict[str, str]:
    """Describe the computer and the interpreter, without names of machines or users."""
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
    }


def _engine() -> dict[str, Any] | None:
    try:
        from desbench._engine.simulation import build
    except ImportError:
        return None
    return build()


def dumps(content: Any) -> str:
    """Return strict JSON, readable by every parser: no NaN, no infinity.

    Raises
    ------
    TraceError
        A number is not finite; the message names its place.
    """
    _refuse_non_finite(content, "$")
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _refuse_non_finite(value: Any, place: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise TraceError(f"{place}={value}: JSON knows finite numbers only; use null")
    if isinstance(value, Mapping):
        for name, inner in value.items():
            _refuse_non_finite(inner, f"{place}.{name}")
    elif isinstance(value, (list, tuple)):
        for position, inner in enumerate(value):
            _refuse_non_finite(inner, f"{place}[{position}]")
