"""Standard normal numbers by the ziggurat method, from a generator that is compiled with it.

The area under the bell curve is cut into 256 layers of one area: 255 boxes that lie on each other
and, at the bottom, a box with the tail beside it. A random word says layer, sign and place in the
layer. Nearly always the place lies under the curve, and the number is ready after one
multiplication; a generator's own loop calls a function for every word and takes three times as
long. The words are those of NumPy's SFC64 (Marsaglia & Tsang, J. Statistical Software 5(8), 2000;
Doty-Humphrey, PractRand, 2010).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import kernel, spread, thread_count
from tacita.kernels.elementary import EXP, exp, log, log1p, of_each

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]

PIECE = 2**18  # numbers from one generator; fixed, so that threads change nothing
LAYERS = 256
EDGE = 3.6541528853610088  # where the tail begins
AREA = 0.004928673233974658  # of a layer: EDGE times the height there, and the tail
STEP = 2.0**-53  # between neighbouring places
LAYER, SIGN, PLACE = np.uint64(LAYERS - 1), np.uint64(LAYERS), np.uint64(11)  # bits of a word
ONE, THREE, ELEVEN = np.uint64(1), np.uint64(3), np.uint64(11)
LEFT, RIGHT = np.uint64(24), np.uint64(40)


def normal_noise(size: int, seeds: Sequence[Sequence[int]], threads: int | None = None) -> Floats:
    """Draw standard normal numbers.

    >>> normal_noise(3, [[1, 2]]).round(3).tolist() == normal_noise(3, [[1, 2]]).round(3).tolist()
    True

    Args:
        size: how many.
        seeds: whole numbers from 0 on that say where chance comes from, for every piece of 2^18.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    found = np.empty(size)
    starts = range(0, size, PIECE)

    def draw(piece: int) -> None:
        state = np.random.SFC64(list(seeds[piece])).state["state"]["state"]
        _fill(state, *TABLES, found[starts[piece] : starts[piece] + PIECE])

    spread(draw, range(len(starts)), thread_count(threads, size, PIECE))
    return found


def warm_up() -> None:
    """Compile the kernels of this module."""
    normal_noise(1, [[0]])


def _tables() -> tuple[Floats, Words, Floats]:
    """Return for every layer its width in steps and where it is surely below the curve; heights.

    Layer 0 is the topmost box; the last one holds the tail.
    """
    ends = np.zeros(LAYERS + 1)
    ends[LAYERS], ends[LAYERS - 1] = AREA / exp(-(EDGE**2) / 2), EDGE
    for layer in range(LAYERS - 2, 0, -1):
        above = ends[layer + 1]
        ends[layer] = sqrt(-2 * log(AREA / above + exp(-(above**2) / 2)))
    inside = np.floor(ends[:-1] / ends[1:] / STEP).astype(np.uint64)
    return ends[1:] * STEP, inside, of_each(EXP, -(ends**2) / 2)


TABLES = _tables()


@kernel
def _fill(state: Words, widths: Floats, inside: Words, heights: Floats, found: Floats) -> None:
    a, b, c, count = state[0], state[1], state[2], state[3]
    for i in range(found.size):
        while True:
            word, a, b, c, count = _next(a, b, c, count)
            layer, place = word & LAYER, word >> PLACE
            number = np.float64(np.int64(place)) * widths[layer]
            if place < inside[layer]:
                break
            first, a, b, c, count = _next(a, b, c, count)
            second, a, b, c, count = _next(a, b, c, count)
            number = _at_the_edge(number, np.int64(layer), _share(first), _share(second), heights)
            if number > 0.0:
                break
        found[i] = -number if word & SIGN else number


@kernel
def _at_the_edge(number: float, layer: np.int64, one: float, two: float, heights: Floats) -> float:
    """Return a number of the tail, or the number itself if it is below the curve; else 0."""
    if layer == LAYERS - 1:
        beyond = -log1p(-one) / EDGE
        return EDGE + beyond if -2.0 * log1p(-two) > beyond * beyond else 0.0
    height = heights[layer + 1] + one * (heights[layer] - heights[layer + 1])
    return number if height < exp(-number * number / 2) else 0.0


@kernel
def _share(word: np.uint64) -> float:
    return np.float64(np.int64(word >> PLACE)) * STEP


@kernel
def _next(
    a: np.uint64, b: np.uint64, c: np.uint64, count: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the next word of SFC64 and what it is afterwards."""
    word = a + b + count
    turned = (c << LEFT) | (c >> RIGHT)
    return word, b ^ (b >> ELEVEN), c + (c << THREE), turned + word, count + ONE
