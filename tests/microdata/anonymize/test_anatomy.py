from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError, ProtectionError


def read(values):
    table = pa.table({"key": list(range(len(values))), "value": pa.array(values, pa.string())})
    return ta.read(table, roles={"key": "key", "value": "confidential"})


def mask(method, data, seed=0):
    return method.mask(data, np.random.default_rng(seed))


files = st.lists(st.sampled_from([*"abcde", None]), min_size=1, max_size=40)


@settings(max_examples=100, deadline=None)
@given(files, st.integers(2, 4), st.integers(0, 99))
def test_each_bucket_has_l_values_all_different_or_it_is_impossible(values, l, seed):  # noqa: E741
    data = read(values)
    if max(Counter(values).values()) > len(values) // l:
        with pytest.raises(ProtectionError, match="1 / l of the records"):
            mask(ta.Anatomy(l), data, seed)
        return
    masked = mask(ta.Anatomy(l), data, seed)
    buckets = masked.column("bucket").to_pylist()
    held = Counter(zip(buckets, masked.column("value").to_pylist(), strict=True))
    assert set(held.values()) == {1}
    sizes = Counter(buckets)
    assert len(sizes) == len(values) // l
    assert min(sizes.values()) >= l
    assert max(sizes.values()) - min(sizes.values()) <= 1
    assert Counter(masked.column("value").to_pylist()) == Counter(values)
    assert masked.column("key") == data.column("key")
    assert ta.LDiversity(l, "value", keys=["bucket"]).check(masked).holds


def test_who_has_which_value_of_a_bucket_is_random():
    data = read([*"abab"] * 250)
    before, after = data.column("value"), mask(ta.Anatomy(2), data).column("value")
    # In each of 500 buckets the two values are exchanged or not: 300 and more are 4.5 deviations.
    kept = sum(a == b for a, b in zip(before.to_pylist(), after.to_pylist(), strict=True))
    assert 400 < kept < 600


def test_the_two_tables_tell_what_the_file_tells():
    data = read([*"aabbccdde"])
    records, values = ta.Anatomy(3).tables(data, np.random.default_rng(5))
    masked = mask(ta.Anatomy(3), data, 5)
    assert records.names == ["key", "bucket"]
    assert records.column("bucket") == masked.column("bucket")
    told = Counter(
        zip(masked.column("bucket").to_pylist(), masked.column("value").to_pylist(), strict=True)
    )
    rows = values.to_pylist()
    assert {(row["bucket"], row["value"]): row["count"] for row in rows} == told
    assert [row["bucket"] for row in rows] == sorted(row["bucket"] for row in rows)


def test_suppressed_values_change_hands_as_such():
    data = read([*"aabbcc"])
    gone = np.arange(6) == 0
    column = pa.array([None, *"abbcc"], pa.string())
    data = data.with_column(data.attribute("value"), column, gone)
    masked = mask(ta.Anatomy(2), data)
    assert masked.suppressed_in("value").tolist() == [
        v is None for v in masked.column("value").to_pylist()
    ]


def test_what_is_not_clear_is_asked_for():
    toy = ta.example("toy", 50)
    with pytest.raises(InputError, match="2 have the role `confidential`"):
        mask(ta.Anatomy(2), toy)
    with pytest.raises(ParameterError, match="already"):
        mask(ta.Anatomy(2, "disease", bucket="age"), toy)


@pytest.mark.parametrize(("value", "bucket"), [("count", "bucket"), ("value", "count")])
def test_an_attribute_named_count_is_kept_beside_the_counts(value, bucket):
    table = pa.table({"key": [1, 2, 3, 4], value: list("abab")})
    data = ta.read(table, roles={"key": "key", value: "confidential"})
    values = ta.Anatomy(2, bucket=bucket).tables(data, np.random.default_rng(0)).values
    assert values.column_names == [bucket, value, "(count)"]
    assert values[value].to_pylist() == list("abab")
    assert values["(count)"].to_pylist() == [1] * 4
