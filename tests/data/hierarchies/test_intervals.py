from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise
from operator import mul

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.hierarchies.intervals import Intervals, number
from tacita.errors import HierarchyError

WHOLE = st.integers(-(2**62), 2**62)
REAL = st.floats(allow_nan=False, allow_infinity=False)
STARTS = st.sampled_from([0, -50, 7, 0.25, -1e9, 1e17])
WIDTHS = st.sampled_from([1, 5, 0.1, 2.5, 1000, 1e-7])


def bounds(label: str) -> tuple[Fraction, Fraction]:
    low, high = label.strip("[)").split(",")
    return Fraction(low), Fraction(high)


@given(
    st.lists(WHOLE, min_size=1).map(pa.array) | st.lists(REAL, min_size=1).map(pa.array),
    STARTS,
    WIDTHS,
    st.lists(st.integers(2, 12), max_size=3),
)
def test_an_interval_lies_inside_one_of_the_next_level(values, start, width, multiples):
    widths = [float(Fraction(str(width)) * by) for by in accumulate([1, *multiples], mul)]
    hierarchy = Intervals(widths=widths, start=start)
    levels = [hierarchy.labels(values, level).to_pylist() for level in range(1, hierarchy.height)]
    for fine, coarse in pairwise(levels):
        for inner, outer in zip(map(bounds, fine), map(bounds, coarse), strict=True):
            assert outer[0] <= inner[0] < inner[1] <= outer[1]
    assert set(hierarchy.labels(values, hierarchy.height).to_pylist()) == {"*"}


@given(st.lists(WHOLE, min_size=1), STARTS, st.sampled_from([1, 3, 0.5, 1000]))
def test_a_whole_number_lies_in_its_interval_however_large_it_is(numbers, start, width):
    labels = Intervals(widths=[width], start=start).labels(pa.array(numbers), 1).to_pylist()
    for value, (low, high) in zip(numbers, map(bounds, labels), strict=True):
        assert low <= value < high


@given(st.integers(-1000, 1000))
def test_a_number_lies_in_its_interval_though_decimals_are_not_exact(tenths):
    value = tenths / 10
    (label,) = Intervals(widths=[0.1]).labels(pa.array([value]), 1).to_pylist()
    low, high = (float(bound) for bound in label.strip("[)").split(","))
    assert low <= value < high


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_a_bound_is_told_exactly(value):
    assert Fraction(number(Fraction(value))) == Fraction(value)


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (pa.array([1.0, float("nan")]), "nan: intervals need finite numbers"),
        (pa.array([1.0, float("inf")]), "inf: intervals need finite numbers"),
        (pa.array(["x"]), "'x': intervals need numbers"),
        (pa.array([0], pa.int32()).cast(pa.date32()), "intervals need numbers"),
    ],
)
def test_what_is_no_number_is_not_covered(values, what):
    with pytest.raises(HierarchyError, match=f"does not cover .*{what}"):
        Intervals(widths=[5]).labels(values, 1)


def test_a_start_without_end_is_refused():
    with pytest.raises(HierarchyError, match="finite number; found inf"):
        Intervals(widths=[5], start=float("inf"))
