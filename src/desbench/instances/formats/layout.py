"""Travel times in a file of their own: a square matrix, place 0 the station, place m machine m."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from desbench.instances.formats import job_rows
from desbench.instances.formats.options import Options
from desbench.instances.formats.shop import Matrix, Shop
from desbench.instances.formats.source import MAX_MACHINES, Reader, Refused, TextFile, read_text


def with_layout(shop: Shop, options: Options) -> Shop:
    """Add the layout and the fleet that the user named to a shop."""
    if options.layout is not None:
        if shop.travel is not None:
            rule = f"{shop.format} states its travel times itself; leave --layout out"
            raise Refused(f"{options.layout}: {rule}")
        travel = read_layout(options.layout, shop.machines, options.ticks_per_unit)
        shop = replace(shop, travel=travel)
    if options.vehicles is not None:
        shop = replace(shop, vehicles=options.vehicles)
        if shop.travel is None:
            note = "vehicles without travel times (--layout) move in no time"
            shop = replace(shop, notes=(*shop.notes, note))
    elif options.layout is not None and shop.vehicles == 0:
        note = "the fleet is unlimited; --vehicles N limits it"
        shop = replace(shop, notes=(*shop.notes, note))
    return shop


def read_layout(path: Path, machines: int, ticks_per_unit: int) -> Matrix:
    """Read the matrix; its size may stand alone in the first row."""
    reader = Reader(read_text(path), ticks_per_unit)
    places = machines + 1
    rows = reader.file.rows
    if len(rows[0].tokens) == 1 and len(rows) > 1:
        reader.row("the number of places")
        size = reader.whole("number of places", 1, MAX_MACHINES + 1)
    else:
        size = len(rows)
    if size != places:
        raise Refused(
            f"{path}: a layout of {size} places, must be {places}: the station and one for each "
            f"of the {machines} machines"
        )
    found = job_rows.travel(reader, machines)
    reader.end_file(f"{places} rows")
    return found


def is_layout(file: TextFile) -> bool:
    """Whether a file looks like a travel matrix: square, with zeros from a place to itself."""
    rows = file.rows[1:] if len(file.rows[0].tokens) == 1 else file.rows
    size = len(rows)
    return size > 1 and all(
        len(row.tokens) == size and row.tokens[place] == "0" for place, row in enumerate(rows)
    )
