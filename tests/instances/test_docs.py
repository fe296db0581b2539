"""docs/suites.md: its example runs, its table is the measured one, its keys are the schema's."""

from __future__ import annotations

import re
from pathlib import Path

from desbench.instances.schema import Area, Capability, Cell, Jobs, Machine, Shop, Travel, Vehicles
from desbench.instances.suite import load_suite
from desbench.instances.survey import table
from instances.files import loaded

PAGE = Path(__file__).resolve().parents[2] / "docs" / "suites.md"


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_the_example_is_a_suite_of_about_thirty_lines(tmp_path: Path) -> None:
    """What a newcomer copies must run."""
    blocks = re.findall(r"```yaml\n(.*?)```", page(), re.DOTALL)
    assert len(blocks) == 1
    assert blocks[0].count("\n") <= 33
    suite = loaded(tmp_path, blocks[0], "my_shop.yaml")
    assert len(suite.realise(suite.cases()[0]).job_names) == 12


def test_the_table_of_properties_is_up_to_date() -> None:
    """After a change of a suite, print the survey again."""
    suites = [load_suite("intercell_a5c12_harder"), load_suite("intercell_a3c9_wide")]
    assert table(suites) in page()


def test_every_key_is_explained() -> None:
    """A key of the schema that the page does not name is a key nobody finds."""
    text = page()
    for model in (Shop, Area, Cell, Machine, Capability, Travel, Vehicles, Jobs):
        for name, field in model.model_fields.items():
            key = field.alias or name
            assert re.search(rf"[`.]{key}\b|`[^`]*\b{key}\b[^`]*`", text), f"{model.__name__}.{key}"
