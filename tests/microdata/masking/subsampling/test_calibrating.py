from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.errors import ProtectionError
from tacita.microdata.masking.subsampling.calibrating import calibrated


def margins(*codes):
    """Return 0/1 columns of the categories of several attributes, and one of ones."""
    parts = [np.ones((len(codes[0]), 1)), *(np.eye(code.max() + 1)[code] for code in codes)]
    return np.hstack(parts)


@given(st.integers(0, 10_000))
def test_totals_are_reached_and_weights_positive(seed):
    """Totals are those of some positive weights, so that there is a solution."""
    rng = np.random.default_rng(seed)
    size = rng.integers(5, 60)
    values = margins(rng.integers(0, 4, size), rng.integers(0, 3, size))
    values = np.column_stack([values, rng.lognormal(8, 1, size)])
    totals = values.T @ rng.uniform(1, 9, size)
    found = calibrated(rng.uniform(1, 5, size), csr_array(values), totals)
    assert (found > 0).all()
    np.testing.assert_allclose(values.T @ found, totals, rtol=1e-9)


def test_it_is_raking():
    """Iterative proportional fitting, done slowly, ends at the same weights."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, 200), rng.integers(0, 4, 200)
    weights, aim = rng.uniform(1, 3, 200), rng.uniform(1, 3, 200)
    found = weights.copy()
    for _ in range(500):
        for code in codes:
            found *= (np.bincount(code, aim) / np.bincount(code, found))[code]
    values = margins(*codes)
    np.testing.assert_allclose(
        calibrated(weights, csr_array(values), values.T @ aim), found, rtol=1e-9
    )


def test_weights_that_fit_stay():
    values, weights = margins(np.array([0, 1, 1, 0])), np.array([1.0, 2.0, 3.0, 4.0])
    found = calibrated(weights, csr_array(values), values.T @ weights)
    np.testing.assert_allclose(found, weights, rtol=1e-12)


def test_totals_that_nothing_positive_reaches_are_refused():
    values = np.array([[1.0, 1.0], [1.0, 2.0]])  # the mean must lie between 1 and 2
    with pytest.raises(ProtectionError, match="No positive weights reach the totals"):
        calibrated(np.ones(2), csr_array(values), np.array([10.0, 30.0]))


def test_a_total_of_numbers_of_both_signs_may_vanish():
    """0.1 + 0.2 - 0.3 is 5.6e-17 in doubles: relative to that, nothing is exact."""
    values = np.array([[1.0, 0.1], [1.0, 0.2], [1.0, -0.3], [1.0, 0.1], [1.0, -0.1]])
    totals = np.array([6.0, 0.1 + 0.2 - 0.3])
    found = calibrated(np.ones(5), csr_array(values), totals)
    np.testing.assert_allclose(values.T @ found, totals, atol=1e-9)


def test_numbers_whose_inverses_have_no_double():
    values = np.array([[1.0, 5e-324], [1.0, 1e-323]])
    found = calibrated(np.ones(2), csr_array(values), np.array([4.0, 3e-323]))
    np.testing.assert_allclose(found.sum(), 4)
