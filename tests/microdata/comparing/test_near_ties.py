from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.comparing.near_ties import above, exceeds, quotients_above

LARGE = 2**62


@given(
    st.lists(st.tuples(st.integers(0, LARGE), st.integers(1, LARGE)), min_size=1),
    st.fractions(0, 3),
)
def test_quotients_of_large_numbers_are_compared_exactly(pairs, bound):
    tops, bottoms = np.array(pairs, np.int64).T
    want = [Fraction(*pair) > bound for pair in pairs]
    assert quotients_above(tops, bottoms, bound).tolist() == want


@given(st.integers(1, LARGE - 1), st.integers(-1, 1))
def test_the_nearest_neighbours_of_a_bound_are_told_apart(n, step):
    found = quotients_above(np.array([n + step]), np.array([LARGE]), Fraction(n, LARGE))
    assert found.tolist() == [step > 0]


def test_only_what_is_near_is_decided_slowly():
    asked = []

    def is_above(places):
        asked.extend(places.tolist())
        return np.ones(len(places), np.bool_)

    levels = np.array([0.1, 0.2, 0.2 + 1e-12, 0.3, np.inf])
    assert above(levels, Fraction(1, 5), is_above).tolist() == [False, True, True, True, True]
    assert asked == [1, 2]


def test_ever_more_digits_decide_about_irrational_numbers():
    """The 30th convergent of a continued fraction is nearer to sqrt(2) than 40 digits tell."""
    low, high = Fraction(1), Fraction(3, 2)
    for _ in range(60):
        low, high = high, 1 + 1 / (1 + high)
    assert abs(low - high) < Fraction(1, 10**45)
    assert exceeds(max(low, high), lambda: Decimal(2).sqrt())
    assert not exceeds(min(low, high), lambda: Decimal(2).sqrt())
