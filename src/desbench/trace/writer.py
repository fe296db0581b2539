"""Writing: traces as Arrow files, and the one way desbench puts a file on disk."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from desbench.errors import InputError, TraceError
from desbench.trace import schema
from desbench.trace.batches import TableFile
from desbench.trace.trace import RunKey, Trace

COMPRESSIONS = ("none", "lz4", "zstd")
LONGEST = 120  #: characters of an escaped name before it is cut; file systems allow 255 bytes


def write(
    trace: Trace, folder: str | os.PathLike[str], key: RunKey, compression: str = "none"
) -> None:
    """Write every table of a trace under `folder`/traces.

    Parameters
    ----------
    trace
        What to write.
    folder
        The run folder.
    key
        Names the run; its parts become `suite=..`/`paradigm=..`/... folders.
    compression
        none, lz4 or zstd.

    Raises
    ------
    TraceError
        The disk refused (full, read only, ...); no half file stands under a final name.
    """
    require_compression(compression)
    info = {**trace.info, **key._asdict()}
    # events last: a run whose events are there has all its tables.
    for name in (*trace.case, *schema.SIDE_TABLES, *reversed(schema.ROW_TABLES)):
        with atomic(path_of(folder, name, key)) as file:
            table = TableFile(file, name, compression)
            table.append(trace.raw(name))
            table.close(info)


def require_compression(name: str) -> None:
    """Refuse what is not one of `COMPRESSIONS`."""
    if name not in COMPRESSIONS:
        raise InputError(f"compression={name!r}, must be one of {', '.join(COMPRESSIONS)}")


def path_of(folder: str | os.PathLike[str], table: str, key: RunKey) -> Path:
    """Return where the table of a run stands."""
    parts = (f"{name}={escaped(str(value))}" for name, value in key._asdict().items())
    return Path(folder, "traces", table, *parts, "part-0.arrow")


def escaped(name: str) -> str:
    """Return a name as part of a file name, on every system.

    Letters, digits, `_`, `-` and inner dots stay; the rest is percent-encoded, which pandas and
    polars decode again. A long name is cut and completed by 16 digits of its SHA-256. The exact
    name stands in the file.
    """
    safe = quote(name, safe="").replace("~", "%7E")
    if safe.endswith("."):  # Windows drops it
        safe = safe[:-1] + "%2E"
    if len(safe) <= LONGEST:
        return safe or "%00"
    return f"{safe[: LONGEST - 17]}~{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def atomic_write(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that its final name never shows half of it."""
    with atomic(path) as file:
        file.write(content)


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file under a temporary name, also to read back; rename it after a close without error.

    Raises
    ------
    TraceError
        The system refused; the temporary file is gone and the final name untouched.
    """
    target = Path(path)
    temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    with refusals(target):
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(temporary, "w+b") as file:
                yield file
            _replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise


@contextmanager
def refusals(target: str | os.PathLike[str]) -> Iterator[None]:
    """Say which file the system refused."""
    try:
        yield
    except OSError as error:
        told = error.strerror or error
        raise TraceError(f"{os.fspath(target)}: cannot be written ({told})") from error


def _replace(source: Path, target: Path) -> None:
    """Rename, patiently: on Windows a reader's open file refuses for a moment."""
    for wait in (0.05, 0.2, 0.5, None):
        try:
            os.replace(source, target)
            return
        except PermissionError:
            if wait is None:
                raise
            time.sleep(wait)
