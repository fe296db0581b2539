"""The shape of delegation: depth, breadth and hub share of a set of commitments."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from desbench.paradigms.responsibility.commitment import Commitment


class Shape(NamedTuple):
    """Three numbers about who delegated to whom; all 0 without commitments."""

    depth: int  #: delegators in the longest chain: 1 if nobody passed anything on
    breadth: int  #: most agents that one delegator asked for one item, under one commitment
    hub_share: float  #: largest share of the agreements that one delegatee holds


def shape(commitments: Iterable[Commitment]) -> Shape:
    """Measure a set of commitments: all of a book, or those of one item or agent.

    Depth and hub share count agreements: commitments that were accepted at some time.
    """
    asked: dict[tuple[str, str | None, str], set[str]] = defaultdict(set)
    held: Counter[str] = Counter()
    depth = 0
    for commitment in commitments:
        key = (commitment.delegator, commitment.parent, commitment.outcome.what)
        asked[key].add(commitment.delegatee)
        if commitment.agreed:
            held[commitment.delegatee] += 1
            depth = max(depth, len(commitment.chain))
    breadth = max(map(len, asked.values()), default=0)
    hub_share = max(held.values()) / held.total() if held else 0.0
    return Shape(depth, breadth, hub_share)
