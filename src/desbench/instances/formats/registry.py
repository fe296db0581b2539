"""All importers: found by file name, chosen by the content of a file or by the user.

An importer is a module of this package with `sniff(file) -> bool`, a quick look that must not
refuse what `read` accepts, and `read(file, options) -> list[Shop]`, which accounts for every token.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from desbench.errors import InputError
from desbench.instances import formats
from desbench.instances.complaints import near
from desbench.instances.formats import tables
from desbench.instances.formats.layout import is_layout, with_layout
from desbench.instances.formats.options import Options
from desbench.instances.formats.shop import Shop
from desbench.instances.formats.source import Refused, TextFile, read_text

AUTOMATIC = Options()


@cache
def importers() -> dict[str, Any]:
    """All importers of text files by name."""
    modules = {
        module.name: importlib.import_module(f"{formats.__name__}.{module.name}")
        for module in pkgutil.iter_modules(formats.__path__)
    }
    return {name: module for name, module in modules.items() if hasattr(module, "sniff")}


def names() -> list[str]:
    """Names of all formats."""
    return sorted([*importers(), tables.NAME])


def read(path: str | Path, options: Options = AUTOMATIC) -> list[Shop]:
    """Read all shops of a file, or the shop of a folder of tables.

    Raises
    ------
    Refused
        Naming file, line and token, and the format that would fit where one does.
    """
    path = Path(path)
    if options.format is not None and options.format not in names():
        raise InputError(f"format={options.format}{near(options.format, names())}")
    if path.is_dir():
        if options.format not in (None, tables.NAME):
            raise Refused(f"{path}: a folder, must be a file in the format {options.format}")
        return [tables.read(path, options)]
    if options.format == tables.NAME:
        raise Refused(f"{path}: a file, must be a folder that holds {tables.NEEDED}")
    file = read_text(path)
    found = _asked(file, options.format, options) if options.format else _detected(file, options)
    return [with_layout(shop, options) for shop in found]


def read_one(path: str | Path, options: Options = AUTOMATIC) -> Shop:
    """Read one shop: the only one, or the one that `options.instance` names."""
    shops = read(path, options)
    by_name = {shop.name: shop for shop in shops}
    if options.instance is not None:
        if options.instance not in by_name:
            hint = near(options.instance, by_name)
            raise Refused(f"{path}: holds no instance {options.instance}{hint}")
        return by_name[options.instance]
    if len(shops) > 1:
        first = ", ".join(list(by_name)[:3])
        raise Refused(
            f"{path}: holds {len(shops)} instances ({first}, ...); name one with --instance"
        )
    return shops[0]


def read_folder(
    folder: Path, options: Options = AUTOMATIC
) -> Iterator[tuple[Path, list[Shop] | Refused]]:
    """Read every file below a folder, by path: its shops, or why it was refused.

    A folder of tables counts as one file; hidden files and the layout itself are passed over.
    """
    layout = None if options.layout is None else options.layout.resolve()
    for path in _files(folder):
        if path.resolve() == layout:
            continue
        own = replace(options, layout=None) if path.is_dir() else options
        try:
            yield path, read(path, own)
        except Refused as error:
            yield path, error


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if tables.is_tables(Path(place)):
            folders.clear()
            yield Path(place)
            continue
        yield from (Path(place, name) for name in sorted(files) if not name.startswith("."))


def _asked(file: TextFile, asked: str, options: Options) -> list[Shop]:
    """Read as the user says; where that fails look for a neighbour that fits."""
    try:
        return list(importers()[asked].read(file, options))
    except Refused as error:
        fitting = [
            name
            for name, module in importers().items()
            if name != asked and module.sniff(file) and _fits(module, file, options)
        ]
        if not fitting:
            raise
        hint = f"it fits the format {' and '.join(fitting)}: --format {fitting[0]}"
        raise Refused(f"{error}; {hint}", error.line) from None


def _fits(module: Any, file: TextFile, options: Options) -> bool:
    try:
        return bool(module.read(file, options))
    except Refused:
        return False


def _detected(file: TextFile, options: Options) -> list[Shop]:
    """Read as the one format that fits from the first to the last token."""
    tried = {name: module for name, module in importers().items() if module.sniff(file)}
    if not tried:
        rule = f"begins like no format known ({', '.join(names())})"
        raise Refused(f"{file.path}, line {file.rows[0].line}: {rule}", file.rows[0].line)
    found: dict[str, list[Shop]] = {}
    errors: dict[str, Refused] = {}
    for name, module in tried.items():
        try:
            found[name] = module.read(file, options)
        except Refused as error:
            errors[name] = error
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        choice = " or --format ".join(found)
        raise Refused(f"{file.path}: fits the formats {' and '.join(found)}; say --format {choice}")
    if is_layout(file):
        raise Refused(f"{file.path}, line 1: a layout, no shop; name it with --layout")
    nearest = max(errors, key=lambda name: (errors[name].line, errors[name].token))
    others = [name for name in errors if name != nearest]
    also = f"; nor does it fit {', '.join(others)}" if others else ""
    raise Refused(f"{errors[nearest]} (read as {nearest}{also})", errors[nearest].line)
