from __future__ import annotations

import math
from collections import Counter
from unittest.mock import patch

import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels import grouping
from tacita.kernels.compile import thread_count
from tacita.kernels.grouping import factorize, group

DTYPES = list(map(np.dtype, ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4"]))
EVERY_WAY = pytest.mark.parametrize(
    "limits",
    [{"NARROW": 2**12}, {"NARROW": 0}, {"NARROW": 0, "FEW": 1}, {"NARROW": 0, "FEW": 3}],
    ids=["as it is", "hash table", "partitions", "partitions after a few"],
)


def combinations(columns, valid, size):
    blanks = [np.ones(size, bool) if mask is None else mask for mask in valid]
    cells = [
        [int(v) if known else None for v, known in zip(column, mask, strict=True)]
        for column, mask in zip(columns, blanks, strict=True)
    ]
    return list(zip(*cells, strict=True)) if cells else [()] * size


def expected(rows):
    numbers = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    counts = Counter(rows)
    ids = [numbers[row] for row in rows]
    return ids, [ids.index(number) for number in range(len(numbers))], [counts[r] for r in numbers]


def assert_groups(groups, wanted):
    for got, want in zip(groups, wanted, strict=True):
        assert got.dtype == np.int64
        np.testing.assert_array_equal(got, np.asarray(want, np.int64))


def values_of(dtype):
    if dtype.kind == "b":
        return st.booleans()
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    near = st.integers(max(low, -2), 3)
    return st.one_of(near, st.sampled_from([low, low + 1, high - 1, high]))


@st.composite
def tables(draw):
    size, width = draw(st.integers(0, 30)), draw(st.integers(0, 5))
    columns, valid = [], []
    for _ in range(width):
        dtype = draw(st.sampled_from(DTYPES))
        cells = draw(st.lists(values_of(dtype), min_size=size, max_size=size))
        mask = draw(st.none() | st.lists(st.booleans(), min_size=size, max_size=size))
        columns.append(np.array(cells, dtype))
        valid.append(None if mask is None else np.array(mask, bool))
    return columns, valid, size


@EVERY_WAY
@settings(deadline=None, max_examples=60)
@given(table=tables())
def test_agrees_with_a_dictionary(limits, table):
    columns, valid, size = table
    with patch.multiple(grouping, **limits):
        groups = group(columns, valid, records=size)
    assert_groups(groups, expected(combinations(columns, valid, size)))


@settings(deadline=None, max_examples=60)
@given(table=tables().filter(lambda table: table[0]))
def test_factorize_agrees_with_a_dictionary(table):
    (values, *_), (valid, *_), size = table
    codes, first = factorize(values, valid)
    known = np.ones(size, bool) if valid is None else valid
    numbers = {v: n for n, v in enumerate(dict.fromkeys(values[known].tolist()))}
    want = [numbers[v] if k else -1 for v, k in zip(values.tolist(), known, strict=True)]
    assert codes.tolist() == want
    assert first.tolist() == [want.index(number) for number in range(len(numbers))]


@pytest.mark.parametrize("size", [0, 1, 3])
def test_without_columns_all_records_are_one_group(size):
    groups = group([], [], records=size)
    assert_groups(groups, ([0] * size, [0][:size], [size][: min(size, 1)]))


NO_HASH = {"_scramble": lambda keys: keys.fill(0)}
HASHED_OR_NOT = pytest.mark.parametrize(
    "ways", [{"NARROW": 2**12}, NO_HASH], ids=["hashed and compared", "renumbered"]
)


@HASHED_OR_NOT
def test_many_columns_that_fit_no_single_key(ways):
    rng = np.random.default_rng(4)
    base = rng.integers(0, 4000, (9, 50))
    columns = list(base[:, rng.integers(0, 50, 2000)].astype(np.int16))
    columns[3] = columns[3] % 2  # so that some combinations differ in the last columns only
    columns[8] = rng.integers(0, 4000, 2000).astype(np.uint32)
    assert math.prod(int(c.max()) - int(c.min()) + 1 for c in columns) > 2**64
    with patch.multiple(grouping, **ways):
        groups = group(columns)
    assert_groups(groups, expected(combinations(columns, [None] * 9, 2000)))


@HASHED_OR_NOT
def test_wide_columns_that_fit_no_single_key(ways):
    rng = np.random.default_rng(5)
    limits = np.iinfo(np.int64)
    pool = rng.integers(limits.min, limits.max, (4, 30), endpoint=True)
    columns = [values[rng.integers(0, 30, 3000)] for values in pool]
    valid = [rng.random(3000) < 0.9, None, None, rng.random(3000) < 0.5]
    with patch.multiple(grouping, **ways):
        groups = group(columns, valid)
    assert_groups(groups, expected(combinations(columns, valid, 3000)))


@settings(deadline=None, max_examples=60)
@given(table=tables())
def test_exact_even_if_all_hashes_are_one(table):
    columns, valid, size = table
    with patch.multiple(grouping, **NO_HASH):
        groups = group(columns, valid, records=size)
    assert_groups(groups, expected(combinations(columns, valid, size)))


def test_all_of_the_64_bits_and_blanks_beside():
    limits = np.iinfo(np.int64)
    column = np.array([limits.max, 0, limits.min, limits.max, -1, 0])
    valid = np.array([True, False, True, True, True, True])
    assert_groups(group([column], [valid]), ([0, 1, 2, 0, 3, 4], [0, 1, 2, 4, 5], [2, 1, 1, 1, 1]))


def test_values_behind_blanks_do_not_matter():
    column = np.array([7, 2**62, -(2**62), 7])
    valid = np.array([True, False, False, True])
    assert_groups(group([column], [valid]), ([0, 1, 1, 0], [0, 1], [2, 2]))


@pytest.mark.parametrize("distinct", [40, 5_000, 90_000, 10**7])
def test_agrees_with_pandas_on_many_records_for_any_number_of_threads(distinct):
    rng = np.random.default_rng(6)
    seed = rng.integers(0, distinct, 600_000)
    columns = [(seed * 7919 % 1009).astype(np.int32), seed // 11, (seed % 11).astype(np.uint8)]
    columns[1] = columns[1] * 2**24  # a space too large for a table
    frame = pd.DataFrame(dict(enumerate(columns)))
    ids = frame.groupby([0, 1, 2], sort=False).ngroup().to_numpy()
    one, three = group(columns, threads=1), group(columns, threads=3)
    np.testing.assert_array_equal(one.ids, ids)
    np.testing.assert_array_equal(one.counts, np.bincount(ids))
    np.testing.assert_array_equal(one.first, np.unique(ids, return_index=True)[1])
    assert_groups(three, one)


def test_threads_are_those_numba_is_set_to():
    before = numba.get_num_threads()
    column = np.arange(600_000) * 2**30 // 3
    try:
        numba.set_num_threads(1)
        assert thread_count(None, 600_000, 1000) == 1
        one = group([column])
    finally:
        numba.set_num_threads(before)
    assert thread_count(None, 600_000, 1000) == before
    assert_groups(group([column]), one)


def test_a_partition_larger_than_its_table_grows():
    keys = np.random.default_rng(7).permutation(np.repeat(np.arange(120_000) << 30, 2))
    with patch.object(grouping, "_partition_bits", lambda size: 1):
        groups = group([keys])
    ids, _ = pd.factorize(keys)
    np.testing.assert_array_equal(groups.ids, ids)
    assert (groups.counts == 2).all()


def test_one_very_large_group_among_many():
    keys = np.arange(300_000) << 30
    keys[np.random.default_rng(8).random(keys.size) < 0.6] = -1
    groups = group([keys], threads=2)
    ids, _ = pd.factorize(keys)
    np.testing.assert_array_equal(groups.ids, ids)
    np.testing.assert_array_equal(groups.counts, np.bincount(ids))


def test_input_is_left_alone_and_need_not_be_contiguous_or_writable():
    table = np.arange(20).reshape(10, 2) % 3
    before = table.copy()
    table.flags.writeable = False
    groups = group([table[:, 0], table[:, 1]], [table[:, 0] > 0, None])
    np.testing.assert_array_equal(table, before)
    rows = combinations([table[:, 0], table[:, 1]], [table[:, 0] > 0, None], 10)
    assert_groups(groups, expected(rows))


def test_bad_columns_are_refused():
    three = np.arange(3)
    with pytest.raises(TypeError, match="integers or booleans"):
        group([three.astype(float)])
    with pytest.raises(ValueError, match=r"one length; got lengths \[2, 3\]"):
        group([three, np.arange(2)])
    with pytest.raises(ValueError, match="one length"):
        group([])
    with pytest.raises(ValueError, match="as long as its column"):
        group([three], [np.array([True])])


@pytest.mark.parametrize("size", [0, 1])
def test_nothing_and_next_to_nothing(size):
    assert factorize(np.zeros(size, np.int64))[0].tolist() == [0] * size
