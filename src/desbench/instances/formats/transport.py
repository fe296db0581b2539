"""Job shop with transport in one plain file: `jobs machines vehicles`, the jobs, the travel matrix.

A job is a row of `machine duration` pairs, or a row as in `fjsp`. Machines count from 1; place 0 of
the matrix is the load and unload station.
"""

from __future__ import annotations

from collections.abc import Callable

from desbench.instances.formats import job_rows
from desbench.instances.formats.job_rows import Numbering
from desbench.instances.formats.options import Options
from desbench.instances.formats.shop import Job, Shop
from desbench.instances.formats.source import Reader, Refused, TextFile

MAX_VEHICLES = 100_000
FROM_ONE = 1  #: place 0 is the station


def sniff(file: TextFile) -> bool:
    """Whether the file may be one: three numbers in the header, a matrix after the jobs."""
    first = file.rows[0].tokens
    if len(first) != 3 or not all(token.isdigit() for token in first):
        return False
    jobs, machines = int(first[0][:9]), int(first[1][:9])
    return len(file.rows) == 1 + jobs + machines + 1


def read(file: TextFile, options: Options) -> list[Shop]:
    """Read the one shop of the file."""
    try:
        return [_shop(file, options, job_rows.pairs, "machine duration pairs")]
    except Refused as error:
        try:
            return [_shop(file, options, job_rows.alternatives, "operations with alternatives")]
        except Refused as other:
            raise (other if other.line > error.line else error) from None


def _shop(
    file: TextFile, options: Options, row: Callable[[Reader, Numbering], Job], rows: str
) -> Shop:
    reader = Reader(file, options.ticks_per_unit)
    count, machines = job_rows.header(reader)
    vehicles = reader.whole("number of vehicles", 0, MAX_VEHICLES)
    reader.end_row("jobs machines vehicles")
    numbering = Numbering(machines, FROM_ONE if options.base is None else options.base)
    jobs = []
    for job in range(count):
        reader.row(f"job {job} of {count}")
        jobs.append(row(reader, numbering))
    travel = job_rows.travel(reader, machines)
    reader.end_file("the travel matrix")
    return Shop(
        name=file.path.stem,
        format="transport",
        machines=machines,
        jobs=numbering.from_zero(jobs),
        travel=travel,
        vehicles=vehicles,
        base=numbering.base,
        notes=(f"its jobs are read as {rows}",),
        ticks_per_unit=options.ticks_per_unit,
    )
