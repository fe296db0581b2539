"""The marker of this folder: `pytest -m analytic` runs it alone, `-m 'not analytic'` without it."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    line = "analytic: simulated figures against exact ones over many seeds; about half a minute"
    config.addinivalue_line("markers", line)
