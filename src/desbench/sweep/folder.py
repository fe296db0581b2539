"""The output folder of a sweep: its lock, its manifest, and which runs in it are finished."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from desbench.errors import InputError, TraceError
from desbench.report.records import Record, read_record
from desbench.report.summary import paradigm_rows, suite_rows, to_csv
from desbench.trace import RunKey, atomic_write, read
from desbench.trace.provenance import dumps, provenance
from desbench.trace.writer import escaped

LOCK = ".lock"
MANIFEST = "manifest.json"


class Folder:
    """One run folder on disk."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    @property
    def is_used(self) -> bool:
        """Whether a run was started here."""
        return (self.path / MANIFEST).exists()

    def record_path(self, digest: str) -> Path:
        """Where the file of a finished run stands."""
        return self.path / "runs" / f"{digest}.json"

    def write_record(self, record: Record) -> None:
        """Say that a run is finished; its trace must be on disk before."""
        atomic_write(self.record_path(record.digest), record.to_json())

    def previous(self, digest: str) -> Record | None:
        """The record of an earlier attempt, None when there is none that can be read."""
        try:
            return read_record(self.record_path(digest))
        except TraceError:
            return None

    def finished(self, digest: str, key: RunKey) -> Record | None:
        """The record of a run that need not be done again.

        A run counts as finished when it is a result and, with full traces, its trace is whole
        and has the recorded hash.
        """
        record = self.previous(digest)
        if record is None or not record.is_result or record.digest != digest or record.key != key:
            return None
        if record.traces == "full":
            try:
                if read(self.path, key).hash != record.trace_hash:
                    return None
            except TraceError:
                return None
        return record

    def write_manifest(self, parameters: dict[str, Any]) -> None:
        """State what is run here, before the first run starts."""
        atomic_write(self.path / MANIFEST, dumps(provenance(parameters)).encode())

    def write_summaries(self, records: Sequence[Record]) -> None:
        """Write the two summary files."""
        atomic_write(self.path / "suite_summary.csv", to_csv(suite_rows(records)))
        atomic_write(self.path / "paradigm_summary.csv", to_csv(paradigm_rows(records)))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder; the system lets go of it when this program dies, however it dies.

        Raises
        ------
        InputError
            Another run holds it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with open(self.path / LOCK, "a+", encoding="utf-8") as file:
            if not _take(file):
                file.seek(0)
                owner = file.read().strip() or "another program"
                raise InputError(
                    f"{self.path}: in use by {owner}; wait for it or choose another --output-dir"
                )
            with suppress(OSError):  # the name is a courtesy: a full disk must not end here
                file.truncate(0)
                file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
                file.flush()
            try:
                yield
            finally:
                with suppress(OSError):
                    file.truncate(0)


def read_parameters(manifest: Path) -> dict[str, Any]:
    """Read what a manifest asks for.

    Raises
    ------
    InputError
        It is missing or not a manifest.
    """
    try:
        content = json.loads(manifest.read_text(encoding="utf-8-sig"))
        parameters: dict[str, Any] = dict(content["parameters"])
    except OSError as error:
        raise InputError(f"{manifest}: cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{manifest}: not a manifest of `desbench run`") from error
    return parameters


def default_folder(suite: str) -> Path:
    """The first free `desbench-runs/<suite>-<n>`, n = 1, 2, ..."""
    number = 1
    while (path := Path("desbench-runs") / f"{escaped(suite)}-{number}").exists():
        number += 1
    return path


def _take(file: IO[str]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0x7FFF0000)  # far behind the text, which others must be able to read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
