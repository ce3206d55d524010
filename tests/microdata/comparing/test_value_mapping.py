"""Which original value became which: beside a plain loop, for every masking of the toy data."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.pairing import paired_rows
from tacita.data.read import declare
from tacita.errors import InputError
from tacita.microdata.comparing.value_mapping import masked_values, value_mapping


def slowly(original, protected, name):
    """Count pairs of values record by record."""
    known, released = original.column(name).to_pylist(), protected.column(name).to_pylist()
    hidden = protected.suppressed_in(name)
    rows = paired_rows(original, protected).tolist()
    pairs = Counter()
    for place, row in enumerate(rows):
        blank = "suppressed" if hidden[place] else "missing"
        state = blank if released[place] is None else "released"
        pairs[known[row], released[place], state] += 1
    for row in set(range(len(known))) - set(rows):
        pairs[known[row], None, "left out"] += 1
    return pairs


def counted(mapping):
    return Counter(
        {
            (r["original"], r["released"], r["state"]): r["records"]
            for r in mapping.table.to_pylist()
        }
    )


STEPS = [
    ta.Generalize("zip", level=2),
    ta.TopCode("age", 60),
    ta.TopCode("age", 60, label="60+"),
    ta.Recode("age", width=10),
    ta.Sample(0.5),
    ta.ShuffleRecords(),
    ta.Datafly(ta.KAnonymity(2), suppression_limit=0.5),
    ta.LocalSuppression(3, attributes=["zip", "region"]),
    ta.Microaggregate(["age", "income"], k=3),
    ta.ShiftDates("born", days=30),
]


@pytest.mark.parametrize("method", STEPS, ids=lambda method: method.name)
def test_it_counts_every_record(method):
    data = ta.example("toy", 150)
    masked = data.apply(method, seed=3)
    for name in ("age", "zip", "region", "born", "income"):
        found = masked.value_mapping(name)
        assert counted(found) == slowly(data, masked, name)
        assert sum(found.table["records"].to_pylist()) == len(data)
    masked_now = [name for name in data.names if masked.value_mapping(name).is_masked]
    assert set(masked_values(data, masked)["attribute"].to_pylist()) == set(masked_now)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.none() | st.integers(0, 4), st.booleans(), st.booleans()), min_size=1))
def test_blanks_suppressed_values_and_records_left_out_are_told_apart(rows):
    values, hidden, gone = (list(column) for column in zip(*rows, strict=True))
    data = declare(pa.table({"x": pa.array(values, pa.int64())}), {})
    blank = np.array(hidden)
    column = pa.array([None if h else v for v, h in zip(values, hidden, strict=True)], pa.int64())
    masked = data.with_column(data.attribute("x"), column, blank).take(
        np.flatnonzero(~np.array(gone))
    )
    found = value_mapping(data, masked, "x")
    assert counted(found) == slowly(data, masked, "x")
    hides = any(h and v is not None and not g for v, h, g in rows)
    assert found.is_masked == hides


def test_one_value_may_become_several_and_the_most_frequent_comes_first():
    data = declare(pa.table({"x": ["b", "b", "b", "a", None]}), {})
    masked = data.with_column(data.attribute("x"), pa.array(["p", "q", "q", "a", "r"]))
    assert repr(value_mapping(data, masked, "x")) == (
        "x: 4 pairs of values in 5 records\n"
        "  a       -> a  1\n"
        "  b       -> q  2\n"
        "  b       -> p  1\n"
        "  (blank) -> r  1"
    )


def test_sets_are_told_as_text():
    data = ta.example("toy", 30)
    found = data.value_mapping("languages")
    assert not found.is_masked
    assert any("|" in (word or "") for word in found.table["original"].to_pylist())


def test_a_dropped_attribute_has_no_released_value():
    data = ta.example("toy", 30).apply(ta.Drop(["id"]), seed=0)
    found = data.value_mapping("id")
    assert set(found.table["state"].to_pylist()) == {"dropped"}
    assert found.table["released"].null_count == 30
    assert "... and 10 more" in repr(found)
    assert "id" not in masked_values(data.original, data)["attribute"].to_pylist()


def test_frames():
    found = ta.example("toy", 30).value_mapping("region")
    columns = ["original", "released", "state", "records"]
    assert list(found.to_pandas().columns) == found.to_polars().columns == columns
    assert found.to_arrow().column_names == columns


def test_an_unknown_attribute_is_told():
    with pytest.raises(InputError, match="Did you mean `region`"):
        ta.example("toy", 30).value_mapping("regio")
