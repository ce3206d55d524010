"""Clusters of alike records, whose members are exchanged until their values are spread."""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.microdata.anonymize.clusters.closeness import Spread
from tacita.microdata.masking.partitions.mixed import MixedSpace, Remaining

FIRST = 256  # the nearest records that are tried before all are put in order


def k_anonymity_first(space: MixedSpace, spread: Spread, k: int) -> Ints:
    """Group records by k as MDAV does, and exchange members of each cluster as it is formed.

    Soria-Comas et al. 2015, Algorithm 2: r is the record farthest from the average of those left,
    s the one farthest from r. Each gets its k - 1 nearest. Then, as long as the cluster is farther
    than t from the whole file, the next nearest record takes the place of the member for which the
    distance gets smallest, if it gets smaller. The last k to 2k - 1 records are one cluster. Some
    clusters may stay too far.

    The time is O(n^2 d / k) for the distances, O(k) for every record that is tried, and O(m) for
    every one that is taken, with m values.

    Args:
        space: the records.
        spread: their confidential values.
        k: the size of clusters.

    Returns:
        the cluster of every record.
    """
    left = Remaining(space, np.arange(len(space.numbers)))
    labels, formed = np.empty(len(left.rows), np.int64), 0
    while len(left.rows) >= 2 * k:
        away = left.distances(left.centre())
        for _ in range(2 if len(left.rows) >= 3 * k else 1):
            place = int(away.argmax())
            away = left.distances(left.point(place))
            away[place] = -1.0  # before all that are equal to it
            chosen = _spread_out(away, spread, left.rows, k)
            away = np.delete(away, chosen)
            labels[left.take(chosen)] = formed
            formed += 1
    labels[left.rows] = formed
    return labels


def _spread_out(away: Floats, spread: Spread, rows: Ints, k: int) -> Ints:
    """Return the places of the k nearest records, some exchanged for others a little farther."""
    from tacita.kernels.mixed_distance import smallest

    near = smallest(away, k + FIRST)
    chosen, distance = _exchanged(near, spread, rows, k)
    if distance > spread.t and len(near) < len(away):
        near = np.argsort(away, kind="stable")
        chosen, distance = _exchanged(near, spread, rows, k)
    return chosen


def _exchanged(near: Ints, spread: Spread, rows: Ints, k: int) -> tuple[Ints, float]:
    from tacita.kernels.exchanging import exchange

    codes = spread.codes[rows[near]]
    found, work = exchange(codes[:k], codes[k:], spread.counts, spread.t * spread.steps)
    return near[found], work / spread.steps
