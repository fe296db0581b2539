"""Flexible job shop with setups: as `fjsp`, then for each machine a matrix of setup times.

The matrices are square over all operations, counted through the jobs: row = the operation before on
that machine, column = the next one. Each operation is a setup family of its own. Nothing is set up
before the first operation of a machine.
"""

from __future__ import annotations

from dataclasses import replace

from desbench.instances.formats.fjsp import read_jobs
from desbench.instances.formats.job_rows import matrix
from desbench.instances.formats.options import Options
from desbench.instances.formats.shop import Job, Shop
from desbench.instances.formats.source import Reader, TextFile


def sniff(file: TextFile) -> bool:
    """Whether the file may be one: it begins with a number."""
    return file.is_numeric


def read(file: TextFile, options: Options) -> list[Shop]:
    """Read the one shop of the file."""
    reader = Reader(file, options.ticks_per_unit)
    shop = read_jobs(reader, "sdst", options)
    size = shop.operations
    setups = [matrix(reader, size, f"setup matrix of machine {m}") for m in range(shop.machines)]
    reader.end_file(f"{shop.machines} setup matrices of {size} x {size}")
    return [replace(shop, setups=setups, families=numbered(shop.jobs))]


def numbered(jobs: list[Job]) -> list[list[int]]:
    """Number the operations through the jobs: each its own family."""
    families, first = [], 0
    for job in jobs:
        families.append(list(range(first, first + len(job))))
        first += len(job)
    return families
