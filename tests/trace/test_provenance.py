"""Manifests: complete, strict, and silent about people and places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from desbench.errors import TraceError
from desbench.trace.provenance import dumps, provenance


def test_a_manifest_says_what_made_the_result() -> None:
    """Four parts, as in tskit, so that a run can be repeated from its manifest."""
    manifest = provenance({"suites": ["smoke"]})
    assert list(manifest) == ["schema_version", "software", "parameters", "environment"]
    assert {"desbench", "engine", "numpy", "pyarrow"} <= manifest["software"].keys()
    assert manifest["parameters"] == {"suites": ["smoke"]}
    assert "python" in manifest["environment"]


def test_a_manifest_is_strict_json_without_paths() -> None:
    """It is published with results; home folders are nobody's business."""
    text = dumps(provenance({}))
    json.loads(text, parse_constant=lambda name: pytest.fail(name))
    assert str(Path.home()) not in text


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_is_not_finite_is_refused_with_its_place(number: float) -> None:
    """`NaN` in a file breaks strict readers; the message must say where it came from."""
    with pytest.raises(TraceError, match=r"\$\.runs\[1\]\.cost"):
        dumps({"runs": [{"cost": 1.0}, {"cost": number}]})
