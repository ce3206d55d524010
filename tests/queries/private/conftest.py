"""Small data with blanks, and the cells of questions about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest

import tacita as ta
from tacita.queries.cells import Cell
from tacita.queries.expanding import expand
from tacita.queries.language.parse import parse
from tacita.queries.public_classes import PublicClasses

ROLES = {"sector": "key", "region": "key", "pay": "confidential", "debt": "confidential"}


def classes(rows: Sequence[tuple[Any, ...]]) -> PublicClasses:
    """Make the classes of records of a sector, a region, a pay and a debt."""
    columns = dict(zip(ROLES, zip(*rows, strict=True), strict=True))
    kinds = [pa.string(), pa.string(), pa.float64(), pa.float64()]
    table = pa.table(
        {
            name: pa.array(values, kind)
            for (name, values), kind in zip(columns.items(), kinds, strict=True)
        }
    )
    return PublicClasses.of(ta.read(table, roles=ROLES), "firms")


@pytest.fixture(scope="session")
def firms() -> PublicClasses:
    return classes(
        [
            ("IT", "BCN", 50.0, -3.0),
            ("IT", "BCN", 32.5, 4.0),
            ("IT", "TGN", None, 1.0),
            ("HC", "TGN", 999.0, 9.0),
            ("HC", "BCN", 28.0, None),
            ("HC", "BCN", 45.0, 2.0),
            ("Fin", "TGN", 15.0, 6.0),
            ("Fin", "TGN", -7.0, 3.0),
        ]
    )


@pytest.fixture(scope="session")
def made() -> Callable[[Sequence[tuple[Any, ...]]], PublicClasses]:
    return classes


@pytest.fixture(scope="session")
def asked() -> Callable[[str, PublicClasses], tuple[Cell, ...]]:
    """Return what gives the cells of a question."""
    return lambda sql, data: expand(parse(sql, data), data)
