from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.masking.regenerate import apportioned, masked_cells, masked_counts

STEPS = [("age_yrs", "20 bands"), ("race", "suppress"), ("patzip", "3 digits")]


@given(st.integers(0, 100))
def test_margins_of_the_original_data_are_preserved_exactly(seed):
    data = ta.example("patients", 300, seed=seed)
    masked = data.apply(ta.MaskUniques(STEPS, attributes=["age_yrs", "race", "patzip"]))
    names = ["age_yrs", "race", "patzip"]
    counts = masked_counts(data, masked, names)
    filled = masked.apply(ta.Regenerate(names, counts=counts), seed=seed)
    for name in names:
        before, after = (d.column(name).cast(pa.string()).to_pylist() for d in (data, filled))
        assert Counter(before) == Counter(after)
        kept = ~masked_cells(masked, name)
        assert [v for v, k in zip(before, kept, strict=True) if k] == [
            v for v, k in zip(after, kept, strict=True) if k
        ]
        assert not filled.suppressed_in(name).any()


def hidden(values):
    return ta.read(pa.table({"x": values}), roles={"x": "key"}, suppressed={"x": ["?"]})


def test_what_counts_as_masked():
    data = hidden(["937**", "[1;3]", "*", "?", "12", None, "[a", "[1;2)"])
    assert masked_cells(data, "x").tolist() == [True, True, True, True, False, False, False, True]
    assert masked_cells(data, "x", ["12"])[4]


def test_values_are_chosen_at_random_and_every_place_can_get_every_value():
    data = hidden(["a", "?", "?"])
    method = ta.Regenerate(counts={"x": {"b": 1, "c": 1}})
    made = {tuple(data.apply(method, seed=seed).column("x").to_pylist()) for seed in range(20)}
    assert made == {("a", "b", "c"), ("a", "c", "b")}


def test_without_counts_the_values_that_are_shown_are_followed():
    data = hidden(["a"] * 6 + ["b"] * 3 + ["?"] * 3)
    filled = data.apply(ta.Regenerate(), seed=1).column("x").to_pylist()
    assert Counter(filled) == {"a": 8, "b": 4}


def test_missing_values_stay_missing():
    data = hidden(["a", None, "?"])
    assert data.apply(ta.Regenerate(), seed=1).column("x").to_pylist() == ["a", None, "a"]


@given(st.lists(st.integers(1, 50), min_size=1, max_size=8), st.integers(0, 100))
def test_shares_are_rounded_by_less_than_one(shares, total):
    times = apportioned(np.array(shares), total)
    assert times.sum() == total
    assert (np.abs(times - np.array(shares) * total / sum(shares)) < 1).all()


def test_counts_that_do_not_fit_are_refused():
    data = hidden(["a", "?"])
    with pytest.raises(InputError, match="of which there are 1; found 2"):
        data.apply(ta.Regenerate(counts={"x": {"a": 2}}))
    numbers = ta.read(pa.table({"x": [1, -1]}), roles={"x": "key"}, suppressed={"x": [-1]})
    with pytest.raises(InputError, match="no int64"):
        numbers.apply(ta.Regenerate(counts={"x": {"one": 1}}))


def test_where_all_is_masked_nothing_is_filled_and_the_notes_say_so():
    data = ta.read(pa.table({"sex": ["*", "*"]}), roles={"sex": "key"})
    left = data.apply(ta.Regenerate(), seed=0)
    assert left.column("sex").to_pylist() == ["*", "*"]
    assert left.notes["filled"] == {"sex": 0}


def test_counts_of_other_attributes_are_refused():
    data = ta.read(pa.table({"race": ["*", "b"]}), roles={"race": "key"})
    with pytest.raises(ParameterError, match=r"`rase`.*Did you mean `race`"):
        data.apply(ta.Regenerate(counts={"rase": {"b": 1}}), seed=0)
