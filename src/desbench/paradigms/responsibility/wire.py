"""The JSON form of a message. Bindings may carry it as they like; what it names must survive."""

from __future__ import annotations

import json
from typing import Any, Final

from desbench.errors import InputError
from desbench.paradigms.responsibility.commitment import (
    Authority,
    Bound,
    Evidence,
    Outcome,
    Terms,
)
from desbench.paradigms.responsibility.protocol import EXPIRE, RcpMessage

_NAMES: Final = ("id", "kind", "sender", "receiver", "conversation", "commitment")
_OPTIONAL_NAMES: Final = ("parent", "replaces", "reply_to")
_FIELDS: Final = (
    *(*_NAMES, "version", "evidence", "terms", "promise"),
    *("parent", "replaces", "chain", "reply_to", "cause"),
)


def to_json(message: RcpMessage) -> str:
    """Write a message as one line; fields without a value are left out."""
    return json.dumps(to_mapping(message), separators=(",", ":"))


def from_json(text: str) -> RcpMessage:
    """Read a message that came from another agent.

    Raises
    ------
    InputError
        If the text is no message, or is a local event, which no other agent can cause.
    """
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(f"message: not JSON ({error})") from None
    message = from_mapping(found)
    if message.kind == EXPIRE:
        raise InputError(f"message {message.id}: expire is a local event and does not travel")
    return message


def to_mapping(message: RcpMessage) -> dict[str, Any]:
    """Return the fields of a message as JSON values."""
    found: dict[str, Any] = {name: getattr(message, name) for name in (*_NAMES, "version")}
    if message.evidence:
        found["evidence"] = [
            {"ref": piece.ref, "what": piece.what, "at": piece.at, "facts": dict(piece.facts)}
            for piece in message.evidence
        ]
    if message.terms is not None:
        found["terms"] = _from_terms(message.terms)
    if message.chain:
        found["chain"] = list(message.chain)
    for name in ("promise", *_OPTIONAL_NAMES):
        if getattr(message, name) is not None:
            found[name] = getattr(message, name)
    if message.cause:
        found["cause"] = message.cause
    return found


def from_mapping(found: Any) -> RcpMessage:
    """Read a message, local events included, from its JSON values; `InputError` names the field."""
    _check_mapping(found, "message", _FIELDS)
    for name in _NAMES:
        _check(found, name, str)
    for name in (*_OPTIONAL_NAMES, "cause"):
        _check(found, name, str, optional=True)
    _check(found, "version", int)
    _check(found, "promise", int, optional=True)
    _check(found, "chain", list, optional=True)
    _check(found, "evidence", list, optional=True)
    fields = {name: found[name] for name in _FIELDS if name in found}
    fields["chain"] = tuple(str(agent) for agent in found.get("chain", ()))
    fields["evidence"] = tuple(_to_evidence(piece) for piece in found.get("evidence", ()))
    fields["terms"] = _to_terms(found["terms"]) if "terms" in found else None
    return RcpMessage(**fields)


def _from_terms(terms: Terms) -> dict[str, Any]:
    return {
        "outcome": {
            "what": terms.outcome.what,
            "by": terms.outcome.by,
            "bounds": [list(bound) for bound in terms.outcome.bounds],
        },
        "scope": None if terms.scope is None else sorted(terms.scope),
        "authority": {
            "terminators": list(terms.authority.terminators),
            "delegations": terms.authority.delegations,
        },
    }


def _to_terms(found: Any) -> Terms:
    _check_mapping(found, "terms", ("outcome", "scope", "authority"))
    _check(found, "scope", list, optional=True)
    _check(found, "authority", dict)
    scope, authority = found.get("scope"), found["authority"]
    _check_mapping(authority, "authority", ("terminators", "delegations"))
    _check(authority, "terminators", list)
    _check(authority, "delegations", int, optional=True)
    return Terms(
        outcome=_to_outcome(found.get("outcome")),
        scope=None if scope is None else frozenset(map(str, scope)),
        authority=Authority(
            tuple(map(str, authority["terminators"])), authority.get("delegations")
        ),
    )


def _to_outcome(found: Any) -> Outcome:
    _check_mapping(found, "outcome", ("what", "by", "bounds"))
    _check(found, "what", str)
    _check(found, "by", int, optional=True)
    _check(found, "bounds", list)
    for bound in found["bounds"]:
        is_triple = isinstance(bound, list) and len(bound) == 3
        if not is_triple or not all(limit is None or _is_number(limit) for limit in bound[1:]):
            raise InputError(f"message: bound={bound!r}, must be [name, low, high]")
    return Outcome(found["what"], found.get("by"), tuple(Bound(*b) for b in found["bounds"]))


def _to_evidence(found: Any) -> Evidence:
    _check_mapping(found, "evidence", ("ref", "what", "at", "facts"))
    _check(found, "ref", str)
    _check(found, "what", str)
    _check(found, "at", int)
    _check(found, "facts", dict)
    for name, value in found["facts"].items():
        if not _is_number(value):
            raise InputError(f"message: fact {name}={value!r}, must be a number")
    return Evidence(found["ref"], found["what"], found["at"], tuple(found["facts"].items()))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_mapping(found: Any, name: str, fields: tuple[str, ...]) -> None:
    if not isinstance(found, dict):
        raise InputError(f"message: {name}={found!r}, must be an object")
    unknown = sorted(set(found) - set(fields))
    if unknown:
        raise InputError(f"message: {name} has no field {unknown[0]!r}; known: {', '.join(fields)}")


def _check(found: dict[str, Any], name: str, wanted: type, *, optional: bool = False) -> None:
    value = found.get(name)
    if value is None and optional:
        return
    # A truth value is an int in Python, and no number of ours.
    if not isinstance(value, wanted) or isinstance(value, bool):
        raise InputError(f"message: {name}={value!r}, must be of type {wanted.__name__}")
