from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError, ProtectionError

NAMES = ["a", "b", "c", "d"]


def read(columns) -> ta.Microdata:
    return ta.read(pa.table(columns), kinds=dict.fromkeys(columns, "nominal"))


def drawn(n: int, categories: int, seed: int, width: int = 4, blank: float = 0.0) -> ta.Microdata:
    rng = np.random.default_rng(seed)
    columns = {
        name: pa.array(rng.integers(0, categories, n), mask=rng.random(n) < blank)
        for name in NAMES[:width]
    }
    return read(columns)


def tables(data, names, order) -> list[Counter]:
    """Count the combinations of every so many attributes."""
    columns = {name: data.column(name).to_pylist() for name in names}
    return [
        Counter(zip(*(columns[name] for name in some), strict=True))
        for some in combinations(names, order)
    ]


@settings(max_examples=60)
@given(st.integers(20, 150), st.integers(2, 4), st.integers(0, 1000), st.sampled_from([1, 2, 3]))
def test_all_tables_up_to_the_order_are_kept(n, categories, seed, t):
    data = drawn(n, categories, seed, blank=0.1)
    try:
        masked = data.apply(ta.SwapData(["a", "b"], keep=["c", "d"], t=t, rate=0.4), seed=seed)
    except ProtectionError as error:
        assert "tables stay" in str(error)  # noqa: PT017 - too few records for the order
        return
    for order in range(1, t + 1):
        assert tables(masked, NAMES, order) == tables(data, NAMES, order)
    for name in ("c", "d"):
        assert masked.column(name).equals(data.column(name))
    for name in ("a", "b"):
        before, after = (np.array(d.column(name).to_pylist(), object) for d in (data, masked))
        told = masked.steps[-1].notes["swapped"][name]
        assert np.count_nonzero(before != after) == told > 0
        assert [value is None for value in before] == [value is None for value in after]


@pytest.mark.parametrize("t", [1, 2, 3])
def test_tables_of_one_attribute_more_are_not_kept(t):
    """Otherwise nothing would be protected: all could be read as before."""
    data = drawn(3000, 3, seed=0)
    masked = data.apply(ta.SwapData(["a"], keep=["b", "c", "d"], t=t, rate=0.5), seed=1)
    assert tables(masked, NAMES, t) == tables(data, NAMES, t)
    assert tables(masked, NAMES, t + 1) != tables(data, NAMES, t + 1)


def test_the_smallest_step_of_order_2():
    """Four records; in every two-way table each cell has one before and after."""
    data = read({"a": list("xyyx"), "b": [0, 1, 0, 1], "c": [0, 0, 1, 1]})
    masked = data.apply(ta.SwapData("a", keep=["b", "c"], rate=1), seed=0)
    assert masked.column("a").to_pylist() == list("yxxy")


def test_the_share_asked_for_is_reached():
    data = drawn(4000, 3, seed=2)
    for t, rate in ((1, 0.3), (2, 0.3), (3, 0.1)):
        masked = data.apply(ta.SwapData("a", keep=["b", "c", "d"], t=t, rate=rate), seed=0)
        changed = np.mean(masked.column("a").to_numpy() != data.column("a").to_numpy())
        assert rate <= changed <= rate + 2**t / 4000


def test_relations_with_attributes_not_named_fade():
    data = drawn(3000, 3, seed=3)
    copy = data.column("a")
    data = ta.read(data.table.append_column("copy", copy), kinds=dict.fromkeys(NAMES, "nominal"))
    masked = data.apply(ta.SwapData("a", keep=["b", "c"], rate=0.5), seed=0)
    same = np.mean(masked.column("a").to_numpy() == masked.column("copy").to_numpy())
    assert same == pytest.approx(0.5, abs=0.01)


def test_blanks_are_a_category_that_stays_as_frequent():
    data = drawn(600, 3, seed=4, blank=0.3)
    masked = data.apply(ta.SwapData(["a"], keep=["b", "c", "d"], rate=0.3), seed=0)
    assert tables(masked, NAMES, 2) == tables(data, NAMES, 2)
    assert (masked.column("a").is_null()).equals(data.column("a").is_null())


@pytest.mark.parametrize(
    "columns",
    [
        {"a": [0], "b": [0], "c": [0]},
        {"a": [1, 1, 1, 1], "b": [0, 1, 0, 1], "c": [0, 0, 1, 1]},
        {"a": [0, 1], "b": [0, 1], "c": [0, 1]},
    ],
    ids=["one record", "constant", "no cube"],
)
def test_where_no_step_exists_nothing_is_released_as_swapped(columns):
    with pytest.raises(ProtectionError, match="lower `t`"):
        read(columns).apply(ta.SwapData("a", keep=["b", "c"]), seed=0)


def test_an_attribute_without_values_stays():
    columns = {"a": pa.array([None] * 4, pa.int64()), "b": [0, 1, 0, 1], "c": [0, 0, 1, 1]}
    data = read(columns)
    assert data.apply(ta.SwapData("a", keep=["b", "c"]), seed=0).table.equals(data.table)


def test_the_order_must_leave_something_free():
    for t, keep in ((2, ["b"]), (3, ["b", "c"]), (1, None)):
        if t == 1:
            assert ta.SwapData("a", keep=keep, t=t)
            continue
        with pytest.raises(ParameterError, match="`t` of `swap_data` must be below"):
            ta.SwapData("a", keep=keep, t=t)
    with pytest.raises(ParameterError, match="both swap and keep `b`"):
        ta.SwapData(["a", "b"], keep=["b", "c"])
