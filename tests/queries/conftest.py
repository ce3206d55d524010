"""The salary table of fifteen employees that teaches what queries can tell."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tacita as ta
from tacita.queries.public_classes import PublicClasses

SALARIES = {
    "id": list(range(1, 16)),
    "salary": [
        *(500000, 320000, 32000, 35000, 34000, 28000, 300000, 45000),
        *(34000, 45000, 34000, 24000, 300000, 35000, 150000),
    ],
    "sector": ["IT"] * 6 + ["HC"] * 6 + ["Fin"] * 3,
    "region": ["BCN"] * 3 + ["TGN"] * 3 + ["BCN"] * 3 + ["TGN"] * 3 + ["BCN"] * 2 + ["TGN"],
}
ROLES = {"id": "identifier", "salary": "confidential", "sector": "key", "region": "key"}


@pytest.fixture(scope="session")
def employees() -> ta.Microdata:
    return ta.read(pa.table(SALARIES), roles=ROLES)


@pytest.fixture(scope="session")
def salaries(employees) -> PublicClasses:
    return PublicClasses.of(employees, "salaries")
