from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels.by_group import (
    SMALL,
    add_counts_per_group,
    count_codes_per_group,
    sum_by_code,
    sum_by_group,
)

pytestmark = pytest.mark.numeric


def rows_of(found):
    """List group, code and count of everything that was counted."""
    parts = (found.groups, found.codes, found.counts)
    return list(zip(*(part.tolist() for part in parts), strict=True))


@settings(deadline=None, max_examples=60)
@given(pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3)), max_size=40))
def test_code_counts_agree_with_a_counter(pairs):
    ids, codes = np.array(pairs, np.int64).reshape(-1, 2).T
    counts = count_codes_per_group(ids, codes, 6, 4)
    rows = rows_of(counts)
    assert rows == [(*pair, count) for pair, count in sorted(Counter(pairs).items())]


@pytest.mark.parametrize("size", [1, SMALL, SMALL + 1, 20 * SMALL])
def test_small_groups_are_counted_as_large_ones_are(size):
    """Groups up to some size, on average, are sorted one by one; the others all at once."""
    rng = np.random.default_rng(size)
    ids, codes = rng.integers(0, 50, 50 * size), rng.integers(-1, 9, 50 * size)
    counts = count_codes_per_group(ids, codes, 50, 9)
    rows = rows_of(counts)
    pairs = Counter(zip(ids.tolist(), codes.tolist(), strict=True))
    assert rows == [(*pair, count) for pair, count in sorted(pairs.items())]


@settings(deadline=None, max_examples=60)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(1, 2**40)), max_size=40
    )
)
def test_added_counts_agree_with_a_counter(rows):
    ids, codes, counts = np.array(rows, np.int64).reshape(-1, 3).T
    added = add_counts_per_group(ids, codes, counts, 6)
    want = Counter()
    for group, code, count in rows:
        want[group, code] += count
    assert rows_of(added) == [(*pair, count) for pair, count in sorted(want.items())]


@settings(deadline=None, max_examples=60)
@given(rows=st.lists(st.tuples(st.integers(0, 5), st.integers(1, 2**40)), max_size=40))
def test_sums_by_code_agree_with_a_counter(rows):
    codes, counts = np.array(rows, np.int64).reshape(-1, 2).T
    want = Counter()
    for code, count in rows:
        want[code] += count
    assert sum_by_code(codes, counts, 6).tolist() == [want[code] for code in range(6)]
    with pytest.raises(ValueError, match=r"`codes` must lie in 0..5; got 6..6"):
        sum_by_code(np.array([6]), np.array([1]), 6)


def test_counts_outside_their_groups_are_not_added():
    with pytest.raises(ValueError, match=r"`ids` must lie in 0..1; got 0..2"):
        add_counts_per_group(np.array([0, 2]), np.array([0, 0]), np.array([1, 1]), 2)
    with pytest.raises(ValueError, match=r"`codes` must lie in 0..0; got -1..0"):
        add_counts_per_group(np.array([0, 1]), np.array([-1, 0]), np.array([1, 1]), 2)
    with pytest.raises(ValueError, match="differ in length"):
        add_counts_per_group(np.array([0, 1]), np.array([0, 0]), np.array([1]), 2)


def test_numbers_outside_their_range_are_refused():
    ids = np.array([0, 2])
    with pytest.raises(ValueError, match=r"`ids` must lie in 0..1; got 0..2"):
        sum_by_group(ids, np.ones(2), 2)
    with pytest.raises(ValueError, match=r"`codes` must lie in -1..1; got -2..0"):
        count_codes_per_group(ids, np.array([-2, 0]), 3, 2)
    with pytest.raises(ValueError, match="differ in length"):
        sum_by_group(ids, np.ones(3), 3)


def test_sums_by_group_are_compensated():
    rng = np.random.default_rng(9)
    ids = rng.integers(0, 5, 5000)
    values = rng.normal(size=5000) * 10.0 ** rng.integers(-12, 12, 5000)
    want = [math.fsum(values[ids == number]) for number in range(5)]
    np.testing.assert_allclose(sum_by_group(ids, values, 6), [*want, 0.0], rtol=1e-15, atol=0)


def test_sums_by_group_of_what_is_not_finite():
    values = np.array([1.0, math.inf, 2.0, math.nan, math.inf, -math.inf])
    sums = sum_by_group(np.array([0, 0, 0, 1, 2, 2]), values, 3)
    np.testing.assert_array_equal(sums, [math.inf, math.nan, math.nan])


@pytest.mark.parametrize("size", [0, 1])
def test_nothing_and_next_to_nothing(size):
    ids = np.zeros(size, np.int64)
    assert count_codes_per_group(ids, ids, 1, 1).counts.tolist() == [1] * size
    assert add_counts_per_group(ids, ids, ids + 7, 1).counts.tolist() == [7] * size
    assert sum_by_group(ids, np.ones(size), 1).tolist() == [float(size)]
