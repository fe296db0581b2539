"""What the tests of language models share."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Name the group that needs a real model on this computer."""
    config.addinivalue_line("markers", "model: asks a small real model; needs xllamacpp")


@pytest.fixture(autouse=True)
def _no_key_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key or URL in the shell must not reach a test."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
