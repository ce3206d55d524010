"""Pairing items that lie in a row, each with a random one that lies not far ahead."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

TAKEN = -1


def pair_ahead(
    order: Ints | Places, ahead: Ints | Places, draws: Iterable[Floats], partner: Places
) -> int:
    """Pair every item with one of the free ones that follow it, all of them equally likely.

    The items are taken in their order; one that was chosen before is passed over, and one that
    finds nobody free ahead stays alone.

    >>> partner = np.arange(5, dtype=np.int32)
    >>> pair_ahead(np.array([4, 2, 0, 1, 3]), np.array([1]), [np.zeros(2)], partner)
    2
    >>> partner
    array([1, 0, 4, 3, 2], dtype=int32)

    Args:
        order: the numbers of the items, in the order in which they lie.
        ahead: how many places ahead an item of each place may look (0 or more), or one number for
            all; no item sees less far than the one before.
        draws: uniform in [0, 1), one for each two items, in pieces that need not be there at once.
        partner: for each number the number itself; partners are written into it.

    Returns:
        How many pairs there are.
    """
    if ahead.size not in (1, order.size):
        raise ValueError(f"{order.size} items, and {ahead.size} reaches: one, or one for each")
    # Numbers of 32 bits: half the memory traffic.
    held = frozen(order, np.int32), frozen(ahead, np.int32)
    reach = min(int(ahead.max(initial=0)), order.size)
    mask = (1 << reach.bit_length()) - 1  # a ring of more than the items looked at together
    free, spot = np.empty((2, min(mask + 1, order.size)), np.int32)
    state = np.zeros(3, np.int64)
    pairs = 0
    for piece in draws:
        pairs += _pair(*held, frozen(piece, np.float64), free, spot, mask, partner, state)
    if state[0] < order.size - 1:
        raise ValueError(f"too few draws: {order.size} items need one for each two")
    return pairs


def warm_up() -> None:
    """Compile the kernels of this module."""
    pair_ahead(np.arange(2), np.array([1]), [np.zeros(1)], np.arange(2, dtype=np.int32))


@kernel
def _pair(
    order: Places,
    ahead: Places,
    draws: Floats,
    free: Places,
    spot: Places,
    mask: int,
    partner: Places,
    state: Ints,
) -> int:
    """Keep the free places in sight in a list, and where in it each of them stands.

    It goes on from ``state`` (the item, the places in sight, the free ones of them) until the draws
    are used up.
    """
    begun, entered, size = state
    pairs, last = 0, order.size - 1
    for i in range(begun, order.size):
        stop = min(i + (ahead[0] if ahead.size == 1 else ahead[i]), last)
        while entered <= stop:
            free[size], spot[entered & mask] = entered, size
            size, entered = size + 1, entered + 1
        state[0], state[1], state[2] = i, entered, size
        if spot[i & mask] == TAKEN:
            continue
        if size > 1:
            if pairs == draws.size:
                return pairs
            size = _take(spot[i & mask], free, spot, mask, size)
            chosen = int(draws[pairs] * size)
            one, other = order[i], order[free[chosen]]
            size = _take(chosen, free, spot, mask, size)
            partner[one], partner[other] = other, one
            pairs += 1
        else:
            size = _take(spot[i & mask], free, spot, mask, size)
    state[0] = order.size
    return pairs


@kernel
def _take(place: int, free: Places, spot: Places, mask: int, size: int) -> int:
    """Take one out of the list; the last one fills the gap."""
    gone, moved = free[place], free[size - 1]
    free[place], spot[moved & mask] = moved, place
    spot[gone & mask] = TAKEN
    return size - 1
