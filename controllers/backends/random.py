"""Random: any legal action with equal chance, the same ones for the same case and replicate."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from random import Random
from typing import Any

View = Mapping[str, Any]


class RandomBackend:
    """Draws from a stream of its own, keyed by seed, case and replicate.

    Parameters
    ----------
    seed
        Another seed gives other actions on the same case.
    """

    source = "random"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._rng = Random(seed)

    def reset(self, info: Mapping[str, Any]) -> None:
        """Begin the stream of a case."""
        key = f"{self.seed}|{info['case']}|{info['digest']}|{info['replicate']}".encode()
        self._rng = Random(int.from_bytes(hashlib.sha256(key).digest(), "big"))

    def decide(self, view: View) -> int:
        """Return one of the legal actions."""
        legal: list[int] = view["legal_actions"]
        return legal[int(self._rng.random() * len(legal))]


BACKEND = RandomBackend
