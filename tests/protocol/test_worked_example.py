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


def test_responsibility_passes_on_revises_and_verifies() -> None:
    """8 messages an item; J3 is passed on to a teammate and J0 under the breakdown is revised.

    4 x 4 to agree, 4 x 4 to close, a third level for J3 (request, accept, report, verify), and
    for J0 inform, revise, accept. J3 was promised at 9 and is done at 11: violated once.
    """
    found = rows("responsibility_rcm")
    assert len(found) == 4 * 8 + 4 + 3
    words = [row[5] for row in found]
    assert [words.count(word) for word in ("verify", "violate", "terminate")] == [8, 1, 0]
    passed_on = [row[:6] for row in found if row[3] == "cell:C0" and row[4] == "cell:C1"]
    assert passed_on[0] == (2, 4, 3, "cell:C0", "cell:C1", "request")
