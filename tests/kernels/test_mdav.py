from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.mdav import Lattice, lattice, mdav, v_mdav

pytestmark = pytest.mark.numeric

SHARED = Path(__file__).parents[3] / "shared"
SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(1, 200)
LEAST = st.integers(1, 7)

# 100 SSE / SST of standardized attributes, as published for k = 3, 4, 5, 10.
LOSSES = {
    "Census": {3: 5.6922, 4: 7.4947, 5: 9.0884, 10: 14.1559},
    "Tarragona": {3: 16.9326, 4: 19.5460, 5: 22.4619, 10: 33.1929},
}


# -- the algorithms by looking at all distances, in whole numbers of any size ---------------------


class Slowly:
    """Groups that are taken from all points."""

    def __init__(self, found):
        if not isinstance(found, Lattice):
            found = lattice(found)
        self.points = found.whole.astype(object)
        self.weights = np.array(found.weights, object)
        self.left, self.groups = np.arange(len(self.points)), 0
        self.labels = np.full(len(self.points), -1)

    def squares(self, rows, total, count=1):
        """Return count^2 times the squared distances to total / count."""
        gaps = count * self.points[rows] - total
        return (self.weights * gaps**2).sum(axis=1)

    def form(self, seed, count):
        away = self.squares(self.left, self.points[seed])
        order = sorted(range(len(away)), key=lambda place: (away[place], place))
        self.label(self.left[order[:count]])
        self.groups += 1

    def label(self, members):
        self.labels[members] = self.groups
        self.left = np.setdiff1d(self.left, members)

    def farthest(self, total, count=1):
        return self.left[self.squares(self.left, total, count).argmax()]

    def farthest_from_centroid(self):
        return self.farthest(self.points[self.left].sum(axis=0), len(self.left))

    def join_nearest(self):
        joined = self.labels.copy()
        for i in np.flatnonzero(self.labels < 0):
            away = []
            for group in range(self.groups):
                members = self.points[self.labels == group]
                square = self.squares([i], members.sum(axis=0), len(members))[0]
                away.append(Fraction(square, len(members) ** 2))
            joined[i] = away.index(min(away))
        return joined

    def grow(self, k, gamma):
        while np.sum(self.labels == self.groups) < 2 * k - 1 and len(self.left):
            members = np.flatnonzero(self.labels == self.groups)
            away = [self.squares(self.left, self.points[member]) for member in members]
            inside = np.min(away, axis=0)
            point = self.left[inside.argmin()]
            others = self.squares(np.setdiff1d(self.left, point), self.points[point])
            if not gamma or (len(others) and inside.min() >= gamma**2 * others.min()):
                return
            self.label([point])


def slow_mdav(points, k, tail="group"):
    slowly = Slowly(points)
    while len(slowly.left) >= 3 * k:
        r = slowly.farthest_from_centroid()
        slowly.form(r, k)
        slowly.form(slowly.farthest(slowly.points[r]), k)
    if len(slowly.left) >= 2 * k:
        slowly.form(slowly.farthest_from_centroid(), k)
    if tail == "nearest" and len(slowly.left) > k:
        slowly.form(slowly.farthest_from_centroid(), k)
        return slowly.join_nearest()
    slowly.label(slowly.left)
    return slowly.labels


def slow_v_mdav(points, k, gamma):
    slowly = Slowly(points)
    total, size = slowly.points.sum(axis=0), len(slowly.points)
    while len(slowly.left) >= k:
        slowly.form(slowly.farthest(total, size), k)
        slowly.groups -= 1
        slowly.grow(k, Fraction(str(gamma)))
        slowly.groups += 1
    return slowly.join_nearest() if slowly.groups else np.zeros(size, int)


def loss(points, labels):
    """Return 100 SSE / SST."""
    within = sum(
        np.square(points[labels == g] - points[labels == g].mean(axis=0)).sum()
        for g in np.unique(labels)
    )
    return 100 * within / np.square(points - points.mean(axis=0)).sum()


def with_ties(seed, size):
    rng = np.random.default_rng(seed)
    return rng.integers(0, rng.integers(1, 8), (size, rng.integers(1, 7))).astype(float)


def without_ties(seed, size):
    rng = np.random.default_rng(seed)
    points = rng.standard_t(2, (size, rng.integers(1, 7))) * 10.0 ** rng.integers(-3, 4)
    return points + rng.integers(0, 2) * 1e6


# -- tests ----------------------------------------------------------------------------------------


@pytest.mark.numeric
@given(SEEDS, st.integers(1, 60), LEAST, st.sampled_from(["group", "nearest"]))
def test_groups_are_those_of_all_distances_even_with_ties(seed, size, k, tail):
    points = with_ties(seed, size)
    assert mdav(points, k, tail).tolist() == slow_mdav(points, k, tail).tolist()


@pytest.mark.numeric
@given(SEEDS, st.integers(1, 60), LEAST)
def test_groups_are_those_of_all_distances(seed, size, k):
    points = without_ties(seed, size)
    assert mdav(points, k).tolist() == slow_mdav(points, k).tolist()


def weighed(seed, size):
    """Draw small whole numbers, or some of up to 2^47, with weights of very different sizes."""
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, rng.integers(2, 8), (size, rng.integers(1, 5)))
    weights = [int(rng.integers(0, 30)) ** int(rng.integers(1, 40)) for _ in whole.T]
    return Lattice(whole * int(rng.choice([1, 2**44])) - int(rng.integers(0, 3)), tuple(weights))


@pytest.mark.numeric
@given(SEEDS, st.integers(1, 40), LEAST, st.sampled_from(["group", "nearest"]))
def test_weighed_groups_are_those_of_all_distances(seed, size, k, tail):
    points = weighed(seed, size)
    assert mdav(points, k, tail).tolist() == slow_mdav(points, k, tail).tolist()
    assert v_mdav(points, k, 1.1).tolist() == slow_v_mdav(points, k, 1.1).tolist()


@given(SEEDS, SIZES, LEAST, st.sampled_from([0.0, 0.2, 1.0, 1.1, 3.0]))
def test_growing_groups_are_those_of_all_distances(seed, size, k, gamma):
    points = with_ties(seed, size)
    assert v_mdav(points, k, gamma).tolist() == slow_v_mdav(points, k, gamma).tolist()
    points = without_ties(seed, size)
    assert v_mdav(points, k, gamma).tolist() == slow_v_mdav(points, k, gamma).tolist()


@pytest.mark.parametrize(("values", "k"), [(5, 3), (50, 4), (10**6, 5)])
def test_a_tree_of_several_levels_finds_the_same(values, k):
    rng = np.random.default_rng(values)
    points = rng.integers(0, values, (4000, 4)).astype(float)
    points[:40] *= 30  # outliers
    assert np.array_equal(mdav(points, k), slow_mdav(points, k))
    assert np.array_equal(v_mdav(points, k, 0.5), slow_v_mdav(points, k, 0.5))


@pytest.mark.parametrize("k", [3, 4, 5, 10])
@pytest.mark.parametrize("name", LOSSES)
def test_published_losses(name, k):
    path = SHARED / f"data/casc/{name}.csv"
    if not path.exists():
        pytest.skip("the reference data are not here")
    points = np.loadtxt(path, delimiter=",", skiprows=1)
    points = (points - points.mean(axis=0)) / points.std(axis=0, ddof=1)
    assert loss(points, mdav(points, k)) == pytest.approx(LOSSES[name][k], abs=1e-4)
    # The other tail changes the last groups only.
    assert loss(points, mdav(points, k, "nearest")) == pytest.approx(LOSSES[name][k], abs=1e-3)


def test_by_hand():
    points = np.array([[0], [1], [2], [10], [11], [30], [31], [50.0]])
    # From the centroid 16.9, 50 is the farthest, from 50 it is 0; of 2, 10, 11, 30 (centroid 13.25)
    # it is 30; 2 and 10 are left.
    assert mdav(points, 2).tolist() == [1, 1, 3, 3, 2, 2, 0, 0]


def test_the_tail_by_hand():
    points = np.array([[0], [1], [2], [7], [8], [9], [40.0]])
    # 40 and 9 first, then 0 and 1; of 2, 7, 8 (centroid 5.7) it is 2, with 7; 8 is one too many and
    # lies nearest to (2 + 7) / 2.
    assert mdav(points, 2).tolist() == [1, 1, 2, 2, 2, 0, 0]
    assert mdav(points, 2, "nearest").tolist() == [1, 1, 2, 2, 2, 0, 0]
    points[4] = 23
    # 40 and 23, 0 and 1; of 2, 7, 9 (centroid 6) it is 2, with 7; 9 joins them.
    assert mdav(points, 2, "nearest").tolist() == [1, 1, 2, 2, 0, 2, 0]


def test_equal_points_are_grouped_in_their_order():
    points = np.ones((10, 2))
    assert mdav(points, 3).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
    many = mdav(np.zeros((3000, 1)), 5)
    assert np.array_equal(many, np.arange(3000) // 5)


@pytest.mark.parametrize(("size", "sizes"), [(0, []), (1, [1]), (2, [2]), (5, [5]), (6, [3, 3])])
def test_few_points(size, sizes):
    points = np.arange(size)[:, None] ** 2.0
    assert np.bincount(mdav(points, 3)).tolist() == sizes
    assert np.bincount(mdav(points, 3, "nearest")).tolist() == sizes
    assert np.bincount(v_mdav(points, 3, 0.0)).tolist() == sizes


@given(SEEDS, SIZES, LEAST)
def test_groups_have_k_to_2k_points_and_are_numbered_as_formed(seed, size, k):
    points = without_ties(seed, size)
    sizes = np.bincount(mdav(points, k))
    assert (sizes[:-1] == k).all()
    assert min(size, k) <= sizes[-1] < 2 * k
    assert np.bincount(v_mdav(points, k, 1.0)).min() >= min(size, k)


def test_neighbours_are_better_than_a_random_partition():
    rng = np.random.default_rng(8)
    points = rng.normal(size=(300, 3))
    labels = mdav(points, 5)
    assert loss(points, labels) < loss(points, rng.permutation(labels)) / 4


def test_a_read_only_or_transposed_matrix_is_taken_as_it_is():
    points = np.asfortranarray(np.random.default_rng(1).normal(size=(60, 3)))
    expected = mdav(points.copy(order="C"), 3)
    points.flags.writeable = False
    assert np.array_equal(mdav(points, 3), expected)
