from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.data.attribute import Kind
from tacita.data.hierarchies import generalize
from tacita.data.hierarchies.intervals import Intervals
from tacita.errors import ParameterError


def test_fever_as_printed():
    """De Capitani di Vimercati et al., Fig. 7: three intervals of temperature."""
    fever = ta.Recode("Temp", breaks=[37, 39], labels=["nf", "f", "hf"])
    found = ta.example("medical").apply(fever).column("Temp").to_pylist()
    assert found == ["nf", "f", "f", "f", "nf", "f", "nf", "hf", "f", "hf", "nf"]


def test_merged_categories_and_the_others_that_stay():
    data = ta.example("medical").apply(
        ta.Recode("MarStat", groups={"Widow or divorced": ["Widow", "Divorced"]})
    )
    assert set(data.column("MarStat").to_pylist()) == {"Widow or divorced", "Married", "Single"}


def test_merging_ordinal_categories_keeps_the_order(toy):
    order = toy.attribute("education").order
    data = toy.apply(ta.Recode("education", groups={"low": order[:2]}))
    assert data.attribute("education").order == ("low", *order[2:])
    assert data.attribute("education").kind is Kind.ORDINAL


def test_a_torn_group_of_ordinal_categories_is_refused(toy):
    order = toy.attribute("education").order
    with pytest.raises(ParameterError, match="not next to each other"):
        toy.apply(ta.Recode("education", groups={"ends": [order[0], order[-1]]}))


@given(st.lists(st.one_of(st.none(), st.integers(-200, 200)), min_size=1), st.integers(1, 50))
def test_recoding_is_a_function_that_never_splits_a_value(numbers, width):
    data = ta.read(pa.table({"x": pa.array(numbers, pa.int64())}))
    masked = data.apply(ta.Recode("x", width=width))
    pairs = set(zip(numbers, masked.column("x").to_pylist(), strict=True))
    assert len(pairs) == len(set(numbers))
    assert len(masked.classes(["x"])) <= len(data.classes(["x"]))
    for number, label in pairs - {(None, None)}:
        low, high = (int(bound) for bound in label.strip("[)").split(","))
        assert low <= number < high == low + width
        assert low % width == 0


def test_equal_intervals_are_ordinal_from_low_to_high():
    masked = ta.read(pa.table({"x": [25, 5, 15, None]})).apply(ta.Recode("x", width=10))
    assert masked.attribute("x").order == ("[0,10)", "[10,20)", "[20,30)")


@given(
    st.lists(st.floats(-100, 100), min_size=1),
    st.lists(st.integers(-90, 90), min_size=1, unique=True),
)
def test_cuts_agree_with_numpy(numbers, breaks):
    cut = ta.Recode("x", breaks=sorted(breaks), labels=[str(i) for i in range(len(breaks) + 1)])
    found = ta.read(pa.table({"x": numbers})).apply(cut).column("x").to_pylist()
    assert found == [str(i) for i in np.digitize(numbers, sorted(breaks))]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "needs one of"),
        ({"width": 5, "breaks": [1]}, "found breaks and width"),
        ({"breaks": [2, 1]}, "must ascend"),
        ({"breaks": [1], "labels": ["a"]}, "one more than `breaks`"),
        ({"breaks": [1, 2], "labels": ["x", "y", "x"]}, "must differ"),
        ({"width": 5, "labels": ["x"]}, "`labels` of `recode` go with `breaks`"),
        ({"breaks": [1], "start": 5}, "`start` of `recode` goes with `width`"),
        ({"groups": {}}, "`groups` of `recode` needs at least 1"),
        ({"groups": {"x": []}}, "`groups` of `recode` needs at least 1"),
        ({"classes": 1}, "`classes` of `recode` should be greater than or equal to 2"),
        ({"classes": 4, "quantiles": 4}, "found classes and quantiles"),
        ({"width": 0}, "`width` of `recode` should be greater than 0"),
    ],
)
def test_parameters_that_say_nothing_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        ta.Recode("age", **parameters)


def test_categories_cannot_be_cut_and_groups_cannot_overlap(toy):
    with pytest.raises(ParameterError, match="cuts numbers"):
        toy.apply(ta.Recode("region", width=5))
    known = toy.column("region").drop_null()[0].as_py()
    with pytest.raises(ParameterError, match="two groups"):
        toy.apply(ta.Recode("region", groups={"a": [known], "b": [known]}))
    with pytest.raises(ParameterError, match=f"no such category. Did you mean `{known}`"):
        toy.apply(ta.Recode("region", groups={"a": [known + "x"]}))


def test_groups_are_said_in_the_values_of_the_attribute():
    data = ta.read(pa.table({"c": [1.0, 2.0, 3.5], "b": [True, False, True]}))
    merged = data.apply(ta.Recode("c", groups={"low": [1.0, 2]})).column("c").to_pylist()
    assert merged == ["low", "low", "3.5"]
    merged = data.apply(ta.Recode("b", groups={"yes": [True]})).column("b").to_pylist()
    assert merged == ["yes", "false", "yes"]


def test_a_blank_in_front_does_not_lose_an_interval():
    masked = ta.read(pa.table({"x": [None, 3.0, 15.0]})).apply(ta.Recode("x", width=10))
    assert masked.attribute("x").order == ("[0,10)", "[10,20)")


@pytest.mark.parametrize(
    ("unit", "labels"),
    [
        ("day", ("1964-09-27", "1964-12-31", "1965-01-01")),
        ("month", ("1964-09", "1964-12", "1965-01")),
        ("quarter", ("1964-Q3", "1964-Q4", "1965-Q1")),
        ("year", ("1964", "1965")),
        ("decade", ("1960s",)),
    ],
)
def test_dates_are_cut_into_calendar_units_in_their_order(unit, labels):
    days = [dt.date(1965, 1, 1), dt.date(1964, 9, 27), None, dt.date(1964, 12, 31)]
    masked = ta.read(pa.table({"born": days})).apply(ta.Recode("born", unit=unit), seed=0)
    assert masked.attribute("born").order == labels
    assert masked.attribute("born").kind == "ordinal"
    assert masked.column("born").null_count == 1


def test_a_unit_is_for_dates_and_dates_need_one():
    data = ta.read(pa.table({"born": [dt.date(1965, 1, 1)], "n": [1]}))
    with pytest.raises(ParameterError, match="`unit` of `recode` cuts dates; `n` is continuous"):
        data.apply(ta.Recode("n", unit="year"), seed=0)
    with pytest.raises(ParameterError, match="`born` is date: give `unit`"):
        data.apply(ta.Recode("born", width=3), seed=0)
    with pytest.raises(ParameterError, match="found width and unit"):
        ta.Recode("born", width=3, unit="year")


def test_classes_of_equal_width_are_cut_where_naive_coarsening_cuts():
    """Sanchez et al., Algorithm S3: whole numbers from 0 to 85 at resolution 4."""
    ages = [0, 20, 21, 42, 43, 63, 64, 85, None]
    data = ta.read(pa.table({"age": ages}))
    masked = data.apply(ta.Recode("age", classes=4))
    assert masked.attribute("age").order == ("<21", "[21,43)", "[43,64)", ">=64")
    found = masked.column("age").to_pylist()
    assert found == ["<21"] * 2 + ["[21,43)"] * 2 + ["[43,64)"] * 2 + [">=64"] * 2 + [None]
    coarse = data.apply(ta.Coarsen(4, ["age"])).column("age").to_pylist()
    assert len(set(zip(found, coarse, strict=True))) == 5


@given(st.lists(st.floats(-1e3, 1e3).map(lambda x: round(x, 3)), min_size=2), st.integers(2, 9))
def test_classes_of_equal_width_have_one_width(numbers, classes):
    data = ta.read(pa.table({"x": numbers}))
    order = data.apply(ta.Recode("x", classes=classes)).attribute("x").order
    low, high = min(numbers), max(numbers)
    if low == high:
        assert order == ("*",)
        return
    bounds = [float(label.strip("<>=[)").split(",")[0]) for label in order[:1] + order[2:]]
    if high - low > 0.01:
        assert len(order) == classes
        cuts = low + np.arange(1, classes) * (high - low) / classes
        assert np.allclose(bounds, cuts, atol=1e-8)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.integers(2, 6))
def test_quantiles_cut_next_to_the_equal_shares(numbers, classes):
    """Every cut is one that no other place between two different numbers is nearer to its rank."""
    masked = ta.read(pa.table({"x": numbers})).apply(ta.Recode("x", quantiles=classes))
    order = masked.attribute("x").order
    found = masked.column("x").to_pylist()
    ends = np.cumsum([found.count(label) for label in order])[:-1]
    ascending = sorted(numbers)
    free = [i for i in range(1, len(numbers)) if ascending[i - 1] < ascending[i]]
    wanted = set()
    for part in range(1, classes):
        rank = part * len(numbers) / classes
        nearest = min([0, *free, len(numbers)], key=lambda at: (abs(at - rank), at))
        wanted |= {nearest} & set(free)
    assert set(ends) == wanted
    assert sorted(numbers, key=lambda x: (order.index(found[numbers.index(x)]), x)) == ascending


def test_quantiles_of_different_numbers_are_of_equal_size():
    numbers = np.random.default_rng(5).permutation(1000) / 7
    masked = ta.read(pa.table({"x": numbers})).apply(ta.Recode("x", quantiles=8))
    assert [n["counts"] for n in masked.column("x").value_counts().to_pylist()] == [125] * 8


def test_labels_tell_bounds_with_all_their_digits_so_that_none_are_alike():
    close = [0.12345678901231, 0.12345678901232, 0.12345678901233]
    masked = ta.read(pa.table({"x": close})).apply(ta.Recode("x", quantiles=3))
    assert len(set(masked.column("x").to_pylist())) == 3


def test_bounds_from_the_data_mix_records_and_said_ones_do_not():
    assert ta.Recode("x", width=5).by_record
    assert ta.Recode("x", breaks=[5]).by_record
    assert not ta.Recode("x", classes=5).by_record
    assert not ta.Recode("x", quantiles=5).by_record


@pytest.mark.parametrize("values", [[], [None, None], [3, 3, None]])
@pytest.mark.parametrize("way", ["classes", "quantiles"])
def test_what_cannot_be_cut_is_one_class(values, way):
    data = ta.read(pa.table({"x": pa.array(values, pa.int64())}))
    masked = data.apply(ta.Recode("x", **{way: 4}))
    assert masked.column("x").to_pylist() == [None if v is None else "*" for v in values]


@given(
    st.lists(st.one_of(st.none(), st.integers(-9000, 9000).map(lambda n: n / 10)), min_size=1),
    st.sampled_from([0.1, 0.3, 2.5, 7.0]),
    st.sampled_from([0.0, 0.05, -3.0]),
    st.sampled_from([0.0, 0.0, 1e5, -1e14, 3e16]),
)
def test_equal_intervals_are_those_of_the_hierarchy(numbers, width, start, shift):
    """Few intervals are found in one pass, many through the distinct values: both alike."""
    column = pa.array([None if x is None else x + shift for x in numbers], pa.float64())
    data = ta.read(pa.table({"x": column}), kinds={"x": "continuous"})
    masked = data.apply(ta.Recode("x", width=width, start=start))
    assert masked.column("x").equals(generalize(column, Intervals([width], start), 1))
    held = masked.column("x").drop_null().to_pylist()
    lows = {label: float(label.strip("[)").split(",")[0]) for label in held}
    assert masked.attribute("x").order == tuple(sorted(lows, key=lows.get))
