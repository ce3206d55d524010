from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.improving import gathered, sweep

pytestmark = pytest.mark.numeric


def squares(points: np.ndarray, labels: np.ndarray) -> float:
    parts = [points[labels == label] for label in np.unique(labels)]
    return float(sum(np.square(part - part.mean(0)).sum() for part in parts))


def swept(points: np.ndarray, labels: np.ndarray, k: int, least: float = 1e-9):
    groups = gathered(points, labels, k)
    count = len(groups.sizes)
    near = np.tile(np.arange(count), (count, 1))
    changed = sweep(points, groups, near, k, np.ones(count, np.bool_), least)
    return groups, changed


def line(*values: float) -> np.ndarray:
    return np.array(values)[:, None]


def test_two_points_swap():
    groups, changed = swept(line(0, 1, 9, 8, 2, 10), np.array([0, 0, 0, 1, 1, 1]), 3)
    assert groups.labels.tolist() == [0, 0, 1, 1, 0, 1]
    assert changed.tolist() == [True, True]


def test_a_point_moves_where_its_group_can_spare_it():
    groups, _ = swept(line(0, 1, 9, 10, 11), np.array([0, 0, 0, 1, 1]), 2)
    assert groups.labels.tolist() == [0, 0, 1, 1, 1]


def test_a_group_in_between_dissolves():
    points = line(0, 0, 0, 100, 100, 100, 5, 95, 96)
    groups, _ = swept(points, np.array([0, 0, 0, 1, 1, 1, 2, 2, 2]), 3)
    assert sorted(groups.sizes.tolist()) == [0, 4, 5]
    assert squares(points, groups.labels) == pytest.approx(
        squares(points, np.array([0] * 3 + [1] * 3 + [0, 1, 1]))
    )


def test_nothing_changes_where_nothing_is_stirred():
    points, labels = line(0, 9, 1, 8), np.array([0, 0, 1, 1])
    groups = gathered(points, labels, 2)
    near = np.array([[0, 1], [0, 1]])
    assert not sweep(points, groups, near, 2, np.zeros(2, np.bool_), 0.0).any()


def partitions(seed: int, k: int, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2 * k, 12 * k))
    points = rng.integers(-5, 6, (size, dimensions)).astype(float)
    labels = rng.permutation(np.minimum(np.arange(size) // k, size // k - 1))
    return points, labels


@given(st.integers(0, 2**31), st.integers(2, 5), st.integers(1, 4))
def test_squares_fall_and_sizes_and_books_are_kept(seed, k, dimensions):
    points, labels = partitions(seed, k, dimensions)
    before = squares(points, labels)
    groups, changed = swept(points, labels, k)
    assert squares(points, groups.labels) <= before + 1e-9
    assert changed.any() == (squares(points, groups.labels) < before - 1e-10)
    counts = np.bincount(groups.labels, minlength=len(groups.sizes))
    assert (counts == groups.sizes).all()
    assert set(counts[counts > 0].tolist()) <= set(range(k, 2 * k))
    for point, label in enumerate(groups.labels):
        assert groups.members[label, groups.places[point]] == point
    for label in np.flatnonzero(counts):
        mean = points[groups.labels == label].mean(0)
        np.testing.assert_allclose(groups.centres[label], mean, atol=1e-9)


@given(st.integers(0, 2**31), st.integers(2, 3))
def test_no_swap_is_left_at_the_end(seed, k):
    points, labels = partitions(seed, k, 2)
    for _ in range(50):
        groups, changed = swept(points, labels, k)
        labels = np.unique(groups.labels, return_inverse=True)[1]
        if not changed.any():
            break
    reached = squares(points, labels)
    for one in range(len(points)):
        for other in range(one):
            swapped = labels.copy()
            swapped[[one, other]] = labels[[other, one]]
            assert squares(points, swapped) >= reached - 1e-6
