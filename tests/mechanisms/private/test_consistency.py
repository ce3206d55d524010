from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from scipy.sparse import csr_array

from tacita.mechanisms.private.consistency import (
    fitted_nonnegative,
    fitted_parts,
    in_whole_units,
)


def some_sums(rng, parts):
    """Every part alone, and some totals of several."""
    totals = rng.integers(0, 2, (int(rng.integers(1, 5)), parts))
    return np.vstack([totals, np.eye(parts, dtype=int)])


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 6))
def test_parts_are_those_of_weighted_least_squares(seed, parts):
    rng = np.random.default_rng(seed)
    sums = some_sums(rng, parts)
    told, scales = rng.normal(0, 20, len(sums)), rng.uniform(0.5, 4, len(sums))
    matrix, target = sums / scales[:, None], told / scales
    free = np.linalg.lstsq(matrix, target, rcond=None)[0]
    assert np.allclose(fitted_parts(csr_array(sums), told, scales), free, atol=1e-7)
    bounded = lsq_linear(matrix, target, (0, np.inf), method="bvls", tol=1e-14).x
    found = fitted_nonnegative(csr_array(sums), told, scales)
    assert (found >= 0).all()
    assert np.allclose(found, bounded, atol=1e-5)


@given(st.lists(st.floats(0, 1e6), min_size=1))
def test_whole_units_are_off_by_less_than_two_and_their_sums_by_a_half(numbers):
    parts = np.array(numbers)
    whole = in_whole_units(parts)
    assert (whole >= 0).all()
    assert (np.abs(whole - parts) <= 1 + 1e-6).all()
    assert (np.abs(np.cumsum(whole) - np.cumsum(parts)) <= 0.5 + 1e-6).all()
