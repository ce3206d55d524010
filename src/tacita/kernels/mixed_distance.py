"""Rows of numbers and codes: their centre, their distances from a point, and the nearest."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def squared_distances(
    numbers: Floats, codes: Ints, rows: Ints, point: Floats, tables: list[Floats]
) -> Floats:
    """Find the squared distance of a point to some rows, one column after the other.

    >>> numbers, codes = np.array([[0.0], [3.0]]), np.array([[0], [1]])
    >>> squared_distances(numbers, codes, np.array([0, 1]), np.array([1.0]), [np.array([0.0, 0.5])])
    array([1. , 4.5])

    Args:
        numbers: a matrix of numbers.
        codes: a matrix of codes with as many rows.
        rows: the rows to look at.
        point: a number for each column of numbers.
        tables: for each column of codes, what each code adds.
    """
    starts = np.cumsum([0, *(len(table) for table in tables)])[: len(tables)]
    flat = np.concatenate([np.zeros(0), *tables])
    found = np.empty(len(rows))
    _measure(
        frozen(numbers, np.float64),
        frozen(codes, np.int64),
        frozen(rows, np.int64),
        frozen(point, np.float64),
        frozen(flat, np.float64),
        frozen(starts, np.int64),
        found,
    )
    return found


def column_means(numbers: Floats, rows: Ints) -> Floats:
    """Find the mean of each column over some rows, with Neumaier's compensation.

    >>> column_means(np.array([[1e100, 1.0], [2.0, 2.0], [-1e100, 6.0]]), np.array([0, 1, 2]))
    array([0.66666667, 3.        ])
    """
    totals, errors = np.zeros((2, numbers.shape[1]))
    _add(frozen(numbers, np.float64), frozen(rows, np.int64), totals, errors)
    means: Floats = (totals + errors) / len(rows)
    return means


def smallest(values: Floats, count: int) -> Ints:
    """Find the places of the smallest numbers, ascending; of equal ones the first comes first.

    >>> smallest(np.array([5.0, 1.0, 5.0, 1.0]), 3)
    array([1, 3, 0])
    """
    places = np.empty(min(count, len(values)), np.int64)
    _smallest(frozen(values, np.float64), places)
    return places


def least_of_each(values: Floats, groups: Ints, count: int) -> Ints:
    """Find the place of the smallest number in every group, the first of equal ones; -1 for none.

    >>> least_of_each(np.array([5.0, 1.0, 2.0, 1.0]), np.array([0, 2, 0, 2]), 3)
    array([ 2, -1,  1])
    """
    places = np.full(count, -1)
    _least_of_each(frozen(values, np.float64), frozen(groups, np.int64), places)
    return places


def warm_up() -> None:
    """Compile the kernels of this module."""
    codes = np.zeros((1, 1), np.int64)
    found = squared_distances(np.zeros((1, 1)), codes, codes[0], np.zeros(1), [np.zeros(1)])
    column_means(np.zeros((1, 1)), codes[0])
    smallest(found, 1)
    least_of_each(found, codes[0], 1)


@kernel
def _add(numbers: Floats, rows: Ints, totals: Floats, errors: Floats) -> None:
    """Add up columns, and what rounding loses."""
    for i in range(rows.size):
        for j in range(totals.size):
            before, value = totals[j], numbers[rows[i], j]
            total = before + value
            larger, smaller = (before, value) if abs(before) >= abs(value) else (value, before)
            errors[j] += (larger - total) + smaller
            totals[j] = total


@kernel
def _measure(
    numbers: Floats,
    codes: Ints,
    rows: Ints,
    point: Floats,
    tables: Floats,
    starts: Ints,
    found: Floats,
) -> None:
    for i in range(rows.size):
        row, total = rows[i], 0.0
        for j in range(point.size):
            gap = numbers[row, j] - point[j]
            total += gap * gap
        for j in range(starts.size):
            total += tables[starts[j] + codes[row, j]]
        found[i] = total


@kernel
def _smallest(values: Floats, places: Ints) -> None:
    """Keep the smallest numbers so far in order, and put each smaller one in its place."""
    size = 0
    for i in range(values.size):
        if size == places.size and (size == 0 or not values[i] < values[places[size - 1]]):
            continue
        at = min(size, places.size - 1)
        while at > 0 and values[places[at - 1]] > values[i]:
            places[at] = places[at - 1]
            at -= 1
        places[at] = i
        size = min(size + 1, places.size)


@kernel
def _least_of_each(values: Floats, groups: Ints, places: Ints) -> None:
    for i in range(values.size):
        best = places[groups[i]]
        if best < 0 or values[i] < values[best]:
            places[groups[i]] = i
