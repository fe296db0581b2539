"""Entry: what a book did with one message. The entries of a book are its log."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from desbench.errors import InputError
from desbench.paradigms.responsibility import wire
from desbench.paradigms.responsibility.protocol import RcpMessage

APPLIED: Final = "applied"
DUPLICATE: Final = "duplicate"  #: the id was seen before; nothing changed
REFUSED: Final = "refused"  #: a guard said no; nothing changed
RESULTS: Final = (APPLIED, DUPLICATE, REFUSED)


@dataclass(frozen=True)
class Entry:
    """One message and what became of it."""

    message: RcpMessage
    result: str  #: one of RESULTS
    before: str  #: status before, `none` without a commitment
    after: str  #: status after
    version: int  #: version in force after it, 0 without a commitment
    guard: str = ""  #: the guard that refused
    reason: str = ""  #: why, in words
    at: int | None = None  #: when, if the caller told
    to_send: tuple[RcpMessage, ...] = ()  #: what the owner of the book must send because of it

    @property
    def is_applied(self) -> bool:
        """Whether the message took effect."""
        return self.result == APPLIED


_NAMES: Final = ("result", "before", "after", "version", "guard", "reason", "at")


def to_mapping(entry: Entry) -> dict[str, Any]:
    """Return an entry as JSON values; `to_send` is left out, because it stands in later entries."""
    found = {name: getattr(entry, name) for name in _NAMES}
    return {"message": wire.to_mapping(entry.message), **found}


def from_mapping(found: Any) -> Entry:
    """Read an entry from its JSON values; `InputError` says what is wrong."""
    if not isinstance(found, dict) or set(found) != {"message", *_NAMES}:
        raise InputError(f"entry={found!r}, must hold message, {', '.join(_NAMES)}")
    if found["result"] not in RESULTS:
        raise InputError(f"entry: result={found['result']!r}, must be one of {', '.join(RESULTS)}")
    return Entry(**{**found, "message": wire.from_mapping(found["message"])})


def to_json(entry: Entry) -> str:
    """Write an entry as one line, with its keys in order."""
    return json.dumps(to_mapping(entry), sort_keys=True)


def from_json(text: str) -> Entry:
    """Read what `to_json` wrote; `InputError` says what is wrong."""
    try:
        return from_mapping(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise InputError(f"entry: not JSON ({error})") from None
