"""Slow and plain: what follows from sums, by elimination with fractions, record by record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest

Rows = Sequence[Sequence[int]]


@pytest.fixture(scope="session")
def determined() -> Callable[[Rows], set[int]]:
    """Return the unknowns that equations determine, each asked for itself."""
    return _determined


@pytest.fixture(scope="session")
def follows() -> Callable[[Rows, Sequence[int]], bool]:
    """Tell whether a row is a linear combination of others."""
    return lambda rows, row: not any(_less(_reduced(rows), row))


def _determined(rows: Rows) -> set[int]:
    form = _reduced(rows)
    size = len(rows[0]) if rows else 0
    units = ([int(place == column) for column in range(size)] for place in range(size))
    return {place for place, unit in enumerate(units) if not any(_less(form, unit))}


def _reduced(rows: Rows) -> dict[int, list[Fraction]]:
    """Return the reduced row echelon form: of each pivot column its row."""
    form: dict[int, list[Fraction]] = {}
    for row in rows:
        left = _less(form, row)
        lead = next((column for column, value in enumerate(left) if value), None)
        if lead is None:
            continue
        left = [value / left[lead] for value in left]
        for pivot, other in form.items():
            form[pivot] = [a - other[lead] * b for a, b in zip(other, left, strict=True)]
        form[lead] = left
    return form


def _less(form: dict[int, list[Fraction]], row: Sequence[int]) -> list[Fraction]:
    left = [Fraction(value) for value in row]
    for pivot, other in form.items():
        factor = left[pivot]
        left = [a - factor * b for a, b in zip(left, other, strict=True)]
    return left
