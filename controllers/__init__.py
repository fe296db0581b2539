"""Controllers: who answers. Installed as `desbench.controllers`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from desbench import registry
from desbench.errors import InputError

if TYPE_CHECKING:
    from desbench.language.settings import Settings


def make_runner(
    framework: str = "native",
    controller: str = "rules",
    assigned: Sequence[tuple[str, str]] = (),
    settings: Settings | None = None,
    rules: Mapping[str, str] | None = None,
) -> Any:
    """Return a runner: a framework over a backend, each by name or path.

    A module shows its class as FRAMEWORK or BACKEND. What answers whole decisions itself
    (`select_actions`, such as `./my_runner.py:MyRunner`) needs no framework.

    Parameters
    ----------
    assigned
        Role or kind of decision, and the backend that answers there instead of `controller`.
    settings
        For backends and frameworks of language models; default the values of the command line.
    rules
        Names of rules by kind, for backends that decide by rules.
    """
    backend = make_backend(controller, settings, rules)
    if hasattr(backend, "select_actions"):
        if assigned:
            told = f"{assigned[0][0]}={assigned[0][1]}"
            raise InputError(f"controller {controller} answers whole decisions; leave out {told}")
        return backend
    if assigned:
        from desbench.controllers.assigned import Assigned

        others = {where: make_backend(name, settings, rules) for where, name in assigned}
        backend = Assigned(backend, others)
    found = _class("frameworks", framework, "FRAMEWORK")
    if getattr(found, "has_memory", False) and settings is not None:
        return found(backend, settings.memory)
    return found(backend)


def make_backend(
    controller: str, settings: Settings | None = None, rules: Mapping[str, str] | None = None
) -> Any:
    """Return a backend, or a runner that needs no framework, by name or path."""
    found = _class("controllers", controller, "BACKEND")
    if getattr(found, "takes_settings", False):
        from desbench.language.settings import Settings

        made = found(settings or Settings())
    elif getattr(found, "takes_rules", False):
        made = found(rules)
    else:
        made = found()
    if not any(hasattr(made, name) for name in ("select_actions", "decide", "answer")):
        raise InputError(f"controller {controller}: needs select_actions(decision) or decide(view)")
    return made


def _class(kind: str, asked: str, name: str) -> Any:
    found = registry.load(kind, asked)
    found = getattr(found, name, found)
    if not callable(found):
        raise InputError(
            f"{kind.removesuffix('s')} {asked}: names no class; add {name} = YourClass"
        )
    return found
