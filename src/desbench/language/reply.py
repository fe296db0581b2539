"""Reply: the one gate through which an answer of a language model must pass.

A reply counts only if it is one JSON object whose `action` is an integer of `legal_actions`.
Nothing is repaired, and no number is ever taken from the prose around it.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, Final, NamedTuple

from desbench.protocol.decision import EMPTY, ILLEGAL, OK, WRONG_TYPE, Note

MALFORMED: Final = "malformed"
TRUNCATED: Final = "truncated"
REFUSAL: Final = "refusal"
LATE: Final = "late"
#: Outcomes of a reply; `stale` and `superseded` belong to actions, not to replies.
OUTCOMES: Final = (OK, ILLEGAL, MALFORMED, WRONG_TYPE, TRUNCATED, REFUSAL, EMPTY, LATE)


class Reply(NamedTuple):
    """What a server sent, as far as acceptance looks at it."""

    text: str | None
    finish_reason: str = "stop"
    refusal: str | None = None


class Verdict(NamedTuple):
    """The action read, legal or not, and whether it counts (`ok`)."""

    action: int | None
    outcome: str


class Answered(NamedTuple):
    """What a backend gives for one view: an action that counts, or None, and how it came about."""

    action: int | None
    note: Note


class _NotOneObject(ValueError):
    """Not strict JSON."""


def judge(reply: Reply, legal: Collection[int]) -> Verdict:
    """Return what a reply amounts to. The cut at the token limit is looked at before any parsing.

    An action stands in the verdict of an `illegal` reply so that the trace can show it.
    """
    if reply.finish_reason == "length":
        return Verdict(None, TRUNCATED)
    if reply.refusal or reply.finish_reason == "content_filter":
        return Verdict(None, REFUSAL)
    text = (reply.text or "").strip()
    if not text:
        return Verdict(None, EMPTY)
    found = _object(text)
    if found is None:
        return _of_prose(text, legal)
    if "action" not in found:
        return Verdict(None, MALFORMED)
    action = found["action"]
    if type(action) is not int:
        return Verdict(None, WRONG_TYPE)
    return Verdict(action, OK if action in legal else ILLEGAL)


def _object(text: str) -> dict[str, Any] | None:
    """The text as one JSON object; None when it is anything else."""
    try:
        found = json.loads(text, object_pairs_hook=_distinct, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _NotOneObject("a key stands twice")
    return found


def _refuse(constant: str) -> None:
    raise _NotOneObject(constant)


def _of_prose(text: str, legal: Collection[int]) -> Verdict:
    """Name what is wrong with prose: never ok, but an explicit illegal answer is called illegal."""
    start, end = text.find("{"), text.rfind("}")
    found = _object(text[start : end + 1]) if 0 <= start < end else None
    action = (found or {}).get("action")
    if type(action) is int and action not in legal:
        return Verdict(action, ILLEGAL)
    return Verdict(None, MALFORMED)


def correction(verdict: Verdict, legal: Collection[int]) -> str:
    """Return the sentence of a re-ask: what was wrong and what counts."""
    numbers = ", ".join(map(str, legal))
    told = verdict.outcome if verdict.action is None else f"{verdict.outcome}: {verdict.action}"
    return (
        f"Your last reply did not count ({told}). "
        f'Reply with exactly {{"action": <index>}}, <index> one of {numbers}.'
    )
