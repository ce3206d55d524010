from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.masking.subsampling.partners import NOBODY, partners


@st.composite
def records(draw):
    size, keys = draw(st.integers(1, 25)), draw(st.integers(1, 3))
    codes = [
        np.array(draw(st.lists(st.integers(-1, 3), min_size=size, max_size=size)))
        for _ in range(keys)
    ]
    strata = np.array(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)))
    return codes, strata, draw(st.integers(0, 99))


@given(records())
def test_up_to_three_codes_partners_are_the_nearest(drawn):
    codes, strata, seed = drawn
    rng = np.random.default_rng(seed)
    wanted = rng.permutation(len(strata))[: rng.integers(1, len(strata) + 1)]
    found = partners(codes, strata, wanted, rng)
    apart = sum(np.not_equal.outer(column, column).astype(int) for column in codes)
    for record, partner in zip(wanted, found, strict=True):
        there = (strata == strata[record]) & (apart[record] > 0)
        if not there.any():
            assert partner == NOBODY
        else:
            assert there[partner]
            assert apart[record, partner] == apart[record, there].min()


def test_chances_decide_among_the_nearest():
    codes = [np.array([0, 1, 2, 3, 4])]
    found = [
        int(partners(codes, np.zeros(5, np.int64), np.array([2]), np.random.default_rng(seed))[0])
        for seed in range(200)
    ]
    assert set(found) == {0, 1, 3, 4}
    assert min(found.count(one) for one in (0, 1, 3, 4)) > 25


def test_many_codes_that_all_differ_end_soon():
    codes = [np.array([0, 1]) for _ in range(40)]
    assert partners(codes, np.zeros(2, np.int64), np.array([0]), np.random.default_rng(0)) == [1]
