"""Cache: answers on disk, found again by the request that brought them. Errors are never kept."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from desbench.errors import InputError

_TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, base_url TEXT, replicate INTEGER, body TEXT, answer TEXT) WITHOUT ROWID
"""


class Answer(NamedTuple):
    """What a server answered, and what it took."""

    text: str | None
    finish_reason: str
    refusal: str | None
    input_tokens: int | None
    output_tokens: int | None
    latency_s: float
    retries: int = 0


def canonical(body: Mapping[str, Any]) -> str:
    """Return a request body as the same text wherever it is built."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def key_of(body: str, base_url: str, replicate: int) -> str:
    """SHA-256 over what determines an answer."""
    return hashlib.sha256(f"{base_url}\n{replicate}\n{body}".encode()).hexdigest()


class Answers:
    """Answers by key, in an SQLite file that several workers may use at once, or in memory.

    Parameters
    ----------
    path
        "" keeps them in this object.
    is_there
        Whether the file must exist (`recorded`).
    """

    def __init__(self, path: str, is_there: bool = False) -> None:
        if is_there and not Path(path).is_file():
            told = path or "none named"
            raise InputError(f"recorded answers: no file ({told}); add --llm-cache FILE")
        if path:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        name, is_address = (_readable(path), True) if is_there else (path or ":memory:", False)
        try:
            self._base = sqlite3.connect(
                name, timeout=60, isolation_level=None, check_same_thread=False, uri=is_address
            )
            if path and not is_there:
                self._base.execute("PRAGMA journal_mode=WAL")
                self._base.execute("PRAGMA synchronous=NORMAL")
            if not is_there:
                self._base.execute(_TABLE)
            self._base.execute("SELECT 1 FROM answers LIMIT 1")
        except sqlite3.DatabaseError as error:
            raise InputError(f"{path}: not a file of answers ({error})") from error

    def urls(self) -> list[str]:
        """Base URLs whose answers are kept here."""
        rows = self._base.execute("SELECT DISTINCT base_url FROM answers").fetchall()
        return sorted(url for (url,) in rows)

    def close(self) -> None:
        """Leave one whole file behind."""
        self._base.close()

    def get(self, key: str) -> Answer | None:
        """Return the answer kept under a key."""
        row = self._base.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        return None if row is None else Answer(*json.loads(row[0]))

    def keep(self, key: str, body: str, base_url: str, replicate: int, answer: Answer) -> Answer:
        """Keep an answer and return the one that stands: the first, if another worker was faster.

        A run that is played again from the file must meet the very answers it was played with.
        """
        row = (key, base_url, replicate, body, json.dumps(answer))
        self._base.execute("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?)", row)
        return self.get(key) or answer


def _readable(path: str) -> str:
    """Address of a file that is only read, also where nothing may be written beside it."""
    journal = Path(f"{path}-wal")
    is_written_now = journal.exists() and journal.stat().st_size > 0
    mode = "mode=ro" if is_written_now else "immutable=1"
    return f"{Path(path).resolve().as_uri()}?{mode}"
