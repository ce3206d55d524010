from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.errors import ProtectionError
from tacita.solvers.integer import Effort, integer_optimum, whole_bound

pytestmark = pytest.mark.numeric

COLUMNS = 4
MOST = 4
ROWS = st.lists(
    st.lists(st.integers(-3, 5), min_size=COLUMNS, max_size=COLUMNS), min_size=1, max_size=3
)
NUMBERS = st.lists(st.integers(-9, 9), min_size=COLUMNS, max_size=COLUMNS)
POINT = st.lists(st.integers(0, MOST), min_size=COLUMNS, max_size=COLUMNS)
UNLIMITED = Effort()
DIRECTIONS = pytest.mark.parametrize("direction", ["minimize", "maximize"])


def solved(objective, rows, rhs, upper=MOST, direction="maximize", effort=UNLIMITED):
    matrix = csr_array(np.array(rows, np.int64))
    size = matrix.shape[1]
    ends = np.zeros(size), np.full(size, float(upper))
    return integer_optimum(
        np.array(objective),
        matrix,
        np.array(rhs),
        *ends,
        direction=direction,
        effort=effort,
    )


@DIRECTIONS
@given(objective=NUMBERS, rows=ROWS, point=POINT)
def test_the_best_point_is_what_trying_all_gives(direction, objective, rows, point):
    rhs = (np.array(rows) @ point).tolist()
    tried = [
        int(np.dot(objective, x))
        for x in product(range(MOST + 1), repeat=COLUMNS)
        if (np.array(rows) @ x).tolist() == rhs
    ]
    found = solved(objective, rows, rhs, direction=direction)
    best = max(tried) if direction == "maximize" else min(tried)
    assert (found.value, found.bound, found.is_proven) == (best, best, True)
    assert found.point is not None
    assert (np.array(rows) @ found.point).tolist() == rhs
    assert np.dot(objective, found.point) == best


@DIRECTIONS
@given(seed=st.integers(0, 10**6))
def test_no_bound_excludes_the_best_of_large_numbers(direction, seed):
    rng = np.random.default_rng(seed)
    size, coefficient = (10 ** int(rng.integers(0, most)) for most in (10, 6))
    rows = rng.integers(-coefficient, coefficient + 1, (int(rng.integers(1, 4)), COLUMNS))
    objective = rng.integers(0, size + 1, COLUMNS)
    if rng.random() < 0.5:
        objective = size + rng.integers(0, 4, COLUMNS)
    every = np.array(list(product(range(MOST + 1), repeat=COLUMNS)))
    rhs = rows @ every[rng.integers(len(every))]
    values = every[(every @ rows.T == rhs).all(axis=1)] @ objective
    found = solved(objective, rows, rhs, direction=direction)
    best = values.max() if direction == "maximize" else values.min()
    assert (found.value, found.bound, found.is_proven) == (best, best, True)


@given(rows=ROWS, rhs=st.integers(-4, 30))
def test_equations_without_whole_solutions_are_told(rows, rhs):
    sides = [rhs] * len(rows)
    possible = any(
        (np.array(rows) @ x).tolist() == sides for x in product(range(MOST + 1), repeat=COLUMNS)
    )
    if possible:
        assert solved([1] * COLUMNS, rows, sides).is_proven
    else:
        with pytest.raises(ProtectionError, match="No whole numbers"):
            solved([1] * COLUMNS, rows, sides)


def test_a_relation_may_have_fractions_only():
    with pytest.raises(ProtectionError, match="No whole numbers"):
        solved([1, 1], [[2, 4]], [7])


@pytest.mark.parametrize(("direction", "best"), [("maximize", np.inf), ("minimize", 6)])
def test_without_an_upper_bound_there_may_be_no_best(direction, best):
    found = solved([1, 0], [[2, -3]], [12], upper=np.inf, direction=direction)
    assert found.value == best
    assert found.is_proven


def test_no_time_is_no_proof():
    found = solved([1, 0], [[2, -3]], [12], upper=np.inf, effort=Effort(seconds=0.0))
    assert (found.value, found.point, found.is_proven) == (None, None, False)


def test_a_point_found_within_the_effort_is_a_point_even_without_proof():
    rng = np.random.default_rng(3)
    rows = rng.integers(1, 3000, (3, 40))
    rhs = rows @ rng.integers(0, 3, 40)
    found = solved(rng.integers(1, 50, 40), rows, rhs, upper=5, effort=Effort(nodes=50))
    if found.point is not None:
        assert (rows @ found.point == rhs).all()
        assert found.value <= found.bound
    assert found.bound < np.inf


def test_large_numbers_are_exact():
    found = solved([1, 0, 0], [[1, 1, 1], [1, -1, 0]], [2_000_000_001, 1], upper=1_000_000_001)
    assert found.value == 1_000_000_001
    assert found.point.tolist() == [1_000_000_001, 1_000_000_000, 0]


def test_a_bound_on_huge_numbers_leaves_room_for_what_doubles_lose():
    assert whole_bound(2.0**45 - 0.01, "maximize") >= 2**45
    assert whole_bound(-(2.0**45) + 0.01, "minimize") <= -(2**45)
    assert whole_bound(12.5, "maximize") == 12
    assert whole_bound(np.inf, "maximize") == np.inf


def test_a_search_may_begin_with_known_numbers_and_leave_a_gap():
    matrix, rhs = csr_array(np.array([[1, 1, 1]])), np.array([4])
    ends = np.zeros(3), np.full(3, 4.0)
    found = integer_optimum(
        np.array([3, 2, 1]),
        matrix,
        rhs,
        *ends,
        direction="minimize",
        effort=Effort(nodes=1),
        start=np.array([4, 0, 0]),
        gap=10.0,
    )
    assert 4 <= found.value <= 12
    assert found.bound <= 4
    assert matrix @ found.point == rhs
