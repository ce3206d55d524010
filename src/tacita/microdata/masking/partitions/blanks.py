"""Blanks: which values can stay where records may only be grouped with the same blanks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

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
    ends = {cell: _settled(here, k) for cell, here in counts.items()}
    kept = [ends[cell][pattern] for cell, pattern in places]
    bits = [[pattern >> place & 1 for place in range(known.shape[1])] for pattern in kept]
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


def _settled(counts: Mapping[int, int], k: int) -> dict[int, int]:
    """Return for every pattern (a bit for each value) the pattern that is left of it."""
    left, ends = dict(counts), {pattern: pattern for pattern in counts}
    while small := [pattern for pattern, count in left.items() if pattern and count < k]:
        # The fullest first: what it turns into has fewer values, so that it never comes back.
        one = max(small, key=lambda pattern: (pattern.bit_count(), pattern))
        common = {one & other for other in left} - {one} | {0}
        target = max(common, key=lambda bits: (bits.bit_count(), left.get(bits, 0), bits))
        left[target] = left.get(target, 0) + left.pop(one)
        for pattern, end in ends.items():
            ends[pattern] = target if end == one else end
    return ends
