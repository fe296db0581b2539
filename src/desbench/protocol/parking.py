"""Parking: what has been declined or has failed, and until when it is not asked again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Growth = Callable[[int], int]  #: how often the commitment of a cell has decreased


class Parking:
    """Closed items, pairs (item, area) and cells.

    *Declined by choice* is closed until time moves. *Failed for want of room* is closed until room
    grows in one of the cells concerned. A kept stranding is closed until it is named again. A
    stall lifts all.
    """

    __slots__ = ("_full", "_growth", "cells", "items", "kept", "pairs")

    def __init__(self, growth: Growth) -> None:
        self._growth = growth
        self._full: dict[tuple[int, int], tuple[Sequence[int], int]] = {}
        self.items: set[int] = set()
        self.pairs: set[tuple[int, int]] = set()
        self.cells: set[int] = set()  #: closed for dispatch
        self.kept: set[int] = set()  #: strandings that nobody took

    def time_moved(self) -> None:
        """Open what was declined by choice."""
        self.items.clear()
        self.pairs.clear()
        self.cells.clear()

    def lift(self) -> None:
        """Open everything: nothing else moves."""
        self.time_moved()
        self._full.clear()
        self.kept.clear()

    def decline(self, job: int, area: int = -1) -> None:
        """Close an item, or a pair, by choice."""
        if area < 0:
            self.items.add(job)
        else:
            self.pairs.add((job, area))

    def fail(self, job: int, area: int, cells: Sequence[int]) -> None:
        """Close an item (area -1), or a pair, until room grows in one of `cells`."""
        self._full[job, area] = cells, sum(map(self._growth, cells))

    def settled(self, job: int) -> None:
        """Forget failures of an item that has found a place."""
        if self._full:
            for key in [key for key in self._full if key[0] == job]:
                del self._full[key]

    def is_open(self, job: int, area: int = -1) -> bool:
        """Whether an item (area -1) or a pair may be tried. A closed item closes its pairs."""
        if job in self.items or (job, area) in self.pairs:
            return False
        return not self._full or not self._is_full((job, area))

    def _is_full(self, key: tuple[int, int]) -> bool:
        if key not in self._full:
            return False
        cells, growth = self._full[key]
        if sum(map(self._growth, cells)) == growth:
            return True
        del self._full[key]
        return False
