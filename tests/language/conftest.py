"""What the tests of language models share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_key_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key or URL in the shell must not reach a test."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
