from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.masking.partitions.representatives import (
    drawn,
    first_of,
    least_of,
    means,
    medians,
)

groups = st.lists(
    st.tuples(
        st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), st.integers(0, 3), st.integers(1, 9)
    ),
    min_size=1,
    max_size=40,
)


def parts(records):
    values, labels, weights = zip(*records, strict=True)
    compact = np.unique(labels, return_inverse=True)[1]
    return np.array(values), compact, np.array(weights, np.float64)


@given(groups, st.sampled_from([0.0, 2.0**40]))
def test_means_are_those_of_fractions(records, offset):
    values, labels, weights = parts(records)
    values = values + offset
    found = means(values, labels, weights)
    for label in range(len(found)):
        here = np.flatnonzero(labels == label)
        total = sum(Fraction(values[i]) * Fraction(weights[i]) for i in here)
        exact = total / sum(Fraction(weights[i]) for i in here)
        assert found[label] == pytest.approx(float(exact), rel=1e-15, abs=1e-9)


@given(groups)
def test_medians_are_those_of_repeated_values(records):
    values, labels, weights = parts(records)
    found = medians(values, labels, weights)
    for label in range(len(found)):
        here = labels == label
        repeated = np.repeat(values[here], weights[here].astype(int))
        assert found[label] == pytest.approx(np.median(repeated), rel=1e-12, abs=1e-12)


def test_halves_of_weights_that_are_no_binary_fractions():
    found = medians(np.array([1.0, 2.0, 9.0]), np.zeros(3, np.int64), np.array([0.1, 0.2, 0.3]))
    assert found.tolist() == [5.5]


def test_equal_and_huge_values_are_kept():
    labels = np.zeros(3, np.int64)
    assert means(np.full(3, 0.1), labels, np.array([0.1, 0.7, 0.3])).tolist() == [0.1]
    assert means(np.full(3, 1.7e308), labels, np.ones(3)).tolist() == [1.7e308]
    assert medians(np.full(3, 1.7e308), labels, np.ones(3)).tolist() == [1.7e308]


def test_draws_go_by_weight():
    labels, weights = np.tile([0, 1, 1, 1], 3000), np.tile([1.0, 1.0, 2.0, 3.0], 3000)
    labels = labels + 2 * np.repeat(np.arange(3000), 4)
    chosen = drawn(labels, weights, np.random.default_rng(0))
    assert (labels[chosen] == np.arange(6000)).all()
    shares = np.bincount(chosen[1::2] % 4, minlength=4)[1:] / 3000
    assert shares == pytest.approx([1 / 6, 2 / 6, 3 / 6], abs=0.03)


def test_the_least_and_the_first():
    labels = np.array([1, 0, 1, 0, 1])
    assert least_of(np.array([3.0, 5.0, 2.0, 5.0, 2.0]), labels).tolist() == [1, 2]
    assert first_of(labels).tolist() == [1, 0]
    assert first_of(labels, np.array([False, False, True, True, True])).tolist() == [3, 2]


def test_light_groups_are_not_lost_beside_heavy_ones():
    labels, weights = np.repeat([0, 1], 3), np.repeat([9e14, 1e-3], 3)
    found = medians(np.array([1.0, 2.0, 3.0, 10.0, 20.0, 30.0]), labels, weights)
    assert found.tolist() == [2.0, 20.0]


def test_draws_go_by_weight_however_small_it_is():
    labels, weights = np.repeat(np.arange(3000), 2), np.tile([1e-308, 3e-308], 3000)
    chosen = drawn(labels, weights, np.random.default_rng(0))
    assert np.mean(chosen % 2) == pytest.approx(0.75, abs=0.03)
