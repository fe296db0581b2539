"""Flexible job shop with transport after Deroussi and Norre, jobs in brackets.

A header `jobs machines`, then a row a job: the number of operations, and for each
`(alternatives (machine duration) (machine duration) ..)`. Machines count from 1. The travel times
stand in a file of their own, given as the layout; the published fleet is two vehicles.
"""

from __future__ import annotations

from desbench.instances.formats.job_rows import Numbering, header
from desbench.instances.formats.options import Options
from desbench.instances.formats.shop import Job, Operation, Shop
from desbench.instances.formats.source import MAX_COUNT, Reader, Refused, TextFile

VEHICLES = 2
FROM_ONE = 1  #: place 0 of the layout is the station


def sniff(file: TextFile) -> bool:
    """Whether the file may be one: brackets in its first job."""
    return file.is_numeric and len(file.rows) > 1 and "(" in file.rows[1].tokens


def read(file: TextFile, options: Options) -> list[Shop]:
    """Read the one shop of the file, without its travel times."""
    reader = Reader(file, options.ticks_per_unit)
    count, machines = header(reader)
    reader.end_row("jobs machines")
    numbering = Numbering(machines, FROM_ONE if options.base is None else options.base)
    jobs = []
    for job in range(count):
        reader.row(f"job {job} of {count}")
        jobs.append(_job(reader, numbering))
    reader.end_file(f"the {count} jobs of the header")
    if options.layout is None:
        raise Refused(
            f"{file.path}: its travel times are in another file; name it with --layout FILE",
            reader.line,
        )
    return [
        Shop(
            name=file.path.stem,
            format="deroussi",
            machines=machines,
            jobs=numbering.from_zero(jobs),
            vehicles=VEHICLES,
            base=numbering.base,
            ticks_per_unit=options.ticks_per_unit,
        )
    ]


def _job(reader: Reader, numbering: Numbering) -> Job:
    count = reader.whole("number of operations", 1, MAX_COUNT)
    job: Job = []
    for _ in range(count):
        reader.mark("(")
        able = reader.whole("number of machines of an operation", 1, numbering.machines)
        operation: Operation = []
        for _ in range(able):
            reader.mark("(")
            machine = numbering.machine(reader)
            if any(machine == other for other, _ in operation):
                raise reader.refuse("a machine must be named once in an operation")
            operation.append((machine, reader.ticks("duration")))
            reader.mark(")")
        reader.mark(")")
        job.append(operation)
    reader.end_row(f"the {count} operations it announces")
    return job
