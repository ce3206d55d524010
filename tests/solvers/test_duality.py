"""What prices prove, against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.solvers.duality import Rows, proven_least, proven_uses

pytestmark = pytest.mark.numeric


@given(st.integers(0, 10**6))
def test_whatever_the_prices_no_point_costs_less(seed):
    rng = np.random.default_rng(seed)
    height, width = rng.integers(1, 5, 2)
    size = 10.0 ** rng.integers(-6, 9)
    matrix = rng.normal(0, size, (height, width)) * (rng.random((height, width)) < 0.7)
    lower, costs = rng.normal(0, 10, width), rng.normal(0, size, width)
    point = np.where(rng.random(width) < 0.5, lower, lower + rng.random(width))
    upper = np.where(rng.random(width) < 0.2, np.inf, point)
    values = exactly(matrix, point)
    least = np.nextafter(np.array([float(value) for value in values]), -np.inf)
    most = np.where(rng.random(height) < 0.5, np.inf, np.nextafter(least, np.inf) + size)
    prices = rng.normal(0, 1, height) * (rng.random(height) < 0.8)
    rows = Rows(csr_array(matrix), least, most)
    bound = proven_least(costs, rows, lower, upper, prices)
    assert bound == -np.inf or Fraction(bound) <= exactly(costs[None], point)[0]
    assert bound == -np.inf or Fraction(bound) <= exact_bound(costs, rows, lower, upper, prices)


@given(st.integers(0, 10**6))
def test_what_uses_an_unknown_costs_what_is_proven_of_it(seed):
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.integers(-3, 9)
    matrix, costs = rng.normal(0, size, (3, 4)), rng.normal(0, size, 4)
    point, upper = rng.integers(0, 4, 4), np.full(4, 3.0)
    least = np.array([float(value) for value in exactly(matrix, point.tolist())])
    rows = Rows(csr_array(matrix), np.nextafter(least, -np.inf), np.full(3, np.inf))
    bound, uses = proven_uses(costs, rows, np.zeros(4), upper, rng.normal(0, 1, 3))
    worth = exactly(costs[None], point.tolist())[0]
    assert bound <= worth
    assert all(use <= worth for use in uses[point >= 1].tolist())


def exactly(matrix, point):
    """Return the exact value of every row."""
    return [
        sum((Fraction(a) * Fraction(x) for a, x in zip(row, point, strict=True)), Fraction(0))
        for row in matrix.tolist()
    ]


def exact_bound(costs, rows, lower, upper, prices):
    """Return what weak duality proves without any rounding."""
    reduced = [
        Fraction(cost) - worth
        for cost, worth in zip(
            costs.tolist(), exactly(rows.matrix.toarray().T, prices_used(rows, prices)), strict=True
        )
    ]
    sides = [
        (Fraction(price), rows.least[row] if price > 0 else rows.most[row])
        for row, price in enumerate(prices_used(rows, prices))
    ]
    ends = [(one, lower[j] if one > 0 else upper[j]) for j, one in enumerate(reduced)]
    return sum((factor * Fraction(end) for factor, end in (*sides, *ends) if factor), Fraction(0))


def prices_used(rows, prices):
    return [
        float(price) if np.isfinite(rows.least[row] if price > 0 else rows.most[row]) else 0.0
        for row, price in enumerate(prices)
    ]


def test_an_open_side_proves_nothing():
    rows = Rows(csr_array(np.array([[1.0, 1.0]])), np.array([3.0]), np.array([np.inf]))
    ends = np.zeros(2), np.full(2, np.inf)
    assert proven_least(np.array([2.0, 4.0]), rows, *ends, np.array([3.0])) == -np.inf
    assert proven_least(np.array([2.0, 4.0]), rows, *ends, np.array([-1.0])) == 0.0
