"""Pairs of original and synthetic records, in which every synthetic record is taken once."""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Floats, Ints

EXACTLY = 1000  # records up to which the sum of all squared distances is the smallest
CUT = 250  # records of the parts into which more are cut; 20 ms each


def partners(values: Floats, made: Floats) -> Ints:
    """Return for every record the synthetic one that it is paired with, each another.

    The sum of the squared distances is the smallest there is. More records than `EXACTLY` are cut
    at the middle rank of the attribute that varies most, original and synthetic ones each, until
    the parts are small, and are paired within these.

    >>> partners(np.array([[1.0], [2.0], [9.0]]), np.array([[8.0], [2.5], [3.0]])).tolist()
    [1, 2, 0]

    Args:
        values: records by attributes, in units that can be compared.
        made: the synthetic ones; as many, or more of which the nearest are taken.
    """
    found = np.empty(len(values), np.int64)
    parts = [(np.arange(len(values)), np.arange(len(made)))]
    cut = len(values) == len(made) > EXACTLY
    while parts:
        own, others = parts.pop()
        if cut and len(own) > CUT:
            parts += _halves(values, made, own, others)
        else:
            found[own] = others[_assigned(values[own], made[others])]
    return found


def _halves(values: Floats, made: Floats, own: Ints, others: Ints) -> list[tuple[Ints, Ints]]:
    varies = values[own].var(axis=0) + made[others].var(axis=0)
    widest, half = int(np.argmax(varies)), len(own) // 2
    own = own[np.argsort(values[own, widest], kind="stable")]
    others = others[np.argsort(made[others, widest], kind="stable")]
    return [(own[:half], others[:half]), (own[half:], others[half:])]


def _assigned(values: Floats, made: Floats) -> Ints:
    """Solve the assignment problem."""
    from scipy.optimize import linear_sum_assignment

    costs = np.zeros((len(values), len(made)))
    for one, other in zip(values.T, made.T, strict=True):
        costs += np.square(np.subtract.outer(one, other))
    return np.asarray(linear_sum_assignment(costs)[1])
