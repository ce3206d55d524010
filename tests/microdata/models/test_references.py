from __future__ import annotations

from datetime import date

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.models.class_table import ClassTable
from tacita.microdata.models.references import beside_whole


def histogram(column, **said):
    table = pa.table({"a": [0] * (len(column) - 1) + [1], "x": column})
    data = ta.read(table, roles={"a": "key", "x": "confidential"}, **said)
    return ClassTable.of(data.classes(), ["x"]).values["x"]


def told(beside):
    values = beside.values.domain.values.to_pylist()
    entries = [values[code] for code in beside.values.codes]
    return dict(zip(values, beside.whole.tolist(), strict=True)), entries


def test_without_a_distribution_it_is_all_classes():
    beside = beside_whole(histogram(["p", "q", "p"]), None)
    assert told(beside) == ({"p": 2, "q": 1}, ["p", "q", "p"])
    assert beside.total == 3


def test_values_that_were_left_out_are_not_there():
    taken = histogram(["r", "q", "p"]).taken(np.array([False, True]))
    beside = beside_whole(taken, None)
    assert beside.whole.tolist() == [1, 0, 0]
    assert told(beside.without_absent()) == ({"p": 1}, ["p"])


@pytest.mark.parametrize(
    ("column", "distribution", "expected"),
    [
        (["p", "q"], {"q": 3, "r": 1, "p": 2}, {"p": 2, "q": 3, "r": 1}),
        (["p", None], {"": 3, "p": 1}, {"p": 1, None: 3}),
        (["p", None], {None: 3, "p": 1}, {"p": 1, None: 3}),
        ([10, 9], {10: 2, 9: 4}, {9: 2, 10: 1}),
        ([2.5, 1.0], {1: 0.25, "2.5": 0.75}, {1.0: 1, 2.5: 3}),
        ([True, False], {True: 1, False: 2}, {False: 2, True: 1}),
        (
            [date(2020, 1, 2), date(2020, 1, 1)],
            {"2020-01-01": 1, date(2020, 1, 2): 1},
            {date(2020, 1, 1): 1, date(2020, 1, 2): 1},
        ),
    ],
)
def test_a_distribution_is_counts_or_shares_of_values_in_order(column, distribution, expected):
    model = ta.TCloseness(0.5, "x", distribution=distribution, distance="equal")
    beside = beside_whole(histogram(column), model.distribution)
    whole, entries = told(beside)
    assert list(whole.items()) == list(expected.items())
    assert entries == column


def test_an_order_holds_for_the_distribution_too():
    values = histogram(
        ["low", "high"], kinds={"x": "ordinal"}, orders={"x": ["low", "mid", "high"]}
    )
    beside = beside_whole(values, {"": 1, "high": 1, "low": 1, "mid": 1})
    assert list(told(beside)[0]) == ["low", "mid", "high", None]


@pytest.mark.parametrize(
    ("column", "distribution", "sentence"),
    [
        (["p", "q"], {"p": 1}, "every value of `x` that is found; it lacks 'q'"),
        (["p", None], {"p": 1}, "it lacks None"),
        ([1, 2], {"one": 1}, "Values of `x` are of type int64; found 'one'"),
        ([1.5, 2.5], {"1.5": 1, "1.50": 1, "2.5": 1}, "a value of `x` twice"),
        (["p", "q"], {"p": 0.1234567890123, "q": 0.8765432109877}, "at most nine decimals"),
    ],
)
def test_a_distribution_that_does_not_fit_is_refused(column, distribution, sentence):
    with pytest.raises(InputError, match=sentence):
        beside_whole(histogram(column), distribution)


def test_shares_are_above_0():
    with pytest.raises(ParameterError, match="greater than 0"):
        ta.TCloseness(0.5, distribution={"p": 0})
    with pytest.raises(ParameterError, match="`distribution` of `t_closeness`"):
        ta.TCloseness(0.5, distribution=3)


def test_a_distribution_has_values_each_once():
    with pytest.raises(ParameterError, match="`distribution` of `t_closeness` needs at least 1"):
        ta.TCloseness(0.5, distribution={})
    with pytest.raises(ParameterError, match="`distribution` gives a value twice"):
        ta.TCloseness(0.5, distribution={1: 1, "1": 3})
