from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacita.microdata.masking.partitions.blanks import cells_of, shared_blanks


def known(*rows: str) -> np.ndarray:
    return np.array([[letter == "x" for letter in row] for row in rows])


def kept(rows: np.ndarray, k: int, cells: list[int] | None = None) -> list[str]:
    places = np.zeros(len(rows), np.int64) if cells is None else np.array(cells)
    left = shared_blanks(rows, places, k)
    return ["".join("x" if there else "." for there in row) for row in left]


def test_patterns_that_enough_share_stay():
    rows = ["xx", "xx", "x.", "x.", "..", "xx"]
    assert kept(known(*rows), 2) == rows


def test_a_rare_pattern_becomes_one_that_others_have():
    assert kept(known("xxx", "xxx", "xx.", "x..", "x.."), 2) == ["xxx", "xxx", "x..", "x..", "x.."]


def test_rare_patterns_meet_in_what_they_have_in_common():
    assert kept(known("xx.", "x.x", "xxx", "xxx"), 2) == ["x..", "x..", "xxx", "xxx"]


def test_what_nobody_shares_goes():
    assert kept(known("x.", ".x", "xx", "xx"), 2) == ["..", "..", "xx", "xx"]


def test_cells_do_not_help_each_other():
    rows = known("x.", "x.", "xx", "xx")
    assert kept(rows, 2) == ["x.", "x.", "xx", "xx"]
    assert kept(rows, 2, [0, 1, 1, 1]) == ["..", "..", "xx", "xx"]


@given(
    arrays(np.bool_, st.tuples(st.integers(8, 25), st.integers(1, 4))),
    st.integers(1, 4),
)
def test_every_pattern_left_has_k_records_or_no_values(rows, k):
    cells = np.arange(len(rows)) % 2
    left = shared_blanks(rows, cells, k)
    assert not (left & ~rows).any(), "a blank was filled"
    for cell in (0, 1):
        patterns, counts = np.unique(left[cells == cell], axis=0, return_counts=True)
        assert all(count >= k for row, count in zip(patterns, counts, strict=True) if row.any())
        # A pattern that enough records shared before is left alone.
        own, often = np.unique(rows[cells == cell], axis=0, return_counts=True)
        for row in own[often >= k]:
            here = (cells == cell) & (rows == row).all(1)
            assert (left[here] == row).all()


def by_hand(rows: np.ndarray, k: int) -> list[frozenset[int]]:
    """Let the fullest rare pattern become the largest part that it shares with another one."""
    left = [frozenset(np.flatnonzero(row).tolist()) for row in rows]

    def bits(pattern: frozenset[int]) -> int:
        return sum(1 << place for place in pattern)

    while rare := [pattern for pattern in left if pattern and left.count(pattern) < k]:
        one = max(rare, key=lambda pattern: (len(pattern), bits(pattern)))
        parts = {one & other for other in left} - {one} | {frozenset[int]()}
        part = max(parts, key=lambda pattern: (len(pattern), left.count(pattern), bits(pattern)))
        left = [part if pattern == one else pattern for pattern in left]
    return left


@given(arrays(np.bool_, st.tuples(st.integers(4, 30), st.integers(1, 6))), st.integers(1, 4))
@example(known("x", "x", "x"), 3)  # no fewer: every cell has k records or more
def test_what_is_left_is_what_a_plain_search_leaves(rows, k):
    left = shared_blanks(rows, np.zeros(len(rows), np.int64), k)
    assert [frozenset(np.flatnonzero(row).tolist()) for row in left] == by_hand(rows, k)


def test_thousands_of_patterns():
    rows = np.random.default_rng(5).random((4000, 70)) > 0.3
    left = shared_blanks(rows, np.zeros(4000, np.int64), 3)
    assert not (left & ~rows).any()
    assert np.unique(left[left.any(axis=1)], axis=0, return_counts=True)[1].min() >= 3


def test_cells_are_told_with_what_their_records_have():
    rows = known("x.", "xx", "x.", "..")
    found = [
        (part.tolist(), there.tolist()) for part, there in cells_of(rows, np.zeros(4, np.int64))
    ]
    assert found == [([0, 2], [True, False]), ([1], [True, True])]
