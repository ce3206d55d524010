from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.masking.partitions.ordering import first_component, fixed_runs, optimal_runs

numbers = st.lists(st.integers(-9, 9), min_size=2, max_size=30)


@given(numbers, st.integers(2, 5), st.sampled_from([fixed_runs, optimal_runs]))
def test_runs_follow_the_order_and_have_k_to_2k_less_one(values, k, runs):
    axis = np.array(values, np.float64)
    labels = runs(axis, k)
    order = np.argsort(axis, kind="stable")
    assert (np.diff(labels[order]) >= 0).all()
    sizes = np.bincount(labels)
    assert sizes.min() >= min(k, len(axis))
    assert sizes.max() <= 2 * k - 1


def test_equal_numbers_keep_their_order():
    assert fixed_runs(np.zeros(7), 3).tolist() == [0, 0, 0, 1, 1, 1, 1]


def test_the_rest_is_in_the_last_group():
    assert np.bincount(fixed_runs(np.arange(11.0), 3)).tolist() == [3, 3, 5]


def test_the_first_component_is_that_of_the_singular_value_decomposition():
    points = np.random.default_rng(0).normal(size=(200, 4)) @ np.diag([1.0, 5.0, 2.0, 0.1])
    centred = points - points.mean(0)
    direction = np.linalg.svd(centred)[2][0]
    direction *= np.sign(direction[1])  # the second attribute weighs most
    np.testing.assert_allclose(first_component(points), points @ direction, atol=1e-9)


@pytest.mark.parametrize("points", [np.zeros((5, 2)), np.full((1, 3), 4.0)])
def test_there_is_none_of_constants(points):
    assert first_component(points).tolist() == [0.0] * len(points)


def test_the_direction_does_not_depend_on_the_solver():
    line = np.arange(6.0) - 2.5
    scores = first_component(np.column_stack([line, -line]))
    assert (np.diff(scores) > 0).all()
    scores = first_component(np.column_stack([-line, line]))
    assert (np.diff(scores) < 0).all()
