"""Prompt: a view as two messages. Stable text first, so that servers reuse what they have read.

The system message is the same for every decision of every case. The user message is one JSON
object that begins with role, kind and decision factors, which change little, and ends with the
options and the context, which change always.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from desbench.language.settings import MEMORY_LIMIT
from desbench.protocol.fields import FIELDS

Message = dict[str, str]

#: Source: DESBench, appendix B.1, system instruction; the last two sentences are ours.
CONTRACT: Final = (
    "You are a benchmark controller agent. CRITICAL OUTPUT CONTRACT. Select exactly one legal "
    "integer action index from legal_actions. Use only the provided compact agent-local payload, "
    "including current context, visible feedback, decision_factors, and bounded working_memory "
    "when present. Reply with exactly one JSON object and nothing else. Valid schema: "
    '{"action": <index>}. No reasoning. No markdown. No prose. '
    "All times are in one unit, powers in watts, null means none. "
    "not_offered counts further candidates that are not legal now."
)
KEYS: Final = (
    "role",
    "kind",
    "decision_factors",
    "agent",
    "legal_actions",
    "options",
    "not_offered",
    "context",
)
#: Changes whenever the same view would give other messages.
VERSION: Final = hashlib.sha256(f"1|{CONTRACT}|{'|'.join(KEYS)}".encode()).hexdigest()[:16]
BYTES_PER_TOKEN: Final = 3.0  #: measured 2.4 to 3.3 on payloads, by tokenizer


def payload(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the prompt carries of a view, in the order of the prompt."""
    return {key: view[key] for key in KEYS}


def messages(view: Mapping[str, Any]) -> list[Message]:
    """Return the two messages of a view."""
    text = json.dumps(payload(view), ensure_ascii=False, allow_nan=False)
    return [{"role": "system", "content": CONTRACT}, {"role": "user", "content": text}]


def corrected(asked: Sequence[Message], correction: str) -> list[Message]:
    """Return messages once more, with what was wrong with the reply as the last key."""
    *before, last = asked
    content = {**json.loads(last["content"]), "correction": correction}
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    return [*before, {"role": last["role"], "content": text}]


def bounded(memory: str) -> str:
    """Cut a memory to its limit at a line, oldest lines first."""
    while len(memory) > MEMORY_LIMIT and "\n" in memory:
        memory = memory.partition("\n")[2]
    return memory[:MEMORY_LIMIT]


def tokens(asked: Sequence[Message]) -> int:
    """Estimate prompt tokens without a tokenizer: UTF-8 bytes / 3, plus 4 a message."""
    return sum(size(one["content"]) + 4 for one in asked)


def size(text: str) -> int:
    """Estimate the tokens of a text."""
    return math.ceil(len(text.encode()) / BYTES_PER_TOKEN)


def schema(kind: str) -> dict[str, Any]:
    """Return the JSON schema of the payload of one kind of decision."""
    item = {name: _type(name, FIELDS["release"][name]) for name in _ITEM}
    number, text = {"type": "number"}, {"type": "string"}
    promise = {"type": ["number", "null"]}
    context = {
        "item": {"type": ["object", "null"], "properties": item},
        "recent_events": _list({"type": "string"}),
        "feedback": _list({"type": "string"}),
        "working_memory": {"type": "string", "maxLength": MEMORY_LIMIT},
        "here": {"type": "object"},
        "alarm": {"type": "object", "properties": {"power": number, "power_cap": number}},
        "excess": number,
        "areas": _list({"type": "object"}),
        "signal": {"type": "object", "properties": {"cause": text, "promise": promise}},
    }
    fields = {name: _type(name, meaning) for name, meaning in FIELDS[kind].items()}
    option = {"action": _INTEGER, "target": {"type": "string"}, **fields}
    properties = {
        "role": {"enum": ["plant", "area", "cell"]},
        "kind": {"const": kind},
        "decision_factors": _list({"type": "string"}),
        "agent": {"type": "string"},
        "legal_actions": {**_list(_INTEGER), "minItems": 2, "uniqueItems": True},
        "options": _list(
            {
                "type": "object",
                "properties": option,
                "required": ["action", "target"],
                "additionalProperties": False,
            }
        ),
        "not_offered": _INTEGER,
        "context": {
            "type": "object",
            "properties": context,
            "required": ["item", "recent_events", "feedback", "working_memory"],
            "additionalProperties": False,
        },
        "correction": {"type": "string", "description": "only when asked again"},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": [*KEYS],
        "additionalProperties": False,
    }


_INTEGER: Final = {"type": "integer", "minimum": 0}
_ITEM: Final = ("job", "operation", "due", "slack", "remaining_operations")
_WORDS: Final = ("mode", "present")


def _list(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(items)}


def _type(name: str, meaning: str) -> dict[str, Any]:
    kind: Any = "string" if name in _WORDS else "number"
    return {"type": [kind, "null"] if "null" in meaning else kind, "description": meaning}
