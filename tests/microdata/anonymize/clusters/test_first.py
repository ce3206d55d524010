"""Algorithms 2 and 3 beside a plain rendering of the paper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.anonymize.clusters.closeness import Spread
from tacita.microdata.anonymize.clusters.k_anonymity_first import k_anonymity_first
from tacita.microdata.anonymize.clusters.t_closeness_first import subset_sizes, t_closeness_first
from tacita.microdata.masking.partitions.mixed import MixedSpace

settings = st.tuples(st.integers(0, 10**6), st.integers(6, 40), st.integers(2, 4))


def drawn(seed, n):
    """Points whose distances all differ, and values with ties."""
    rng = np.random.default_rng(seed)
    space = MixedSpace(("a", "b"), rng.normal(size=(n, 2)), np.zeros(2, np.bool_), ())
    return space, rng.integers(0, max(n // 2, 1), n)


def ranked(codes):
    return np.unique(codes, return_inverse=True)[1]


def away(points, rows, one):
    return np.square(points[rows] - one).sum(axis=1)


def distance(codes, rows):
    counts = np.cumsum(np.bincount(codes)) / len(codes)
    own = np.cumsum(np.bincount(codes[rows], minlength=len(counts))) / len(rows)
    return np.abs(own - counts).sum() / max(len(counts) - 1, 1)


def generated(points, codes, left, x, k, t):
    """GenerateCluster of Algorithm 2."""
    order = sorted(left, key=lambda row: np.square(points[row] - x).sum())
    cluster = order[:k]
    for y in order[k:]:
        if distance(codes, cluster) <= t + 1e-12:
            break
        swapped = [[*cluster[:i], y, *cluster[i + 1 :]] for i in range(k)]
        best = min(swapped, key=lambda rows: round(distance(codes, rows), 12))
        if distance(codes, best) < distance(codes, cluster) - 1e-12:
            cluster = best
    return cluster


def plain_second(points, codes, k, t):
    left, clusters = list(range(len(points))), []
    while len(left) >= 2 * k:
        x = left[int(away(points, left, points[left].mean(axis=0)).argmax())]
        for _ in range(2 if len(left) >= 3 * k else 1):
            clusters.append(generated(points, codes, left, points[x], k, t))
            left = [row for row in left if row not in clusters[-1]]
            x = left[int(away(points, left, points[x]).argmax())]
    return {frozenset(cluster) for cluster in [*clusters, left]}


def grouped(labels):
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


@given(settings, st.sampled_from([0.05, 0.1, 0.2]))
def test_k_anonymity_first_is_algorithm_2(setting, t):
    seed, n, k = setting
    space, codes = drawn(seed, n)
    codes = ranked(codes)
    found = k_anonymity_first(space, Spread(codes, np.bincount(codes), t), k)
    assert grouped(found) == plain_second(space.numbers, codes, k, t)


@given(settings)
def test_t_closeness_first_takes_one_of_each_quantile(setting):
    seed, n, k = setting
    k += n % k // (n // k)
    space, codes = drawn(seed, n)
    labels = t_closeness_first(space, codes, k)
    sizes = np.bincount(labels)
    assert len(sizes) == n // k
    assert set(sizes.tolist()) <= {k, k + 1}
    subset = np.empty(n, np.int64)
    subset[np.argsort(codes, kind="stable")] = np.repeat(np.arange(k), subset_sizes(n, k))
    for label in range(len(sizes)):
        held = np.bincount(subset[labels == label], minlength=k)
        assert (held >= 1).all()
        assert np.flatnonzero(held > 1).tolist() in ([], [(k - 1) // 2], [k // 2])


@given(settings)
def test_it_is_within_the_bound_if_values_differ_and_k_divides_n(setting):
    seed, n, k = setting
    n -= n % k
    space, _ = drawn(seed, n)
    codes = np.random.default_rng(seed).permutation(n)
    labels = t_closeness_first(space, codes, k)
    bound = (n - k) / (2 * (n - 1) * k)  # equation 6 of the seed text
    assert Spread(codes, np.ones(n, np.int64), 0).distances(labels).max() <= bound + 1e-12


def test_the_first_cluster_is_around_the_farthest_record():
    points = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [30.0]])
    space = MixedSpace(("a",), points, np.zeros(1, np.bool_), ())
    labels = t_closeness_first(space, np.array([0, 5, 1, 4, 2, 3]), 2)
    # Low values: records 0, 2, 4; high ones: 5, 3, 1. 30 takes 11, then 0 takes 1.
    assert labels.tolist() == [1, 1, 2, 2, 0, 0]


@pytest.mark.parametrize(("n", "k"), [(7, 3), (12, 4), (1080, 49)])
def test_subsets_have_all_records(n, k):
    assert subset_sizes(n, k).sum() == n
