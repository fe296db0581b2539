"""What all tests share: hypothesis settings that do not depend on how busy the computer is."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "desbench", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("desbench")
