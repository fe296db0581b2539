"""The exploration says in the report of the tests how much it has seen."""

from __future__ import annotations

from collections.abc import Callable

import pytest

SEEN = "seen"


@pytest.fixture
def in_report(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Put a line under the results, also when the test runs in a worker."""
    return lambda line: record_property(SEEN, line)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show the lines of all tests that ran."""
    reports = [r for rs in terminalreporter.stats.values() for r in rs if hasattr(r, "when")]
    lines = [
        line
        for report in reports
        if report.when == "call"
        for name, line in report.user_properties
        if name == SEEN
    ]
    if lines:
        terminalreporter.section("commitment machine, explored exhaustively")
        for line in lines:
            terminalreporter.write_line(line)
