"""Rounding: multiples of the base, no farther than they may be, and no bias at random."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.mechanisms.rounding import at_random, nearest

values = st.decimals(-(10**6), 10**6, places=3).map(float)
bases = st.sampled_from([0.05, 0.1, 1, 3, 5, 10, 250])


def times(rounded: float, base: float) -> Fraction:
    return Fraction(str(rounded)) / Fraction(str(base))


@given(values, bases)
def test_the_nearest_is_a_multiple_no_farther_than_half_a_base(value, base):
    rounded = nearest(value, base)
    assert times(rounded, base).denominator == 1
    assert abs(Fraction(str(rounded)) - Fraction(str(value))) <= Fraction(str(base)) / 2
    assert nearest(rounded, base) == rounded


@given(values, bases, st.floats(0, 1, exclude_max=True))
def test_at_random_is_one_of_the_two_multiples_around(value, base, chance):
    rounded = at_random(value, base, chance)
    assert times(rounded, base).denominator == 1
    assert abs(Fraction(str(rounded)) - Fraction(str(value))) < Fraction(str(base))


@given(st.integers(-1000, 1000), st.integers(1, 50))
def test_at_random_has_no_bias(value, base):
    """Over chances that stand for all, the mean is the value exactly."""
    chances = (np.arange(base) + 0.5) / base
    rounded = [at_random(value, base, chance) for chance in chances]
    assert Fraction(sum(rounded), base) == value
