"""Pairing items that lie in a row, each with a random one that lies not far ahead."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

TAKEN = -1


def pair_ahead(order: Ints | Places, ahead: Ints | Places, draws: Floats, partner: Places) -> int:
    """Pair every item with one of the free ones that follow it, all of them equally likely.

    The items are taken in their order; one that was chosen before is passed over, and one that
    finds nobody free ahead stays alone.

    >>> partner = np.arange(5, dtype=np.int32)
    >>> pair_ahead(np.array([4, 2, 0, 1, 3]), np.array([1]), np.zeros(2), partner)
    2
    >>> partner
    array([1, 0, 4, 3, 2], dtype=int32)

    Args:
        order: the numbers of the items, in the order in which they lie.
        ahead: how many places ahead an item of each place may look (0 or more), or one number for
            all; no item sees less far than the one before.
        draws: uniform in [0, 1), one for each two items.
        partner: for each number the number itself; partners are written into it.

    Returns:
        How many pairs there are.
    """
    if draws.size < order.size // 2 or ahead.size not in (1, order.size):
        raise ValueError(f"too few: {order.size} items, {ahead.size} reaches, {draws.size} draws")
    reach = min(int(ahead.max(initial=0)), order.size)
    room = 1 << reach.bit_length()  # more than the items that are looked at together
    free, spot = np.empty((2, room), np.int32)
    # Numbers of 32 bits: half the memory traffic.
    held = frozen(order, np.int32), frozen(ahead, np.int32), frozen(draws, np.float64)
    return _pair(*held, free, spot, partner)


def warm_up() -> None:
    """Compile the kernels of this module."""
    pair_ahead(np.arange(2), np.array([1]), np.zeros(1), np.arange(2, dtype=np.int32))


@kernel
def _pair(
    order: Places, ahead: Places, draws: Floats, free: Places, spot: Places, partner: Places
) -> int:
    """Keep the free places in sight in a list, and where in it each of them stands."""
    entered, size, pairs, last, mask = 0, 0, 0, order.size - 1, spot.size - 1
    for i in range(order.size):
        stop = min(i + (ahead[0] if ahead.size == 1 else ahead[i]), last)
        while entered <= stop:
            free[size], spot[entered & mask] = entered, size
            size, entered = size + 1, entered + 1
        if spot[i & mask] == TAKEN:
            continue
        size = _take(spot[i & mask], free, spot, size)
        if size:
            chosen = int(draws[pairs] * size)
            one, other = order[i], order[free[chosen]]
            size = _take(chosen, free, spot, size)
            partner[one], partner[other] = other, one
            pairs += 1
    return pairs


@kernel
def _take(place: int, free: Places, spot: Places, size: int) -> int:
    """Take one out of the list; the last one fills the gap."""
    mask = spot.size - 1
    gone, moved = free[place], free[size - 1]
    free[place], spot[moved & mask] = moved, place
    spot[gone & mask] = TAKEN
    return size - 1
