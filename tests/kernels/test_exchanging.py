from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.exchanging import exchange

pytestmark = pytest.mark.numeric


def difference(members, large):
    """The difference as it is written, in fractions."""
    own = accumulate(Fraction(members.count(place), len(members)) for place in range(len(large)))
    whole = accumulate(Fraction(count, sum(large)) for count in large)
    return sum(abs(f - q) for f, q in zip(own, whole, strict=True))


def exchanged(members, waiting, large, enough):
    """Try every exchange by computing the difference anew; 0.3 means three tenths."""
    who, now = list(range(len(members))), list(members)
    bound = Fraction(str(enough))
    for turn, comes in enumerate(waiting):
        before = difference(now, large)
        if before <= bound:
            break
        tried = [difference([*now[:i], comes, *now[i + 1 :]], large) for i in range(len(now))]
        if min(tried) < before:
            leaves = tried.index(min(tried))
            now[leaves], who[leaves] = comes, len(members) + turn
    return sorted(who), difference(now, large)


@given(st.data())
def test_it_is_what_trying_all_finds(data):
    large = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=7).filter(any))
    places = st.integers(0, len(large) - 1)
    members = data.draw(st.lists(places, min_size=1, max_size=5))
    waiting = data.draw(st.lists(places, max_size=12))
    enough = data.draw(st.sampled_from([0.0, 0.3, 1.0]))
    who, left = exchange(*(np.array(a, np.int64) for a in (members, waiting, large)), enough)
    slow, exact = exchanged(members, waiting, large, enough)
    assert who.tolist() == slow
    assert abs(left - exact) < 1e-12


def test_one_at_either_end_is_better_than_two_at_one():
    who, left = exchange(np.array([0, 0]), np.array([3]), np.ones(4, np.int64), 0.0)
    assert who.tolist() == [1, 2]
    assert left == 0.5  # |1/2 - 1/4| + |1/2 - 1/2| + |1/2 - 3/4|


def test_nothing_is_exchanged_once_it_is_enough():
    who, _ = exchange(np.array([0, 0]), np.array([3]), np.ones(4, np.int64), 1.5)
    assert who.tolist() == [0, 1]
