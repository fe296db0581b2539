"""When a sweep stops: signals, `--fail-fast`, a full disk, the same error from the start."""

from __future__ import annotations

import errno
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from desbench.report.records import Record

#: So many runs that fail alike before any succeeds end the sweep: the rest would too.
ALIKE = 5
#: Seconds that running cases may take to finish after the first Ctrl-C.
GRACE_S = 5.0
_DISK = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EROFS)


class Control:
    """Collects finished runs and says when no new one may start.

    Parameters
    ----------
    progress
        Called after each finished run.
    fail_fast
        Stop at the first run that is not a result.
    """

    def __init__(self, progress: Callable[[Record], None], fail_fast: bool) -> None:
        self.progress = progress
        self.fail_fast = fail_fast
        self.records: list[Record] = []
        self.signal: int | None = None
        self.presses = 0
        self.reason = ""  #: one sentence when the sweep stopped by itself
        self.is_serial = False
        self._alike: str | None = ""  # None once a run succeeded or two failed differently

    @property
    def is_stopped(self) -> bool:
        """Whether no new run may start."""
        return self.signal is not None or bool(self.reason)

    def take(self, record: Record, disk_is_full: bool = False) -> None:
        """Keep one finished run."""
        self.records.append(record)
        self.progress(record)
        if disk_is_full or record.status == "cancelled":  # no room, no budget: for all the same
            self.reason = record.cause
        elif self.fail_fast and not record.is_result:
            self.reason = f"stopped by --fail-fast: {record.cause}"
        elif self._is_alike(record):
            self.reason = f"the first {ALIKE} runs all failed alike: {record.cause}"

    def _is_alike(self, record: Record) -> bool:
        if record.is_result or self._alike is None:
            self._alike = None
            return False
        told = record.cause.replace(record.key.case, "")
        self._alike = told if self._alike in ("", told) else None
        return self._alike is not None and len(self.records) == ALIKE

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        """Handle SIGINT or SIGTERM."""
        self.signal = self.signal or number
        self.presses += 1
        if self.is_serial:  # the run is in this process: nothing else can end it
            raise KeyboardInterrupt


@contextmanager
def signals(control: Control) -> Iterator[None]:
    """Send SIGINT and SIGTERM to `control`; outside the main thread they stay as they are."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    before: list[Any] = [signal.signal(number, control.on_signal) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def is_disk_full(error: BaseException | None) -> bool:
    """Whether the system refused to store more, here or in the cause of `error`."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _DISK:
            return True
        error = error.__cause__
    return False
