"""What a reader knows of rounded values: always true, and no wider than it must be."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacita.mechanisms.rounding import nearest
from tacita.tables.perturb.controlled_random_rounding import ControlledRandomRounding
from tacita.tables.perturb.controlled_rounding import ControlledRounding
from tacita.tables.perturb.conventional_rounding import ConventionalRounding
from tacita.tables.perturb.random_rounding import RandomRounding
from tacita.tables.perturb.rounding.knowing import known_values
from tacita.tables.ready import grid_table

BASES = st.sampled_from([2, 3, 5, 0.5])


class TestEveryValue:
    @settings(max_examples=40)
    @given(st.integers(0, 10**6), BASES)
    def test_the_truth_is_inside(self, random_table, seed, base):
        system = random_table(seed, most=20).system()
        found = ControlledRounding(base).perturb(system, np.random.default_rng(0))
        reach = 1 + int(np.max(np.abs(found.change) // base))
        lower, upper = known_values(found.value, base, reach=reach, decimals=0, lower_bound=0.0)
        assert (lower <= system.cells.value).all()
        assert (system.cells.value <= upper).all()
        assert (lower >= 0).all()
        assert np.array_equal(np.maximum(found.lower, 0), lower)
        assert np.array_equal(found.upper, upper)

    @given(st.integers(-40, 40), st.sampled_from([2, 3, 5, 10]), st.integers(1, 3))
    def test_whole_numbers_at_the_ends_are_possible_and_others_are_not(self, times, base, reach):
        published = times * base
        lower, upper = known_values(np.array([float(published)]), base, reach=reach, decimals=0)
        around = range(published - 100, published + 101)
        possible = [value for value in around if abs(value - published) < reach * base]
        assert (lower[0], upper[0]) == (min(possible), max(possible))

    @settings(max_examples=30)
    @given(st.integers(-40, 40), st.sampled_from([0.3, 0.5, 2, 2.5]))
    def test_tenths_that_are_rounded_to_the_nearest(self, times, base):
        published = nearest(times * base, base)
        lower, upper = known_values(np.array([float(published)]), base, way="nearest", decimals=1)
        tenths = [tenth / 10 for tenth in range(-1100, 1101)]
        possible = [value for value in tenths if nearest(value, base) == published]
        assert (lower[0], upper[0]) == (min(possible), max(possible))


@pytest.mark.numeric
@given(st.integers(-(10**9), 10**9), st.sampled_from([0.05, 0.3, 0.5, 2, 2.5]), st.integers(0, 3))
@example(4_790_016, 0.05, 3)
@example(18_930_239, 0.3, 2)
@example(-16_254, 0.3, 3)
def test_the_ends_of_large_values_are_exact(times, base, decimals):
    step, unit = Fraction(str(base)), Fraction(1, 10**decimals)
    published = np.array([float(times * step)])
    low, high = (times - Fraction(1, 2)) * step, (times + Fraction(1, 2)) * step
    lower, upper = known_values(published, base, way="nearest", decimals=decimals)
    assert lower[0] == float(ceil(low / unit) * unit)
    assert upper[0] == float((ceil(high / unit) - 1) * unit)
    lower, upper = known_values(published, base, decimals=decimals)
    assert lower[0] == float((floor((times - 1) * step / unit) + 1) * unit)
    assert upper[0] == float((ceil((times + 1) * step / unit) - 1) * unit)


def test_any_distance_tells_no_more_than_what_is_known_beforehand():
    lower, upper = known_values(np.array([5.0, 0.0]), 5, reach=None, lower_bound=0.0)
    assert lower.tolist() == [0, 0]
    assert np.isinf(upper).all()


@pytest.mark.parametrize(
    "way", [ConventionalRounding(5), RandomRounding(5), ControlledRandomRounding(5)]
)
def test_what_is_told_of_every_way_holds_the_truth(way):
    table = grid_table("t", {"x": [1, 14, 5], "y": [3, 22, 8]}, ["u", "v", "w"])
    for seed in range(20):
        found = way.perturb(table.system(), np.random.default_rng(seed))
        assert (found.lower <= table.cells.value).all()
        assert (table.cells.value <= found.upper).all()
        assert (found.upper - found.lower <= 8).all()


def test_where_any_distance_is_allowed_nobody_is_told_which_was_needed():
    table = grid_table("t", {"x": [1, 14], "y": [3, 22]}, ["u", "v"])
    way = ControlledRounding(5, zero_restricted=False)
    found = way.perturb(table.system(), np.random.default_rng(0))
    assert np.isinf(found.lower).all()
    assert np.isinf(found.upper).all()


def test_without_decimals_the_ends_are_those_of_the_open_interval():
    lower, upper = known_values(np.array([10.0]), 5, upper_bound=np.array([12.0]))
    assert (lower[0], upper[0]) == (5, 12)


@pytest.mark.parametrize("base", [3, 5])
def test_counts_that_are_published_as_zero_may_be_up_to_the_base_less_one(base):
    table = grid_table("t", {"x": [1, 1], "y": [1, 1]}, ["u", "v"])
    found = ControlledRounding(base).perturb(table.system(), np.random.default_rng(0))
    lower, upper = known_values(found.value, base, decimals=0, lower_bound=0.0)
    is_zero = found.value == 0
    assert is_zero.any()
    assert set(upper[is_zero]) == {base - 1}
    assert set(lower[is_zero]) == {0}
