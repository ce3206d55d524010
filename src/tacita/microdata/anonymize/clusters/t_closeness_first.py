"""Clusters that take an alike record from each quantile of the confidential values."""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.microdata.masking.partitions.mixed import MixedSpace, Remaining


def t_closeness_first(space: MixedSpace, codes: Ints, k: int) -> Ints:
    """Group records so that each cluster has one from each of k quantiles of their values.

    Soria-Comas et al. 2015, Algorithm 3. Records in the order of their values are cut into k
    subsets. r is the record farthest from the average of those left, s the one farthest from r;
    each gets the nearest record of every subset. Where k does not divide n, the subsets in the
    middle are larger, and each cluster takes a second record from one of them, until they are not.

    The time is O(n^2 d / k).

    Args:
        space: the records.
        codes: for every record, the place of its value.
        k: the number of subsets; see `cluster_size`.

    Returns:
        the cluster of every record.
    """
    sizes = subset_sizes(len(codes), k)
    subset = np.empty(len(codes), np.int64)
    subset[np.argsort(codes, kind="stable")] = np.repeat(np.arange(k), sizes)
    left = Remaining(space, np.arange(len(codes)))
    labels, clusters = np.empty(len(codes), np.int64), len(codes) // k
    away = np.zeros(0)
    for formed in range(clusters):
        if formed % 2 == 0:
            away = left.distances(left.centre())
        away = left.distances(left.point(int(away.argmax())))
        more = np.flatnonzero(sizes > clusters - formed)[:1]
        chosen = _one_of_each(away, subset[left.rows], more, k)
        sizes -= 1
        sizes[more] -= 1
        away = np.delete(away, chosen)
        labels[left.take(chosen)] = formed
    return labels


def subset_sizes(n: int, k: int) -> Ints:
    """Cut n records into k subsets of n // k; what is over goes to one or two in the middle.

    >>> subset_sizes(11, 3), subset_sizes(23, 4)
    (array([3, 5, 3]), array([5, 7, 6, 5]))
    """
    sizes = np.full(k, n // k)
    sizes[(k - 1) // 2] += (n % k + 1) // 2
    sizes[k // 2] += n % k // 2
    return sizes


def _one_of_each(away: Floats, subset: Ints, more: Ints, k: int) -> Ints:
    """Return the place of the nearest record of every subset, and a second one of some."""
    from tacita.kernels.mixed_distance import least_of_each

    first = least_of_each(away, subset, k)
    if not len(more):
        return first
    others = away.copy()
    others[first] = np.inf
    return np.append(first, least_of_each(others, subset, k)[more])
