from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.suppressing import board, fill, improve

pytestmark = pytest.mark.numeric

COLUMNS = 2
PATTERNS = np.array([0, 1, 2, 3])
COSTS = np.array([0, 1, 1, 2])


def on_board(values: np.ndarray, k: int):
    """Rows of two columns; a pattern says which of them do not count."""
    layers, number = np.empty((4, len(values)), np.int32), 0
    for place, pattern in enumerate(PATTERNS):
        seen = values * [1 - (pattern & 1), 1 - (pattern >> 1)]
        _, ids = np.unique(seen, axis=0, return_inverse=True)
        layers[place] = ids.ravel() + number
        number += ids.max() + 1
    zeros = np.zeros(len(values), np.int64)
    return board(layers, np.arange(4)[:, None], PATTERNS, COSTS, zeros, zeros, k)


def items_by_cell(on, placed: np.ndarray) -> np.ndarray:
    items = np.zeros(on.cells, np.int64)
    np.add.at(items, on.layers, placed)
    return items[items > 0]


rows = st.lists(
    st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 6)),
    min_size=1,
    max_size=9,
    unique_by=lambda row: row[:2],
)


@given(rows, st.integers(2, 4))
def test_cells_in_use_are_full_and_improving_never_costs(given_rows, k):
    table = np.array(given_rows)
    on, counts = on_board(table[:, :2], k), table[:, 2].astype(np.int64)
    order = np.array([(p, m) for m in range(k, 0, -1) for p in (1, 2, 3)])
    placed, left = fill(on, counts, order)
    assert (placed.sum(axis=0) + left == counts).all()
    assert (items_by_cell(on, placed) >= k).all()
    better = improve(on, placed, 10)
    assert (better.sum(axis=0) == placed.sum(axis=0)).all()
    assert (items_by_cell(on, better) >= k).all()
    assert (COSTS @ better).sum() <= (COSTS @ placed).sum()


def test_rows_with_enough_items_fill_up_a_cell():
    """Two cells of the first column's blanks: (2, 1) needs one of the three spare (1, 1)."""
    on = on_board(np.array([[1, 1], [2, 1]]), 2)
    placed, left = fill(on, np.array([5, 1]), np.array([[1, 1]]))
    assert left.tolist() == [0, 0]
    assert placed.tolist() == [[4, 0], [1, 1], [0, 0], [0, 0]]


def test_items_return_from_a_cell_that_does_without_them():
    on = on_board(np.array([[1, 1], [2, 1], [3, 1]]), 2)
    placed = np.zeros((4, 3), np.int32)
    placed[0, 0], placed[1] = 4, [1, 1, 1]
    assert improve(on, placed, 5).tolist() == [[5, 0, 0], [0, 1, 1], [0, 0, 0], [0, 0, 0]]


def test_a_cell_is_given_up_where_another_is_cheaper():
    """Two rows are without any value; they are welcome where only the first column is gone."""
    on = on_board(np.array([[1, 1], [2, 1], [3, 1], [4, 1]]), 2)
    placed = np.zeros((4, 4), np.int32)
    placed[1, :2], placed[3, 2:] = 1, 1
    assert improve(on, placed, 5).tolist() == [[0] * 4, [1] * 4, [0] * 4, [0] * 4]
