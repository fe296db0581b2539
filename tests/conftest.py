"""What all tests share: hypothesis settings that do not depend on how busy the computer is."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from desbench import paradigms, registry

settings.register_profile(
    "desbench", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("desbench")


@pytest.fixture(autouse=True)
def registrations_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is known to no other: `all` paradigms are the same in any order."""
    for holder in (registry, paradigms):
        monkeypatch.setattr(holder, "_registered", dict(holder._registered))
