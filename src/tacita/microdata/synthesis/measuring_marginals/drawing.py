"""Systematic drawing: as near to given shares as whole records allow."""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Floats, Ints

EDGE = 1e-9  # how near to an end of its row a point may lie, for rounding's sake


def systematic(shares: Floats, rows: Ints, groups: Ints, rng: np.random.Generator) -> Ints:
    """Draw a cell for every record, from the row of cells that belongs to its group.

    The records of a group are spread evenly over its row after a random start, in random order, so
    that each cell gets its share of them, rounded up or down.

    >>> rng = np.random.default_rng(0)
    >>> drawn = systematic(np.array([3.0, 1.0, 5.0]), np.array([0, 0, 1]), np.zeros(8, int), rng)
    >>> np.bincount(drawn).tolist()
    [6, 2]

    Args:
        shares: those of the cells (0 or more), row by row.
        rows: the row of every cell, in ascending order; rows without shares are not drawn from.
        groups: the row of every record.
        rng: what draws.
    """
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    whole = np.add.reduceat(shares, starts)
    upto = np.cumsum(shares / np.where(whole > 0, whole, 1.0)[rows])
    # Rows lie one behind the other on a line, each a unit long.
    line = upto - np.concatenate([[0.0], upto])[starts][rows] + rows
    order = np.lexsort((rng.random(len(groups)), groups))
    counts = np.bincount(groups, minlength=len(starts))
    turn = np.arange(len(groups)) - np.repeat(np.cumsum(counts) - counts, counts)
    own = groups[order]
    point = np.clip((turn + rng.random(len(starts))[own]) / counts[own], EDGE, 1 - EDGE)
    drawn = np.empty(len(groups), np.int64)
    drawn[order] = np.searchsorted(line, point + own, side="right")
    return drawn
