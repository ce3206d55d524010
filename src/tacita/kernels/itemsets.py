"""Rare combinations of items in sets, found depth first.

Sets lie one after the other in one array, the items of each ascending. Below a combination of items
stand the places behind its last item in every set that holds it; what follows there makes the
combinations with one item more. They are listed for one combination of each size at a time, so that
memory grows with the items and the size, not with the number of combinations.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]

NO_ITEM = -1  # stands behind the last item of a combination that is smaller than others


class Itemsets(NamedTuple):
    """Combinations of items, one a row with `NO_ITEM` at its end, and how many sets hold each."""

    items: Ints
    support: Ints


def rarest_itemset(starts: Ints, items: Ints, largest: int) -> Itemsets:
    """Return the combination of up to `largest` items that the fewest sets hold, at least one.

    >>> rarest_itemset(np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 1]), 2)
    Itemsets(items=array([[ 0, -1]]), support=array([2]))

    Args:
        starts: where the items of every set begin, and where the last has ended.
        items: the items of all sets, from 0 on, in every set ascending and each once.
        largest: the most items in a combination, 1 or more.
    """
    return _itemsets(starts, items, largest, 0, 1)


def rare_itemsets(starts: Ints, items: Ints, largest: int, below: int, most: int) -> Itemsets:
    """Return combinations of up to `largest` items that some sets hold, but fewer than `below`.

    Of a combination that begins with a rare one nothing is said.

    >>> rare_itemsets(np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 2]), 2, 2, 9)
    Itemsets(items=array([[ 2, -1]]), support=array([1]))

    Args:
        starts: where the items of every set begin, and where the last has ended.
        items: the items of all sets, from 0 on, in every set ascending and each once.
        largest: the most items in a combination, 1 or more.
        below: how many sets are enough.
        most: so many combinations at most are returned, the first by their items.
    """
    return _itemsets(starts, items, largest, below, most)


def _itemsets(starts: Ints, items: Ints, largest: int, below: int, most: int) -> Itemsets:
    lengths = np.diff(starts)
    longest = int(lengths.max(initial=0))
    ends = np.repeat(starts[1:], lengths)
    size = max(min(largest, longest), 1)
    found = Itemsets(np.full((most, size), NO_ITEM), np.zeros(most, np.int64))
    count = _search(
        frozen(starts[:-1][lengths > 0], np.int64),
        frozen(ends, np.int64),
        frozen(items, np.int64),
        int(items.max(initial=-1)) + 1,
        below,
        found.items,
        found.support,
    )
    return Itemsets(found.items[:count], found.support[:count])


@kernel
def _search(
    begins: Any, ends: Any, items: Any, size: int, below: int, found: Any, support: Any
) -> Any:
    """Write the rare combinations, with `below` 0 the rarest one; return how many."""
    most, deepest = found.shape
    counts = np.zeros(size, np.int64)  # of the items below one combination, emptied after use
    places = np.empty((deepest, len(items)), np.int64)
    words = np.empty((deepest, size), np.int64)
    stops = np.empty((deepest, size), np.int64)
    widths, turn = np.zeros(deepest, np.int64), np.zeros(deepest, np.int64)
    widths[0] = _below(begins, 0, ends, items, counts, places[0], words[0], stops[0])
    depth, number = 0, 0
    while depth >= 0:
        if turn[depth] == widths[depth]:
            depth -= 1
            continue
        start = stops[depth, turn[depth] - 1] if turn[depth] else 0
        stop = stops[depth, turn[depth]]
        turn[depth] += 1
        is_rare = stop - start < below if below else number == 0 or stop - start < support[0]
        if is_rare:
            number = number + 1 if below else 1
            support[number - 1] = stop - start
            for d in range(deepest):
                found[number - 1, d] = words[d, turn[d] - 1] if d <= depth else NO_ITEM
            if number == most and (below or support[0] == 1):
                return number  # no more is asked for, or nothing can be rarer
        if depth + 1 < deepest and not (is_rare and below):
            held = places[depth, start:stop]
            depth += 1
            turn[depth] = 0
            # The combination goes on behind the places of its last item.
            widths[depth] = _below(
                held, 1, ends, items, counts, places[depth], words[depth], stops[depth]
            )
    return number


@kernel
def _below(
    begins: Any, skip: int, ends: Any, items: Any, counts: Any, places: Any, words: Any, stops: Any
) -> Any:
    """List the items from some places on, ascending, and where each occurs; return how many."""
    width = 0
    for begin in begins:
        for place in range(begin + skip, ends[begin]):
            if counts[items[place]] == 0:
                words[width] = items[place]
                width += 1
            counts[items[place]] += 1
    words[:width].sort()
    total = 0
    for turn in range(width):
        total += counts[words[turn]]
        stops[turn] = total
        counts[words[turn]] = total - counts[words[turn]]  # where the next occurrence is written
    for begin in begins:
        for place in range(begin + skip, ends[begin]):
            places[counts[items[place]]] = place
            counts[items[place]] += 1
    counts[words[:width]] = 0
    return width


def warm_up() -> None:
    """Compile the kernels of this module."""
    rarest_itemset(np.array([0, 1, 2]), np.array([0, 0]), 2)
