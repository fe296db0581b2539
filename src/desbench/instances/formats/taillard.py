"""Job shop as Taillard wrote it: a matrix of times, then a matrix of machines, a row a job.

Before them a header `jobs machines`, or a line of words and then `jobs machines, two seeds, upper
and lower bound`, with `Times` and `Machines` above the matrices. A file may hold several shops.
"""

from __future__ import annotations

from dataclasses import replace

from desbench.instances.formats.job_rows import Numbering, header
from desbench.instances.formats.options import Options
from desbench.instances.formats.shop import Shop
from desbench.instances.formats.source import Reader, TextFile


def sniff(file: TextFile) -> bool:
    """Whether the file may be one: a header in words, or `Times` or twice as many rows as jobs."""
    first = file.rows[0].tokens
    if len(file.rows) < 2 or not file.is_numeric:
        return first[0].lower() == "nb"
    if file.rows[1].tokens[0].lower() == "times":
        return True
    return len(first) == 2 and first[0].isdigit() and len(file.rows) == 1 + 2 * int(first[0][:9])


def read(file: TextFile, options: Options) -> list[Shop]:
    """Read all shops of the file; where there are several their names end in -1, -2, ..."""
    reader = Reader(file, options.ticks_per_unit)
    shops = [_shop(reader, options)]
    while reader.next_is_word():
        shops.append(_shop(reader, options))
    reader.end_file(f"{len(shops)} pair(s) of matrices")
    if len(shops) == 1:
        return shops
    return [replace(shop, name=f"{shop.name}-{k}") for k, shop in enumerate(shops, 1)]


def _shop(reader: Reader, options: Options) -> Shop:
    count, machines, notes = _header(reader)
    numbering = Numbering(machines, options.base)
    times, order = [], []
    _title(reader, "times")
    for job in range(count):
        reader.row(f"times of job {job} of {count}")
        times.append([reader.ticks("duration") for _ in range(machines)])
        reader.end_row(f"{machines} times")
    _title(reader, "machines")
    for job in range(count):
        reader.row(f"machines of job {job} of {count}")
        order.append([numbering.machine(reader) for _ in range(machines)])
        reader.end_row(f"{machines} machines")
    rows = zip(order, times, strict=True)
    jobs = [[[pair] for pair in zip(*row, strict=True)] for row in rows]
    return Shop(
        name=reader.file.path.stem,
        format="taillard",
        machines=machines,
        jobs=numbering.from_zero(jobs),
        base=numbering.base,
        notes=numbering.notes + notes,
        ticks_per_unit=options.ticks_per_unit,
    )


def _header(reader: Reader) -> tuple[int, int, tuple[str, ...]]:
    """Take the counts, and what the file says about seeds and bounds."""
    if reader.next_is_word():
        reader.row("the names of the header")
        words = " ".join(reader.token("") for _ in range(reader.tokens_left))
        if not words.lower().startswith("nb of jobs"):
            raise reader.refuse("expected 'Nb of jobs, Nb of Machines, ...' or numbers")
    count, machines = header(reader)
    if not reader.tokens_left:
        return count, machines, ()
    for what in ("time seed", "machine seed"):
        reader.whole(what, 0, 2**63)
    upper, lower = (reader.whole(f"{side} bound", 0, 2**62) for side in ("upper", "lower"))
    reader.end_row("jobs machines, two seeds, upper and lower bound")
    return count, machines, (f"the file itself states the bounds {lower} .. {upper}",)


def _title(reader: Reader, word: str) -> None:
    """Take the line with the name of a matrix, where there is one."""
    if reader.next_is_word():
        reader.row(word)
        if reader.token(word).lower() != word:
            raise reader.refuse(f"expected the title '{word.capitalize()}' or a row of numbers")
        reader.end_row(f"the title '{word.capitalize()}'")
