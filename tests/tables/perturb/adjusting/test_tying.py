"""Cells that move together: the same moves as the relations allow, found by linear algebra."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import null_space
from scipy.sparse import csr_array

from tacita.tables.perturb.adjusting.tying import FIXED, tied


@given(seed=st.integers(0, 10**6), rows=st.integers(1, 6), columns=st.integers(2, 8))
def test_every_move_that_relations_allow_is_left_and_no_other(seed, rows, columns):
    rng = np.random.default_rng(seed)
    matrix = rng.choice([-1, 0, 0, 0, 1], (rows, columns))
    ties = tied(csr_array(matrix))
    free = ties.unknown != FIXED
    count = int(ties.unknown.max(initial=FIXED)) + 1
    expressed = np.zeros((columns, count))
    expressed[free, ties.unknown[free]] = ties.sign[free]
    left = ties.relations.toarray()
    assert left.shape[1] == count
    moves = null_space(left) if len(left) else np.eye(count)
    allowed = null_space(matrix)
    assert np.allclose(matrix @ expressed @ moves, 0)
    assert moves.shape[1] == allowed.shape[1]
    for row in left:
        sizes = np.abs(row[row != 0])
        assert len(sizes) > 2 or (len(sizes) == 2 and sizes[0] != sizes[1])


def test_a_kept_total_of_two_parts_lets_one_rise_as_the_other_falls():
    ties = tied(csr_array(np.array([[1, 1]])))
    assert ties.unknown.tolist() == [0, 0]
    assert ties.sign.tolist() == [1, -1]


def test_a_pair_tied_both_ways_cannot_move():
    ties = tied(csr_array(np.array([[1, 1], [1, -1]])))
    assert ties.unknown.tolist() == [FIXED, FIXED]


def test_a_chain_of_totals_is_one_unknown():
    ties = tied(csr_array(np.array([[-1, 1, 0, 0], [0, -1, 1, 0], [0, 0, -1, 1]])))
    assert ties.unknown.tolist() == [0, 0, 0, 0]
    assert not ties.relations.shape[0]
