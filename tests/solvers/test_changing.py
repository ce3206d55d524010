from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from tacita.solvers.changing import ChangingProgram

pytestmark = pytest.mark.numeric


@pytest.mark.parametrize("simplex", ["dual", "primal"])
@given(seed=st.integers(0, 10**6))
def test_every_change_agrees_with_an_independent_solver(simplex, seed):
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(1, 5)), int(rng.integers(2, 7))
    matrix = rng.integers(-1, 2, (rows, columns)).astype(float)
    nothing = np.zeros(columns)
    program = ChangingProgram(csr_array(matrix), nothing, nothing, simplex=simplex)
    for _ in range(4):
        costs = rng.integers(-3, 4, columns).astype(float)
        lower = -rng.integers(0, 5, columns).astype(float)
        upper = lower + rng.integers(0, 9, columns)
        program.cost(np.arange(columns), costs)
        program.bound(np.arange(columns), lower, upper)
        found = program.minimize()
        bounds = list(zip(lower, upper, strict=True))
        other = linprog(costs, A_eq=matrix, b_eq=np.zeros(rows), bounds=bounds)
        if other.status != 0:
            assert found is None
            continue
        assert found.value == pytest.approx(other.fun, abs=1e-6)
        assert costs @ found.point == pytest.approx(found.value, abs=1e-6)
        # The prices prove that nothing is less: weak duality with the reduced costs' signs.
        reduced = costs - matrix.T @ found.prices
        least = np.where(reduced > 0, lower, upper) @ reduced
        assert least == pytest.approx(other.fun, abs=1e-6)
