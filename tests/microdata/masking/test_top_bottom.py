from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pyarrow.compute
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.data.attribute import Kind
from tacita.errors import InputError, ParameterError, TacitaError

numbers = st.lists(st.one_of(st.none(), st.integers(-1000, 1000)), min_size=1)


def test_hospital_days_and_cholesterol_as_printed():
    """De Capitani di Vimercati et al., Fig. 7."""
    data = (
        ta.example("medical")
        .apply(ta.TopCode("DH", 30, label=">30"))
        .apply(ta.BottomCode("Chol", 195, label="<195"))
    )
    assert data.column("DH").to_pylist() == [
        "3",
        "1",
        ">30",
        "7",
        "2",
        "3",
        "5",
        ">30",
        "7",
        "10",
        "5",
    ]
    low = [value == "<195" for value in data.column("Chol").to_pylist()]
    assert low == [False, True, False, False, True, True, False, False, True, False, False]


@given(numbers, st.integers(-500, 500))
def test_top_coding_is_the_minimum_and_bottom_coding_the_maximum(values, limit):
    data = ta.read(pa.table({"x": pa.array(values, pa.int64())}))
    top = data.apply(ta.TopCode("x", limit)).column("x").to_pylist()
    bottom = data.apply(ta.BottomCode("x", limit)).column("x").to_pylist()
    assert top == [None if v is None else min(v, limit) for v in values]
    assert bottom == [None if v is None else max(v, limit) for v in values]


@given(numbers, st.integers(-500, 500))
def test_a_label_comes_last_in_the_order(values, limit):
    data = ta.read(pa.table({"x": pa.array(values, pa.int64())}))
    masked = data.apply(ta.TopCode("x", limit, label="many"))
    order = masked.attribute("x").order
    assert order[-1] == "many"
    assert [int(v) for v in order[:-1]] == sorted(
        {v for v in values if v is not None and v <= limit}
    )


def test_ordinal_categories_beyond_the_limit_become_it(toy):
    order = toy.attribute("education").order
    masked = toy.apply(ta.TopCode("education", order[1]))
    assert set(masked.column("education").drop_null().to_pylist()) == set(order[:2])
    assert masked.attribute("education").order == order[:2]
    labelled = toy.apply(ta.BottomCode("education", order[1], label="basic"))
    assert labelled.attribute("education").order == ("basic", *order[1:])


def test_dates_are_coded_too(toy):
    masked = toy.apply(ta.BottomCode("born", dt.date(1950, 1, 1)))
    assert min(masked.column("born").drop_null().to_pylist()) >= dt.date(1950, 1, 1)
    assert masked.attribute("born").kind is Kind.DATE
    assert toy.apply(ta.BottomCode("born", "1950-01-01")).fingerprint() == masked.fingerprint()


def test_a_fractional_limit_on_whole_numbers_is_kept_exactly():
    masked = ta.read(pa.table({"x": [1, 2, 3]})).apply(ta.TopCode("x", 2.5))
    assert masked.column("x").to_pylist() == [1.0, 2.0, 2.5]


def test_types_are_kept_where_they_can_be():
    small = ta.read(pa.table({"x": pa.array([1, 20, 30], pa.uint8())}))
    assert small.apply(ta.TopCode("x", 20.0)).column("x").to_pylist() == [1, 20, 20]
    assert small.apply(ta.TopCode("x", 20.0)).column("x").type == pa.uint8()
    assert small.apply(ta.TopCode("x", 300)).column("x").to_pylist() == [1, 20, 30]
    large = ta.read(pa.table({"x": [2**60 + 1, 5]}))
    assert large.apply(ta.TopCode("x", 2**60)).column("x").to_pylist() == [2**60, 5]


def test_a_limit_without_a_time_zone_is_meant_in_the_zone_of_the_data():
    moments = pa.array([dt.datetime(2020, 1, 1), dt.datetime(2022, 1, 1)], pa.timestamp("us"))
    zoned = pa.compute.assume_timezone(moments, "Europe/Madrid")
    masked = ta.read(pa.table({"t": zoned})).apply(ta.TopCode("t", "2021-01-01"))
    assert [t.isoformat()[:10] for t in masked.column("t").to_pylist()] == [
        "2020-01-01",
        "2021-01-01",
    ]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (ta.TopCode("age", "old"), "must be a number; found 'old'"),
        (ta.TopCode("born", 5), "must be a date"),
        (ta.TopCode("age", 30, label="7"), "is a value of `age` already"),
        (ta.TopCode("education", "kindergarten?"), "must be a category of `education`"),
    ],
)
def test_limits_that_mean_nothing_are_refused(method, message, toy):
    with pytest.raises(ParameterError, match=message):
        toy.apply(method)


@given(numbers, st.integers(-500, 0), st.integers(0, 500))
def test_both_ends_of_several_attributes_are_clipped(values, below, above):
    data = ta.read(pa.table({name: pa.array(values, pa.int64()) for name in "xyz"}))
    limits = {"x": {"below": below, "above": above}, "y": {"above": above}}
    masked = data.apply(ta.TopBottomCode(limits))
    clipped = [None if v is None else min(max(v, below), above) for v in values]
    assert masked.column("x").to_pylist() == clipped
    assert masked.column("y").equals(data.apply(ta.TopCode("y", above)).column("y"))
    assert masked.column("z").equals(data.column("z"))


def test_labels_stand_at_both_ends_though_no_value_is_a_limit():
    data = ta.read(pa.table({"age": [3, 90, 40, None, 16]}))
    limits = {"age": {"above": 85, "below": 16}}
    masked = data.apply(ta.TopBottomCode(limits, labelled=True))
    assert masked.column("age").to_pylist() == ["<16", ">85", "40", None, "16"]
    assert masked.attribute("age").order == ("<16", "16", "40", ">85")


def test_both_ends_of_categories_and_dates_are_coded(toy):
    order = toy.attribute("education").order
    limits = {"education": {"below": order[1], "above": order[2]}}
    masked = toy.apply(ta.TopBottomCode(limits))
    assert masked.attribute("education").order == order[1:3]
    labelled = toy.apply(ta.TopBottomCode(limits, labelled=True))
    assert labelled.attribute("education").order == (
        f"<{order[1]}",
        *order[1:3],
        f">{order[2]}",
    )
    dates = {"born": {"below": dt.date(1950, 1, 1), "above": "2000-12-31"}}
    coded = toy.apply(ta.TopBottomCode(dates)).column("born").drop_null().to_pylist()
    assert min(coded) == dt.date(1950, 1, 1)
    assert max(coded) == dt.date(2000, 12, 31)


def test_limits_of_several_types_meet_in_the_widest():
    small = ta.read(pa.table({"x": pa.array([1, 20, 30], pa.uint8())}))
    masked = small.apply(ta.TopBottomCode({"x": {"above": 300, "below": 2.5}}))
    assert masked.column("x").to_pylist() == [2.5, 20, 30]
    masked = small.apply(ta.TopBottomCode({"x": {"below": -1, "above": 25}}))
    assert masked.column("x").to_pylist() == [1, 20, 25]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"age": {"below": 50, "above": 20}}, "found 50 and 20 for `age`"),
        ({"education": {"below": "master", "above": "primary"}}, "found master and primary for"),
        ({"region": {"above": "Hills"}}, "`region` is nominal"),
        ({"agee": {"above": 3}}, "Did you mean `age`"),
    ],
)
def test_limits_that_contradict_or_name_nothing_are_refused(limits, message, toy):
    with pytest.raises(TacitaError, match=message):
        toy.apply(ta.TopBottomCode(limits))


def test_limits_need_an_attribute_and_an_end():
    with pytest.raises(ParameterError, match="`limits` of `top_bottom_code` needs at least 1"):
        ta.TopBottomCode({})
    with pytest.raises(ParameterError, match="`limits` of `top_bottom_code` needs at least 1"):
        ta.TopBottomCode({"age": {}})
    with pytest.raises(ParameterError, match="should be 'above' or 'below'"):
        ta.TopBottomCode({"age": {"over": 3}})


@pytest.mark.parametrize("limit", ["nan", "inf", "-inf"])
def test_a_limit_is_finite(limit, toy):
    for name in ("age", "income"):
        with pytest.raises(ParameterError, match="must be a number; found"):
            toy.apply(ta.TopCode(name, limit))


def test_a_limit_is_neither_yes_nor_no():
    with pytest.raises(ParameterError, match="found yes"):
        ta.TopBottomCode({"age": {"above": True}})


def test_a_label_says_something():
    for method in (ta.TopCode, ta.BottomCode):
        with pytest.raises(ParameterError, match=r"`label` of .* found an empty one"):
            method("age", 3, label="")


def test_whole_numbers_that_would_change_beside_a_fraction_are_refused():
    data = ta.read(pa.table({"x": [2**53 + 1, 0]}))
    assert data.apply(ta.BottomCode("x", 1)).column("x").to_pylist() == [2**53 + 1, 1]
    with pytest.raises(InputError, match="`x` holds whole numbers beyond 2\\^53"):
        data.apply(ta.BottomCode("x", 0.5))
