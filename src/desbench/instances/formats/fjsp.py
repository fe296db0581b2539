"""Flexible job shop: a header `jobs machines [average]`, then a row a job.

A row holds the number of operations, and for each the number of machines that can do it and as many
`machine duration` pairs.
"""

from __future__ import annotations

from desbench.instances.formats.job_rows import Numbering, alternatives, header
from desbench.instances.formats.options import Options
from desbench.instances.formats.shop import Shop
from desbench.instances.formats.source import Reader, TextFile


def sniff(file: TextFile) -> bool:
    """Whether the file may be one: it begins with a number."""
    return file.is_numeric


def read(file: TextFile, options: Options) -> list[Shop]:
    """Read the one shop of the file; a third number in the header is not needed."""
    reader = Reader(file, options.ticks_per_unit)
    shop = read_jobs(reader, "fjsp", options)
    reader.end_file(f"the {len(shop.jobs)} jobs of the header")
    return [shop]


def read_jobs(reader: Reader, format: str, options: Options) -> Shop:
    """Read header and jobs; the file may go on."""
    count, machines = header(reader)
    if reader.tokens_left:
        reader.number("third number of the header")
    reader.end_row("jobs machines average")
    numbering = Numbering(machines, options.base)
    jobs = []
    for job in range(count):
        reader.row(f"job {job} of {count}")
        jobs.append(alternatives(reader, numbering))
    return Shop(
        name=reader.file.path.stem,
        format=format,
        machines=machines,
        jobs=numbering.from_zero(jobs),
        base=numbering.base,
        notes=numbering.notes,
        ticks_per_unit=options.ticks_per_unit,
    )
