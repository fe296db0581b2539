"""Reading traces back from a run folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa

from desbench.errors import TraceError
from desbench.trace import schema
from desbench.trace.trace import RunKey, Trace
from desbench.trace.writer import path_of

REMEDY = "repeat the run with `desbench run --resume`"


def scan(folder: str | os.PathLike[str]) -> list[RunKey]:
    """Return the keys of all runs with a trace, sorted.

    Raises
    ------
    TraceError
        The folder holds no traces at all, or a file is damaged.
    """
    root = Path(folder, "traces")
    if not root.is_dir():
        raise TraceError(f"{root}: no traces here; write them with `desbench run --traces full`")
    return sorted(_key(_info(_open(path))) for path in root.glob("events/**/part-0.arrow"))


def read(folder: str | os.PathLike[str], key: RunKey) -> Trace:
    """Read the trace of one run.

    Raises
    ------
    TraceError
        A file is missing, short or damaged, of another schema version, or of another run.
    """
    names = (*schema.CASE_TABLES, *schema.SIDE_TABLES, *schema.ROW_TABLES)
    tables = {name: _table(path_of(folder, name, key), name) for name in names}
    events = path_of(folder, "events", key)
    info = _info(tables["events"])
    if _key(info) != key:
        raise TraceError(f"{events}: holds the run {tuple(_key(info))}, not {tuple(key)}")
    plain = {name: _without_facts(table) for name, table in tables.items()}
    rows = {name: plain[name] for name in schema.ROW_TABLES}
    case = {name: plain[name] for name in schema.CASE_TABLES}
    side = {name: plain[name] for name in schema.SIDE_TABLES}
    return Trace(case=case, info=info, **rows, **side)


def _table(path: Path, name: str) -> pa.Table:
    if name in schema.LATER_TABLES and not path.exists():
        return schema.empty(name)
    table = _open(path)
    metadata = table.schema.metadata or {}
    version = metadata.get(b"schema_version", b"?").decode()
    if version != str(schema.SCHEMA_VERSION):
        raise TraceError(
            f"{path}: schema_version={version}, must be {schema.SCHEMA_VERSION}; {REMEDY}"
        )
    expected = schema.SCHEMAS.get(name)
    if expected is not None and not table.schema.equals(expected):
        raise TraceError(
            f"{path}: columns {table.schema.names}, must be {expected.names}; {REMEDY}"
        )
    if metadata.get(b"digest", b"").decode() != schema.digest(table):
        raise TraceError(f"{path}: its rows are not the ones that were written; {REMEDY}")
    return table


def _open(path: Path) -> pa.Table:
    try:
        with pa.OSFile(os.fspath(path), "rb") as file:
            table = pa.ipc.open_file(file).read_all()
            table.validate(full=True)
            return table
    except FileNotFoundError:
        raise TraceError(f"{path}: missing; {REMEDY}") from None
    except (pa.ArrowException, OSError) as error:
        raise TraceError(f"{path}: short or damaged ({error}); {REMEDY}") from error


def _info(table: pa.Table) -> dict[str, Any]:
    info: dict[str, Any] = json.loads(table.schema.metadata[b"info"])
    return info


def _key(info: dict[str, Any]) -> RunKey:
    return RunKey(**{name: info[name] for name in RunKey._fields})


def _without_facts(table: pa.Table) -> pa.Table:
    kept = {k: v for k, v in table.schema.metadata.items() if k not in (b"info", b"digest")}
    return table.replace_schema_metadata(kept)
