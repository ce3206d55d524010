from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError
from tacita.microdata.anonymize.promises import promises_of, without_broken
from tacita.microdata.models.class_table import ClassTable

class_sizes = st.lists(st.integers(1, 3), min_size=1, max_size=12)
bounds = st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.99, 1.0])


def of_sizes(sizes):
    values = np.repeat(np.arange(len(sizes)), sizes)
    return ta.read(pa.table({"a": values}), roles={"a": "key"}, kinds={"a": "nominal"})


@given(class_sizes, bounds)
def test_agrees_with_the_definition(sizes, bound):
    verdict = ta.LimitedSampleUniques(bound).check(of_sizes(sizes))
    assert verdict.value == Fraction(sizes.count(1), sum(sizes))
    assert verdict.holds == (verdict.value <= Fraction(str(bound)))
    assert verdict.worst.get("count", 1) == 1


@given(class_sizes, bounds)
def test_as_few_unique_records_go_as_can(sizes, bound):
    model, table = ta.LimitedSampleUniques(bound), ClassTable(np.array(sizes))
    unique, records = sizes.count(1), sum(sizes)
    fewest = next(
        gone
        for gone in range(unique + 1)
        if unique - gone <= Fraction(str(bound)) * (records - gone)
    )
    broken = model.breaks(table)
    assert table.sizes[broken].tolist() == [1] * fewest
    assert np.flatnonzero(broken).tolist() == np.flatnonzero(table.sizes == 1)[:fewest].tolist()
    assert model.check(without_broken(of_sizes(sizes), [model]))


@given(class_sizes, bounds, st.data())
def test_merged_classes_keep_it(sizes, bound, data):
    model, table = ta.LimitedSampleUniques(bound), ClassTable(np.array(sizes))
    into = data.draw(st.lists(st.integers(0, 2), min_size=len(sizes), max_size=len(sizes)))
    if not model.breaks(table).any():
        assert not model.breaks(table.merged(np.array(into), 3)).any()


def test_none_at_all_is_2_anonymity(toy):
    for keys in (["region"], ["age", "zip"]):
        strict = ta.LimitedSampleUniques(0.0, keys).check(toy)
        assert strict.holds == ta.KAnonymity(2, keys).check(toy).holds


def test_by_fitting_fewer_records_are_unique():
    ages = pa.table({"age": ["[20-29]", "[20-24]", "[25-29]", "40"]})
    coarse = ta.read(ages, roles={"age": "key"})
    assert ta.LimitedSampleUniques(1.0).check(coarse).value == 1
    fitting = ta.LimitedSampleUniques(0.25, semantics="fitting")
    assert fitting.check(coarse)
    assert fitting.check(coarse).value == Fraction(1, 4)
    assert fitting.check(coarse).worst == {"age": "40", "count": 1}
    with pytest.raises(ParameterError, match="can be checked but not aimed at"):
        promises_of([fitting], coarse)
