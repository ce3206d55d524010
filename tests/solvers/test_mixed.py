"""Mixed integer programs, against every whole point tried."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from tacita.solvers.integer import Effort
from tacita.solvers.lazy_cuts import Cut
from tacita.solvers.mixed import MixedProgram, Rows

SIZE = 5


def drawn(seed):
    """Draw a program of which the first two unknowns are 0 or 1."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-2, 4, (3, SIZE)).astype(float)
    least = matrix @ rng.integers(0, 2, SIZE) - rng.integers(0, 3, 3)
    costs = rng.integers(-3, 6, SIZE).astype(float)
    upper = np.r_[1.0, 1.0, rng.integers(1, 5, SIZE - 2)]
    return costs, Rows(csr_array(matrix), least, np.full(3, np.inf)), np.zeros(SIZE), upper


def tried(costs, rows, lower, upper):
    """Try every whole point, the rest by linear programs of another solver."""
    values = []
    for ends in product((0.0, 1.0), repeat=2):
        bounds = [(e, e) for e in ends] + list(zip(lower[2:], upper[2:], strict=True))
        found = linprog(costs, A_ub=-rows.matrix.toarray(), b_ub=-rows.least, bounds=bounds)
        values += [found.fun] if found.status == 0 else []
    return min(values)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6))
def test_the_least_of_all_points(seed):
    program = drawn(seed)
    found = MixedProgram(*program).minimize(np.arange(2))
    assert found.is_proven
    assert found.value == pytest.approx(tried(*program), abs=1e-6)
    assert found.bound <= found.value + 1e-6
    assert MixedProgram(*program).minimize().value <= found.value + 1e-6


def test_bounds_and_inequalities_change():
    costs, _, lower, upper = drawn(1)
    nothing = Rows(csr_array((0, SIZE)), np.zeros(0), np.zeros(0))
    program = MixedProgram(np.abs(costs) + 1, nothing, lower, upper)
    assert program.minimize().value == 0
    program.add([Cut(np.array([2, 3]), np.ones(2), 1.5)])
    with_cut = program.minimize(np.arange(SIZE))
    assert with_cut.point[2:4].sum() == pytest.approx(2)
    program.bound(np.array([2, 3]), np.zeros(2), np.full(2, 0.5))
    assert program.minimize() is None


def test_a_start_is_kept_when_nothing_may_be_spent():
    costs, rows, lower, upper = drawn(3)
    best = MixedProgram(costs, rows, lower, upper).minimize(np.arange(2))
    found = MixedProgram(costs, rows, lower, upper).minimize(
        np.arange(2), start=best.point, effort=Effort(nodes=0)
    )
    assert found.value == pytest.approx(best.value)
