from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.rolling_up import Field, fields_of, packed, roll_up, unpacked

pytestmark = pytest.mark.numeric


def test_codes_have_their_bits_and_words():
    assert fields_of([2**40, 2**30, 1]) == [
        Field(0, 0, 2**40 - 1),
        Field(1, 0, 2**30 - 1),
        Field(1, 30, 0),
    ]


@given(st.lists(st.sampled_from([1, 2, 3, 300, 2**31, 2**63]), min_size=1, max_size=8))
def test_what_is_packed_comes_out_again(sizes):
    rng = np.random.default_rng(len(sizes))
    codes = [rng.integers(0, size, 20, dtype=np.int64) for size in sizes]
    fields = fields_of(sizes)
    words = packed(codes, fields)
    for code, field in zip(codes, fields, strict=True):
        assert unpacked(words, field).tolist() == code.tolist()


@given(
    st.integers(0, 10**6),
    st.integers(0, 5000),
    st.lists(st.sampled_from([1, 2, 7, 2**20, 2**40]), min_size=1, max_size=5),
)
def test_counts_are_those_of_a_dictionary(seed, size, sizes):
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, min(top, 6), size) for top in sizes]
    counts = rng.integers(0, 9, size)
    fields, moved = fields_of(sizes), [a for a, top in enumerate(sizes) if 1 < top < 10]
    maps = [rng.integers(0, sizes[a], sizes[a]) for a in moved]
    rolled = roll_up(packed(codes, fields), counts, [fields[a] for a in moved], maps)
    for a, above in zip(moved, maps, strict=True):
        codes[a] = above[codes[a]]
    rows = list(zip(*(code.tolist() for code in codes), strict=True))
    expected: Counter[tuple[int, ...]] = Counter()
    for row, count in zip(rows, counts.tolist(), strict=True):
        expected[row] += count
    assert rolled.counts.tolist() == list(expected.values())  # numbered as they appear
    found = list(zip(*(unpacked(rolled.words, field).tolist() for field in fields), strict=True))
    assert found == list(expected)
    assert [found[place] for place in rolled.into] == rows


def test_nothing_is_nothing():
    rolled = roll_up(np.zeros((1, 0), np.uint64), np.zeros(0, np.int64))
    assert rolled.into.size == rolled.counts.size == rolled.words.size == 0


def test_codes_that_look_alike_to_the_hash_stay_apart():
    codes = np.arange(2**16) << 20
    rolled = roll_up(packed([codes], fields_of([2**40])), np.ones(2**16, np.int64))
    assert rolled.counts.size == 2**16
    assert rolled.counts.max() == pytest.approx(1)
