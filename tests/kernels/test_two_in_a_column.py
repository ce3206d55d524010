"""Tests of rows whose columns have at most two entries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.kernels import elimination
from tacita.kernels.elimination import independent_rows
from tacita.kernels.two_in_a_column import rows_to_keep

pytestmark = pytest.mark.numeric


def drawn(seed: int, rows: int, columns: int) -> csr_array:
    """Draw a matrix with no, one or two entries in a column; often rows hang together."""
    rng = np.random.default_rng(seed)
    dense = np.zeros((rows, columns), np.int64)
    half = rng.choice([0.0, 0.1, 0.5])
    plus = rng.choice([0.0, 0.1, 0.5])
    for column in range(columns):
        one, other = rng.choice(rows, 2, replace=False)
        dense[one, column] = 1
        if rng.random() >= half:
            dense[other, column] = 1 if rng.random() < plus else -1
    dense *= rng.choice([1, -1], (rows, 1))
    return csr_array(dense)


@settings(max_examples=300)
@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(1, 12))
def test_the_rows_kept_are_independent_and_as_many_as_can_be(seed, rows, columns):
    matrix = drawn(seed, rows, columns)
    kept = rows_to_keep(matrix.indptr, matrix.indices, matrix.data, columns)
    dense = matrix.toarray()
    assert np.linalg.matrix_rank(dense) == np.count_nonzero(kept)
    assert np.linalg.matrix_rank(dense[kept]) == np.count_nonzero(kept)


def test_other_columns_are_left_to_elimination():
    three = csr_array(np.ones((3, 1), np.int64))
    assert rows_to_keep(three.indptr, three.indices, three.data, 1) is None
    double = csr_array(np.array([[2]]))
    assert rows_to_keep(double.indptr, double.indices, double.data, 1) is None


@pytest.mark.parametrize("entry", [1, 2])
def test_large_matrices_are_asked_this_way_if_they_can_be(monkeypatch, entry):
    monkeypatch.setattr(elimination, "MANY", 3)
    rows = csr_array(np.array([[1, 1, 0], [0, -1, 1], [entry, 0, entry]]))
    kept = independent_rows(rows.indptr, rows.indices, rows.data, 3)
    assert np.count_nonzero(kept) == 2
