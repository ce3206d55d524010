"""Rounding: multiples of the base, no farther than they may be, and no bias at random."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tacita.errors import ParameterError
from tacita.mechanisms.rounding import at_random, multiples, nearest, parted

pytestmark = pytest.mark.numeric

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


class TestManyAtOnce:
    @given(st.lists(values, min_size=1, max_size=20), bases)
    def test_the_nearest_is_that_of_each_alone(self, several, base):
        found = parted(np.array(several), base, 3)
        assert multiples(found.nearest, base).tolist() == [nearest(one, base) for one in several]

    @given(st.lists(values, min_size=1, max_size=20), bases)
    def test_what_is_parted_comes_together_again(self, several, base):
        found = parted(np.array(several), base, 3)
        step = Fraction(str(base))
        for value, below, rest in zip(several, found.below, found.rest, strict=True):
            whole = int(below) + Fraction(int(rest), found.units)
            assert whole * step == Fraction(str(value))
            assert 0 <= rest < found.units

    @given(st.lists(values, min_size=1, max_size=20), bases)
    @example([239500.8], 0.05)
    def test_without_decimals_the_rest_is_rounded(self, several, base):
        exact, nearly = (parted(np.array(several), base, known) for known in (3, None))
        for part in zip(exact.below, exact.rest, nearly.below, nearly.rest, strict=True):
            below, rest, nearly_below, nearly_rest = map(int, part)
            found = nearly_below + Fraction(nearly_rest, nearly.units)
            off = below + Fraction(rest, exact.units) - found
            assert abs(off) <= Fraction(1, 2 * nearly.units)
        assert np.array_equal(nearly.rest == 0, exact.rest == 0)

    @given(st.integers(-1000, 1000), st.integers(1, 50))
    def test_at_random_goes_up_as_often_as_it_must(self, value, base):
        """Over draws that stand for all, the mean is the value exactly."""

        class EveryNumber:
            def integers(self, low, high, size):
                assert (low, size) == (0, high)
                return np.arange(high)

        found = parted(np.full(base, float(value)), base, 0)
        drawn = found.at_random(EveryNumber())
        assert Fraction(int(drawn.sum()) * base, base) == value

    def test_digits_that_do_not_fit_are_parted_nearly(self):
        found = parted(np.array([1e14, 3.0]), 1e-4, 0)
        assert found.below.tolist() == [10**18, 30_000]
        assert (found.rest == 0).all()

    def test_refuses_a_base_that_doubles_do_not_tell(self):
        with pytest.raises(ParameterError, match="is too small for values"):
            parted(np.array([1e15]), 1e-9, None)

    def test_nothing_is_parted_into_nothing(self):
        assert parted(np.zeros(0), 5, 0).nearest.size == 0
