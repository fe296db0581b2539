"""Controllers: who answers. Installed as `desbench.controllers`."""

from __future__ import annotations

from typing import Any

from desbench import registry
from desbench.errors import InputError


def make_runner(framework: str = "native", controller: str = "rules") -> Any:
    """Return a runner: a framework over a backend, each by name or path.

    A module shows its class as FRAMEWORK or BACKEND. What answers whole decisions itself
    (`select_actions`, such as `./my_runner.py:MyRunner`) needs no framework.
    """
    backend = _made("controllers", controller, "BACKEND")
    if hasattr(backend, "select_actions"):
        return backend
    if not hasattr(backend, "decide"):
        raise InputError(f"controller {controller}: needs select_actions(decision) or decide(view)")
    return _made("frameworks", framework, "FRAMEWORK", backend)


def _made(kind: str, asked: str, name: str, *arguments: Any) -> Any:
    found = registry.load(kind, asked)
    found = getattr(found, name, found)
    if not callable(found):
        raise InputError(
            f"{kind.removesuffix('s')} {asked}: names no class; add {name} = YourClass"
        )
    return found(*arguments)
