from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.residues import clear_column, copy_columns, left_over, multiples

pytestmark = pytest.mark.numeric

PRIMES = (1073741827, 2147483629, 2147483647)  # the least of 31 bits, and the largest two


@st.composite
def matrices(draw) -> tuple[np.ndarray, int]:
    """Residues of any size, the extreme ones often, and the prime."""
    prime = draw(st.sampled_from(PRIMES))
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 6)))
    residues = st.sampled_from([0, 1, 2, prime // 2, prime - 2, prime - 1]) | st.integers(
        0, prime - 1
    )
    entries = draw(st.lists(residues, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    return np.array(entries, np.uint32).reshape(shape), prime


@given(matrices(), st.data())
def test_left_over_is_the_vector_less_the_rows(made, data):
    matrix, prime = made
    width = data.draw(st.integers(1, matrix.shape[1]))
    rows = data.draw(st.lists(st.integers(0, len(matrix) - 1), max_size=8))
    vector = np.array(data.draw(st.lists(st.booleans(), min_size=width, max_size=width)))
    left = left_over(matrix, np.array(rows, np.int64), vector, prime)
    expected = [
        (int(vector[c]) - sum(int(matrix[row, c]) for row in rows)) % prime for c in range(width)
    ]
    assert left.tolist() == expected


@given(matrices(), st.data())
def test_cleared_rows_are_right_modulo_the_prime(made, data):
    matrix, prime = made
    column = data.draw(st.integers(0, matrix.shape[1] - 1))
    vector = matrix[0].astype(np.uint64)
    vector[column] = 1
    before = matrix.astype(object)
    clear_column(matrix, len(matrix), vector, column, prime)
    expected = (before - np.outer(before[:, column], vector.astype(object))) % prime
    assert matrix.tolist() == expected.tolist()
    assert not matrix[:, column].any()


@given(matrices(), st.data())
def test_multiples_are_found_and_nothing_else(made, data):
    matrix, prime = made
    vector = matrix[0].astype(np.uint64)
    times = data.draw(st.integers(0, prime - 1))
    matrix[-1] = (vector.astype(object) * times % prime).astype(np.uint32)
    found = multiples(matrix, len(matrix), vector, prime)
    for row, is_one in zip(matrix, found, strict=True):
        lead = next((c for c, v in enumerate(vector) if v), None)
        if lead is None:
            assert not is_one
            continue
        factor = int(row[lead]) * pow(int(vector[lead]), -1, prime) % prime
        same = all(int(r) == factor * int(v) % prime for r, v in zip(row, vector, strict=True))
        assert is_one == (same and factor != 0)


def test_copies_and_zeros_are_written_behind_the_columns_in_use():
    matrix = np.arange(12, dtype=np.uint32).reshape(2, 6)
    copy_columns(matrix, 2, 3, np.array([2, -1]))
    assert matrix.tolist() == [[0, 1, 2, 2, 0, 5], [6, 7, 8, 8, 0, 11]]


def test_rows_beyond_the_height_are_left_alone():
    matrix = np.full((2, 2), 5, np.uint32)
    clear_column(matrix, 1, np.array([1, 1], np.uint64), 0, 7)
    assert matrix.tolist() == [[0, 0], [5, 5]]
