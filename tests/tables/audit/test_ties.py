from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.errors import InputError
from tacita.tables.audit.ties import tied

pytestmark = pytest.mark.numeric

SEEDS = st.integers(0, 10**6)


def equations(seed):
    """Make a few short equations with whole coefficients that some whole numbers fulfil."""
    rng = np.random.default_rng(seed)
    rows, cells = int(rng.integers(1, 7)), int(rng.integers(2, 8))
    matrix = np.where(
        rng.random((rows, cells)) < 2.2 / cells, rng.choice([-1, 1], (rows, cells)), 0
    )
    values = rng.integers(0, 20, cells).astype(float)
    return matrix, matrix @ values, values


def dimension_of(matrix):
    return matrix.shape[1] - (np.linalg.matrix_rank(matrix) if matrix.size else 0)


@settings(max_examples=150)
@given(SEEDS)
def test_all_solutions_are_kept_and_no_others_added(seed):
    matrix, rhs, _ = equations(seed)
    ties = tied(csr_array(matrix), rhs)
    left = ties.matrix.toarray().astype(float)
    free = ~np.isin(np.arange(left.shape[1]), ties.group[ties.sign == 0])
    assert dimension_of(left[:, free]) == dimension_of(matrix.astype(float))
    rng = np.random.default_rng(seed)
    start = np.linalg.lstsq(left, ties.rhs, rcond=None)[0] if left.size else np.zeros(left.shape[1])
    noise = rng.normal(size=left.shape[1])
    inside = noise - (np.linalg.pinv(left) @ left @ noise if left.size else 0)
    groups = start + inside
    cells = ties.sign * groups[ties.group] + ties.shift
    assert matrix @ cells == pytest.approx(rhs, abs=1e-8)


@settings(max_examples=150)
@given(SEEDS)
def test_a_solution_of_the_cells_is_one_of_the_groups(seed):
    matrix, rhs, values = equations(seed)
    ties = tied(csr_array(matrix), rhs)
    groups = np.zeros(ties.matrix.shape[1])
    moving = ties.sign != 0
    groups[ties.group[moving]] = (ties.sign * (values - ties.shift))[moving]
    assert ties.matrix @ groups == pytest.approx(ties.rhs)
    assert ties.sign * groups[ties.group] + ties.shift == pytest.approx(values)
    assert not (np.diff(ties.matrix.indptr) == 1).any()


def test_a_chain_of_pairs_becomes_one_group():
    matrix = csr_array(np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, -1]]))
    ties = tied(matrix, np.array([10.0, 7.0, 1.0]))
    assert ties.group.tolist() == [0, 0, 0, 0]
    assert ties.sign.tolist() == [1, -1, 1, 1]
    assert ties.shift.tolist() == [0.0, 10.0, -3.0, -4.0]


def test_a_sum_and_a_difference_give_both_values():
    matrix = csr_array(np.array([[1, 1], [1, -1]]))
    ties = tied(matrix, np.array([9.0, 1.0]))
    assert ties.sign.tolist() == [0, 0]
    assert ties.shift.tolist() == [5.0, 4.0]


@pytest.mark.parametrize("rows", [[[1, 1], [1, 1]], [[1, 0], [1, 0]]])
def test_equations_that_contradict_each_other_are_refused(rows):
    with pytest.raises(InputError, match="contradict"):
        tied(csr_array(np.array(rows)), np.array([5.0, 6.0]))


def test_what_is_only_an_error_of_doubles_is_no_contradiction():
    ties = tied(csr_array(np.array([[1, 1], [1, 1]])), np.array([5.0, 5.0 + 1e-12]), tolerance=1e-9)
    assert ties.group.tolist() == [0, 0]
