"""The worked example of the page is what the protocols do."""

from __future__ import annotations

import pytest

from protocol.worked import rows


@pytest.mark.parametrize(
    "paradigm, per_item, repair",
    [
        ("centralized_plant", 1, 3),  # failure, cancel, reroute
        ("hierarchical_chain", 3, 5),  # failure, escalate, delegate, cancel, reroute
        ("heterarchical_cnp", 10, 2 + 10),  # failure, cancel, then a second round
        ("holonic_hybrid", 3, 4),  # failure, reroute, accept, cancel
    ],
)
def test_counts_of_the_example(paradigm: str, per_item: int, repair: int) -> None:
    """Four items without trouble, 1, 3, 3n+1 (n = 3) and 3 messages each, then one repair."""
    found = rows(paradigm)
    assert len(found) == 4 * per_item + repair
    conversations = [row[1] for row in found]
    assert [conversations.count(number) for number in (1, 2, 3, 4)] == [per_item] * 4
    assert conversations == sorted(conversations)
