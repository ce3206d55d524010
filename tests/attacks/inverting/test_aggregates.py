from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.attacks.inverting.aggregates import (
    Block,
    blocks_of,
    bounds_of,
    groups_of,
    smallest_class,
    smallest_group,
)
from tacita.microdata.masking.partitions.ordering import fixed_runs, optimal_runs
from tacita.microdata.risk.linking.distances import Ranges

pytestmark = pytest.mark.numeric


def averaged(values, labels):
    sums, counts = np.bincount(labels, values), np.bincount(labels)
    return (sums / counts)[labels]


def points(known, released):
    return Ranges("x", known, released, released)


VALUES = st.lists(st.integers(-20, 20), min_size=6, max_size=40).map(lambda x: np.array(x, float))


@settings(max_examples=50)
@given(VALUES, st.integers(2, 4), st.sampled_from([fixed_runs, optimal_runs]))
def test_values_averaged_in_runs_lie_between_their_bounds(values, k, runs):
    low, high = bounds_of(averaged(values, runs(values, k)))
    assert (low <= values).all()
    assert (values <= high).all()


@settings(max_examples=50)
@given(VALUES, st.integers(2, 4), st.sampled_from([fixed_runs, optimal_runs]))
def test_the_run_of_every_value_is_among_those_it_may_be_in(values, k, runs):
    released = averaged(values, runs(values, k))
    groups = groups_of(Block((0,), is_alone=True), [points(values, released)], np.ones(1))
    assert (groups.near == groups.of_record[:, None]).any(axis=1).all()
    assert np.allclose(groups.chances.sum(axis=1), 1)


def test_bounds_of_a_known_file():
    # Runs 0, 2 | 3, 5 | 6, 9, 12: averages 1, 4 and 9.
    low, high = bounds_of(np.array([1.0, 1.0, 4.0, 4.0, 9.0, 9.0, 9.0, np.nan]))
    assert np.allclose(low, [-2, -2, 1, 1, 4, 4, 4, np.nan], equal_nan=True)
    # 4 and 9 bound the first two runs; of the last, 9 + 2 (9 - 4).
    assert np.allclose(high, [4, 4, 7, 7, 19, 19, 19, np.nan], equal_nan=True)


def test_bounds_of_nothing_and_of_one_run():
    assert bounds_of(np.array([]))[0].size == 0
    low, high = bounds_of(np.array([3.0, 3.0]))
    assert np.isneginf(low).all()
    assert np.isposinf(high).all()


def test_groups_are_counted_without_blanks():
    column = np.array([1.0, 1.0, 1.0, 2.0, 2.0, np.nan])
    other = np.array([5.0, 5.0, 5.0, 5.0, np.nan, 5.0])
    assert smallest_class([column]) == 2
    assert smallest_class([column, other]) == 1
    assert smallest_class([np.full(3, np.nan)]) == 0
    assert smallest_group([np.arange(4.0), column]) == 2
    assert smallest_group([np.arange(4.0)]) == 2


def test_attributes_grouped_together_are_found():
    rng = np.random.default_rng(0)
    one, other = (rng.permutation(np.arange(60) // 4) for _ in range(2))
    columns = [one * 1.0, other + 0.5, one**2 - 3.0, other * -1.0, rng.normal(size=60)]
    found = blocks_of(columns, 4, known=5)
    assert [(block.places, block.is_alone) for block in found] == [
        ((0, 2), False),
        ((1, 3), False),
        ((4,), True),
    ]


def test_a_constant_is_grouped_with_nothing():
    runs = np.repeat(np.arange(15.0), 4)
    found = blocks_of([runs, np.zeros(60), runs * 2], 4, known=2)
    assert [(block.places, block.is_alone) for block in found] == [((1,), True), ((0,), False)]


def test_a_block_of_which_one_attribute_is_known_is_not_alone():
    labels = np.random.default_rng(0).permutation(np.arange(60) // 4)
    (found,) = blocks_of([labels * 1.0, labels - 7.0], 4, known=1)
    assert (found.places, found.is_alone) == ((0,), False)


def test_the_nearer_a_group_the_likelier():
    known = np.array([[0.0, 0.0], [10.0, 1.0], [np.nan, np.nan]])
    released = np.array([[0.0, 1.0], [10.0, 0.0], [4.0, 4.0]])
    parts = [Ranges(f"x{j}", known[:, j], released[:, j], released[:, j]) for j in range(2)]
    groups = groups_of(Block((0, 1), is_alone=False), parts, np.ones(2))
    first = dict(zip(groups.near[0].tolist(), groups.chances[0], strict=True))
    assert groups.near[0, 0] == groups.of_record[0]
    assert groups.near[1, 0] == groups.of_record[1]
    # At the distances 1, sqrt(32) and 10, each softened by 0.2.
    weights = [(1 + 0.2) ** -4, (32**0.5 + 0.2) ** -4, 10.2**-4]
    expected = np.array(weights) / sum(weights)
    assert [first[g] for g in groups.of_record[[0, 2, 1]]] == pytest.approx(expected)
    # Of nobody of whom nothing is known is anything likelier.
    assert np.allclose(groups.chances[2], 1 / 3)
