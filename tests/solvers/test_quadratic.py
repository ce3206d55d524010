"""Least squares with equations and bounds: the conditions of an optimum, and another solver."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from scipy.sparse import csr_array

from tacita.solvers.quadratic import least_squares

pytestmark = pytest.mark.numeric


def drawn(seed):
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(1, 4)), int(rng.integers(3, 9))
    matrix = rng.integers(-1, 2, (rows, columns)).astype(float)
    inside = rng.integers(-5, 6, columns).astype(float)
    lower, upper = inside - rng.integers(0, 4, columns), inside + rng.integers(0, 4, columns)
    upper = np.where(rng.random(columns) < 0.2, np.inf, upper)
    weight = rng.integers(1, 5, columns).astype(float)
    return weight, matrix, matrix @ inside, lower, upper


@settings(max_examples=80)
@given(seed=st.integers(0, 10**6))
def test_fulfils_everything_and_its_prices_prove_it(seed):
    weight, matrix, rhs, lower, upper = drawn(seed)
    found = least_squares(weight, csr_array(matrix), rhs, lower, upper)
    x = found.point
    assert np.allclose(matrix @ x, rhs, atol=1e-6)
    assert ((x >= lower - 1e-7) & (x <= upper + 1e-7)).all()
    # By duality the prices prove that no point comes to less.
    slope = matrix.T @ found.prices
    best = np.clip(slope / (2 * weight), lower, upper)
    proven = float(weight @ best**2 - slope @ best + rhs @ found.prices)
    assert found.value == pytest.approx(proven, rel=1e-5, abs=1e-5)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_as_small_as_another_solver_finds(seed):
    weight, matrix, rhs, lower, upper = drawn(seed)
    found = least_squares(weight, csr_array(matrix), rhs, lower, upper)
    heavy = 1e4  # an equation that is missed costs much
    wide = np.where(upper > lower, upper, lower + 1e-9)
    rows = np.vstack([np.diag(np.sqrt(weight)), heavy * matrix])
    other = lsq_linear(rows, np.r_[np.zeros(len(weight)), heavy * rhs], (lower, wide), tol=1e-12)
    assert found.value == pytest.approx(float(weight @ other.x**2), rel=1e-3, abs=1e-3)


def test_equations_that_contradict_each_other_have_no_point():
    matrix = csr_array(np.array([[1.0, 1.0]]))
    with np.errstate(all="ignore"):
        assert least_squares(np.ones(2), matrix, np.array([9.0]), np.zeros(2), np.ones(2)) is None


def test_equations_that_follow_from_others_do_no_harm():
    matrix = csr_array(np.array([[1.0, 1.0], [2.0, 2.0]]))
    found = least_squares(np.ones(2), matrix, np.array([4.0, 8.0]), np.zeros(2), np.full(2, 9.0))
    assert found.point == pytest.approx([2.0, 2.0], abs=1e-5)
