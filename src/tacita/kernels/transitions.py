"""Draws from rows of probabilities, one draw a record."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Rows = npt.NDArray[np.int32]
BLOCK = 2**16  # records whose chances are held at a time


class Transitions(NamedTuple):
    """Rows of probabilities, one after the other; what is impossible is left out.

    Attributes:
        starts: where each row begins; behind them where the last one ends.
        cumulative: the probabilities of each row summed up; the last of a row is 1.
        values: what is drawn.
    """

    starts: npt.NDArray[np.int64]
    cumulative: npt.NDArray[np.float64]
    values: Rows


def draw(rows: npt.NDArray[Any], table: Transitions, rng: np.random.Generator) -> Rows:
    """Draw a value for every record from the row it belongs to; of a row below 0 that number.

    What a record gets depends on one number of the generator, that of its place.

    >>> table = Transitions(np.array([0, 1, 3]), np.array([1.0, 0.5, 1.0]), np.array([7, 8, 9]))
    >>> draw(np.array([0, -1, 1, 1]), table, np.random.default_rng(0))
    array([ 7, -1,  8,  8], dtype=int32)
    """
    starts = frozen(table.starts, np.int64)
    cumulative, values = frozen(table.cumulative, np.float64), frozen(table.values, np.int32)
    drawn = np.array(rows, np.int32)
    for start in range(0, len(drawn), BLOCK):
        block = drawn[start : start + BLOCK]
        _draw(block, rng.random(len(block)), starts, cumulative, values)
    return drawn


def warm_up() -> None:
    """Compile the kernels of this module."""
    one = Transitions(np.array([0, 1]), np.ones(1), np.zeros(1, np.int32))
    draw(np.zeros(1, np.int32), one, np.random.default_rng(0))


@kernel
def _draw(rows: Any, chances: Any, starts: Any, cumulative: Any, values: Any) -> None:
    """Put what is drawn in the place of the rows."""
    for i in range(rows.size):
        if rows[i] < 0:
            continue
        low, high = starts[rows[i]], starts[rows[i] + 1] - 1
        if chances[i] < cumulative[low]:  # mostly so: what is likely comes first
            high = low
        while low < high:
            middle = (low + high) // 2
            if chances[i] < cumulative[middle]:
                high = middle
            else:
                low = middle + 1
        rows[i] = values[low]
