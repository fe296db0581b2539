"""Paradigms: who may decide what. One small file each; the file name is the name.

>>> from desbench.paradigms import AuthorityMode, paradigm, register_authority_mode
>>> mode = AuthorityMode(
...     mode_id="my_hybrid",
...     routing_authority_mode="holonic_hybrid",
...     cell_contract_actions="accept_reject",
...     area_local_reroute_enabled=True,
...     mediated_bid_round_enabled=True,
... )
>>> register_authority_mode(mode) is paradigm("my_hybrid")
True
>>> paradigm("heterarchical").mode_id
'heterarchical_cnp'
"""

from __future__ import annotations

import sys
from inspect import isfunction

from desbench import registry
from desbench.errors import InputError
from desbench.protocol.authority import (
    AuthorityFunction,
    AuthorityMode,
    ShiftingAuthority,
    Summary,
)

__all__ = [
    "ALIASES",
    "AuthorityFunction",
    "AuthorityMode",
    "Paradigm",
    "ShiftingAuthority",
    "Summary",
    "paradigm",
    "register_authority_mode",
]

Paradigm = str | AuthorityMode | ShiftingAuthority | AuthorityFunction  #: what may be asked for

ALIASES = {
    "centralized": "centralized_plant",
    "hierarchical": "hierarchical_chain",
    "heterarchical": "heterarchical_cnp",
    "holonic": "holonic_hybrid",
    "rcm": "responsibility_rcm",
}

_registered: dict[str, AuthorityMode] = {}
_by_module: dict[str, list[AuthorityMode]] = {}


def register_authority_mode(mode: AuthorityMode) -> AuthorityMode:
    """Make a mode known by its `mode_id` in this process, and in the file that calls this.

    Raises
    ------
    InputError
        If another mode has that id.

    Notes
    -----
    Source: DESBench, Appendix F.3.
    """
    shipped = mode.mode_id in ALIASES or mode.mode_id in ALIASES.values()
    if shipped or _registered.get(mode.mode_id, mode) != mode:
        raise InputError(f"mode_id={mode.mode_id!r} is taken by another mode; choose another id")
    mode = _registered.setdefault(mode.mode_id, mode)
    caller = sys._getframe(1).f_globals.get("__name__", "")
    modes = _by_module.setdefault(caller, [])
    if mode not in modes:
        modes.append(mode)
    registry.register("paradigms", mode.mode_id, mode)
    return mode


def paradigm(asked: Paradigm) -> AuthorityMode | ShiftingAuthority:
    """Find a mode by name, alias or path of a file; a mode is given back as it is.

    A file holds `MODE = AuthorityMode(...)`, registers one mode, or defines a function
    `authority(summary)` that gives one for each item; of several, `FILE.py:NAME` names one.
    """
    if isinstance(asked, AuthorityMode | ShiftingAuthority):
        return asked
    if not isinstance(asked, str):
        return ShiftingAuthority(_name_of(asked), asked)
    found = registry.load("paradigms", asked)
    if isinstance(found, AuthorityMode):
        return found
    choose = found if isfunction(found) else getattr(found, "authority", None)
    if isfunction(choose):
        entry = registry.find("paradigms", asked)
        name = entry.attribute or entry.name
        return ShiftingAuthority(name, choose, asked, entry.digest)
    modes = [found.MODE] if hasattr(found, "MODE") else _by_module.get(found.__name__, [])
    if len(modes) != 1 or not isinstance(modes[0], AuthorityMode):
        raise InputError(
            f"paradigm {asked}: holds {len(modes)} authority modes, must hold one; write "
            f"MODE = AuthorityMode(...), def authority(summary), or name one with {asked}:NAME"
        )
    return modes[0]


def _name_of(function: object) -> str:
    name = getattr(function, "__name__", "")
    if not callable(function) or not name.isidentifier():
        raise InputError(
            f"paradigm={function!r}, must be a name, a path, an AuthorityMode, or a function "
            "with a name"
        )
    return name
