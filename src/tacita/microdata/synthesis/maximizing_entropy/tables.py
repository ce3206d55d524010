"""The table of largest entropy among those with given margins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.data.classes import Floats, Ints

ROUNDS = 10_000  # of fitting all margins
ACCURACY = 1e-10  # of shares


def fitted_table(
    codes: Ints, sizes: Sequence[int], margins: Sequence[tuple[int, ...]], weights: Floats | None
) -> Floats:
    """Fit a table of shares to the margins of records, by iterative proportional fitting.

    It begins uniform, so that it has the largest entropy of all tables with these margins.

    >>> codes = np.array([[0, 0, 0, 1], [0, 0, 1, 1]])
    >>> fitted_table(codes, [2, 2], [(0,), (1,)], None)
    array([[0.375, 0.375],
           [0.125, 0.125]])

    Args:
        codes: factors by records.
        sizes: how many categories each factor has.
        margins: the factors of each margin; every factor is in one.
        weights: what records count; once by default.
    """
    table = np.full(sizes, 1 / np.prod(sizes))
    wanted = [_margin(codes, sizes, margin, weights) for margin in margins]
    for _ in range(ROUNDS if len(margins) > 1 else 1):
        largest = 0.0
        for margin, target in zip(margins, wanted, strict=True):
            others = tuple(axis for axis in range(len(sizes)) if axis not in margin)
            found = table.sum(axis=others, keepdims=True)
            largest = max(largest, float(np.abs(found - target).max()))
            table *= np.divide(target, found, out=np.zeros_like(found), where=found > 0)
        if largest <= ACCURACY:
            break
    return table


def _margin(
    codes: Ints, sizes: Sequence[int], margin: tuple[int, ...], weights: Floats | None
) -> Floats:
    """Return the shares of a margin, with one category for every other factor."""
    shape = [size if axis in margin else 1 for axis, size in enumerate(sizes)]
    chosen = sorted(margin)
    cells = np.ravel_multi_index(tuple(codes[chosen]), [sizes[axis] for axis in chosen])
    counts = np.bincount(cells, weights, int(np.prod(shape)))
    return np.asarray(counts / counts.sum()).reshape(shape)
