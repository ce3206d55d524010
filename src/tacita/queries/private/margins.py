"""Margins that add up: noisy numbers of several groupings, made consistent afterwards.

What is computed from noisy numbers costs nothing. The cells of the finest grouping are estimated
from all numbers by weighted least squares (Hay et al. 2010), rounded to whole units, and added up
to all margins, which are then exact sums and closer to the truth than they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsqr

from tacita.data.classes import Ints
from tacita.queries.private.parts import Groups

Of = tuple[int, ...]
Group = tuple[Any, ...]
Noisy = dict[Of, dict[Group, int]]
CLOSE = 1e-12  # how far the estimate may be from the best one, relative to it


def consistent(noisy: Noisy, groups: Mapping[Of, Groups], scales: Mapping[Of, float]) -> Noisy:
    """Return numbers in which every margin is the sum of its cells.

    Where no grouping is finer than all others, or cells of it are missing, nothing is changed.

    Args:
        noisy: the numbers, by grouping and group.
        groups: the query set of each.
        scales: the scale of the noise in each grouping.
    """
    finest = max(noisy, key=len)
    if len(noisy) == 1 or any(not set(of) <= set(finest) for of in noisy):
        return noisy
    sums = _sums(noisy, finest)
    if not _is_complete(sums, groups, finest):
        return noisy
    cells = _estimated(noisy, sums, scales, len(noisy[finest]))
    return {
        of: dict(zip(noisy[of], map(int, matrix @ cells), strict=True))
        for of, matrix in sums.items()
    }


def _sums(noisy: Noisy, finest: Of) -> dict[Of, Any]:
    """Return of every grouping the matrix that adds up the cells of the finest to it."""
    made = {}
    for of, rows in noisy.items():
        places = {_key(group, of): row for row, group in enumerate(rows)}
        found = [places.get(_key(group, of), -1) for group in noisy[finest]]
        row = np.array(found)
        there = np.flatnonzero(row >= 0)
        ones = np.ones(there.size, np.int64)
        shape = (len(rows), len(found))
        made[of] = sparse.csr_matrix((ones, (row[there], there)), shape)
    return made


def _key(group: Group, of: Of) -> Group:
    return tuple(group[place] for place in of)


def _is_complete(sums: Mapping[Of, Any], groups: Mapping[Of, Groups], finest: Of) -> bool:
    """Tell whether every margin is of the classes that its cells are of, which is public."""
    sizes = np.array([one.places.size for one in groups[finest].values()])
    return all(
        np.array_equal(matrix @ sizes, [one.places.size for one in groups[of].values()])
        for of, matrix in sums.items()
    )


def _estimated(
    noisy: Noisy, sums: Mapping[Of, Any], scales: Mapping[Of, float], cells: int
) -> Ints:
    """Return the cells that fit all numbers best, in whole units."""
    weighted = sparse.vstack([matrix / scales[of] for of, matrix in sums.items()]).tocsr()
    told = np.concatenate([np.array(list(noisy[of].values())) / scales[of] for of in sums])
    found = lsqr(weighted, told, atol=CLOSE, btol=CLOSE, iter_lim=4 * cells + 100)[0]
    # Rounded so that neighbouring cells together are off by no more than one is.
    whole: Ints = np.diff(np.rint(np.cumsum(found)), prepend=0).astype(np.int64)
    return whole
