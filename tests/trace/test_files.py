"""Trace files: complete or absent, the same bytes every time, readable by everybody."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from desbench.episode import Episode, make_runner
from desbench.errors import InputError, TraceError
from desbench.trace import RunKey, Trace, atomic_write, read, scan, schema, write
from desbench.trace.writer import escaped, path_of
from measures.handmade import done, event, small_case, small_trace

BUSY = {
    "events": [event(0, "arrival", job=0), event(3, "alarm", cause="wip", amount=2), done(0, 9)],
    "decisions": [{"epoch": 0, "kind": "release", "legal": [0, 1, 16], "action": 1}],
    "messages": [{"epoch": 0, "job": 0, "promise": 12}],
    "violations": [{"entity_kind": "power", "start": 3, "end": 5, "magnitude": 7}],
}


def files(folder: Path) -> dict[str, bytes]:
    found = folder.rglob("*")
    return {str(p.relative_to(folder)): p.read_bytes() for p in found if p.is_file()}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Rows, case, facts and hash survive the disk."""
    trace = small_trace(**BUSY)
    write(trace, tmp_path, trace.key)
    again = read(tmp_path, trace.key)
    assert again.hash == trace.hash
    assert dict(again.info) == dict(trace.info)
    for name in (*schema.ROW_TABLES, *schema.CASE_TABLES):
        assert again.raw(name).equals(trace.raw(name), check_metadata=True), name


def test_a_trace_travels_between_processes() -> None:
    """Workers hand traces over; whatever was read from one before must not get in the way."""
    trace = small_trace(**BUSY)
    trace.codes("events", "kind")
    again = pickle.loads(pickle.dumps(trace))
    assert again.hash == trace.hash
    assert again.info == trace.info


def test_the_same_trace_gives_the_same_bytes(tmp_path: Path) -> None:
    """Two workers, or two computers, produce identical folders."""
    for folder in ("a", "b"):
        trace = small_trace(**BUSY)
        write(trace, tmp_path / folder, trace.key)
    assert files(tmp_path / "a") == files(tmp_path / "b")


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_compression_does_not_change_the_rows(tmp_path: Path, compression: str) -> None:
    """It is a matter of the disk only."""
    trace = small_trace(**BUSY)
    write(trace, tmp_path, trace.key, compression)
    assert read(tmp_path, trace.key).hash == trace.hash


def test_an_unknown_compression_is_refused(tmp_path: Path) -> None:
    """Before anything is written."""
    with pytest.raises(InputError, match="gzip"):
        write(small_trace(), tmp_path, small_trace().key, "gzip")
    assert not files(tmp_path)


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A folder in which the first run is empty and the others know different words."""
    for replicate, rows in enumerate([{}, BUSY, {"events": [event(1, "repair", cause="shift")]}]):
        trace = small_trace(**rows)
        write(trace, tmp_path, trace.key._replace(replicate=replicate))
    return tmp_path


def test_polars_loads_a_folder_with_an_empty_run(mixed: Path) -> None:
    """The schema is not decided by the first, empty file, and dictionaries may differ."""
    pattern = mixed / "traces/events/**/*.arrow"
    events = pl.scan_ipc(pattern, hive_partitioning=True).collect()
    kinds = events.sort("replicate", "seq")["kind"].cast(pl.String).to_list()
    assert kinds == ["arrival", "alarm", "job_complete", "repair"]
    assert events["replicate"].to_list() == [1, 1, 1, 2]
    assert events["time"].dtype == pl.Int64
    for name in (*schema.ROW_TABLES, *schema.CASE_TABLES):
        pl.scan_ipc(mixed / f"traces/{name}/**/*.arrow", hive_partitioning=True).collect()


def test_polars_reads_what_an_episode_wrote(tmp_path: Path) -> None:
    """Rows of the engine come as codes with nulls between them, which rows of a test do not."""
    episode = Episode("smoke", paradigm="responsibility_rcm")
    episode.play(make_runner())
    trace = episode.trace
    write(trace, tmp_path, trace.key)
    for name in schema.ROW_TABLES:
        rows = pl.read_ipc(path_of(tmp_path, name, trace.key)).to_dicts()
        assert rows == trace.raw(name).to_pylist(), name


def test_pandas_loads_every_file(mixed: Path) -> None:
    """One call, no options; empty tables have typed columns."""
    for path in mixed.rglob("*.arrow"):
        pd.read_feather(path)
    empty = pd.read_feather(path_of(mixed, "events", small_trace().key))
    assert empty["time"].dtype == "int64"


def test_the_folder_lists_its_runs(mixed: Path) -> None:
    """Resume, measure and verify go through this list."""
    assert [key.replicate for key in scan(mixed)] == [0, 1, 2]
    with pytest.raises(TraceError, match="no traces"):
        scan(mixed / "elsewhere")


NAMES = [
    "..",
    ".",
    "CON",
    "a/b",
    "a\\b",
    "Fräse-Ω",
    "作业1",
    "x" * 200,
    "作" * 200,
    "end.",
    "a:b?*",
    " ",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_a_safe_file_name_and_stays_exact_inside(tmp_path: Path, name: str) -> None:
    """Names are the user's; file systems have rules of their own."""
    trace = small_trace(small_case(case=name))
    key = trace.key._replace(suite=name, controller=name)
    write(trace, tmp_path, key)
    assert scan(tmp_path) == [key]
    assert read(tmp_path, key).key == key
    for path in tmp_path.rglob("*"):
        assert len(path.name.encode()) <= 255
        assert not set(path.name) & set('<>:"|?*\\ ')
        assert not path.name.endswith(".")


def test_escaped_names_stay_apart() -> None:
    """Two runs must never share a folder, not even with long names that begin alike."""
    assert len({escaped(name) for name in [*NAMES, "x" * 201, "x" * 199 + "y"]}) == len(NAMES) + 2


@pytest.mark.parametrize("damage", ["short", "empty", "flipped", "missing"])
def test_a_damaged_file_is_named(tmp_path: Path, damage: str) -> None:
    """A resume must be able to redo exactly this run; the user must see which file."""
    trace = small_trace(**BUSY)
    write(trace, tmp_path, trace.key)
    path = path_of(tmp_path, "events", trace.key)
    content = bytearray(path.read_bytes())
    if damage == "short":
        path.write_bytes(content[:-100])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "missing":
        path.unlink()
    else:
        place = content.index((9).to_bytes(8, "little"))  # the time of the last event
        content[place] = 8
        path.write_bytes(content)
    with pytest.raises(TraceError, match=r"part-0\.arrow"):
        read(tmp_path, trace.key)


def test_another_schema_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later desbench must not read old columns as if they were new."""
    trace = small_trace()
    write(trace, tmp_path, trace.key)
    monkeypatch.setattr(schema, "SCHEMA_VERSION", 2)
    with pytest.raises(TraceError, match="schema_version=1, must be 2"):
        read(tmp_path, trace.key)


def test_a_failed_write_leaves_the_old_file_alone(tmp_path: Path) -> None:
    """Replacing a file is all or nothing, and no temporary file stays."""
    path = tmp_path / "manifest.json"
    atomic_write(path, b"old")
    with pytest.raises(TypeError):
        atomic_write(path, "text, not bytes")  # type: ignore[arg-type]
    assert files(tmp_path) == {"manifest.json": b"old"}


FULL = """
import resource, sys
sys.path.insert(0, "tests")
from measures.handmade import small_trace, done
from desbench.errors import TraceError
from desbench.trace import write
trace = small_trace(events=[done(0, i) for i in range(20_000)])
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    write(trace, sys.argv[1], trace.key)
except TraceError as error:
    print(error)
    sys.exit(1)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs RLIMIT_FSIZE")
def test_a_full_disk_is_an_error_and_leaves_no_half_file(tmp_path: Path) -> None:
    """The final flush may be the one that fails; success must not be reported before it."""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert result.returncode == 1, result.stderr
    assert "part-0.arrow: cannot be written" in result.stdout
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(path.name == "part-0.arrow" and path.stat().st_size < 200_000 for path in left)
    assert scan(tmp_path) == []


def test_importing_desbench_loads_no_arrow() -> None:
    """`desbench --help` must answer at once."""
    code = "import sys, desbench, desbench.errors; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_key_is_exact(tmp_path: Path) -> None:
    """A folder renamed by hand is not taken for another run."""
    trace = small_trace()
    write(trace, tmp_path, trace.key)
    other = RunKey("hand", "centralized_plant", "native-rules", "hand-s01", 0)
    for path in sorted(tmp_path.rglob("case=hand-s00")):
        path.rename(path.with_name("case=hand-s01"))
    with pytest.raises(TraceError, match="hand-s00"):
        read(tmp_path, other)


def test_facts_are_json(tmp_path: Path) -> None:
    """Whoever opens a file with another tool finds the run in its metadata."""
    import pyarrow as pa

    trace: Trace = small_trace()
    write(trace, tmp_path, trace.key)
    with pa.OSFile(str(path_of(tmp_path, "violations", trace.key))) as file:
        metadata = pa.ipc.open_file(file).schema.metadata
    assert json.loads(metadata[b"info"])["status"] == "done"
