"""Up or down: one direction a holding, and one for all who meet in a sensitive cell."""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.microdata.masking.balancing.sensitive import SensitiveCells


def going_together(holders: Ints, sensitive: SensitiveCells) -> Ints:
    """Return a number for every record: the same for all that must go one way.

    These are the records of a holding, and of all holdings that meet in a sensitive cell: their
    noise must not cancel out there.

    Args:
        holders: the holding of every record, from 0 on.
        sensitive: the sensitive cells.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = int(holders.max(initial=-1)) + 1
    cells = np.unique(sensitive.cells, return_inverse=True)[1]
    size = count + int(cells.max(initial=-1)) + 1
    ends = holders[sensitive.records], count + cells
    met = coo_array((np.ones(len(cells), np.int8), ends), (size, size))
    lots: Ints = connected_components(met, directed=False)[1].astype(np.int64)
    return lots[holders]


def balanced(lots: Ints, cells: Ints, noise: Floats, rng: np.random.Generator) -> Ints:
    """Return 1 or -1 for every record, by lots, so that the noise of every cell adds up to little.

    The lot with most noise is taken first; each goes against the noise that is in its cells.

    Args:
        lots: which records go one way.
        cells: the cell of every record.
        noise: what every record adds to its cell if it goes up.
        rng: what decides where both ways are as good.
    """
    from tacita.kernels.balancing import balanced_signs
    from tacita.kernels.grouping import group

    lots = group([lots]).ids
    pairs = group([lots, cells])
    amounts: Floats = np.bincount(pairs.ids, noise, len(pairs.first)).astype(np.float64)
    of_pair = lots[pairs.first]
    by_lot = np.argsort(of_pair, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(of_pair)))
    order = np.argsort(-np.bincount(of_pair, np.abs(amounts)), kind="stable")
    coins = 2 * rng.integers(0, 2, len(order)) - 1
    places = cells[pairs.first][by_lot]
    return balanced_signs(starts, places, amounts[by_lot], order, coins)[lots]
