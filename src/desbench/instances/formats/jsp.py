"""Job shop, standard form: a header `jobs machines`, then `machine duration` pairs, a row a job."""

from __future__ import annotations

from desbench.instances.formats.job_rows import Numbering, header, pairs
from desbench.instances.formats.options import Options
from desbench.instances.formats.shop import Shop
from desbench.instances.formats.source import Reader, TextFile


def sniff(file: TextFile) -> bool:
    """Whether the file may be one: it begins with a number."""
    return file.is_numeric


def read(file: TextFile, options: Options) -> list[Shop]:
    """Read the one shop of the file; rows may differ in length, jobs may revisit machines."""
    reader = Reader(file, options.ticks_per_unit)
    count, machines = header(reader)
    reader.end_row("jobs machines")
    numbering = Numbering(machines, options.base)
    jobs = []
    for job in range(count):
        reader.row(f"job {job} of {count}")
        jobs.append(pairs(reader, numbering))
    reader.end_file(f"the {count} jobs of the header")
    return [
        Shop(
            name=file.path.stem,
            format="jsp",
            machines=machines,
            jobs=numbering.from_zero(jobs),
            base=numbering.base,
            notes=numbering.notes,
            ticks_per_unit=options.ticks_per_unit,
        )
    ]
