from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from tacita.errors import ProtectionError
from tacita.solvers.linear import LinearProgram

pytestmark = pytest.mark.numeric


@given(st.integers(0, 10**6))
def test_every_objective_agrees_with_an_independent_solver(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-1, 2, (int(rng.integers(1, 5)), int(rng.integers(2, 7)))).astype(float)
    point = rng.integers(0, 6, matrix.shape[1]).astype(float)
    rhs, upper = matrix @ point, point + rng.integers(0, 5, len(point))
    program = LinearProgram(csr_array(matrix), rhs, np.zeros(len(point)), upper)
    for _ in range(4):
        costs = rng.integers(-3, 4, len(point)).astype(float)
        columns = np.flatnonzero(costs)
        found = program.maximize(columns, costs[columns])
        other = linprog(
            -costs,
            A_eq=matrix,
            b_eq=rhs,
            bounds=list(zip(np.zeros(len(point)), upper, strict=True)),
        )
        assert found.value == pytest.approx(-other.fun, abs=1e-6)
        assert costs @ point <= program.proven() <= found.value + 1e-9  # the former exactly
        assert costs @ found.point == pytest.approx(found.value, abs=1e-6)
        assert matrix @ found.point == pytest.approx(rhs, abs=1e-6)


def test_an_objective_without_a_largest_value():
    free = np.full(2, -np.inf), np.full(2, np.inf)
    program = LinearProgram(csr_array(np.array([[1.0, -1.0]])), np.array([2.0]), *free)
    assert program.maximize(np.array([0]), np.array([1.0])).value == np.inf
    assert program.proven() == np.inf
    both = program.maximize(np.array([0, 1]), np.array([1.0, -1.0]))
    assert (both.value, both.is_bounded) == (2.0, True)


def test_nothing_fits():
    program = LinearProgram(csr_array(np.array([[1.0]])), np.array([5.0]), np.zeros(1), np.ones(1))
    with pytest.raises(ProtectionError, match="No values fulfil"):
        program.maximize(np.array([0]), np.array([1.0]))


def test_the_basis_gives_the_vertex_exactly():
    """x + y = 7 and y + z = 9 with x at most 3: the largest y leaves x at 0 and z at 2."""
    matrix = csr_array(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]))
    program = LinearProgram(matrix, np.array([7.0, 9.0]), np.zeros(3), np.array([3.0, 99, 99]))
    assert program.maximize(np.array([1]), np.array([1.0])).value == 7
    basis = program.basis()
    assert basis.columns.sum() == basis.rows.sum() == 2
    assert (basis.columns[0], basis.at_upper[0]) == (False, False)
    assert program.maximize(np.array([1]), np.array([-1.0])).value == -4
    assert program.basis().at_upper.tolist() == [True, False, False]


def test_after_trouble_it_searches_from_the_start(monkeypatch):
    program = LinearProgram(csr_array(np.array([[1.0, 1.0]])), np.array([7.0]), *ENDS)
    asked = iter(["trouble"])
    status = program._solver.getModelStatus

    class Troubled:
        def __getattr__(self, name):
            return getattr(solver, name)

        def getModelStatus(self):  # noqa: N802 - as the solver calls it
            return next(asked, None) or status()

    solver = program._solver
    monkeypatch.setattr(program, "_solver", Troubled())
    assert program.maximize(np.array([0]), np.array([1.0])).value == 7


ENDS = np.zeros(2), np.full(2, np.inf)
