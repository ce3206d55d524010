from __future__ import annotations

from collections import Counter
from functools import reduce
from itertools import combinations
from operator import or_

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels.unique_sets import UniqueSets, minimal_unique_sets

ROWS = st.integers(1, 5).flatmap(
    lambda width: st.tuples(
        st.just(width),
        st.lists(st.tuples(*[st.integers(-1, 2)] * width), max_size=12),
        st.integers(1, width),
    )
)


def searched(rows: list[tuple[int, ...]], width: int, largest: int) -> UniqueSets:
    columns = np.array(rows, np.int64).reshape(-1, width).T
    return minimal_unique_sets(list(columns), largest)


def counted(rows: list[tuple[int, ...]], width: int, largest: int) -> set[tuple[int, int]]:
    """Count every set of columns by itself, the small sets first."""
    found: set[tuple[int, int]] = set()
    for size in range(1, largest + 1):
        for chosen in combinations(range(width), size):
            number = sum(1 << column for column in chosen)
            parts = [tuple(row[column] for column in chosen) for row in rows]
            often = Counter(parts)
            for row, part in enumerate(parts):
                subset = any(r == row and earlier & number == earlier for r, earlier in found)
                if often[part] == 1 and -1 not in part and not subset:
                    found.add((row, number))
    return found


@settings(deadline=None, max_examples=300)
@given(ROWS)
def test_the_search_finds_what_counting_every_set_finds(drawn):
    width, rows, largest = drawn
    found, expected = searched(rows, width, largest), counted(rows, width, largest)
    often = Counter(number for _, number in expected)
    assert dict(zip(found.sets.tolist(), found.counts.tolist(), strict=True)) == often
    assert found.rows.tolist() == [n for n, row in enumerate(rows) if rows.count(row) == 1]
    for row, by_size, united in zip(*(part.tolist() for part in found[:3]), strict=True):
        own = [number for owner, number in expected if owner == row]
        sizes = Counter(number.bit_count() for number in own)
        assert by_size == [sizes[size] for size in range(largest + 1)]
        assert united == reduce(or_, own, 0)
    assert {row for row, _ in expected} <= set(found.rows.tolist())


@settings(deadline=None)
@given(ROWS)
def test_a_row_without_blanks_is_unique_just_if_it_has_a_set(drawn):
    width, rows, _ = drawn
    found = searched(rows, width, width)
    with_set = set(found.rows[found.by_size.any(axis=1)].tolist())
    for number, row in enumerate(rows):
        if -1 not in row:
            assert (number in with_set) == (rows.count(row) == 1)


@settings(deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_the_columns_does_not_matter(drawn, random):
    width, rows, largest = drawn
    order = random.sample(range(width), width)
    straight = searched(rows, width, largest)
    turned = searched([tuple(row[column] for column in order) for row in rows], width, largest)
    back = [sum(1 << order[c] for c in range(width) if s >> c & 1) for s in turned.sets.tolist()]
    assert dict(zip(back, turned.counts.tolist(), strict=True)) == dict(
        zip(straight.sets.tolist(), straight.counts.tolist(), strict=True)
    )
    assert turned.by_size.tolist() == straight.by_size.tolist()


def test_a_larger_bound_only_adds_sets():
    rng = np.random.default_rng(3)
    rows = [tuple(row) for row in rng.integers(0, 3, (200, 6)).tolist()]
    found = [set(searched(rows, 6, largest).sets.tolist()) for largest in (2, 4, 6)]
    assert found[0] < found[1] < found[2]
    assert all(number.bit_count() <= 4 for number in found[1])


def test_more_rows_than_one_word_of_bits():
    """Every row is told apart by the first column, and by no set that holds it and more."""
    first = np.arange(1000)
    found = minimal_unique_sets([first, first % 7, first // 500], 3)
    assert found.sets.tolist() == [1]
    assert found.counts.tolist() == [1000]
    assert (found.by_size == [0, 1, 0, 0]).all()


def test_more_columns_than_bits_are_refused_and_as_many_are_not():
    column = np.array([0, 0, 1])
    assert minimal_unique_sets([column] * 64, 1).counts.tolist() == [1] * 64
    with pytest.raises(ValueError, match="at most 64 columns"):
        minimal_unique_sets([column] * 65, 1)
