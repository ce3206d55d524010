"""The closest of many rows of numbers and codes, by looking at all of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import cut, frozen, kernel, spread, thread_count

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Rows = tuple[Floats, Ints]

GRAIN = 16  # rows that are worth a thread


def closest(
    rows: Rows, others: Rows, scales: Floats, *, threads: int | None = None
) -> tuple[Floats, Ints]:
    """Find for every row the squared distance to the closest of other rows, and its place.

    Numbers differ by the square of their difference over the scale of their column, codes by 1 if
    they are not the same; a blank number (NaN) differs from another blank by 0 and from a number by
    1. Of equally close rows the first is taken; where there are no other rows, the distance is
    infinite and the place -1.

    >>> rows = np.array([[0.0]]), np.array([[7]])
    >>> closest(rows, (np.array([[3.0], [1.0]]), np.array([[7], [8]])), np.ones(1))
    (array([2.]), array([1]))

    Args:
        rows: a matrix of numbers and a matrix of codes with as many rows.
        others: the same for the rows to choose from, with as many columns.
        scales: a positive number for each column of numbers. Differences are taken before they are
            scaled, so that those of equal whole numbers stay equal.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    # Sorted by one number, rows that lie too far off on it alone need not be looked at.
    leading = others[0][:, 0] if others[0].shape[1] else np.zeros(len(others[0]))
    order = np.argsort(leading, kind="stable")
    among = frozen(others[0][order], np.float64), frozen(others[1][order], np.int64)
    numbers, codes = frozen(rows[0], np.float64), frozen(rows[1], np.int64)
    blank_from = len(order) - int(np.count_nonzero(np.isnan(leading)))
    factors = frozen(1 / scales**2, np.float64)
    distances, places = np.full(len(numbers), np.inf), np.full(len(numbers), -1)
    workers = thread_count(threads, len(numbers), GRAIN)

    def find(part: slice) -> None:
        found = distances[part], places[part]
        _find(
            numbers[part], codes[part], *among, factors, frozen(order, np.int64), blank_from, *found
        )

    spread(find, cut(len(numbers), workers), workers)
    return distances, places


def warm_up() -> None:
    """Compile the kernels of this module."""
    one = np.zeros((1, 1)), np.zeros((1, 1), np.int64)
    closest(one, one, np.ones(1))


@kernel
def _find(
    numbers: Floats,
    codes: Ints,
    other_numbers: Floats,
    other_codes: Ints,
    factors: Floats,
    order: Ints,
    blank_from: int,
    distances: Floats,
    places: Ints,
) -> None:
    """Look to both sides of where a row would stand, as far as its first number may lie off."""
    for i in range(numbers.shape[0]):
        first = numbers[i, 0] if numbers.shape[1] else 0.0
        start = 0
        if numbers.shape[1]:
            start = int(np.searchsorted(other_numbers[:blank_from, 0], first))
        best, place = np.inf, -1
        for low, high, step in (
            (start, blank_from, 1),
            (start - 1, -1, -1),
            (blank_from, order.size, 1),
        ):
            for j in range(low, high, step):
                if numbers.shape[1] and _squared(first, other_numbers[j, 0], factors[0]) > best:
                    break
                total = _distance(numbers, codes, i, other_numbers, other_codes, j, factors, best)
                if total < best or (total == best and order[j] < place):
                    best, place = total, order[j]
                # Equal rows stand in the order of their places, so that the first is the one.
                if best == 0.0:
                    break
            if best == 0.0:
                break
        distances[i], places[i] = best, place


@kernel
def _distance(
    a: Floats,
    a_codes: Ints,
    i: int,
    b: Floats,
    b_codes: Ints,
    j: int,
    factors: Floats,
    limit: float,
) -> float:
    """Return the squared distance of two rows, or infinity as soon as it is above a limit."""
    total = 0.0
    for k in range(a.shape[1]):
        total += _squared(a[i, k], b[j, k], factors[k])
        if total > limit:
            return np.inf
    for k in range(a_codes.shape[1]):
        total += a_codes[i, k] != b_codes[j, k]
        if total > limit:
            return np.inf
    return total


@kernel
def _squared(a: float, b: float, factor: float) -> float:
    """Square the scaled difference of two numbers of which either may be blank."""
    if np.isnan(a) or np.isnan(b):
        return 0.0 if np.isnan(a) and np.isnan(b) else 1.0
    return (a - b) * (a - b) * factor
