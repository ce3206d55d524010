"""Dense ranks through a table, against a sort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.ranking import SPREAD, dense_ranks

pytestmark = pytest.mark.numeric


@given(st.lists(st.integers(-400, 400), min_size=1, max_size=400))
def test_ranks_are_those_of_a_sort(numbers: list[int]) -> None:
    values = np.array(numbers)
    found = dense_ranks(values)
    if np.ptp(values) >= SPREAD * values.size:
        assert found is None
        return
    assert found is not None
    distinct, ranks = np.unique(values, return_inverse=True)
    assert found[0].tolist() == ranks.tolist()
    assert found[1].tolist() == distinct.tolist()


def test_ranks_reach_over_many_words() -> None:
    values = np.random.default_rng(0).integers(-(2**40), -(2**40) + 3000, 1000)
    ranks, distinct = dense_ranks(values) or (None, None)
    sort = np.unique(values, return_inverse=True)
    assert np.array_equal(distinct, sort[0])
    assert np.array_equal(ranks, sort[1])


def test_numbers_too_large_for_64_signed_bits_are_left_to_others() -> None:
    assert dense_ranks(np.array([2**64 - 1], np.uint64)) is None
    assert dense_ranks(np.array([], np.int64)) is None
