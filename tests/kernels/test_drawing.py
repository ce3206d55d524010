from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.drawing import GRAIN, drawn_by_row

pytestmark = pytest.mark.numeric


@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 6))
def test_against_a_search_in_every_row(seed, columns, rows):
    rng = np.random.default_rng(seed)
    chances = rng.random((rows, columns)) * rng.integers(0, 2, (rows, columns))
    chances[:, -1] += 0.1
    cumulated = np.cumsum(chances, axis=1)
    cumulated /= cumulated[:, -1:]
    values, of_share = rng.normal(size=columns), rng.integers(0, rows, 50)
    shares = np.append(rng.random(48), cumulated[0, :1].repeat(2) % 1)
    places = [
        np.searchsorted(cumulated[row], share, side="right")
        for row, share in zip(of_share, shares, strict=True)
    ]
    assert drawn_by_row(values, cumulated, of_share, shares).tolist() == values[places].tolist()


def test_threads_do_not_change_the_result():
    rng = np.random.default_rng(0)
    cumulated = np.sort(rng.random((5, 12)), axis=1)
    cumulated[:, -1] = 1.0
    n = 4 * GRAIN + 3
    rows, shares, values = rng.integers(0, 5, n), rng.random(n), np.arange(12.0)
    one, four = (drawn_by_row(values, cumulated, rows, shares, threads=t) for t in (1, 4))
    assert np.array_equal(one, four)


def test_what_does_not_fit_is_refused():
    chances = np.ones((2, 3))
    with pytest.raises(ValueError, match="differ in number"):
        drawn_by_row(np.zeros(2), chances, np.zeros(1, np.int64), np.zeros(1))
    with pytest.raises(ValueError, match=r"rows must lie in 0\.\.1"):
        drawn_by_row(np.zeros(3), chances, np.array([2]), np.zeros(1))


def test_a_share_that_is_no_number_gets_the_last_value():
    found = drawn_by_row(np.array([1.0, 2.0]), np.ones((1, 2)), np.array([0]), np.array([np.nan]))
    assert found.tolist() == [2.0]
