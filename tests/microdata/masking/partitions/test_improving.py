from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.masking.partitions.improving import improved, squares_within


def random_partition(seed: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(k, 20 * k))
    points = rng.normal(size=(size, int(rng.integers(1, 5)))).round(int(rng.integers(0, 3)))
    labels = rng.permutation(np.minimum(np.arange(size) // k, size // k - 1))
    return points, labels


@given(st.integers(0, 2**31), st.integers(2, 6))
def test_never_worse_and_never_below_k(seed, k):
    points, labels = random_partition(seed, k)
    better = improved(points, labels, k)
    assert squares_within(points, better) <= squares_within(points, labels)
    sizes = np.bincount(better)
    assert k <= sizes.min()
    assert sizes.max() <= 2 * k - 1


@given(st.integers(0, 2**31), st.integers(2, 6))
def test_groups_of_any_size_are_cut_first(seed, k):
    points, labels = random_partition(seed, k)
    joined = labels // 4
    if np.bincount(joined).min() < k:
        return
    better = improved(points, joined, k)
    assert squares_within(points, better) <= squares_within(points, joined)
    assert np.bincount(better).min() >= k


def test_strips_become_groups():
    points = np.random.default_rng(2).normal(size=(600, 2))
    sorted_runs = np.argsort(np.argsort(points[:, 0], kind="stable")) // 4
    better = improved(points, sorted_runs, 4)
    assert squares_within(points, better) < 0.1 * squares_within(points, sorted_runs)


def test_twins_do_not_hide_other_groups():
    """Of points that k and more share each, no group needs two."""
    rng = np.random.default_rng(3)
    points = rng.integers(0, 3, (2000, 2)).astype(float)
    order = np.lexsort((points[:, 1], points[:, 0]))
    labels = np.empty(2000, np.int64)
    labels[order] = np.arange(2000) // 5
    assert squares_within(points, labels) > 1
    assert squares_within(points, improved(points, labels, 5)) < 1e-9


def test_centres_are_compared_by_their_spread():
    """Far from 0 in a small unit, groups are as different as they are near it."""
    points = np.random.default_rng(4).integers(0, 40, (60, 2)).astype(float)
    labels = np.arange(60) // 3
    near, far = (improved(x, labels, 3) for x in (points, np.ldexp(points + 2.0**40, -41)))
    lost = squares_within(points, labels)
    assert squares_within(points, near) < 0.2 * lost
    assert squares_within(points, far) < 0.2 * lost


def test_squares_by_hand():
    points = np.array([[0.0, 1.0], [2.0, 1.0], [5.0, 5.0]])
    assert squares_within(points, np.array([0, 0, 1])) == 2.0


def test_what_cannot_be_better_stays():
    points = np.array([[0.0], [0.0], [1.0], [1.0]])
    assert improved(points, np.array([1, 1, 0, 0]), 2).tolist() == [1, 1, 0, 0]
    assert improved(points[:3], np.zeros(3, np.int64), 2).tolist() == [0, 0, 0]
