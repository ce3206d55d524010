"""Signs that keep sums near 0: each lot, large ones first, goes against what it adds to."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def balanced_signs(starts: Ints, places: Ints, amounts: Floats, order: Ints, coins: Ints) -> Ints:
    """Return for every lot 1 or -1, so that the sums of what lots add to places stay small.

    Lots are looked at one after the other. Each goes the way in which the squares of the sums grow
    least; where both ways are as good, its coin decides.

    >>> starts, places = np.array([0, 1, 2, 3]), np.zeros(3, int)
    >>> balanced_signs(starts, places, np.array([5.0, 3, 1]), np.arange(3), np.ones(3, int))
    array([ 1, -1, -1])

    Args:
        starts: where the entries of each lot begin, and where the last ends.
        places: the place of every entry, from 0 on.
        amounts: what every entry adds there.
        order: the lots in the order in which they are looked at.
        coins: for every lot 1 or -1.
    """
    starts, places = frozen(starts, np.int64), frozen(places, np.int64)
    if len(places) != len(amounts) or len(order) != len(coins) or len(order) != len(starts) - 1:
        raise ValueError(
            f"entries or lots differ in number: {len(places)}, {len(amounts)}, {len(order)}, "
            f"{len(coins)}, {len(starts) - 1}"
        )
    sums = np.zeros(int(places.max(initial=-1)) + 1)
    signs = np.array(coins, np.int64)
    # In units of the largest, a power of two, so that products neither vanish nor overflow.
    bits = np.frexp(np.abs(amounts).max(initial=0.0))[1]
    scaled = frozen(np.ldexp(amounts, -bits), np.float64)
    _balance(starts, places, scaled, frozen(order, np.int64), sums, signs)
    return signs


def warm_up() -> None:
    """Compile the kernels of this module."""
    one = np.zeros(1, np.int64)
    balanced_signs(np.array([0, 1]), one, np.ones(1), one, np.ones(1, np.int64))


@kernel
def _balance(
    starts: Ints, places: Ints, amounts: Floats, order: Ints, sums: Floats, signs: Ints
) -> None:
    for lot in order:
        pull = 0.0
        for i in range(starts[lot], starts[lot + 1]):
            pull += sums[places[i]] * amounts[i]
        if pull != 0:
            signs[lot] = -1 if pull > 0 else 1
        for i in range(starts[lot], starts[lot + 1]):
            sums[places[i]] += signs[lot] * amounts[i]
