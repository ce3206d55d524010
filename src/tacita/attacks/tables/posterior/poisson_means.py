"""What an intruder expects of a count before looking at its cell: the product of its margins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import factorial

import numpy as np

from tacita.errors import InputError
from tacita.tables.dimension import NONE, Dimension
from tacita.tables.table import Table


def margins(table: Table, axis: int) -> list[Fraction]:
    """Return how many respondents have each code of an attribute, as far as that is published.

    Codes that are not published are taken to have equal parts of what the others leave of the code
    above them; where nothing seems to be left, one respondent each.

    Raises:
        InputError: the grand total is suppressed.
    """
    dimension = table.dimensions[axis]
    rows = table.find(np.arange(len(dimension)) * table.strides[axis])
    shown = (rows != NONE) & ~table.cells.suppressed[rows]
    known = {
        int(code): Fraction(int(table.cells.value[rows[code]])) for code in np.flatnonzero(shown)
    }
    if 0 not in known:
        raise InputError(
            f"The grand total of `{table.name}` is suppressed; the Poisson prior needs it. Take "
            "the uniform prior."
        )
    found: list[Fraction] = []
    for code in range(len(dimension)):  # codes come after the codes above them
        found.append(known[code] if code in known else _equal_part(dimension, code, known, found))
    return found


def _equal_part(
    dimension: Dimension, code: int, known: Mapping[int, Fraction], found: Sequence[Fraction]
) -> Fraction:
    """Return the part of a code in what the published codes beside it leave."""
    parents = next(parents for parents in dimension.parents if parents[code] != NONE)
    siblings = np.flatnonzero(parents == parents[code]).tolist()
    published = [known[sibling] for sibling in siblings if sibling in known]
    left = found[parents[code]] - sum(published, Fraction(0))
    return left / (len(siblings) - len(published)) if left > 0 else Fraction(1)


def mean_of(table: Table, row: int, by_axis: list[list[Fraction]]) -> Fraction:
    """Return the count that a cell would have if the attributes had nothing to do with another.

    Of nobody it is 0, whatever is assumed of the margins.

    Args:
        table: the published table.
        row: the cell.
        by_axis: the margins of every attribute.
    """
    total = by_axis[0][0] if by_axis else Fraction(1)
    if not total:
        return total
    mean = total
    for margin, place in zip(by_axis, table.places[row], strict=True):
        mean *= margin[place] / total
    return mean


def poisson_weights(mean: Fraction, least: int, most: int) -> list[int]:
    """Return Poisson probabilities of the counts from `least` to `most`, times a common factor.

    >>> poisson_weights(Fraction(1, 2), 0, 2)  # 1 : 1/2 : 1/8
    [8, 4, 1]
    """
    above, below = mean.numerator, mean.denominator
    return [
        above ** (count - least) * below ** (most - count) * (factorial(most) // factorial(count))
        for count in range(least, most + 1)
    ]
