"""The largest numbers of groups, against sorting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.contributions import largest_by_group

pytestmark = pytest.mark.numeric

ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([0.0, 1.0, 1.5, 2.0, 7.0]), st.integers(1, 4)),
    max_size=20,
)


@given(ROWS, st.integers(0, 4))
def test_the_largest_are_those_that_sorting_finds(rows, m):
    ids, sizes, times = (np.array([row[i] for row in rows]) for i in range(3))
    found = largest_by_group(
        ids.astype(np.int64), sizes.astype(float).reshape(-1, 1), 4, m, times.astype(np.int64)
    )
    for group in range(4):
        held = sorted(
            (size for g, size, often in rows for _ in range(often) if g == group), reverse=True
        )
        assert found[group].tolist() == (held + [0.0] * m)[:m]


@given(ROWS, st.integers(1, 3))
def test_joining_what_parts_kept_is_keeping_of_the_whole(rows, m):
    ids = np.array([row[0] for row in rows], np.int64)
    sizes = np.array([row[1] for row in rows], float).reshape(-1, 1)
    parts = largest_by_group(ids, sizes, 4, m)
    joined = largest_by_group(np.array([0, 1, 0, 1]), parts, 2, m)
    assert np.array_equal(joined, largest_by_group(ids % 2, sizes, 2, m))


def test_what_is_not_a_number_is_passed_over():
    found = largest_by_group(np.array([0, 0]), np.array([[np.nan], [3.0]]), 1, 2)
    assert found.tolist() == [[3.0, 0.0]]


@pytest.mark.parametrize(
    ("ids", "rows", "times"), [([0, 2], 2, None), ([0, -1], 2, None), ([0], 2, None), ([0], 1, 3)]
)
def test_numbers_that_would_write_elsewhere_are_refused(ids, rows, times):
    often = None if times is None else np.ones(times, np.int64)
    with pytest.raises(ValueError, match=r"groups"):
        largest_by_group(np.array(ids), np.ones((rows, 1)), 2, 1, often)
