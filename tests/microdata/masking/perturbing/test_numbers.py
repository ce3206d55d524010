"""Numbers go in and out unchanged, blanks stay, and a covariance has a root even if singular."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.microdata.masking.perturbing.numbers import (
    complete,
    covariance,
    numbers_of,
    square_root,
    weights_of,
    with_numbers,
)


def read(**columns):
    return ta.read(pa.table(columns))


def test_numbers_come_back_as_they_went_and_blanks_stay():
    data = read(a=[1, None, 3], b=[0.5, 1.5, None])
    values = numbers_of(data, ["a", "b"])
    assert complete(values).tolist() == [True, False, False]
    again = with_numbers(data, ["a", "b"], np.nan_to_num(values, nan=9.0) + 1)
    assert again.column("a").to_pylist() == [2.0, None, 4.0]
    assert again.column("b").to_pylist() == [1.5, 2.5, None]


def test_a_covariance_needs_two_complete_records():
    with pytest.raises(ProtectionError, match="at least two records without blanks; found 1"):
        covariance(np.array([[1.0, 2.0], [np.nan, 3.0]]))


def test_a_covariance_is_that_of_the_complete_records():
    values = np.array([[1.0, 2.0], [3.0, 5.0], [np.nan, 100.0], [4.0, 4.0]])
    assert np.allclose(covariance(values), np.cov(values[[0, 1, 3]].T))


@given(st.integers(0, 2**31), st.integers(1, 5), st.integers(1, 5))
def test_the_root_squares_to_the_matrix_whatever_its_rank(seed, size, rank):
    drawn = np.random.default_rng(seed).normal(size=(size, min(rank, size)))
    matrix = drawn @ drawn.T
    root = square_root(matrix)
    assert np.allclose(root @ root.T, matrix, atol=1e-9)


def test_numbers_without_a_square_are_refused_and_weights_need_a_role():
    with pytest.raises(InputError, match="squares or sums have no double"):
        covariance(np.array([[1e200], [-1e200]]))
    with pytest.raises(ParameterError, match="`weighted` of `x` needs sampling weights"):
        weights_of(read(a=[1]), "x", True)
    assert weights_of(read(a=[1]), "x", False) is None


def test_a_covariance_with_weights_is_that_of_repeated_records():
    values, often = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 4.0]]), np.array([1.0, 3.0, 2.0])
    # Dividing by n - 1 = 2, the records, and not by 5: weights say shares.
    wanted = np.cov(np.repeat(values, [1, 3, 2], axis=0).T, bias=True) * 3 / 2
    assert np.allclose(covariance(values, often), wanted)


def test_units_do_not_drown_each_other_in_the_root():
    matrix = np.diag([1e-20, 1.0, 1e20, 0.0])
    root = square_root(matrix)
    assert np.allclose(np.sqrt((root**2).sum(1)), [1e-10, 1, 1e10, 0], rtol=1e-12)
