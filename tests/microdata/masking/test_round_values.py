from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError

NUMBERS = st.lists(st.one_of(st.none(), st.floats(-1e7, 1e7)), min_size=1)


def rounded(values, **how):
    return ta.read(pa.table({"x": values})).apply(ta.RoundValues("x", **how)).column("x")


def test_temperatures_as_printed():
    """Ciriani et al., section 4.2: b = 1 and the rounding points 36 to 39."""
    data = ta.example("medical").apply(ta.RoundValues("Temp", points=[36, 37, 38, 39]))
    found = data.column("Temp").to_pylist()
    assert found == [36, 38, 38, 37, 36, 38, 37, 39, 38, 39, 37]
    sets = ta.RoundValues("Temp", points=[36, 37, 38, 39], bounds=[36.5, 37.5, 38.5])
    assert ta.example("medical").apply(sets).fingerprint() == data.fingerprint()


@pytest.mark.numeric
@given(NUMBERS, st.sampled_from([0.01, 0.1, 0.25, 1, 3, 5, 1000]))
@example([-1.5], 1)
def test_no_number_moves_by_more_than_half_a_base(values, base):
    found = rounded(pa.array(values, pa.float64()), base=base).to_pylist()
    unit = Fraction(str(base))
    for before, after in zip(values, found, strict=True):
        if before is None:
            assert after is None
            continue
        multiple = round(Fraction(after) / unit)
        assert after == float(multiple * unit)
        # The doubles next to a multiple and to a middle are off by half a last digit each.
        off = Fraction(np.spacing(abs(before)))
        assert abs(Fraction(before) - multiple * unit) <= unit / 2 + off


def test_a_half_is_one_if_it_was_written_so():
    assert rounded([0.15, 0.25, 0.35, -0.15], base=0.1).to_pylist() == [0.2, 0.3, 0.4, -0.1]
    assert rounded([2.5, -2.5, 1.1 * 3], base=1).to_pylist() == [3, -2, 3]
    assert rounded([0.31], base=0.1).to_pylist() == [0.3]  # and not 0.30000000000000004


@pytest.mark.numeric
@given(NUMBERS, st.lists(st.integers(-50, 50), min_size=1, max_size=6, unique=True).map(sorted))
def test_the_nearest_point_is_taken(values, points):
    found = rounded(pa.array(values, pa.float64()), points=points).to_pylist()
    for before, after in zip(values, found, strict=True):
        if before is not None:  # of two points that are equally near, the larger one is taken
            assert after == min(points, key=lambda p: (abs(Fraction(before) - p), -p))


def test_rounding_sets_decide_where_they_are_given():
    found = rounded([0.0, 1.9, 2.0, 9.9, 10.0], points=[0, 5, 10], bounds=[2, 10])
    assert found.to_pylist() == [0, 0, 5, 5, 10]
    assert rounded([-7.0, 7.0], points=[3]).to_pylist() == [3, 3]


def test_whole_numbers_stay_whole_where_all_points_are():
    small = pa.array([3, 250, None], pa.uint8())
    found = rounded(small, base=100)
    assert found.type == pa.int64()
    assert found.to_pylist() == [0, 300, None]
    assert rounded(small, points=[0, 100]).type == pa.int64()
    assert rounded(small, points=[0, 1e20]).to_pylist() == [0.0, 0.0, None]
    assert rounded(small, base=2.5).to_pylist() == [2.5, 250.0, None]


def test_rounding_twice_changes_nothing():
    values = np.random.default_rng(1).normal(0, 100, 500)
    once = rounded(values, base=0.07)
    assert rounded(once, base=0.07).equals(once)


def test_several_attributes_are_rounded_and_the_others_stay(toy):
    masked = toy.apply(ta.RoundValues(["age", "income"], 500))
    assert set(masked.column("age").to_pylist()) == {0}
    assert masked.column("weight").equals(toy.column("weight"))
    assert masked.column("income").is_null().equals(toy.column("income").is_null())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "needs one of `base` and `points`; found none"),
        ({"base": 1, "points": [1]}, "found both"),
        ({"base": 0}, "`base` of `round_values` should be greater than 0; found 0"),
        ({"base": 1 / 3}, "must be a decimal of up to 15 digits.* found 0.3333333333333333"),
        ({"base": 1e16}, "must be a decimal of up to 15 digits.* found 1e\\+16"),
        ({"base": 1e-16}, "must be a decimal of up to 15 digits.* found 1e-16"),
        ({"points": [2, 1]}, "must ascend; found \\[2.0, 1.0\\]"),
        ({"points": [1, 2], "bounds": [3]}, "each above its point and up to the next"),
        ({"points": [1, 2, 3], "bounds": [2]}, "one fewer than `points`"),
        ({"base": 1, "bounds": [2]}, "one fewer than `points`"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        ta.RoundValues("x", **parameters)


def test_numbers_beyond_the_digits_of_doubles_are_refused():
    message = "multiples of 0.01 apart below 2.25e\\+13; `x` is 1e\\+20 in record 2. Take a larger"
    with pytest.raises(InputError, match=message):
        rounded([1.0, 1e20], base=0.01)
