from __future__ import annotations

from datetime import UTC, date, datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.hierarchies.tree import Tree
from tacita.errors import ParameterError
from tacita.microdata.synthesis.measuring_marginals.domain import (
    Declared,
    Domain,
    Listed,
    Real,
    Whole,
)


def domain(data, bounds=None, categories=None, bins=4, blanks=None):
    declared = Declared(bounds or {}, categories or {}, blanks, bins)
    return Domain.of("private_marginals", data, data.names, declared)


def only(column, **said):
    data = ta.read(pa.table({"x": column}), **{k: {"x": v} for k, v in said.items()})
    return data, data.column("x")


@settings(max_examples=50, deadline=None)
@given(st.integers(-50, 50), st.integers(1, 90), st.integers(2, 70), st.integers(0, 99))
def test_whole_numbers_come_back_from_their_own_class(low, span, bins, seed):
    numbers = Whole(low, low + span, bins, pa.int64())
    assert numbers.size - 1 <= bins
    everything = pa.array(range(low, low + span + 1))
    codes = numbers.codes(everything)
    assert sorted(set(codes.tolist())) == list(range(numbers.size - 1))
    back = numbers.values(codes, np.random.default_rng(seed))
    assert back.type == pa.int64()
    assert (numbers.codes(back) == codes).all()
    assert low <= min(back.to_pylist()) <= max(back.to_pylist()) <= low + span


@settings(max_examples=50, deadline=None)
@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 70), st.integers(0, 99))
def test_numbers_come_back_from_their_own_class(low, span, bins, seed):
    numbers = Real(low, low + span, bins)
    codes = np.arange(bins + 1)
    back = numbers.values(codes, np.random.default_rng(seed))
    again = numbers.codes(back)
    assert np.abs(again - codes).max() <= 1  # a value at an edge may be rounded over it
    assert again[-1] == bins
    assert back[-1].as_py() is None


def test_values_beyond_bounds_count_as_the_bound_and_strangers_as_blank():
    assert Real(0.0, 4.0, 4).codes(pa.array([-9.0, 9.0, float("inf")])).tolist() == [0, 3, 3]
    assert Whole(0, 3, 4, pa.int64()).codes(pa.array([-9, 9])).tolist() == [0, 3]
    assert Listed(pa.array(["a"]), ordered=False).codes(pa.array(["b", "a"])).tolist() == [1, 0]


@pytest.mark.parametrize(
    "kind",
    [pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("us", tz="UTC")],
    ids=str,
)
def test_dates_come_back_as_dates_between_the_bounds(kind):
    day = datetime(1970, 3, 1, tzinfo=UTC)
    moments = pa.array([day.date() if pa.types.is_date(kind) else day, None], kind)
    data, column = only(moments)
    born = domain(data, {"x": (date(1970, 1, 1), date(1970, 12, 31))}).variables["x"]
    assert born.codes(column).tolist() == [0, born.size - 1]
    drawn = born.values(np.array([0, born.size - 2, born.size - 1]), np.random.default_rng(0))
    assert drawn.type == kind
    first, last, blank = drawn.cast(pa.timestamp("us")).to_pylist()
    assert datetime(1970, 1, 1) <= first < datetime(1970, 4, 5)
    assert datetime(1970, 9, 1) < last <= datetime(1970, 12, 31)
    assert blank is None


def test_whole_numbers_stay_within_their_type():
    data, column = only(pa.array([7, -7], pa.int8()))
    numbers = domain(data, {"x": (-1e300, 1e300)}).variables["x"]
    assert numbers.codes(column).tolist() == [2, 1]
    drawn = numbers.values(np.array([0, 3]), np.random.default_rng(0))
    assert drawn.type == pa.int8()
    wide, column = only(pa.array([-(2**63), 0, 2**63 - 1]))
    assert domain(wide, {"x": (-1e300, 1e300)}).variables["x"].codes(column).tolist() == [0, 1, 3]


def test_categories_come_from_what_was_declared():
    tree = Tree((("1", "*"), ("2", "*"), ("3", "*")))
    data, column = only([2, 1], kinds="nominal", hierarchies=tree)
    assert domain(data).variables["x"].codes(column).tolist() == [1, 0]
    data, column = only(["b", "a"], kinds="ordinal", orders=["a", "b", "c"])
    assert domain(data).sizes == (4,)
    assert domain(data, categories={"x": ["a", "b"]}).sizes == (3,)
    data, column = only([True, None])
    assert domain(data).variables["x"].codes(column).tolist() == [1, 2]


def test_an_order_that_was_found_in_the_data_is_not_a_declared_one():
    data, _ = only([3, 1, 2], kinds="ordinal")
    assert data.attribute("x").order == (1, 2, 3)
    with pytest.raises(ParameterError, match="possible values of `x` without looking"):
        domain(data)
    public = domain(data, categories={"x": [1, 2, 3, 4]})
    assert public.template(data).attribute("x").order == (1, 2, 3, 4)


def test_a_template_holds_nothing_of_respondents():
    one, other = (
        ta.read(pa.table({"age": ages, "sex": sexes}))
        for ages, sexes in (([31, 45, 77], ["f", "f", None]), ([18], ["m"]))
    )
    said = {"bounds": {"age": (0, 99)}, "categories": {"sex": ("f", "m")}}
    templates = [domain(data, **said).template(data) for data in (one, other)]
    assert templates[0].fingerprint() == templates[1].fingerprint()


@pytest.mark.parametrize(
    ("column", "said", "message"),
    [
        (["a"], {}, "give its `categories`"),
        ([1.5], {}, "give its `bounds`"),
        ([1.5], {"bounds": {"x": (date(2000, 1, 1), date(2001, 1, 1))}}, "must be numbers"),
        ([date(2000, 1, 1)], {"bounds": {"x": (0, 1)}}, "must be days"),
        ([1], {"categories": {"x": ("one",)}}, "not of its type"),
        ([1], {"bounds": {"x": (0.2, 1.8)}}, "two whole numbers"),
        ([1], {"bounds": {"y": (0, 1)}}, "no attribute `y`"),
        (["a"], {"bounds": {"x": (0, 1)}}, "give its `categories`"),
    ],
)
def test_refuses_what_is_not_a_domain(column, said, message):
    data, _ = only(column)
    with pytest.raises(ta.TacitaError, match=message):
        domain(data, **said)


def test_refuses_a_domain_of_what_is_not_synthesized():
    data = ta.example("toy", 10)
    with pytest.raises(ParameterError, match="not synthesized"):
        Domain.of("private_marginals", data, ["region"], Declared({"age": (0, 120)}, {}, None, 4))


def test_where_there_are_no_blanks_they_have_no_cell_and_their_records_no_cells():
    table = pa.table({"x": [1, None, 3, 4], "y": ["a", "b", None, "z"], "z": [0.5, 0.1, 0.2, None]})
    data = ta.read(table, kinds={"x": "continuous", "y": "nominal", "z": "continuous"})
    bounds, categories = {"x": (1, 4), "z": (0.0, 1.0)}, {"y": ("a", "b")}
    sizes = [domain(data, bounds, categories, blanks=one).sizes for one in (None, (), ("y",))]
    assert sizes == [(5, 3, 5), (4, 2, 4), (4, 3, 4)]
    assert len(domain(data, bounds, categories).codes(data)) == 4
    assert domain(data, bounds, categories, blanks=()).codes(data).tolist() == [[0, 0, 2]]
    assert len(domain(data, bounds, categories, blanks=("x", "y", "z")).codes(data)) == 4
    assert len(domain(data, bounds, categories, blanks=("y", "z")).codes(data)) == 3


def test_blanks_are_those_of_synthesized_attributes():
    data, _ = only(["a"])
    with pytest.raises(ParameterError, match="`blanks` of `private_marginals` names `x`"):
        Domain.of("private_marginals", data, [], Declared({}, {}, ("x",), 4))
