"""Who an answer is about: records with a value, and what share of it one of them carries.

A sum over n records is about n of them. A slope is not: it is a sum with coefficients that depend
on the regressor, and one person with an unusual public number carries nearly all of it.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.queries.cells import Cell
from tacita.queries.statistic import LINEAR, OF_TWO, Asked, Statistic

# What is a value of one record, or lies between two of them.
SINGLE_VALUES = frozenset({Statistic.MIN, Statistic.MAX, Statistic.QUANTILE})


def is_of_public(cell: Cell) -> bool:
    """Tell whether an answer tells of public attributes only, in a set that everybody can name."""
    return cell.members.is_public and all(map(cell.members.data.is_public, _named(cell.asked)))


def is_even_sum(cell: Cell) -> bool:
    """Tell whether an answer is a sum, or a mean, in which all records count alike.

    A count with weights is one of the weights.
    """
    asked = cell.asked
    return asked.statistic in LINEAR and not (asked.weighted and asked.attribute is not None)


def contributing(cell: Cell) -> int:
    """Return the number of records that an answer is about: those with a value of what is asked.

    Who has none counts as known to everybody, so that blanks protect nobody.
    """
    members, names = cell.members, _named(cell.asked)
    if not names:
        return members.size
    if members.is_public:
        return int(members.data.known_values(names)[members.places].sum())
    return len(contributors(cell))


def contributing_of_all(cell: Cell) -> int:
    """Return the number of records that the same answer about everybody would be about."""
    data, names = cell.members.data, _named(cell.asked)
    return int(data.known_values(names).sum()) if names else data.records


def contributors(cell: Cell) -> Ints:
    """Return the places of the records that an answer is about; see `contributing`."""
    rows = cell.members.rows
    return rows[cell.members.data.has_values(_named(cell.asked))[rows]]


def largest_share(cell: Cell) -> Fraction:
    """Return the largest share of one record in the coefficients of an answer, exactly.

    An answer that is linear in confidential values is a sum of c(i) x(i), with coefficients that
    everybody knows: 1 for counts and sums, weights for weighted sums, and z(i) - mean(z) for the
    covariance with a public z, the slope on it and, but for its scale, the correlation. The share
    is max |c(i)| / sum |c(i)|: 1 / n where all count alike, 1 where one record is all the answer is
    about, and 0 where nobody can move it. Other statistics count all records alike.

    """
    rows = contributors(cell)
    if not len(rows):
        return Fraction(0)
    coefficients = _coefficients(cell, rows)
    if coefficients is None:
        return Fraction(1, len(rows))
    # Few numbers occur often: each is turned into a fraction once.
    values, counts = np.unique(coefficients, return_counts=True)
    exact = [Fraction(one) for one in values.tolist()]
    times = counts.tolist()
    if cell.asked.statistic in OF_TWO:
        total = sum(one * n for one, n in zip(exact, times, strict=True))
        exact = [one * len(rows) - total for one in exact]
    sizes = [abs(one) for one in exact]
    whole = sum(size * n for size, n in zip(sizes, times, strict=True))
    return max(sizes) / whole if whole else Fraction(0)


def _coefficients(cell: Cell, rows: Ints) -> Floats | None:
    """Return what the coefficients follow from; None where all records count alike."""
    asked, data = cell.asked, cell.members.data
    if asked.statistic in OF_TWO:
        public = [name for name in _named(asked) if data.is_public(name)]
        return data.numbers(public[0])[rows] if public else None
    if asked.weighted and asked.attribute is not None and data.weights is not None:
        return data.weights[rows]
    return None


def _named(asked: Asked) -> tuple[str, ...]:
    return tuple(name for name in (asked.attribute, asked.other) if name is not None)
