from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.set_distances import set_distances


@given(
    st.lists(st.sets(st.integers(0, 6), max_size=5), min_size=1, max_size=8),
    st.integers(0, 2**32 - 1),
)
def test_members_are_compared_with_the_nearest_of_the_other_set(sets, seed):
    apart = np.random.default_rng(seed).random((7, 7))
    apart = np.triu(apart, 1) + np.triu(apart, 1).T
    starts = np.cumsum([0, *map(len, sets)])
    members = np.array([member for one in sets for member in sorted(one)], np.int64)
    ones, others = (grid.ravel() for grid in np.indices((len(sets), len(sets))))
    found = set_distances(starts, members, apart, ones, others)
    for one, other, distance in zip(ones, others, found.tolist(), strict=True):
        mine, theirs = sets[one], sets[other]
        nearest = [min((apart[a, b] for b in theirs), default=1.0) for a in mine]
        nearest += [min((apart[a, b] for a in mine), default=1.0) for b in theirs]
        assert distance == pytest.approx(np.mean(nearest) if nearest else 0.0)
