"""Exchanging members of a set until it is spread over places in a row as a large histogram is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]


def exchange(members: Ints, waiting: Ints, large: Ints, enough: float) -> tuple[Ints, float]:
    """Exchange members for those that wait, one after the other, as long as that spreads them.

    The difference of a set of n to the large histogram of N in all is the sum over places of
    |F / n - Q / N|, what both have cumulated so far. Each that waits takes the place of the member
    for which the difference gets smallest (the first on ties), if it gets smaller at all.

    >>> exchange(np.array([0, 0]), np.array([0, 2]), np.array([1, 1, 1]), enough=0.5)
    (array([1, 3]), 0.3333333333333333)

    Args:
        members: the places of the members.
        waiting: the places of those that wait, in their turn.
        large: how often each place occurs in the large histogram, once in all at least.
        enough: the difference at which no more are exchanged.

    Returns:
        Who are members then, numbered from the first member to the last that waits, and the
        difference. Numbers are whole and exact as long as n * N * (number of places) is below 2^62.
    """
    n, total = len(members), int(large.sum())
    ahead = np.cumsum(total * np.bincount(members, minlength=len(large)) - n * large)
    who, places = np.arange(n), members.astype(np.int64)
    _exchange(who, places, frozen(waiting, np.int64), ahead, total, enough * n * total)
    return np.sort(who), float(np.abs(ahead).sum()) / (n * total)


def warm_up() -> None:
    """Compile the kernels of this module."""
    exchange(np.zeros(1, np.int64), np.ones(1, np.int64), np.ones(2, np.int64), 0.0)


@kernel
def _exchange(
    who: Ints, places: Ints, waiting: Ints, ahead: Ints, total: int, enough: float
) -> None:
    fewer, more = np.zeros((2, ahead.size + 1), dtype=np.int64)
    work = _gains(ahead, total, fewer, more)
    for turn in range(waiting.size):
        if work <= enough:
            return
        comes, leaves, least = waiting[turn], -1, 0
        for i in range(places.size):
            # Between the two places, one member fewer or one more is cumulated.
            if places[i] < comes:
                change = fewer[comes] - fewer[places[i]]
            else:
                change = more[places[i]] - more[comes]
            if change < least:
                leaves, least = i, change
        if leaves >= 0:
            low, high = min(places[leaves], comes), max(places[leaves], comes)
            ahead[low:high] += total if comes < places[leaves] else -total
            who[leaves], places[leaves] = places.size + turn, comes
            work = _gains(ahead, total, fewer, more)


@kernel
def _gains(ahead: Ints, total: int, fewer: Ints, more: Ints) -> int:
    """Sum |ahead| over all places, and up to each what one member fewer or more would add to it."""
    work = 0
    for i in range(ahead.size):
        now = abs(ahead[i])
        fewer[i + 1] = fewer[i] + abs(ahead[i] - total) - now
        more[i + 1] = more[i] + abs(ahead[i] + total) - now
        work += now
    return work
