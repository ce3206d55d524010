from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.masking.randomizing.domain import MOST, Domain, randomized


def test_categories_ascend_and_blanks_are_none():
    data = ta.read(pa.table({"x": ["b", None, "a", "b"]}))
    domain = Domain.of(data, "x")
    assert domain.words == ["a", "b"]
    assert domain.codes.tolist() == [1, -1, 0, 1]
    assert domain.totals(np.array([1.0, 5.0, 2.0, 4.0])).tolist() == [2.0, 5.0]


@pytest.mark.parametrize("values", [[True, False, None], [3, 1, None], [1.5, 2.0, None]])
def test_types_stay(values):
    data = ta.read(pa.table({"x": values}), kinds={"x": "nominal"})
    domain = Domain.of(data, "x")
    assert domain.put_into(data, domain.codes).column("x").equals(data.column("x"))


def test_given_categories_may_be_more_but_not_fewer():
    data = ta.read(pa.table({"x": [1, 2]}), kinds={"x": "nominal"})
    domain = Domain.of(data, "x", ["3", "2", "1"])
    assert domain.codes.tolist() == [2, 1]
    assert domain.values.to_pylist() == [3, 2, 1]
    with pytest.raises(InputError, match="`x` has the category '2', which is none of those given"):
        Domain.of(data, "x", ["1", "3"])


def test_categories_that_the_attribute_cannot_have_are_refused():
    data = ta.read(pa.table({"x": [1, 2]}), kinds={"x": "ordinal"}, orders={"x": [1, 2]})
    with pytest.raises(ParameterError, match="values of type int64"):
        Domain.of(data, "x", ["1", "2", "many"])
    with pytest.raises(ParameterError, match="3 is not in the order of `x`"):
        Domain.of(data, "x", ["1", "2", "3"])


def test_too_many_categories_are_refused():
    data = ta.read(pa.table({"x": [f"c{i}" for i in range(MOST + 1)]}))
    with pytest.raises(InputError, match="1,001 categories, too many for a matrix"):
        Domain.of(data, "x")


def test_what_is_impossible_is_never_drawn():
    matrix = np.array([[0.0, 0.5, 0.5], [0.0, 1.0, 0.0], [1 / 3, 1 / 3, 1 / 3]])
    rows = np.repeat([0, 1, 2, -1], 500)
    found = randomized(rows, [(np.array([5, 6, 7]), matrix)], np.random.default_rng(0))
    assert set(found[:500]) == {6, 7}
    assert set(found[500:1000]) == {6}
    assert set(found[1000:1500]) == {5, 6, 7}
    assert set(found[1500:]) == {-1}
