"""Importers: files of the field become a Shop, a Shop becomes an Instance or a suite.

>>> from desbench.instances import formats
>>> formats.names()
['deroussi', 'fjsp', 'jsp', 'sdst', 'tables', 'taillard', 'transport', 'transport_json']
>>> formats.reference("ft06").upper
55
"""

from __future__ import annotations

from pathlib import Path

from desbench.instances.formats.arrays import to_instance
from desbench.instances.formats.known import Reference, reference, reference_of
from desbench.instances.formats.options import Options
from desbench.instances.formats.registry import names, read, read_one
from desbench.instances.formats.shop import Shop
from desbench.instances.formats.source import Refused
from desbench.instances.formats.suite_file import suite_text, write_suite
from desbench.instances.formats.table_files import write as write_tables
from desbench.instances.instance import Instance

__all__ = [
    "Options",
    "Reference",
    "Refused",
    "Shop",
    "load",
    "names",
    "read",
    "read_one",
    "reference",
    "reference_of",
    "suite_text",
    "to_instance",
    "write_suite",
    "write_tables",
]


def load(path: str | Path, options: Options | None = None) -> Instance:
    """Read the one instance of a file or of a folder of tables."""
    return to_instance(read_one(path, options or Options()))
