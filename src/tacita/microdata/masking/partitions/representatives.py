"""Representatives: the number, or the record, that stands for a group."""

from __future__ import annotations

import numpy as np

from tacita.arithmetic import log, log1p
from tacita.data.classes import Floats, Ints, Mask

HUGE, SHIFT = 1e250, 200  # sums of larger numbers might have no double; divided by 2^200 they do
EQUAL = 1e-9  # up to which halves of a group's weight are equal, rounding aside


def means(values: Floats, labels: Ints, weights: Floats) -> Floats:
    """Return the weighted mean of every group, exact but for its last digits.

    Differences from a member are averaged, so that an offset costs no digit and the mean of equal
    values is that value.

    >>> means(np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]), np.array([3.0, 1.0, 1.0]))
    array([1.25, 5.  ])
    """
    from tacita.kernels.by_group import sum_by_group

    if np.abs(values).max(initial=0.0) > HUGE:
        return np.ldexp(means(np.ldexp(values, -SHIFT), labels, weights), SHIFT)
    first = first_of(labels)
    rest = (values - values[first][labels]) * weights
    totals = sum_by_group(labels, weights, len(first))
    return values[first] + sum_by_group(labels, rest, len(first)) / totals


def medians(values: Floats, labels: Ints, weights: Floats) -> Floats:
    """Return the weighted median of every group: half of its weight lies on either side.

    Where a value ends just at the half, it is the middle between that value and the next.

    >>> medians(np.array([4.0, 1.0, 2.0, 9.0]), np.zeros(4, np.int64), np.ones(4))
    array([3.])
    """
    order = np.lexsort((values, labels))
    values, labels, weights = values[order], labels[order], in_parts(weights, labels)[order]
    ends = np.cumsum(np.bincount(labels))
    reached = np.cumsum(weights)
    before = np.append(0.0, reached[ends[:-1] - 1])[labels]
    totals = reached[ends - 1][labels] - before
    share = (reached - before) / totals
    lower, upper = (values[first_of(labels, share >= 0.5 + by)] for by in (-EQUAL, EQUAL))
    return lower / 2 + upper / 2


def in_parts(weights: Floats, labels: Ints) -> Floats:
    """Return weights divided by a power of two that brings those of every group to about 1.

    One running sum over all groups then loses no digit of a light group after a heavy one.

    >>> in_parts(np.array([2.0, 6.0, 0.25, 0.25]), np.array([0, 0, 1, 1]))
    array([0.125, 0.375, 0.25 , 0.25 ])
    """
    return np.ldexp(weights, -np.frexp(np.bincount(labels, weights))[1][labels])


def drawn(labels: Ints, weights: Floats, rng: np.random.Generator) -> Ints:
    """Draw a record of every group, with probabilities that are in proportion to the weights."""
    # The first of waiting times with these rates (Efraimidis & Spirakis 2006), by their logarithms.
    return least_of(log(-log1p(-rng.random(len(labels)))) - log(weights), labels)


def least_of(values: Floats | Ints, labels: Ints) -> Ints:
    """Return the record of every group with the least value; of equal ones the first."""
    order = np.lexsort((values, labels))
    return order[first_of(labels[order])]


def first_of(labels: Ints, among: Mask | None = None) -> Ints:
    """Return the first record of every group, or the first of some records.

    >>> first_of(np.array([1, 0, 1]))
    array([1, 0])
    """
    rows = np.arange(len(labels)) if among is None else np.flatnonzero(among)
    first = np.empty(int(labels.max(initial=-1)) + 1, np.int64)
    first[labels[rows[::-1]]] = rows[::-1]  # the last to be written is the first record
    return first
