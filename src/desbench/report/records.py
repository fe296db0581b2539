"""One finished run: the row behind `suite_summary.csv`, kept as `OUT/runs/<key digest>.json`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from desbench.errors import TraceError
from desbench.trace import RunKey
from desbench.trace.provenance import dumps

SCHEMA_VERSION = 1
#: Results: the paradigm is scored by them.
RESULTS = ("done", "deadlock", "no_progress", "horizon", "decision_limit")
#: Not results: the run says nothing about the paradigm and is done again by `--resume`.
FAILURES = ("infra_error", "error", "killed", "cancelled")

Measure = int | float | None


@dataclass(frozen=True)
class Record:
    """A run with its outcome. Undefined measures are None, never NaN."""

    key: RunKey
    digest: str  #: of everything that determines the result; also the file's name
    profile: str
    seed: int
    status: str  #: one of RESULTS or FAILURES
    cause: str = ""  #: one sentence where the status is a failure
    measures: dict[str, Measure] = field(default_factory=dict)
    time_unit: str = ""
    ticks_per_unit: int | None = None
    instance_digest: str = ""
    trace_hash: str = ""
    traces: str = "none"  #: full, summary or none
    attempts: int = 1
    wall_time_s: float = 0.0  #: over all attempts
    paid: dict[str, float] = field(default_factory=dict)  #: for language models, all attempts
    usage: dict[str, float] = field(default_factory=dict)  #: as an external program told it

    def __post_init__(self) -> None:
        self._share_names()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._share_names()

    def _share_names(self) -> None:
        """Let all records of a process have the same names of measures: half their memory."""
        shared = {sys.intern(name): value for name, value in self.measures.items()}
        object.__setattr__(self, "measures", shared)

    @property
    def is_result(self) -> bool:
        """Whether the run counts for its paradigm."""
        return self.status in RESULTS

    def to_json(self) -> bytes:
        """Strict JSON in UTF-8: keys in order of declaration, no NaN."""
        content: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
        content |= {item.name: getattr(self, item.name) for item in fields(self)}
        content["key"] = self.key._asdict()
        return dumps(content).encode()


def read_record(path: Path) -> Record:
    """Read one run file.

    Raises
    ------
    TraceError
        When the file is missing, cut or not a run file of this schema version.
    """
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if content.pop("schema_version") != SCHEMA_VERSION:
            raise TraceError(f"{path}: written by another version of desbench; start a new folder")
        content["key"] = RunKey(**content["key"])
        if content.keys() != {item.name for item in fields(Record)}:
            raise ValueError("unexpected fields")
        return Record(**content)
    except OSError as error:
        raise TraceError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TraceError(f"{path}: not a complete run file ({error}); run with --resume") from error


def read_records(folder: Path) -> tuple[list[Record], list[str]]:
    """All runs of a run folder in the order of its summary, and one sentence per damaged file."""
    records, damaged = [], []
    for path in sorted((folder / "runs").glob("*.json")):
        try:
            records.append(read_record(path))
        except TraceError as error:
            damaged.append(str(error))
    return sorted(records, key=row_order), damaged


def row_order(record: Record) -> tuple[str, str, str, str, int, str, int]:
    """Sort key of summary rows: the same for any number of workers and any order of finishing."""
    key = record.key
    return (
        key.suite,
        key.paradigm,
        key.controller,
        record.profile,
        record.seed,
        key.case,
        key.replicate,
    )


def spoken(key: RunKey) -> str:
    """Name a run in a sentence."""
    text = f"{key.case} under {key.paradigm} with {key.controller} ({key.suite})"
    return f"{text}, replicate {key.replicate}" if key.replicate else text
