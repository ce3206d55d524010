"""Margins that add up: noisy numbers of several groupings, made consistent afterwards.

The cells of the finest grouping are estimated from all numbers, which costs nothing, and added up
to all margins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from tacita.data.classes import Ints
from tacita.mechanisms.private.consistency import fitted_parts, in_whole_units
from tacita.queries.private.parts import Groups

Of = tuple[int, ...]
Group = tuple[Any, ...]
Noisy = dict[Of, dict[Group, int]]


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
    if any(len(sets) < sets.number for sets in groups.values()):
        return noisy
    sums = _sums(noisy, finest)
    cells = _estimated(noisy, sums, scales)
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


def _estimated(noisy: Noisy, sums: Mapping[Of, Any], scales: Mapping[Of, float]) -> Ints:
    """Return the cells that fit all numbers best, in whole units."""
    told = np.concatenate([np.array(list(noisy[of].values()), float) for of in sums])
    of_number = np.concatenate([np.full(len(noisy[of]), scales[of]) for of in sums])
    return in_whole_units(fitted_parts(sparse.vstack(list(sums.values())), told, of_number))
