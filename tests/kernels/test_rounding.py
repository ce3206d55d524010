from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.rounding import EXACT, GRAIN, places_between, to_multiples

pytestmark = pytest.mark.numeric

BASES = ("1", "0.1", "0.05", "0.3", "2.5", "7", "1000", "0.001")


def nearest_multiple(value, base):
    """Round one number by fractions; the doubles of the middles decide."""
    step = floor(Fraction(value) / base + Fraction(1, 2))
    if value >= float((step + Fraction(1, 2)) * base):
        step += 1
    elif value < float((step - Fraction(1, 2)) * base):
        step -= 1
    return float(step * base)


@given(
    st.lists(
        st.one_of(
            st.floats(-1e9, 1e9),
            st.integers(-4000, 4000).map(lambda n: n / 20),
            st.integers(-(10**6), 10**6).map(float),
        )
    ),
    st.sampled_from(BASES),
)
def test_every_multiple_is_the_double_next_to_the_decimal(numbers, base):
    exact = Fraction(base)
    found = to_multiples(np.array(numbers, np.float64), exact.numerator, exact.denominator)
    assert found.tolist() == [nearest_multiple(number, exact) for number in numbers]


@pytest.mark.parametrize("base", BASES)
def test_halves_go_up_on_both_sides_of_zero(base):
    exact = Fraction(base)
    steps = range(-30, 30)
    middles = np.array([float((step + Fraction(1, 2)) * exact) for step in steps])
    above = [float((step + 1) * exact) for step in steps]
    below = [float(step * exact) for step in steps]
    parts = exact.numerator, exact.denominator
    assert to_multiples(middles, *parts).tolist() == above
    assert to_multiples(np.nextafter(middles, -np.inf), *parts).tolist() == below


def test_blanks_stay_and_zero_has_no_sign():
    found = to_multiples(np.array([np.nan, -0.2, -0.0, 0.2]), 1, 1)
    assert np.isnan(found[0])
    assert np.signbit(found[1:]).tolist() == [False] * 3


@pytest.mark.parametrize("denominator", [1, 10, 1000])
def test_numbers_that_are_too_large_give_no_result(denominator):
    limit = EXACT / denominator
    fits = np.array([np.nextafter(limit, 0), -np.nextafter(limit, 0)])
    assert to_multiples(fits, 1, denominator) is not None
    for wrong in (limit, -limit, np.inf):
        assert to_multiples(np.array([0.0, wrong]), 1, denominator) is None


@given(
    st.lists(st.one_of(st.just(float("nan")), st.integers(-9, 9).map(float))),
    st.lists(st.integers(-9, 9), max_size=12).map(sorted),
)
def test_places_between_bounds_are_those_of_a_search(numbers, bounds):
    values, ascending = np.array(numbers, np.float64), np.array(bounds, np.float64)
    wanted = np.searchsorted(ascending, values, side="right")
    assert places_between(values, ascending).tolist() == wanted.tolist()


@given(
    st.lists(st.one_of(st.just(float("nan")), st.integers(-500, 500).map(lambda n: n / 20))),
    st.integers(1, 40),
    st.sampled_from([0.05, 0.1, 0.3, 1.0, 7.0]),
    st.sampled_from([0.0, 0.05, -3.0]),
)
def test_places_between_even_bounds_are_those_of_a_search(numbers, count, width, start):
    values, bounds = np.array(numbers, np.float64), start + np.arange(count) * width
    wanted = np.searchsorted(bounds, values, side="right")
    assert places_between(values, bounds, even=True).tolist() == wanted.tolist()


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_do_not_show(threads):
    numbers = np.random.default_rng(0).normal(0, 1e4, 4 * GRAIN)
    one, many = (to_multiples(numbers, 1, 20, threads=count) for count in (1, threads))
    assert np.array_equal(one, many)
    bounds = np.arange(-1e4, 1e4, 999.0)
    for even in (False, True):
        found = [places_between(numbers, bounds, even=even, threads=n) for n in (1, threads)]
        assert np.array_equal(*found)
