"""From a validation error to a line a person can act on: file, line, name, value, rule, remedy."""

from __future__ import annotations

import difflib
import types
import typing
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from yaml.nodes import Node, ScalarNode

from desbench.instances.reading import find, is_null, line

_RULES = {
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "string_type": "must be a text",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "greater_than_equal": "must be >= {ge}",
    "greater_than": "must be > {gt}",
    "less_than_equal": "must be <= {le}",
    "less_than": "must be < {lt}",
    "literal_error": "must be {expected}",
    "too_short": "must hold at least {min_length}",
    "too_long": "must hold at most {max_length}",
}
_NUMBERS = ("int_type", "int_from_float", "float_type")


def from_validation(
    error: ValidationError, root: Node, model: type[BaseModel], prefix: tuple[str, ...] = ()
) -> list[str]:
    """Put all errors of one validation into words, in order of lines, each place once.

    `prefix` is where `root` stands in its file.
    """
    found: dict[tuple[str, int, int, str], str] = {}
    for problem in error.errors():
        key, value, path = find(root, problem["loc"])
        mark = (key if problem["type"] == "extra_forbidden" else value).start_mark
        place = (mark.name, mark.line, mark.column, problem["type"] + problem["msg"])
        if place not in found:  # a default is written into every machine, but told once
            found[place] = _message(problem, key, value, [*prefix, *path], model)
    return [found[place] for place in sorted(found)]


def at(root: Node, path: Sequence[str | int], rule: str) -> str:
    """One message about the value at `path`."""
    key, value, found = find(root, path)
    where = value if isinstance(value, ScalarNode) else key
    return f"{line(where)}: {'.'.join(found)}{_shown(value)}, {rule}"


def near(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or the choices where nothing is near."""
    names = list(known)
    close = difflib.get_close_matches(word, names, 1)
    if close:
        return f"; did you mean '{close[0]}'?"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"; known: {shown}" if names else ""


def _message(problem: Any, key: Node, value: Node, path: list[str], model: type[BaseModel]) -> str:
    kind, loc, name = problem["type"], problem["loc"], ".".join(path) or "suite"
    if kind == "extra_forbidden":
        return f"{line(key)}: {name}, unknown key{near(str(loc[-1]), _keys(model, loc[:-1]))}"
    if kind == "missing":
        return f"{line(key)}: {'.'.join([*path, str(loc[-1])])} is missing"
    where = value if isinstance(value, ScalarNode) else key
    if loc and loc[-1] == "[key]":
        return f"{line(key)}: name of {name}, {_rule(problem, value)}"
    return f"{line(where)}: {name}{_shown(value)}, {_rule(problem, value)}"


def _rule(problem: Any, value: Node) -> str:
    kind = problem["type"]
    if kind == "value_error":
        return str(problem["ctx"]["error"])
    if kind not in _RULES:
        return str(problem["msg"])
    context = {k: f"{v:g}" if type(v) is float else v for k, v in problem.get("ctx", {}).items()}
    return _RULES[kind].format(**context) + _hint(kind, value)


def _shown(value: Node) -> str:
    if not isinstance(value, ScalarNode):
        return ""
    text = value.value if len(value.value) <= 60 else value.value[:57] + "..."
    return "=null" if is_null(value) else f"={text}"


def _hint(kind: str, value: Node) -> str:
    """Explain where YAML 1.1 reads something else than was meant."""
    text = value.value if isinstance(value, ScalarNode) else ""
    if value.tag.endswith(":bool") and text.lower() not in ("true", "false"):
        meant = "true" if text.lower() in ("yes", "on") else "false"
        return f"; YAML reads {text} as {meant}, quote it if it is a text"
    if kind == "string_type" and isinstance(value, ScalarNode):
        return f'; quote it: "{text}"'
    if kind in _NUMBERS and value.tag.endswith(":str"):
        return _number_hint(text)
    if kind in ("model_type", "dict_type"):
        return " of key: value; {} is one that has only defaults"
    return ", it is empty" if kind == "too_short" else ""


def _number_hint(text: str) -> str:
    try:
        number = float(text)
    except ValueError:
        return ""
    return f"; YAML reads {text} as a text, write {number:.12g} without quotes or exponent"


def _keys(model: Any, path: Sequence[str | int]) -> list[str]:
    """Keys that the class at the end of `path` knows."""
    for part in path:
        model = _below(model, part)
    model = _model(model)
    if model is None:
        return []
    return [field.alias or name for name, field in model.model_fields.items()]


def _below(annotation: Any, part: str | int) -> Any:
    model = _model(annotation)
    if model is not None:
        for name, field in model.model_fields.items():
            if part == (field.alias or name):
                return field.annotation
        return None
    for option in _options(annotation):
        arguments = typing.get_args(option)
        if typing.get_origin(option) in (dict, list) and arguments:
            return arguments[-1]
    return None


def _options(annotation: Any) -> list[Any]:
    """Members of a union, without Annotated around them."""
    if typing.get_origin(annotation) is typing.Annotated:
        return _options(typing.get_args(annotation)[0])
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        return [inner for a in typing.get_args(annotation) for inner in _options(a)]
    return [annotation]


def _model(annotation: Any) -> type[BaseModel] | None:
    for option in _options(annotation):
        if isinstance(option, type) and issubclass(option, BaseModel):
            return option
    return None
