from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.mixed_distance import column_means, smallest, squared_distances

pytestmark = pytest.mark.numeric

NUMBERS = st.floats(-1e6, 1e6)


@given(st.integers(0, 3), st.integers(0, 2), st.lists(st.integers(0, 4)), st.integers(0, 99))
def test_distances_are_sums_of_squares_and_of_what_codes_add(width, coded, rows, seed):
    rng = np.random.default_rng(seed)
    numbers, point = rng.integers(-3, 4, (5, width)).astype(float), rng.normal(size=width)
    codes, tables = rng.integers(0, 3, (5, coded)), [rng.random(3) for _ in range(coded)]
    found = squared_distances(numbers, codes, np.array(rows, np.int64), point, tables)
    expected = [
        sum((numbers[row] - point) ** 2) + sum(t[codes[row, j]] for j, t in enumerate(tables))
        for row in rows
    ]
    assert np.allclose(found, expected, rtol=1e-12)


@given(st.lists(st.integers(-2, 2)), st.integers(0, 6))
def test_the_smallest_come_in_order_and_the_first_of_equal_ones_first(values, count):
    found = smallest(np.array(values, np.float64), count)
    assert found.tolist() == sorted(range(len(values)), key=lambda i: (values[i], i))[:count]


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=20), st.data())
def test_means_are_exact_but_for_the_last_digits(matrix, data):
    numbers = np.array(matrix)
    rows = data.draw(st.lists(st.integers(0, len(matrix) - 1), min_size=1, unique=True))
    for column, mean in zip(numbers.T, column_means(numbers, np.array(rows)), strict=True):
        exact = float(sum(Fraction(value) for value in column[rows].tolist()) / len(rows))
        assert abs(mean - exact) <= 2 * np.spacing(abs(exact))
