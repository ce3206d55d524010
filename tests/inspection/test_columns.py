"""Counted values: distinction and separation against every pair, blanks a value of their own."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.codebook import Meaning
from tacita.data.read import declare
from tacita.inspection.columns import columns_of, distinction, separation

VALUES = st.lists(st.one_of(st.none(), st.integers(0, 4)), max_size=12)


def column(values, kind=None):
    return columns_of(declare(pa.table({"x": pa.array(values, kind)}), {}), ["x"])["x"]


@given(VALUES)
def test_distinction_and_separation_are_what_counting_pairs_gives(values):
    counted = column(values, pa.int64())
    pairs = list(combinations(values, 2))
    different = sum(a != b for a, b in pairs)
    assert counted.separation == (Fraction(different, len(pairs)) if pairs else 0)
    assert distinction(counted.counts) == Fraction(len(set(values)), max(len(values), 1))


@given(VALUES)
def test_uniques_and_blanks_are_counted(values):
    counted = column(values, pa.int64())
    alone = sum(values.count(value) == 1 for value in values if value is not None)
    assert counted.unique == Fraction(alone, max(len(values), 1))
    assert counted.blank == values.count(None)
    assert counted.distinct == len(set(values) - {None})
    assert counted.is_constant is (len(set(values)) <= 1)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["b", None, "a", "b"], pa.string()),
        ([0.0, None, -0.5, -0.0], pa.float64()),
        ([True, None, False, True], pa.bool_()),
        ([["a", "b"], None, ["c"], ["b", "a"]], pa.list_(pa.string())),
        ([3, None, 5, 3], pa.date32()),
    ],
)
def test_values_of_every_type_are_counted_alike(values, kind):
    counted = column(values, kind)
    assert counted.codes.tolist() == [0, 2, 1, 0]
    assert counted.counts.tolist() == [2, 1, 1]


@given(VALUES, st.sets(st.integers(0, 4)))
def test_values_made_blank_are_counted_as_blank(values, gone):
    left = [None if value in gone else value for value in values]
    blanked = column(values, pa.int64()).blanking(pa.array(sorted(gone), pa.int64()))
    expected = column(left, pa.int64())
    assert blanked.values == expected.values
    assert blanked.codes.tolist() == expected.codes.tolist()
    assert blanked.counts.tolist() == expected.counts.tolist()


def test_the_extremes_of_separation():
    assert separation(np.array([1, 1, 1])) == 1
    assert separation(np.array([3])) == 0
    assert separation(np.array([], np.int64)) == 0


def test_labels_of_missing_values_do_not_make_codes():
    from dataclasses import replace

    data = declare(pa.table({"x": [1, 2]}), {})
    for meaning, labelled in (
        (Meaning("Sex", {1: "m"}), True),
        (Meaning("Sex", {9: "refused"}, missing_codes=(9,)), False),
    ):
        attributes = {"x": replace(data.attribute("x"), meaning=meaning)}
        counted = columns_of(replace(data, attributes=attributes), ["x"])["x"]
        assert (counted.label, counted.labelled) == ("Sex", labelled)


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.decimal128(9, 2)])
def test_whole_decimals_are_whole_numbers(kind):
    counted = column([3, None, 5, 3], kind)
    assert counted.is_integer
    assert counted.values.to_pylist() == [3, 5]


@pytest.mark.parametrize("values", [[3.0, 5.5], [3.0, 1e30], []])
def test_other_decimals_stay_what_they_are(values):
    counted = column(values, pa.float64())
    assert not counted.is_integer
    assert counted.values.to_pylist() == values
