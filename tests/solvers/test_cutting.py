from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import linprog

from tacita.errors import ProtectionError
from tacita.solvers.cutting import Relaxation
from tacita.solvers.lazy_cuts import Cut

pytestmark = pytest.mark.numeric


@given(st.integers(0, 10**6), st.sampled_from([2.0**-60, 1.0, 2.0**60]))
@example(0, 2.0**-60)  # costs that would be lost in the solver's tolerances
@example(5304, 2.0**60)  # with such costs the solver gives up
@example(1808, 2.0**60)
def test_cut_after_cut_agrees_with_an_independent_solver(seed, size_of_costs):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 7))
    cost, is_one = rng.integers(1, 9, size).astype(float), rng.random(size) < 0.2
    relaxed, rows, needed = Relaxation(cost * size_of_costs, is_one), [], []
    for _ in range(4):
        row = rng.integers(0, 4, size).astype(float)
        lower = float(rng.integers(0, int(row.sum()) + 1))
        cells = np.flatnonzero(row)
        relaxed.add([Cut(cells, row[cells], lower)])
        rows.append(-row)
        needed.append(-lower)
        value, point = relaxed.solve()
        bounds = [(float(one), 1.0) for one in is_one]
        least = linprog(cost, rows, needed, bounds=bounds).fun
        assert value / size_of_costs == pytest.approx(least, abs=1e-9)
        assert value / size_of_costs <= cheapest(cost, is_one, rows, needed)  # exactly
        assert (np.array(rows) @ point <= np.array(needed) + 1e-6).all()


def cheapest(cost, is_one, rows, needed):
    """Return what the cheapest vector of zeros and ones costs; what is relaxed costs no more."""
    every = np.array(list(product((0.0, 1.0), repeat=len(cost))))
    fits = (every @ np.array(rows).T <= needed).all(axis=1) & (every >= is_one).all(axis=1)
    return (every[fits] @ cost).min()


def test_nothing_fits():
    relaxed = Relaxation(np.ones(1), np.zeros(1, bool))
    relaxed.add([Cut(np.array([0]), np.ones(1), 2.0)])
    with pytest.raises(ProtectionError, match="could not find"):
        relaxed.solve()
