"""Every fault of a server, under every framework: counted once, never scored, never in the way."""

from __future__ import annotations

import pytest

from language.faulttable import FRAMEWORKS, PAGE, page, table

pytest.importorskip("openai", reason="needs desbench[llm]")


@pytest.mark.slow
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_fault_matrix_is_the_one_on_the_page(framework: str) -> None:
    """The page shows one table for all frameworks, because all share one client and one gate."""
    if framework != "native":
        pytest.importorskip(framework, reason=f"needs desbench[{framework}]")
    made = page(table(framework))
    text = PAGE.read_text(encoding="utf-8")
    shown = text.partition("<!-- faults: begin -->")[2].partition("<!-- faults: end -->")[0]
    assert made == shown.strip()
