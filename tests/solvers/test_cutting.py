from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from tacita.errors import ProtectionError
from tacita.solvers.cutting import Relaxation
from tacita.solvers.lazy_cuts import Cut


@given(st.integers(0, 10**6))
def test_cut_after_cut_agrees_with_an_independent_solver(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 7))
    cost, is_one = rng.integers(1, 9, size).astype(float), rng.random(size) < 0.2
    relaxed, rows, needed = Relaxation(cost, is_one), [], []
    for _ in range(4):
        row = rng.integers(0, 4, size).astype(float)
        lower = float(rng.integers(0, int(row.sum()) + 1))
        cells = np.flatnonzero(row)
        relaxed.add([Cut(cells, row[cells], lower)])
        rows.append(-row)
        needed.append(-lower)
        value, point = relaxed.solve()
        bounds = [(float(one), 1.0) for one in is_one]
        assert value == pytest.approx(linprog(cost, rows, needed, bounds=bounds).fun, abs=1e-6)
        assert (np.array(rows) @ point <= np.array(needed) + 1e-6).all()


def test_nothing_fits():
    relaxed = Relaxation(np.ones(1), np.zeros(1, bool))
    relaxed.add([Cut(np.array([0]), np.ones(1), 2.0)])
    with pytest.raises(ProtectionError, match="could not find"):
        relaxed.solve()
