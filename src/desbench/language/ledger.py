"""Ledger: what all workers of a run share: the pace of requests, a pause, calls and cost so far.

An SQLite file, so that eight processes keep one limit between them, and a resumed or killed run
knows what was already spent.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from desbench.errors import BudgetReached

_TABLES = """
CREATE TABLE IF NOT EXISTS ledger (
    id INTEGER PRIMARY KEY CHECK (id = 0),
    next_request REAL, next_token REAL, pause_until REAL, calls INTEGER, cost REAL);
CREATE TABLE IF NOT EXISTS bills (
    run TEXT PRIMARY KEY, calls INTEGER, input_tokens INTEGER, output_tokens INTEGER, cost REAL);
INSERT OR IGNORE INTO ledger VALUES (0, 0, 0, 0, 0, 0);
"""
PAID = ("calls", "input_tokens", "output_tokens", "cost")
FAR = 600.0  #: seconds; a longer wait can only come from a clock that was set back


class Ledger:
    """Limits of one run folder.

    Parameters
    ----------
    path
        File shared by the workers; "" keeps the numbers in this object.
    requests_per_minute, tokens_per_minute
        0 = no limit.
    """

    def __init__(self, path: str, requests_per_minute: float = 0, tokens_per_minute: float = 0):
        if path:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        self._base = sqlite3.connect(
            path or ":memory:", timeout=60, isolation_level=None, check_same_thread=False
        )
        if path:
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=NORMAL")
        self._base.executescript(_TABLES)
        self._request_s = 60 / requests_per_minute if requests_per_minute else 0.0
        self._token_s = 60 / tokens_per_minute if tokens_per_minute else 0.0

    def turn(self, tokens: int) -> float:
        """Take the next place in the queue; seconds until it comes."""
        now = time.time()
        if not self._request_s and not self._token_s:
            return self.paused()
        with self._locked() as base:
            row = base.execute("SELECT next_request, next_token, pause_until FROM ledger")
            start: float = max(now, *(moment for moment in row.fetchone() if moment < now + FAR))
            base.execute(
                "UPDATE ledger SET next_request = ?, next_token = ?",
                (start + self._request_s, start + tokens * self._token_s),
            )
        return start - now

    def pause(self, seconds: float) -> None:
        """Let nobody ask for so long: the server said so."""
        until = time.time() + min(seconds, FAR)
        self._base.execute("UPDATE ledger SET pause_until = max(pause_until, ?)", (until,))

    def paused(self) -> float:
        """Return seconds until the pause ends."""
        (until,) = self._base.execute("SELECT pause_until FROM ledger").fetchone()
        left: float = until - time.time()
        return left if 0 < left < FAR else 0.0

    def begin_call(self, run: str, max_calls: int, max_cost: float) -> None:
        """Count a call that a run is about to make.

        Raises
        ------
        BudgetReached
            The run may make no more calls.
        """
        with self._locked() as base:
            calls, cost = base.execute("SELECT calls, cost FROM ledger").fetchone()
            if max_calls and calls >= max_calls:
                raise BudgetReached(f"--max-calls {max_calls} reached: {calls} calls were made")
            if max_cost and cost >= max_cost:
                raise BudgetReached(f"--max-cost {max_cost:g} reached: {cost:.6g} was spent")
            base.execute("UPDATE ledger SET calls = calls + 1")
            base.execute("INSERT OR IGNORE INTO bills VALUES (?, 0, 0, 0, 0)", (run,))
            base.execute("UPDATE bills SET calls = calls + 1 WHERE run = ?", (run,))

    def spend(self, run: str, input_tokens: int, output_tokens: int, cost: float) -> None:
        """Add what a call took that was answered."""
        with self._locked() as base:
            base.execute("UPDATE ledger SET cost = cost + ?", (cost,))
            base.execute(
                "UPDATE bills SET input_tokens = input_tokens + ?, "
                "output_tokens = output_tokens + ?, cost = cost + ? WHERE run = ?",
                (input_tokens, output_tokens, cost, run),
            )

    def bill(self, run: str) -> dict[str, float]:
        """Return what a run has taken so far, all its attempts together."""
        names = ", ".join(PAID)
        row = self._base.execute(f"SELECT {names} FROM bills WHERE run = ?", (run,)).fetchone()
        return dict(zip(PAID, row or (0, 0, 0, 0.0), strict=True))

    def close(self) -> None:
        """Leave one whole file behind."""
        self._base.close()

    def _locked(self) -> _Transaction:
        return _Transaction(self._base)


class _Transaction:
    """BEGIN IMMEDIATE .. COMMIT: nobody else writes between the look and the change."""

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base

    def __enter__(self) -> sqlite3.Connection:
        self._base.execute("BEGIN IMMEDIATE")
        return self._base

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._base.execute("COMMIT" if kind is None else "ROLLBACK")
