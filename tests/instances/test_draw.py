"""Keyed streams: names and seeds make chance, nothing else does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desbench.errors import InputError
from desbench.instances.draw import Streams, open_unit


def test_numbers_of_a_stream_are_fixed_for_ever() -> None:
    """A change of the keys would silently change every published case."""
    numbers = Streams("main", 0).uniforms("duration", "J0", 2)
    assert numbers == [0.11042661439596857, 0.01401549219210707]


def test_every_part_of_the_key_counts() -> None:
    """Another key, seed, quantity or entity is another stream; parts do not run into each other."""
    streams = [
        Streams("a", 0).uniforms("up", "M1", 1),
        Streams("b", 0).uniforms("up", "M1", 1),
        Streams("a", 1).uniforms("up", "M1", 1),
        Streams("a", 2).uniforms("up", "M1", 1),
        Streams("a", 0).uniforms("repair", "M1", 1),
        Streams("a", 0).uniforms("up", "M2", 1),
        Streams("a", 0).uniforms("upM", "1", 1),
    ]
    assert len({tuple(numbers) for numbers in streams}) == len(streams)


def test_endless_and_counted_numbers_are_the_same() -> None:
    """Draw k of an entity does not depend on how many are asked for."""
    endless = Streams("a", 7).endless("up", "M1")
    assert [next(endless) for _ in range(5)] == Streams("a", 7).uniforms("up", "M1", 5)


@given(st.floats(0, 1, exclude_max=True))
def test_numbers_stay_off_both_ends(number: float) -> None:
    """log(0) and the quantile of 1 cannot occur."""
    assert 0 < open_unit(number) < 1


@pytest.mark.parametrize("seed", [-1, 2**63, 2**80, 1.0, "1", None, True])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    """Silently wrapped or rounded seeds would repeat cases."""
    with pytest.raises(InputError, match="seed="):
        Streams("a", seed)


@pytest.mark.parametrize("seed", [0, 2**63 - 1, np.int64(5)])
def test_zero_and_the_largest_seed_are_seeds(seed: Any) -> None:
    """Seed 0 must not mean "no seed"."""
    assert Streams("a", seed).uniforms("up", "M1", 1) == Streams("a", seed).uniforms("up", "M1", 1)
