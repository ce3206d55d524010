from __future__ import annotations

import numpy as np
import pytest

from tacita.microdata.comparing.robust import (
    Scatter,
    chi_square_quantile,
    robust_scatter,
    squared_distances,
)


def test_distances_by_hand():
    scatter = Scatter(np.array([1.0, 1.0]), np.diag([4.0, 9.0]))
    assert squared_distances(np.array([[5.0, 4.0], [1.0, 1.0]]), scatter).tolist() == [5.0, 0.0]


def test_a_singular_scatter_has_distances_along_what_it_spans():
    scatter = Scatter(np.zeros(2), np.array([[1.0, 1.0], [1.0, 1.0]]))
    assert squared_distances(np.array([[2.0, 2.0]]), scatter)[0] == pytest.approx(4)


def test_quantiles_of_the_chi_square_distribution():
    assert chi_square_quantile(0.95, 1) == pytest.approx(1.959963984540054**2)
    assert chi_square_quantile(0.5, 2) == pytest.approx(2 * np.log(2))


def test_the_scatter_of_normal_records_is_theirs_whatever_lies_far_out():
    rng = np.random.default_rng(0)
    wanted = np.array([[1.0, 0.6], [0.6, 1.0]])
    bulk = rng.multivariate_normal([3, -2], wanted, 3000)
    far = rng.normal(40, 1, (500, 2))
    found = robust_scatter(bulk, seed=0)
    assert np.allclose(found.covariance, wanted, atol=0.1)
    found = robust_scatter(np.concatenate([far, bulk]), seed=0)
    assert np.allclose(found.centre, [3, -2], atol=0.1)
    # With a seventh of the records far out, the bulk counts as their inner part: the scatter grows
    # by half, where the ordinary one would be 170 times as large.
    assert np.allclose(found.covariance / wanted, found.covariance[0, 0], rtol=0.1)
    assert found.covariance[0, 0] < 1.6


def test_of_few_records_the_scatter_is_the_ordinary_one():
    points = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 4.0]])
    found = robust_scatter(points, seed=0)
    assert np.allclose(found.centre, points.mean(0))
    assert np.allclose(found.covariance, np.cov(points.T))


@pytest.mark.parametrize("attributes", [1, 2])
def test_where_half_of_the_records_is_flat_the_scatter_is_the_ordinary_one(attributes):
    points = np.random.default_rng(0).normal(size=(100, attributes))
    points[:70, 0] = 1.0
    found = robust_scatter(points, seed=0)
    assert np.allclose(found.centre, points.mean(0))
    assert np.allclose(found.covariance, np.cov(points.T))
