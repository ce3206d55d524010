"""Columns: numbered values, classes, and the way back to values."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.microdata.synthesis.making.columns import Column
from tacita.microdata.synthesis.making.donors import Donors


def column(values, **said):
    data = ta.read(pa.table({"a": values}), **{name: {"a": what} for name, what in said.items()})
    return Column.of(data, "a")


def test_numbers_dates_and_ordinal_values_ascend():
    assert column(pa.array([5.0, None, -1.0, 5.0])).codes.tolist() == [2, 0, 1, 2]
    days = pa.array([dt.date(2020, 1, 2), dt.date(1950, 1, 1)])
    assert column(days, kinds="date").codes.tolist() == [2, 1]
    words = column(["b", "a", "c"], kinds="ordinal", orders=["c", "x", "b", "a"])
    assert words.codes.tolist() == [2, 3, 1]
    assert not column(["b", "a"]).is_ordered


def test_sets_are_categories():
    sets = column(pa.array([["x", "y"], ["y", "x"], ["x"], None]))
    assert sets.codes[0] == sets.codes[1] != sets.codes[2]
    assert sets.codes[3] == 0


def test_classes_hold_about_as_many_records_each():
    one = column(pa.array(np.arange(1000)))
    sizes = np.bincount(one.classes(11)[one.codes])
    assert sizes[0] == 0
    assert sizes[1:].tolist() == [100] * 10
    rare = column(list("aaaabbbcd"))
    assert rare.classes(4)[rare.codes].tolist() == [1] * 4 + [2] * 3 + [3] * 2


@pytest.mark.parametrize(
    ("values", "number", "expected"),
    [
        (pa.array([100, 200, 700]), 333.3, 300),
        (pa.array([1.25, 2.5, 10.0]), 3.3, 3.75),
        (pa.array([1.25, 2.5, 10.0]), 99.0, 10.0),
        (pa.array([dt.date(2020, 1, 1), dt.date(2020, 1, 9)]), 18264.2, dt.date(2020, 1, 3)),
    ],
)
def test_made_numbers_are_rounded_as_the_data_are_and_stay_in_their_range(values, number, expected):
    one = column(values, kinds="date" if pa.types.is_date(values.type) else "continuous")
    made = one.made(np.zeros(2, np.int64), np.append(one.on_grid(np.array([number])), np.nan))
    assert made.type == values.type
    assert made.to_pylist() == [expected, values[0].as_py()]


def test_donors_come_from_their_group_by_weight():
    one = column(list("abcd"))
    donors = Donors.of(np.array([0, 0, 1, 1]), one, np.array([1.0, 3.0, 1.0, 0.001]))
    rows, numbers = donors.drawn(np.repeat([0, 1], 4000), 1, np.random.default_rng(0))
    assert numbers is None
    assert set(rows[:4000]) == {0, 1}
    assert abs((rows[:4000] == 1).mean() - 0.75) < 0.03
    assert (rows[4000:] == 2).mean() > 0.99


def test_rare_numbers_lie_within_the_gaps_of_their_group():
    one = column(pa.array([0.0, 0.0, 0.0, 10.0, 20.5, 100.0]))
    donors = Donors.of(np.array([0, 0, 0, 0, 0, 1]), one, np.ones(6))
    rows, numbers = donors.drawn(np.zeros(2000, np.int64), 3, np.random.default_rng(0))
    assert np.isnan(numbers[rows < 3]).all()
    ten = numbers[rows == 3]
    assert (ten >= 5).all()
    assert (ten <= 15.25).all()
    assert ten.std() > 1
    assert (numbers[rows == 4] <= 20.5).all()
