"""What tables show besides counts and sums: means, ratios, percentages and medians."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import fsum

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.engines.contributions import Units
from tacita.tables.aggregating import levels_of
from tacita.tables.dimension import NONE, Dimension, Places
from tacita.tables.table import Table, numbers_of

FINE = 2.0**52  # steps that weights which are no decimals are told in


def quotients(numerator: Floats, denominator: Floats) -> Floats:
    """Divide sums by sums; NaN where there is nothing to divide by.

    >>> quotients(np.array([6.0, 1.0]), np.array([4.0, 0.0]))
    array([1.5, nan])
    """
    found = np.full(len(numerator), np.nan)
    np.divide(numerator, denominator, out=found, where=denominator != 0)
    return found


def percentages(table: Table, along: str | None) -> Floats:
    """Return what percentage each cell is of a total.

    Args:
        table: the table.
        along: the attribute along which percentages add up to 100; None for the grand total.
    """
    whole = table.places.copy()
    for axis, dimension in enumerate(table.dimensions):
        if along in (None, dimension.name):
            whole[:, axis] = 0
    value = table.cells.value
    return quotients(100 * value, value[table.find(numbers_of(whole, table.strides))])


def medians(
    dimensions: Sequence[Dimension], places: Places, values: Floats, weights: Ints, strides: Ints
) -> tuple[Ints, Floats]:
    """Return the numbers of the cells that have a median, and their medians.

    The median is the value with half of the weight below it and half above; between two values
    that part the weight in equal halves, it is their mean.

    Args:
        dimensions: the attributes that span the table.
        places: the leaf of every value in each dimension.
        values: the values, each known.
        weights: how much each counts.
        strides: how combinations of codes are numbered.
    """
    order = np.argsort(values, kind="stable")
    places, values, weights = places[order], values[order], weights[order]
    found = []
    for levels in product(*map(levels_of, dimensions)):
        above = np.column_stack([level[places[:, axis]] for axis, level in enumerate(levels)])
        kept = (above != NONE).all(axis=1)
        if kept.any():
            cells = numbers_of(above[kept], strides)
            found.append(_medians(cells, values[kept], weights[kept]))
    cells, middle = (np.concatenate(part) for part in zip(*found, strict=True))
    return cells, middle


def _medians(cells: Ints, values: Floats, weights: Ints) -> tuple[Ints, Floats]:
    """Return the cells and their medians, of values in ascending order."""
    order = np.argsort(cells, kind="stable")
    cells, values, reached = cells[order], values[order], np.cumsum(weights[order])
    numbers, start = np.unique(cells, return_index=True)
    end = np.append(start[1:], len(cells))
    before = np.append(0, reached)[start]
    doubled = before + reached[end - 1]  # twice the weight at which half of a cell is reached
    low = np.searchsorted(2 * reached, doubled, "left")
    high = np.searchsorted(2 * reached, doubled, "right")
    return numbers, (values[low] + values[high]) / 2


def whole_weights(units: Units, sums: Ints) -> Ints:
    """Return sums of weights as whole numbers, exactly if the weights are decimals."""
    whole: Ints = sums[0]
    if units.decimals is None:
        weights = units.number(sums)
        whole = np.maximum(np.round(weights * (FINE / fsum(weights))), 1).astype(np.int64)
    return whole
