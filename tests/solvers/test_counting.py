from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.solvers.counting import CountingProgram, cheapest_counts
from tacita.solvers.integer import Effort

pytestmark = pytest.mark.numeric


@st.composite
def programs(draw):
    width, height = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    number = st.integers(-2, 3)
    rows = draw(
        st.lists(st.lists(number, min_size=width, max_size=width), min_size=height, max_size=height)
    )
    costs = draw(st.lists(st.integers(0, 4), min_size=width, max_size=width))
    least = draw(st.lists(st.integers(-3, 5), min_size=height, max_size=height))
    return CountingProgram(
        np.array(costs),
        csr_array(np.array(rows)),
        np.array(least, np.float64),
        np.full(height, np.inf),
        np.full(width, 3),
    )


def points_of(program):
    every = map(np.array, product(range(4), repeat=len(program.costs)))
    return [point for point in every if program.holds(point)]


@given(programs(), st.data())
def test_the_cheapest_of_all_points_is_found_and_proven(program, draw):
    points = points_of(program)
    assume(points)
    start = draw.draw(st.sampled_from(points))
    found = cheapest_counts(program, start, Effort())
    best = min(int(program.costs @ point) for point in points)
    assert program.holds(found.point)
    assert int(program.costs @ found.point) == found.bound == best
    assert not found.is_timed


@given(st.integers(0, 10**6))
def test_large_costs_and_coefficients_are_proven_as_well(seed):
    rng = np.random.default_rng(seed)
    size, coefficient = (10 ** int(rng.integers(0, most)) for most in (10, 6))
    matrix = rng.integers(-coefficient, coefficient + 1, (int(rng.integers(1, 4)), 4))
    small = rng.integers(0, 4, 4)
    costs = rng.integers(0, size + 1, 4) if rng.random() < 0.5 else size + small
    start = rng.integers(0, 4, 4)
    least = matrix @ start - rng.integers(0, coefficient + 1, len(matrix))
    program = CountingProgram(
        costs, csr_array(matrix), least.astype(float), np.full(len(matrix), np.inf), np.full(4, 3)
    )
    every = np.array(list(product(range(4), repeat=4)))
    best = (every[(every @ matrix.T >= least).all(axis=1)] @ costs).min()
    found = cheapest_counts(program, start, Effort())
    assert found.bound <= best <= int(costs @ found.point)
    assert found.bound == int(costs @ found.point)


@given(programs(), st.data())
def test_a_pricing_that_is_a_bound_is_enough(program, draw):
    """That a point costs nothing at least is true of every unknown, and tells nothing."""
    points = points_of(program)
    assume(points)
    start = draw.draw(st.sampled_from(points))
    found = cheapest_counts(
        program, start, Effort(), price=lambda _: (0.0, np.zeros(len(program.costs)))
    )
    assert int(program.costs @ found.point) == min(int(program.costs @ p) for p in points)


def test_without_time_the_start_comes_back_with_nothing_proven():
    program = CountingProgram(
        np.array([2, 3]),
        csr_array(np.array([[2, 3]])),
        np.array([5.0]),
        np.array([np.inf]),
        np.array([9, 9]),
    )
    start = np.array([4, 4])
    found = cheapest_counts(program, start, Effort(seconds=0.0))
    assert found.point.tolist() == start.tolist()
    assert found.bound == 0
    assert found.is_timed


@pytest.mark.parametrize("point", [[0, 0], [10, 0], [-1, 3]])
def test_points_outside_are_seen(point):
    program = CountingProgram(
        np.array([1, 1]),
        csr_array(np.array([[1, 1]])),
        np.array([1.0]),
        np.array([9.0]),
        np.array([9, 9]),
    )
    assert not program.holds(np.array(point))
    assert program.holds(np.array([4, 5]))
