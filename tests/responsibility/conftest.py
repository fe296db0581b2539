"""The exploration says in the report of the tests how much it has seen."""

from __future__ import annotations

from collections.abc import Callable

import pytest

LINES = pytest.StashKey[list[str]]()


@pytest.fixture
def in_report(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Put a line under the results."""
    return request.config.stash.setdefault(LINES, []).append


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Show the lines of all tests that ran."""
    lines = config.stash.get(LINES, [])
    if lines:
        terminalreporter.section("commitment machine, explored exhaustively")
        for line in lines:
            terminalreporter.write_line(line)
