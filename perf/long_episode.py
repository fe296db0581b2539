"""Play a long REF with its trace going to disk, then load it: speed, memory over time, sizes.

430 000 jobs are ten million physical events.

`python perf/long_episode.py [--jobs 430000] [--compression none|lz4|zstd] [--folder DIR]`
Without a folder a temporary one is used and removed. Resident memory is read from /proc (Linux).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from time import perf_counter, sleep

import numpy as np
from ref import PHYSICAL, ref

from desbench.trace.streaming import Streamed, play
from desbench.trace.writer import COMPRESSIONS, path_of

PAGE = 4096
#: What a reader does, each in a process of its own: load all, then count rows by kind.
READERS = {
    "pyarrow": """
import pyarrow as pa
table = pa.ipc.open_file(pa.memory_map(path)).read_all()
load = perf_counter()
found = table.group_by("kind").aggregate([("amount", "mean")]).num_rows
""",
    "pandas": """
import pandas as pd
frame = pd.read_feather(path)
load = perf_counter()
found = len(frame.groupby("kind", observed=True)["amount"].mean())
""",
    "polars": """
import polars as pl
frame = pl.scan_ipc(path).collect()
load = perf_counter()
found = frame.group_by("kind").agg(pl.col("amount").mean()).height
""",
}
READER = """
import resource, sys
from time import perf_counter
path = sys.argv[1]
start = perf_counter()
{body}
end = perf_counter()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{{load - start:.2f}} {{end - load:.2f}} {{peak:.0f}} {{found}}")
"""


class Memory:
    """Resident megabytes of this process, read in a thread, with the seconds since the start."""

    def __init__(self, every_s: float = 0.05) -> None:
        self.every_s = every_s
        self.start = perf_counter()
        self.seen: list[tuple[float, float]] = []
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._ended = threading.Event()
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.is_set():
            self.seen.append((perf_counter() - self.start, resident()))
            sleep(self.every_s)

    def parts(self, count: int = 10) -> list[float]:
        """Stop; return the peak in each of so many parts of the time."""
        self._ended.set()
        self._thread.join()
        peaks = [0.0] * count
        last = self.seen[-1][0]
        for moment, size in self.seen:
            part = min(count - 1, int(count * moment / last))
            peaks[part] = max(peaks[part], size)
        return peaks


def resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / 2**20


def physical(path: Path) -> int:
    """Count the physical events of a trace, a batch at a time."""
    import pyarrow as pa

    with pa.memory_map(str(path)) as file:
        batches = pa.ipc.open_file(file)
        count = 0
        for number in range(batches.num_record_batches):
            kind = batches.get_batch(number).column("kind")
            of_kind = np.bincount(kind.indices.to_numpy(), minlength=len(kind.dictionary))
            names = kind.dictionary.to_pylist()
            count += int(sum(of_kind[names.index(name)] for name in PHYSICAL))
        return count


def report(folder: Path, jobs: int, compression: str) -> None:
    instance = ref(jobs)
    print(f"{jobs} jobs; {resident():.0f} MB before the episode")
    memory = Memory()
    start = perf_counter()
    played: Streamed = play(instance, folder, compression=compression)
    wall = perf_counter() - start
    peaks = memory.parts()
    path = path_of(folder, "events", played.key)
    events = physical(path)
    print(f"{events} events, {played.rows['events']} rows, {played.rows['intervals']} intervals")
    print(f"{wall:.1f} s, {events / wall / 1e6:.2f} million events/s, all tables on disk")
    print("peak MB in each tenth of the time:", *(f"{peak:.0f}" for peak in peaks))
    sizes = {
        table.name: sum(file.stat().st_size for file in table.rglob("*.arrow"))
        for table in sorted((folder / "traces").iterdir())
    }
    large = ", ".join(f"{name} {size / 1e6:.0f}" for name, size in sizes.items() if size > 1e6)
    print(f"{sum(sizes.values()) / 1e6:.0f} MB on disk: {large}")
    print(f"hash {played.hash}")
    for name, body in READERS.items():
        told = subprocess.run(
            [sys.executable, "-c", READER.format(body=body), str(path)],
            check=True,
            capture_output=True,
            text=True,
        )
        load, group, peak, kinds = told.stdout.split()
        print(f"{name}: load {load} s, group by kind {group} s ({kinds} kinds), peak {peak} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=430_000)
    parser.add_argument("--compression", choices=COMPRESSIONS, default="none")
    parser.add_argument("--folder", type=Path, help="an empty one, kept")
    options = parser.parse_args()
    if options.folder is not None:
        report(options.folder, options.jobs, options.compression)
        return
    with tempfile.TemporaryDirectory() as folder:
        report(Path(folder), options.jobs, options.compression)


if __name__ == "__main__":
    main()
