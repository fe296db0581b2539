"""Loop: the one event loop of this process, on a thread of its own, so any caller may wait."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_running: tuple[int, asyncio.AbstractEventLoop] | None = None


def loop() -> asyncio.AbstractEventLoop:
    """Return the loop, started when it is first needed (again in a forked child)."""
    global _running
    with _lock:
        if _running is None or _running[0] != os.getpid():
            fresh = asyncio.new_event_loop()
            threading.Thread(target=fresh.run_forever, name="desbench-calls", daemon=True).start()
            _running = os.getpid(), fresh
        return _running[1]


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the loop and wait for its result; an interrupt cancels it."""
    future = asyncio.run_coroutine_threadsafe(work, loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def together(works: list[Coroutine[Any, Any, T]]) -> list[T]:
    """Run coroutines at once; the first error cancels the others and waits for their end."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
