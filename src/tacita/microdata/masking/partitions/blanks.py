"""Blanks: which values can stay where records may only be grouped with the same blanks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from heapq import heapify, heappop, heappush

import numpy as np

from tacita.data.classes import Ints, Mask


def shared_blanks(known: Mask, cells: Ints, k: int) -> Mask:
    """Tell which values stay so that in every cell each pattern of blanks has k records.

    Records whose pattern fewer than k records of their cell share give up further values: those
    that the pattern with the most values in common lacks, until k share what is left or nothing is.

    >>> known = np.array([[1, 1], [1, 1], [1, 0], [1, 0], [0, 1]], bool)
    >>> shared_blanks(known, np.zeros(5, np.int64), k=2).tolist()[-2:]
    [[True, False], [False, False]]

    Args:
        known: records by attributes: where there is a value.
        cells: the number of every record's cell; only records of one cell are grouped. Each has at
            least k.
        k: how many records must share a pattern.
    """
    if known.all():
        return known
    from tacita.kernels.grouping import group

    found = group([cells, *known.T])
    patterns = [_bits(row) for row in known[found.first].tolist()]
    places = list(zip(cells[found.first].tolist(), patterns, strict=True))
    counts: dict[int, dict[int, int]] = defaultdict(dict)
    for (cell, pattern), count in zip(places, found.counts.tolist(), strict=True):
        counts[cell][pattern] = count
    ends = {cell: _settled(here, k, known.shape[1]) for cell, here in counts.items()}
    kept = [ends[cell][pattern] for cell, pattern in places]
    bits = [_row(pattern, known.shape[1]) for pattern in kept]
    return np.array(bits, np.bool_)[found.ids]


def cells_of(kept: Mask, cells: Ints) -> list[tuple[Ints, Mask]]:
    """Return the records of every cell that share a pattern of blanks, and what they all have.

    Records without any value are left out.
    """
    from tacita.kernels.grouping import group

    found = group([cells, *kept.T])
    order = np.argsort(found.ids, kind="stable")
    parts = np.split(order, np.cumsum(found.counts)[:-1])
    return [(rows, kept[rows[0]]) for rows in parts if kept[rows[0]].any()]


def _bits(row: list[bool]) -> int:
    """Return a pattern as a number with a bit for each value that is there."""
    return sum(1 << place for place, there in enumerate(row) if there)


def _row(pattern: int, width: int) -> list[int]:
    return [pattern >> place & 1 for place in range(width)]


def _settled(counts: Mapping[int, int], k: int, width: int) -> dict[int, int]:
    """Return for every pattern (a bit for each value) the pattern that is left of it."""
    left, patterns, became = dict(counts), list(counts), {}
    places = {pattern: place for place, pattern in enumerate(patterns)}
    table = np.array([_row(pattern, width) for pattern in patterns], np.float32)
    # The fullest first: what it turns into has fewer values, so that it never comes back.
    waiting = [(-pattern.bit_count(), -pattern) for pattern in patterns if pattern]
    heapify(waiting)
    while waiting:
        one = -heappop(waiting)[1]
        if left[one] >= k:
            continue
        place = places[one]
        shared = table @ table[place]
        shared[shared == one.bit_count()] = 0  # with itself and with what holds all of it
        nearest = np.flatnonzero(shared == shared.max())
        common = {one & patterns[other] for other in nearest} if shared.any() else {0}
        target = max(common, key=lambda pattern: (left.get(pattern, 0), pattern))
        if target and target not in left:
            places[target] = place
            heappush(waiting, (-target.bit_count(), -target))
        patterns[place] = target if places.get(target) == place else 0
        table[place] = _row(patterns[place], width)
        left[target] = left.get(target, 0) + left.pop(one)
        became[one] = target
    return {pattern: _end(pattern, became) for pattern in counts}


def _end(pattern: int, became: Mapping[int, int]) -> int:
    while pattern in became:
        pattern = became[pattern]
    return pattern
