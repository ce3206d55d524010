"""Pairs of units that lie in one cell and not in the same part of it."""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Ints, Mask

Pairs = tuple[Ints, Ints]


def paired_apart(cells: Ints, parts: Ints | Mask, urgent: Mask, rng: np.random.Generator) -> Pairs:
    """Pair units of one cell that lie in different parts, at random and as many as can be.

    In each cell the units are laid in a row, part after part, the largest first. Of s units, the
    largest part having d, the one at place i meets the one at place i + max(d, s // 2), which lies
    in another part. Who is urgent stands first in the part, so that of a part that is larger than
    all the others together these are paired; an odd one out is urgent only where it must be.

    >>> apart = paired_apart(np.array([0, 0, 0, 1, 1]), np.array([3, 3, 4, 3, 3]),
    ...                      np.array([0, 1, 0, 0, 0], bool), np.random.default_rng(0))
    >>> [one.tolist() for one in apart]
    [[1], [2]]

    Args:
        cells: the cell of every unit, in which its partner must lie.
        parts: the part of it in which its partner must not lie.
        urgent: which units come first.
        rng: where chance comes from.

    Returns:
        The first and the second units of the pairs; no unit is in two of them.
    """
    from tacita.kernels.grouping import group

    here = group([cells]).ids
    part, first, sizes = group([here, parts])
    turn = _turns(here[first], part, sizes, urgent, rng)
    order = np.lexsort([rng.permutation(len(here)), ~urgent, turn[part], here])
    size, place = _places(here[order])
    largest = np.zeros(int(here.max(initial=-1)) + 1, np.int64)
    np.maximum.at(largest, here[first], sizes)
    step = np.maximum(largest[here[order]], size // 2)
    ones = np.flatnonzero(place < np.minimum(step, size - step))
    return order[ones], order[ones + step[ones]]


def _turns(cells: Ints, part: Ints, sizes: Ints, urgent: Mask, rng: np.random.Generator) -> Ints:
    """Put the parts of cells in random order, but a largest one first.

    Parts in which all are urgent do not come last: whoever stands last may be left over.
    """
    chance = rng.permutation(len(sizes))
    has_patient = np.bincount(part[~urgent], minlength=len(sizes)) > 0
    by_size = np.lexsort([chance, has_patient, -sizes, cells])
    is_first = np.zeros(len(sizes), np.bool_)
    is_first[by_size[np.diff(cells[by_size], prepend=-1) > 0]] = True
    turn = np.empty(len(sizes), np.int64)
    turn[np.lexsort([chance, has_patient, ~is_first])] = np.arange(len(sizes))
    return turn


def _places(cells: Ints) -> Pairs:
    """Return of units sorted by cell how many lie in their cell, and their place in it."""
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    sizes = np.diff(np.append(starts, len(cells)))
    return np.repeat(sizes, sizes), np.arange(len(cells)) - np.repeat(starts, sizes)


def partners(size: int, pairs: Pairs) -> Ints:
    """Return for every one of so many units the one it is paired with; itself where with none.

    >>> partners(4, (np.array([0]), np.array([3])))
    array([3, 1, 2, 0])
    """
    found = np.arange(size)
    found[pairs[0]], found[pairs[1]] = pairs[1], pairs[0]
    return found
