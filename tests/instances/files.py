"""A small suite as text, to be broken by the tests."""

from __future__ import annotations

from pathlib import Path

from desbench.instances.suite import Suite, load_suite

SHOP = """\
seeds: {test: [0]}
travel: {default: 1}
capabilities: {cut: {duration: 5}, mill: {duration: {uniform: [4, 9]}, families: [a, b]}}
areas:
  A1:
    cells:
      C1: {can: [cut]}
      C2: {can: [mill], inbound: 2}
jobs: {count: 4, route: cut mill, arrivals: {between: {exponential: 3}}}
"""


def write(folder: Path, text: str | bytes, name: str = "shop.yaml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def loaded(folder: Path, text: str | bytes, name: str = "shop.yaml") -> Suite:
    return load_suite(write(folder, text, name))


def changed(*replacements: tuple[str, str]) -> str:
    """`SHOP` with texts replaced; each must occur."""
    text = SHOP
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return text
