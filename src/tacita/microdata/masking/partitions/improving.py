"""Improving a partition: records move between near groups until nothing gets better."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.microdata.masking.partitions.representatives import least_of
from tacita.threads import threads

if TYPE_CHECKING:
    from tacita.kernels.improving import Groups

NEAR = 16  # groups that a group's records may go to
SWEEPS = 50  # at most; a few dozen settle even large files
MANY = 0.05  # the share of groups that must have changed for their neighbours to be found anew
FEW = 0.9  # where fewer centres differ, twins of full groups are found anew after every sweep
DIGITS = 9  # of their spread, to which centres are compared
LEAST = 1e-9  # of the mean square of a record: what a step must gain, well above rounding


def improved(points: Floats, labels: Ints, k: int) -> Ints:
    """Return a partition whose squares within groups are at most those of the given one.

    Every record may move to one of the 16 groups nearest to its own, swap places with a record
    there, or push one on to a third group; groups may dissolve among their neighbours. Groups keep
    k to 2k - 1 records. The sweeps over all groups end when no step is left or after 50; each costs
    O(nk) distances, besides the search for near groups, O(n/k log n).

    Args:
        points: records by standardized attributes.
        labels: the group of every record; each has at least k, larger than 2k - 1 it is cut first.
        k: the smallest size of a group.
    """
    from tacita.kernels.improving import gathered, sweep

    before = squares_within(points, labels)
    least = LEAST * before / max(len(points), 1)
    groups = gathered(points, cut_large(points, labels, k), k)
    near, stirred = _near(groups), np.ones(len(groups.sizes), np.bool_)
    for _ in range(SWEEPS):
        stirred = sweep(points, groups, near, k, stirred, least)
        if not stirred.any():
            break
        crowded = len(np.unique(near[:, 0])) < FEW * len(near)
        if crowded or stirred.mean() > MANY:
            live, numbered = np.unique(groups.labels, return_inverse=True)
            groups, stirred = gathered(points, numbered, k), crowded | stirred[live]
            near = _near(groups)
    after = np.unique(groups.labels, return_inverse=True)[1]
    return after if squares_within(points, after) < before else labels


def cut_large(points: Floats, labels: Ints, k: int) -> Ints:
    """Cut groups of 2k records and more in pieces by MDAV, which lowers the squares within them."""
    from tacita.kernels.mdav import mdav

    labels = labels.copy()
    for large in np.flatnonzero(np.bincount(labels) >= 2 * k):
        rows = np.flatnonzero(labels == large)
        pieces = mdav(points[rows], k)
        labels[rows] = np.where(pieces > 0, labels.max() + pieces, large)
    return labels


def squares_within(points: Floats, labels: Ints) -> float:
    """Return SSE, the sum of the squared distances of all records to the means of their groups."""
    counts = np.bincount(labels)
    total = 0.0
    for column in points.T:
        means = np.bincount(labels, column) / np.maximum(counts, 1)
        total += float(np.square(column - means[labels]).sum())
    return total


def _near(groups: Groups) -> Ints:
    """Find the groups with the nearest centres; of groups with one centre only the smallest.

    The others would only stand in the way of groups that are elsewhere.
    """
    from scipy.spatial import cKDTree

    from tacita.kernels.grouping import group

    lowest, spread = groups.centres.min(axis=0), np.ptp(groups.centres, axis=0).max() or 1.0
    rounded = np.round((groups.centres - lowest) / spread, DIGITS)
    alike = group([np.ascontiguousarray(column).view(np.int64) for column in rounded.T])
    hosts = least_of(groups.sizes, alike.ids)
    centres = groups.centres[hosts]
    ranks = np.arange(1, min(NEAR + 1, len(hosts)) + 1)
    tree = cKDTree(centres, balanced_tree=False, compact_nodes=False)
    near = tree.query(centres, ranks, workers=threads())[1]
    return np.asarray(hosts[near][alike.ids], np.int64)
