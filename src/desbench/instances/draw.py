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
_BLOCK = 16  #: numbers drawn at once where nobody knows how many are needed
_ZEROS = np.zeros(4, dtype=np.uint64)


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
        self._seed = key.encode(), str(self.seed).encode()
        self._philox = np.random.Philox(key=0)
        self._generator = np.random.Generator(self._philox)
        self._start = self._philox.state

    def generator(self, quantity: str, entity: str) -> np.random.Generator:
        """Give the stream of one quantity of one entity, from its first number.

        It is this stream until the next one is asked for: a generator that is wound back to the
        start of another key costs a tenth of a new one, and a case has some two hundred streams.
        """
        encoded = (*self._seed, quantity.encode(), entity.encode())
        sizes = b"%d,%d,%d,%d" % tuple(map(len, encoded))  # "ab", "c" is not "a", "bc"
        digest = hashlib.sha256(b"|".join((sizes, *encoded))).digest()
        key = int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:16], "little")
        self._start["state"] = {"counter": _ZEROS, "key": np.array(key, dtype=np.uint64)}
        self._philox.state = self._start
        return self._generator

    def uniforms(self, quantity: str, entity: str, count: int) -> list[float]:
        """First `count` numbers of a stream, each in (0, 1), ends excluded."""
        return [open_unit(x) for x in self.generator(quantity, entity).random(count).tolist()]

    def endless(self, quantity: str, entity: str) -> Iterator[float]:
        """All numbers of a stream, each in (0, 1)."""
        generator = self.generator(quantity, entity)
        while True:
            block = generator.random(_BLOCK).tolist()
            after = self._philox.state  # others have the generator meanwhile
            yield from map(open_unit, block)
            self._philox.state = after


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
