"""What several tests start from."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

import tacita as ta
from tacita.data.dataset import Dataset

settings.register_profile(
    "tacita", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tacita")


@pytest.fixture(scope="session")
def toy() -> Dataset:
    """Three hundred records with an attribute of every kind and role."""
    return ta.example("toy", 300)


@pytest.fixture(scope="session")
def patients() -> Dataset:
    """Two thousand hospital discharges."""
    return ta.example("patients", 2000)
