from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels import agreement
from tacita.kernels.agreement import (
    Codes,
    Rows,
    Spans,
    assign,
    levels_of,
    pairs_from,
    pattern_values,
    sums_of_pairs,
    tally,
)

SIZES = [3, 5]  # values of each column; a blank comes behind them
BEGINS = [0, 4]
NEAR = {0: [(1, 2)], 5: [(4, 5), (6, 8)], 7: [(4, 9)]}  # stretches of codes near to a code


def codes() -> Codes:
    stretches = [NEAR.get(code, []) for code in range(10)]
    starts = np.cumsum([0, *map(len, stretches)])
    lows, highs = np.array([pair for part in stretches for pair in part], np.int32).T
    return Codes(np.array([3, 9]), starts, lows.copy(), highs.copy())


def level(one: int, other: int, blank: int) -> int:
    if blank in (one, other):
        return 0
    if one == other:
        return 3
    return 2 if any(low <= other < high for low, high in NEAR.get(one, [])) else 1


def pattern(one, other) -> int:
    return sum(
        level(a, b, blank) << 2 * c
        for c, (a, b, blank) in enumerate(zip(one, other, (3, 9), strict=True))
    )


ROW = st.tuples(st.integers(0, 3), st.integers(4, 9), st.integers(-1, 1))
ROWS = st.lists(ROW, min_size=1, max_size=9)


def rows_of(drawn) -> Rows:
    table = np.array(drawn)
    return Rows(table[:, :2].astype(np.int32), table[:, 2:].astype(np.int64))


@settings(deadline=None, max_examples=80)
@given(ROWS, ROWS, st.data())
def test_counts_agree_with_looking_at_every_pair(ours, theirs, data):
    ends = np.array([data.draw(st.integers(0, len(theirs))) for _ in ours])
    begins = np.array([data.draw(st.integers(0, end)) for end in ends.tolist()])
    sizes = np.arange(1, len(theirs) + 1)
    rows, others = rows_of(ours), rows_of(theirs)
    found = tally(rows, Spans(begins, ends), others, sizes, codes(), pattern_values(2))
    for i, one in enumerate(ours):
        wanted = Counter()
        for j in range(begins[i], ends[i]):
            if one[2] < 0 or one[2] != theirs[j][2]:
                wanted[pattern(one[:2], theirs[j][:2])] += sizes[j]
        part = slice(found.starts[i], found.starts[i + 1])
        counted = dict(zip(found.sums[part].tolist(), found.counts[part].tolist(), strict=True))
        assert counted == wanted
        assert len(counted) == part.stop - part.start


@settings(deadline=None, max_examples=40)
@given(ROWS, ROWS, st.integers(0, 16))
def test_pairs_are_listed_from_a_sum_on(ours, theirs, least):
    spans = Spans(np.zeros(len(ours), np.int64), np.full(len(ours), len(theirs)))
    listed = pairs_from(rows_of(ours), spans, rows_of(theirs), codes(), pattern_values(2), least)
    wanted = [
        (i, j, pattern(one[:2], other[:2]))
        for i, one in enumerate(ours)
        for j, other in enumerate(theirs)
        if pattern(one[:2], other[:2]) >= least and (one[2] < 0 or one[2] != other[2])
    ]
    assert list(zip(*(part.tolist() for part in listed), strict=True)) == wanted


@settings(deadline=None, max_examples=40)
@given(ROWS)
def test_aligned_pairs_add_up_alike(ours):
    one, other = rows_of(ours).codes, rows_of(ours[::-1]).codes
    wanted = [pattern(a[:2], b[:2]) for a, b in zip(ours, ours[::-1], strict=True)]
    assert sums_of_pairs(one, other, codes(), pattern_values(2)).tolist() == wanted


def test_neither_threads_nor_cuts_change_the_counts(monkeypatch):
    rng = np.random.default_rng(3)
    table = np.column_stack([rng.integers(0, 4, 200), rng.integers(4, 10, 200)]).astype(np.int32)
    rows = Rows(table, np.empty((200, 0), np.int64))
    spans = Spans(np.zeros(200, np.int64), np.full(200, 200))
    given_ = (rows, spans, rows, np.ones(200, np.int64), codes(), pattern_values(2))
    whole = tally(*given_, threads=1)
    monkeypatch.setattr(agreement, "GRAIN", 1000)
    for threads in (1, 2, 3):
        for one, other in zip(whole, tally(*given_, threads=threads), strict=True):
            np.testing.assert_array_equal(one, other)


def test_patterns_tell_their_levels():
    levels = np.random.default_rng(0).integers(0, 4, (50, 31))
    patterns = (pattern_values(31)[np.arange(31), levels]).sum(axis=1)
    np.testing.assert_array_equal(levels_of(patterns, 31), levels)


def test_nothing_is_counted_of_nothing():
    none = Rows(np.empty((0, 2), np.int32), np.empty((0, 0), np.int64))
    empty = np.empty(0, np.int64)
    found = tally(none, Spans(empty, empty), none, empty, codes(), pattern_values(2))
    assert found.starts.tolist() == [0]
    assert not len(found.sums)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=9))
def test_no_unit_is_given_twice(pairs):
    ones, others = np.array(pairs, np.int64).reshape(-1, 2).T
    left, right = np.array([1, 2, 0]), np.array([2, 1, 1])
    given_ = assign(ones, others, left, right)
    assert (np.bincount(ones, given_, 3) <= left).all()
    assert (np.bincount(others, given_, 3) <= right).all()
    assert left.tolist() == [1, 2, 0]


@pytest.mark.parametrize("columns", [1, 31])
def test_the_widest_pattern_fits(columns):
    assert pattern_values(columns)[:, 3].sum() == 4**columns - 1
