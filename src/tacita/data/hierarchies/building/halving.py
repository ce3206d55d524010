"""Classes of neighbours, cut in two again and again: by their counts, or where they lie apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_FLOOR, Decimal, localcontext
from itertools import pairwise
from typing import Any

import numpy as np

from tacita.data.attribute import Kind
from tacita.data.hierarchies import Hierarchy
from tacita.data.hierarchies.building.values import Ints, Values, free, tree_of
from tacita.data.hierarchies.cuts import Bound, Cuts
from tacita.data.hierarchies.intervals import EXACT

LEVELS = 3
DIGITS = 800  # that a double needs at most, with all its zeros
Cut = Callable[[int, int], int]


def quantiles(values: Values, levels: int = LEVELS) -> Hierarchy:
    """Make classes of nearly equal numbers of records: 2 below the root, then 4, then 8.

    Every class is cut between the two values that make its halves most alike. Records with the same
    value stay together, so that halves are as equal as ties allow.
    """
    kinds = (Kind.CONTINUOUS, Kind.ORDINAL)
    values.refuse_other_than("quantiles", kinds, "numbers or ordinal categories")
    values = values.with_one_zero()
    return _nested(values, halved(len(values), levels, by_counts(values.counts)))


def gaps(values: Values, levels: int = LEVELS) -> Hierarchy:
    """Make classes of numbers that lie near: 2 below the root, then 4, then 8.

    Every class is cut where the sum of squares within its halves becomes the least.
    """
    values.refuse_other_than(
        "clustering", (Kind.CONTINUOUS,), "numbers, or `over`: another attribute that tells alike"
    )
    values = values.with_one_zero()
    return _nested(values, halved(len(values), levels, _by_squares(values)))


def halved(size: int, levels: int, cut: Cut) -> list[list[int]]:
    """Cut the places 0 to size in two again and again; return the cuts by level, finest first.

    A level with as many classes as values says nothing and is left out.

    >>> halved(8, 2, lambda start, stop: (start + stop) // 2)
    [[2, 4, 6], [4]]
    """
    found: list[list[int]] = [[]]
    for _ in range(levels):
        ends = [0, *found[-1], size]
        more = [cut(start, stop) for start, stop in pairwise(ends) if stop - start > 1]
        cuts = sorted((*found[-1], *more))
        if not more or len(cuts) + 1 == size:
            break
        found.append(cuts)
    return found[:0:-1]


def by_counts(counts: Ints) -> Cut:
    """Return what cuts a run of values into halves of nearly equal counts."""
    before = np.append(0, np.cumsum(counts))

    def cut(start: int, stop: int) -> int:
        halves = np.abs(2 * before[start + 1 : stop] - before[start] - before[stop])
        return start + 1 + int(halves.argmin())

    return cut


def _by_squares(values: Values) -> Cut:
    """Return what cuts a run of numbers where the squares between the halves are the largest."""
    half = values.numbers / 2  # the difference of two large numbers may be too large for a double
    centred = half - half[len(half) // 2]
    centred /= np.abs(centred).max() or 1.0
    count = np.append(0, np.cumsum(values.counts)).astype(np.float64)
    total = np.append(0, np.cumsum(values.counts * centred))

    def cut(start: int, stop: int) -> int:
        inner = slice(start + 1, stop)
        left, right = count[inner] - count[start], count[stop] - count[inner]
        below, above = total[inner] - total[start], total[stop] - total[inner]
        apart = below / left - above / right
        return start + 1 + int((left * right * apart * apart).argmax())

    return cut


def _nested(values: Values, levels: Sequence[Sequence[int]]) -> Hierarchy:
    """Turn cuts between values into a hierarchy: of bounds, or of runs of categories."""
    if values.kind is Kind.ORDINAL:
        words = values.words
        return tree_of(words, [_ranges(words, [0, *cuts, len(words)]) for cuts in levels])
    ends = {place: values.values[place - 1 : place + 1] for cuts in levels[:1] for place in cuts}
    bounds = {place: between(*pair.to_pylist()) for place, pair in ends.items()}
    return Cuts([[bounds[place] for place in cuts] for cuts in levels])


def _ranges(words: Sequence[str], ends: Sequence[int]) -> list[str]:
    """Name every category by the first and the last of its class."""
    told: list[str] = []
    for start, stop in pairwise(ends):
        several = free(f"{words[start]} to {words[stop - 1]}", words)
        told += [words[start] if stop - start == 1 else several] * (stop - start)
    return told


def between(low: Any, high: Any) -> Bound:
    """Return the number above one and up to another that is written with the fewest digits.

    >>> between(18.37, 21.02), between(19, 20), between(0.123, 0.1234)
    (20, 20, 0.1234)
    """
    if low < 0 <= high:
        return 0
    top, bottom = Decimal(str(high)), Decimal(str(low))
    reach = max(top.adjusted(), bottom.adjusted(), 0)
    last = min(int(top.as_tuple().exponent), 0)
    with localcontext(prec=DIGITS):
        for power in range(reach, last, -1):
            rounded = top.scaleb(-power).to_integral_value(ROUND_FLOOR).scaleb(power)
            # Beyond 2^53, the decimal digits of a double say another number than the double is.
            is_whole = power >= 0 and (isinstance(high, int) or abs(rounded) < EXACT)
            bound: Bound = int(rounded) if is_whole else float(rounded)
            if rounded > bottom and float(low) < bound <= high:
                return bound
    return high if isinstance(high, int | float) else float(high)
