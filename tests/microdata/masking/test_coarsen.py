from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.comparing.coverage import coverage

TABLE_S7 = (
    "0-4 5-9 10-15 16-20 21-25 26-31 32-36 37-42 43-47 48-52 53-58 59-63 64-68 69-74 75-79 80-85"
)
TABLE_S8 = "0-9 10-20 21-31 32-42 43-52 53-63 64-74 75-85"
RESOLUTION_4 = "0-20 21-42 43-63 64-85"


def one(values, **said):
    said = {part: {"x": value} for part, value in said.items()}
    return ta.read(pa.table({"x": values}), roles={"x": "key"}, **said)


def coarse(data, resolution):
    return data.apply(ta.Coarsen(resolution)).column("x").to_pylist()


@pytest.mark.parametrize(
    ("resolution", "printed"), [(16, TABLE_S7), (8, TABLE_S8), (4, RESOLUTION_4)]
)
def test_ages_are_cut_as_printed(resolution, printed):
    ages = coarse(one(pa.array(np.arange(86))), resolution)
    assert list(dict.fromkeys(ages)) == [f"[{ends.replace('-', ';')}]" for ends in printed.split()]


@given(st.lists(st.integers(-40, 40), min_size=1, max_size=30), st.integers(1, 90))
def test_every_value_lies_in_the_interval_of_the_formula(values, resolution):
    low, width = min(values), max(values) - min(values) + 1
    cuts = [floor(Fraction(i * width, resolution)) for i in range(resolution + 1)]
    for value, told in zip(values, coarse(one(pa.array(values)), resolution), strict=True):
        place = max(i for i in range(resolution) if cuts[i] <= value - low)
        ends = low + cuts[place], low + cuts[place + 1] - 1
        single = [value, str(value)]  # numbers stay numbers where nothing is merged
        assert told in (single if ends[0] == ends[1] else [f"[{ends[0]};{ends[1]}]"])


@given(
    st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=2, max_size=30),
    st.integers(1, 9),
)
def test_fractions_lie_in_the_interval_they_are_told_to(values, resolution):
    data = one(pa.array(values))
    out = data.apply(ta.Coarsen(resolution))
    assert coverage(data, out, "x").holds.all()
    assert len(set(out.column("x").to_pylist())) <= max(resolution, 1)


def test_fractions_are_cut_into_equal_lengths():
    assert coarse(one(pa.array([0.0, 0.5, 1.0, 1.2, 2.0])), 2) == [
        "[0.0;1.0)",
        "[0.0;1.0)",
        "[1.0;2.0]",
        "[1.0;2.0]",
        "[1.0;2.0]",
    ]


def test_categories_are_cut_by_their_place_in_their_order():
    data = one(pa.array(list("dabc")), kinds="ordinal", orders=list("bdac"))
    assert coarse(data, 2) == ["[b;d]", "[a;c]", "[b;d]", "[a;c]"]


def test_dates_are_cut_by_days():
    days = pa.array([0, 9, 10, 19], pa.int32()).cast(pa.date32())
    assert set(coarse(one(days), 2)) == {"[1970-01-01;1970-01-10]", "[1970-01-11;1970-01-20]"}


def test_codes_keep_their_zeros():
    assert coarse(one(pa.array(["0001", "0100"])), 2) == ["[0001;0050]", "[0051;0100]"]


def test_blanks_stay_and_what_is_fine_enough_stays_as_it_is():
    data = one(pa.array([1, None, 3]))
    assert coarse(data, 1) == ["[1;3]", None, "[1;3]"]
    assert coarse(data, 3) == [1, None, 3]


def test_a_resolution_for_each_attribute():
    data = ta.read(pa.table({"a": [1, 4], "b": [1, 4], "c": [1, 4]}), roles={"a": "key"})
    out = data.apply(ta.Coarsen({"a": 1, "c": 2}))
    assert out.column("a").to_pylist() == ["[1;4]"] * 2
    assert out.column("b").to_pylist() == [1, 4]
    assert out.column("c").to_pylist() == ["[1;2]", "[3;4]"]


def test_bad_input_says_why(toy):
    with pytest.raises(ParameterError, match="says nothing of `age`"):
        toy.apply(ta.Coarsen({"zip": 2}, ["age"]))
    with pytest.raises(ParameterError, match="`languages` is set_valued"):
        toy.apply(ta.Coarsen(2, ["languages"]))
    with pytest.raises(InputError, match="say which `attributes`"):
        ta.read(pa.table({"x": [1]})).apply(ta.Coarsen(2))
    with pytest.raises(InputError, match="Did you mean `age`"):
        toy.apply(ta.Coarsen({"agee": 2}))


def test_an_interval_of_one_fraction_is_that_value():
    assert coarse(one([0.5, None, 0.5]), 3) == [0.5, None, 0.5]


def test_more_intervals_than_anybody_needs_are_refused():
    with pytest.raises(ParameterError, match="less than or equal to 100000"):
        ta.Coarsen(10**9)
