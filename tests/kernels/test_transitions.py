from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.transitions import BLOCK, Transitions, draw

pytestmark = pytest.mark.numeric


def table_of(rows):
    """Lay out rows of (value, probability) as the kernel wants them."""
    starts = np.cumsum([0, *(len(row) for row in rows)])
    cumulative = [np.append(np.cumsum([p for _, p in row])[:-1], 1.0) for row in rows]
    values = [value for row in rows for value, _ in row]
    return Transitions(starts, np.concatenate(cumulative), np.array(values, np.int32))


@st.composite
def tables(draw_):
    rows = []
    for _ in range(draw_(st.integers(1, 4))):
        parts = draw_(st.lists(st.integers(1, 20), min_size=1, max_size=7))
        values = draw_(st.permutations(range(len(parts))))
        rows.append([(value, part / sum(parts)) for value, part in zip(values, parts, strict=True)])
    return rows


@given(tables(), st.integers(0, 60), st.integers(0, 9))
def test_it_inverts_the_cumulative_probabilities(rows, size, seed):
    asked = np.random.default_rng(seed).integers(-1, len(rows), size)
    found = draw(asked, table_of(rows), np.random.default_rng(seed))
    chances = np.random.default_rng(seed).random(size)
    for row, chance, value in zip(asked, chances, found, strict=True):
        if row < 0:
            assert value == row
            continue
        ends = np.cumsum([p for _, p in rows[row]])[:-1]
        assert value == rows[row][int(np.sum(ends <= chance))][0]


def test_records_beyond_a_block_go_on_with_the_same_stream():
    size = 2 * BLOCK + 17
    table = table_of([[(0, 0.5), (1, 0.5)]])
    found = draw(np.zeros(size, np.int32), table, np.random.default_rng(3))
    assert (found == (np.random.default_rng(3).random(size) >= 0.5)).all()


def test_rows_are_not_changed_in_place():
    rows = np.zeros(4, np.int32)
    draw(rows, table_of([[(9, 1.0)]]), np.random.default_rng(0))
    assert rows.tolist() == [0] * 4
