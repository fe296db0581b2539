"""The pages show what the code does."""

from __future__ import annotations

import pytest

from protocol.pages import BLOCKS, shown


@pytest.mark.parametrize("page, name", BLOCKS)
def test_generated_parts_are_up_to_date(page: str, name: str) -> None:
    """A reader checks an own protocol or runner against them (`python tests/protocol/pages.py`)."""
    assert shown(page, name) == BLOCKS[page, name]()
