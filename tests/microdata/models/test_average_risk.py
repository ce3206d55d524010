from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError
from tacita.microdata.anonymize.promises import without_broken
from tacita.microdata.models.class_table import ClassTable

class_sizes = st.lists(st.integers(1, 6), min_size=1, max_size=7)
bounds = st.sampled_from([0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 1.0])


def of_sizes(sizes):
    values = np.repeat(np.arange(len(sizes)), sizes)
    return ta.read(pa.table({"a": values}), roles={"a": "key"}, kinds={"a": "nominal"})


@given(class_sizes, bounds)
def test_agrees_with_the_definition(sizes, bound):
    verdict = ta.AverageRisk(bound).check(of_sizes(sizes))
    assert verdict.value == Fraction(len(sizes), sum(sizes))
    assert verdict.holds == (verdict.value <= Fraction(str(bound)))
    assert verdict.worst["count"] == min(sizes)


@given(class_sizes, bounds)
def test_as_few_records_go_as_can(sizes, bound):
    """Every choice of classes to leave out is tried."""
    model, table = ta.AverageRisk(bound), ClassTable(np.array(sizes))
    fewest = min(
        sum(gone)
        for number in range(len(sizes) + 1)
        for gone in combinations(sizes, number)
        if Fraction(str(bound)) * (sum(sizes) - sum(gone)) >= len(sizes) - number
    )
    broken = model.breaks(table)
    assert table.sizes[broken].sum() == fewest
    assert model.check(without_broken(of_sizes(sizes), [model]))


@given(class_sizes, bounds, st.data())
def test_merged_classes_keep_it(sizes, bound, data):
    model, table = ta.AverageRisk(bound), ClassTable(np.array(sizes))
    into = data.draw(st.lists(st.integers(0, 1), min_size=len(sizes), max_size=len(sizes)))
    merged = table.merged(np.array(into), 2)
    if not model.breaks(table).any():
        assert not model.breaks(merged).any()


def test_classes_of_the_population_alone_do_not_count():
    table = ClassTable(np.array([0, 4, 0]), population=np.array([3, 9, 1]))
    assert not ta.AverageRisk(0.25).breaks(table).any()
    assert ta.AverageRisk(0.2).breaks(table).tolist() == [False, True, False]


def test_ties_go_by_the_number_of_the_class():
    assert ta.AverageRisk(0.5).breaks(ClassTable(np.array([1, 2, 1]))).tolist() == [
        True,
        False,
        True,
    ]
    assert ta.AverageRisk(0.5).breaks(ClassTable(np.array([1, 2, 1, 3]))).tolist() == [
        True,
        False,
        False,
        False,
    ]


def test_a_bound_of_many_digits_is_compared_exactly():
    assert ta.AverageRisk(0.3333333333333333).check(of_sizes([3])).holds is False
    assert ta.AverageRisk(0.3333333333333334).check(of_sizes([3])).holds


def test_bounds_are_shares():
    with pytest.raises(ParameterError, match="`maximum` of `average_risk`"):
        ta.AverageRisk(0)
