"""A trace that goes to disk while the shop runs is the one that is written afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from desbench._engine.simulation import Simulation
from desbench.errors import InputError, TraceError
from desbench.instances.instance import Instance
from desbench.trace import Recorder, Trace, batches, play, read, scan, schema, streaming, write
from desbench.verify import verify
from shops import shop

BATCH = 512  #: rows; like 262 144 a multiple of what Arrow pads buffers to


def busy(jobs: int = 300, **settings: Any) -> Instance:
    """A shop with vehicles, stops and violations: every table of the shop has rows."""
    routes = [[{job % 2: 3 + job % 4}, {2: 2 + job % 3}, {job % 3: 4}] for job in range(jobs)]
    down = {0: [(20, 30), (90, 95)], 2: [(50, 61)]}
    settings = {"vehicles": 2, "plant_power_cap": 9, "inbound": 100, "outbound": 100, **settings}
    return shop(routes, release=[3 * j for j in range(jobs)], travel=1, down=down, **settings)


def whole(instance: Instance) -> Trace:
    """The same episode with its rows in memory."""
    simulation, recorder = Simulation(instance), Recorder(instance)
    stop = simulation.run()
    recorder.finish(simulation)
    told = {"suite": "instance", "paradigm": "compiled_rules", "controller": "fifo"}
    ended = {"status": stop.status, "time": stop.time, "cycle": stop.cycle}
    return recorder.trace({**told, "replicate": 0, **ended})


def files(folder: Path) -> dict[str, bytes]:
    found = folder.rglob("*")
    return {str(p.relative_to(folder)): p.read_bytes() for p in found if p.is_file()}


@pytest.mark.parametrize("batch, taken", [(1 << 18, 1 << 18), (512, 512), (512, 100), (1024, 3000)])
@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_streamed_and_written_files_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int, taken: int, compression: str
) -> None:
    """How the rows came, in blocks or all together, is nobody's business."""
    monkeypatch.setattr(schema, "BATCH", batch)
    monkeypatch.setattr(streaming, "TAKEN", taken)
    trace = whole(busy())
    assert min(trace.raw(name).num_rows for name in ("events", "intervals")) > 3 * BATCH
    assert trace.violations.num_rows > 0
    write(trace, tmp_path / "whole", trace.key, compression)
    played = play(busy(), tmp_path / "streamed", compression=compression)
    assert (played.key, played.hash) == (trace.key, trace.hash)
    assert played.rows == {name: trace.raw(name).num_rows for name in schema.ROW_TABLES}
    assert files(tmp_path / "streamed") == files(tmp_path / "whole")


def test_a_streamed_trace_is_read_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Head, foot and digest are complete although the file was begun without knowing them."""
    monkeypatch.setattr(schema, "BATCH", BATCH)
    played = play(busy(), tmp_path, dispatch="spt", suite="mine", replicate=3)
    assert scan(tmp_path) == [played.key]
    trace = read(tmp_path, played.key)
    assert (trace.hash, trace.end, trace.info["status"]) == (played.hash, played.time, "done")
    assert not verify(trace).findings
    assert trace.key == ("mine", "compiled_rules", "spt", trace.info["case"], 3)


def test_one_value_changed_in_any_batch_changes_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest of a long table is made of those of its batches, in their order."""
    monkeypatch.setattr(schema, "BATCH", BATCH)
    events = whole(busy()).events
    numbers = [schema.ints(events, "job")] * 3
    for row in (0, events.num_rows - 1):
        numbers.append(numbers[0].copy())
        numbers[-1][row] += 1
    swapped = np.concatenate([numbers[0][BATCH:], numbers[0][:BATCH]])
    place = events.schema.get_field_index("job")
    found = {
        schema.digest(
            events.set_column(
                place, events.schema.field(place), [schema._array(schema.INT, column)]
            )
        )
        for column in [*numbers, swapped]
    }
    assert len(found) == 4


def test_rows_in_memory_do_not_grow_with_the_episode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted, not measured: no block is longer than asked, and only so many wait."""
    monkeypatch.setattr(schema, "BATCH", BATCH)
    monkeypatch.setattr(streaming, "TAKEN", BATCH)
    blocks, waiting, held = [], [], []
    take, append = streaming.Stream.take, batches.TableFile.append

    def counted(stream: streaming.Stream) -> None:
        take(stream)
        waiting.append(len(stream._waiting))

    def counted_too(table: batches.TableFile, rows: Any) -> None:
        append(table, rows)
        if table.name == "events":
            blocks.append(rows.num_rows)
            held.append(table._held_rows)

    monkeypatch.setattr(streaming.Stream, "take", counted)
    monkeypatch.setattr(batches.TableFile, "append", counted_too)
    play(busy(1000), tmp_path)
    assert len(blocks) > 40
    assert set(blocks[:-1]) == {BATCH}
    assert max(held) <= BATCH
    assert max(waiting) <= streaming.AHEAD


FULL = """
import resource, sys
sys.path[:0] = ["tests", "tests/trace"]
from test_streaming import busy
from desbench.errors import TraceError
from desbench.trace import play, schema
schema.BATCH = 1024
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
try:
    play(busy(2000), sys.argv[1])
except TraceError as error:
    print(error)
    sys.exit(1)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs RLIMIT_FSIZE")
def test_a_disk_that_fills_up_midway_is_one_sentence_and_no_trace(tmp_path: Path) -> None:
    """The thread that writes fails while the shop runs; nobody may take the rest for a trace."""
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    root = Path(__file__).parents[2]
    result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert result.returncode == 1, result.stderr
    assert len(result.stdout.splitlines()) == 1
    assert "part-0.arrow: cannot be written" in result.stdout
    assert "traces/events" in result.stdout
    assert files(tmp_path) == {}
    assert scan(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    """Said before the episode is played."""
    (tmp_path / "traces").write_text("a file is in the way")
    with pytest.raises(TraceError, match="cannot be written"):
        play(busy(), tmp_path)


def test_facts_that_do_not_fit_into_the_head_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Room for them is left before they are known; more must not run over the rows."""
    monkeypatch.setattr(schema, "BATCH", BATCH)
    trace = whole(busy())
    trace.info["cycle"] = [["item", 0]] * batches.ROOM  # type: ignore[index]
    with pytest.raises(TraceError, match=f"must be <= {batches.ROOM}"):
        write(trace, tmp_path, trace.key)
    assert not [name for name in files(tmp_path) if "events" in name]


def test_what_cannot_be_asked_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """An unknown rule or compression is a mistake of the caller."""
    for asked in ({"dispatch": "longest"}, {"compression": "gzip"}):
        with pytest.raises(InputError):
            play(busy(), tmp_path, **asked)
    assert files(tmp_path) == {}
