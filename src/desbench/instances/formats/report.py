"""What the user learns about an imported file: a few lines, or one row of a table."""

from __future__ import annotations

from collections.abc import Iterator

from desbench.instances.formats.known import reference, reference_of
from desbench.instances.formats.shop import Shop

COLUMNS = "file instance format base jobs machines operations alternatives unused reference".split()
SHOWN = 10  #: unused machines named
NONE = "-"


def describe(shop: Shop, asked_format: bool = False, asked_base: bool = False) -> Iterator[str]:
    """Yield the lines of a report.

    Parameters
    ----------
    asked_format, asked_base
        Whether the user named them; else the report says that they were detected.
    """
    yield f"instance      {shop.name}"
    yield f"format        {shop.format}{'' if asked_format else ' (detected)'}"
    if shop.base is not None:
        how = "" if asked_base or shop.travel is not None else " (detected)"
        yield f"base          machines count from {shop.base} in the file{how}"
    yield f"jobs          {len(shop.jobs)}"
    yield f"machines      {shop.machines}"
    yield f"operations    {shop.operations}"
    per_operation = shop.alternatives / shop.operations
    yield f"alternatives  {shop.alternatives} ({per_operation:.2f} per operation)"
    if shop.revisits:
        yield f"revisits      {shop.revisits} jobs may come to a machine more than once"
    if shop.setups is not None:
        yield "setups        by machine, operation before and next operation"
    if shop.travel is not None:
        yield f"vehicles      {shop.vehicles or 'unlimited'}"
    if shop.unused:
        yield f"unused        machines {unused(shop)} (kept)"
    yield f"reference     {_reference(shop)}"
    yield from (f"note          {note}" for note in shop.notes)


def row(file: str, shop: Shop) -> list[str]:
    """Give one row of `COLUMNS`."""
    known = reference_of(shop)
    counts = (len(shop.jobs), shop.machines, shop.operations, shop.alternatives, len(shop.unused))
    base = NONE if shop.base is None else str(shop.base)
    bound = NONE if known is None else _bounds(known.lower, known.upper)
    return [file, shop.name, shop.format, base, *map(str, counts), bound]


def unused(shop: Shop) -> str:
    """Name the unused machines as the Instance does, the first ones."""
    more = f" and {len(shop.unused) - SHOWN} more" if len(shop.unused) > SHOWN else ""
    return ", ".join(f"M{machine}" for machine in shop.unused[:SHOWN]) + more


def _bounds(lower: int, upper: int) -> str:
    return str(upper) if lower == upper else f"{lower}..{upper}"


def _reference(shop: Shop) -> str:
    known = reference_of(shop)
    if known is not None:
        kind = "optimum" if known.kind == "optimum" else "best known"
        also = "" if known.name == shop.name else f"{known.name}; "
        bounds = _bounds(known.lower, known.upper)
        return f"makespan {bounds} ({kind}; {also}{known.source}, {known.date})"
    if reference(shop.name) is not None:
        return f"none: its content is not that of the published {shop.name}"
    return "none"
