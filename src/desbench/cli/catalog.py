"""`desbench list` and `desbench show`: what there is."""

from __future__ import annotations

import json
from typing import Any

import click

from desbench.cli import debug_option
from desbench.errors import InputError

KINDS = ("suites", "paradigms", "frameworks", "controllers", "measures", "rules")


@click.command(name="list")
@click.argument("kind", type=click.Choice(KINDS))
@debug_option
def list_names(kind: str) -> None:
    """List names: suites, paradigms, frameworks, controllers, measures or rules."""
    rows = {"measures": _measures, "rules": _rules}.get(kind, lambda: _names(kind))()
    from desbench.report.text import aligned

    for line in aligned(rows, left=len(rows[0])) if rows else ():
        click.echo(line)


def _measures() -> list[list[str]]:
    from desbench.measures import PRIMARY, SECONDARY

    return [
        [one.symbol or "-", one.column, one.family, one.unit, one.definition]
        for one in (*PRIMARY, *SECONDARY)
    ]


def _rules() -> list[list[str]]:
    """Every rule by kind; the first of a kind is its default."""
    from desbench.controllers.backends.rules import ROUTING, RULES, named

    kinds = ["routing", *(kind for kind in RULES if kind not in ROUTING)]
    return [
        [kind, name, _sentence(rule.__doc__)]
        for kind in kinds
        for name, rule in named(kind).items()
    ]


def _names(kind: str) -> list[list[str]]:
    from desbench import registry

    if kind == "suites":
        suites = (registry.load(kind, name) for name in registry.names(kind))
        return [
            [suite.name, ", ".join(suite.profiles), first_line(suite.about)] for suite in suites
        ]
    spelled: dict[str, list[str]] = {}
    for alias, name in registry.aliases(kind).items():
        spelled.setdefault(name, []).append(alias)
    return [
        [name, ", ".join(spelled.get(name, [])), first_line(registry.load(kind, name).__doc__)]
        for name in registry.names(kind)
    ]


def first_line(text: str | None) -> str:
    """The first line of a description, empty where there is none."""
    return (text or "").strip().partition("\n")[0]


def _sentence(text: str | None) -> str:
    """The first paragraph of a description on one line."""
    return " ".join((text or "").partition("\n\n")[0].split())


@click.command()
@click.argument("what")
@click.argument("kind", required=False)
@debug_option
def show(what: str, kind: str | None) -> None:
    """Show one suite, one paradigm, or the payload of a KIND of decision.

    WHAT is a name or path, or the word payload.
    """
    if what == "payload":
        _echo(_payload(kind))
        return
    if kind is not None:
        raise InputError(f"show {what} takes no second word; `show payload KIND` does")
    _echo(_thing(what))


def _echo(content: Any) -> None:
    click.echo(json.dumps(content, indent=2))


def _thing(what: str) -> dict[str, Any]:
    from desbench import registry
    from desbench.paradigms import paradigm

    if what in registry.names("suites") or what.endswith((".yaml", ".yml")):
        return _suite(registry.load("suites", what))
    try:
        mode = paradigm(what)
    except InputError as error:
        raise InputError(f"{error}; suites: {', '.join(registry.names('suites'))}") from None
    return {"paradigm": mode.mode_id, **mode.switches()}


def _payload(kind: str | None) -> dict[str, Any]:
    """What a kind of decision shows: fields, schema of the prompt, the first real example."""
    from desbench import registry
    from desbench.episode import Episode, make_runner
    from desbench.language.prompt import messages, schema
    from desbench.protocol.fields import FIELDS

    if kind not in FIELDS:
        raise InputError(f"show payload {kind or 'KIND'}: KIND must be one of {', '.join(FIELDS)}")
    told = {"kind": kind, "option_fields": FIELDS[kind], "prompt_schema": schema(kind)}
    for name in registry.names("paradigms"):
        episode, runner = Episode("smoke", paradigm=name), make_runner()
        runner.reset(episode.info)
        for decision in episode:
            for view in decision["active_agents"].values():
                if view["kind"] == kind:
                    example = {**view, "observation": dict(view["observation"])}
                    return {**told, "prompt": messages(view), "example": example}
            episode.act(runner.select_actions(decision))
    return {**told, "prompt": None, "example": None}


def _suite(suite: Any) -> dict[str, Any]:
    profiles = {
        profile: {
            "about": first_line(suite.about_profile(profile).about),
            "seeds": {name: suite.seeds(name, profile) for name in ("train", "validation", "test")},
        }
        for profile in suite.profiles
    }
    return {
        "suite": suite.name,
        "about": suite.about,
        "digest": suite.digest,
        "file": str(suite.path),
        "profiles": profiles,
        "content": suite.shop().model_dump(mode="json", exclude={"about"}),
    }
