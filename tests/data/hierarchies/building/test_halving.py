"""Quantiles and clusters of numbers, beside a slow search for the best cut."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.api.hierarchies import hierarchy_from
from tacita.data.hierarchies.building.halving import between
from tacita.data.hierarchies.cuts import Cuts

NUMBERS = st.lists(st.integers(0, 30), min_size=3, max_size=60).filter(lambda x: len(set(x)) > 2)


def parts(bounds, values):
    """The values between bounds, ascending."""
    ends = [-np.inf, *bounds, np.inf]
    return [sorted(v for v in values if low <= v < high) for low, high in pairwise(ends)]


@given(NUMBERS)
def test_halves_are_as_equal_as_ties_allow(values):
    made = hierarchy_from(values, by="quantiles", levels=4)
    coarse = [values]
    for bounds in made.levels[::-1]:
        fine = parts(bounds, values)
        for whole in coarse:
            halves = [part for part in fine if part and min(whole) <= part[0] <= max(whole)]
            if len(set(whole)) == 1:
                assert halves == [sorted(whole)]
                continue
            best = min(
                abs(sum(v < cut for v in whole) - sum(v >= cut for v in whole))
                for cut in set(whole) - {min(whole)}
            )
            assert abs(len(halves[0]) - len(halves[1])) == best
        coarse = fine


@given(NUMBERS)
def test_clusters_are_cut_where_squares_within_are_least(values):
    made = hierarchy_from(values, by="clustering", levels=1)
    assert isinstance(made, Cuts)

    def within(cut):
        return sum(np.var(part) * len(part) for part in parts([cut], values))

    least = min(within(cut) for cut in set(values) - {min(values)})
    assert within(made.levels[0][0]) == pytest.approx(least)


def test_quantiles_of_distinct_values_are_equal():
    made = hierarchy_from(np.arange(8000) * 7 % 8000, by="quantiles")
    counts = pa.array(made.labels(pa.array(range(8000)), 1)).value_counts()
    assert counts.field("counts").to_pylist() == [1000] * 8


def test_clusters_lie_apart():
    values = [1, 2, 3, 101, 102, 103, 1001, 1002]
    assert hierarchy_from(values, by="clustering", levels=2) == Cuts([[100, 1000, 1002], [1000]])


def test_clusters_far_from_0_keep_their_digits():
    values = [1e9 + x for x in (0.001, 0.002, 0.003, 0.9, 0.91)]
    (bound,) = hierarchy_from(values, by="clustering", levels=1).levels[0]
    assert values[2] < bound <= values[3]


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
)
def test_a_bound_lies_between(one, other):
    low, high = sorted((one, other))
    if low < high:
        bound = between(low, high)
        assert low < bound <= high
        assert low < float(bound) <= high


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_a_bound_lies_between_whole_numbers(one, other):
    low, high = sorted((one, other))
    if low < high:
        assert low < between(low, high) <= high


@pytest.mark.parametrize(
    ("low", "high", "bound"),
    [
        (19, 21, 20),
        (-3, 2, 0),
        (-7, -5, -5),
        (0.17, 0.64, 0.6),
        (1999, 2004, 2000),
        (0.5, 0.55, 0.55),
    ],
)
def test_bounds_are_round(low, high, bound):
    assert between(low, high) == bound


def test_the_largest_doubles_are_cut_like_others():
    assert hierarchy_from([-1.7e308, 0.0, 1.7e308], by="quantiles", levels=1).levels == ((0,),)
