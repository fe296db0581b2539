"""Keyed random streams: chance depends on names and a seed, never on order or position.

A stream is one Philox generator whose key is SHA-256 of (stream key, seed, quantity, entity name).
Number k of the stream is draw k of that entity. So one more machine, another buffer or another
order of drawing changes no draw of anything else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from desbench.errors import InputError

MAX_SEED = 2**63
_GRID = 2**52


class Streams:
    """All streams of one case.

    Parameters
    ----------
    key
        The stream key of the profile (default its id).
    seed
        0 <= seed < 2**63; 0 is a seed like any other.
    """

    def __init__(self, key: str, seed: int) -> None:
        self.key = key
        self.seed = check_seed(seed)

    def generator(self, quantity: str, entity: str) -> np.random.Generator:
        """Give the stream of one quantity of one entity, from its first number."""
        parts = [self.key, str(self.seed), quantity, entity]
        encoded = [part.encode() for part in parts]
        sizes = ",".join(str(len(part)) for part in encoded)  # "ab", "c" is not "a", "bc"
        sha = hashlib.sha256(b"|".join([sizes.encode(), *encoded]))
        key = int.from_bytes(sha.digest()[:16], "little")
        return np.random.Generator(np.random.Philox(key=key))

    def uniforms(self, quantity: str, entity: str, count: int) -> list[float]:
        """First `count` numbers of a stream, each in (0, 1), ends excluded."""
        return [open_unit(x) for x in self.generator(quantity, entity).random(count).tolist()]

    def endless(self, quantity: str, entity: str) -> Iterator[float]:
        """All numbers of a stream, each in (0, 1)."""
        generator = self.generator(quantity, entity)
        while True:
            yield open_unit(generator.random())


def open_unit(number: float) -> float:
    """Move a number of [0, 1) to the middle of its step on a grid of 2**52, within (0, 1)."""
    return (int(number * _GRID) + 0.5) / _GRID


def check_seed(seed: Any) -> int:
    """Return `seed` if it is one.

    Raises
    ------
    InputError
        For anything but a whole number 0 .. 2**63 - 1.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise InputError(f"seed={seed!r}, must be a whole number.")
    if not 0 <= seed < MAX_SEED:
        raise InputError(f"seed={seed}, must be >= 0 and < 2**63.")
    return int(seed)
