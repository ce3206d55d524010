from __future__ import annotations

import gc
import sys
import weakref
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.errors import MissingExtraError
from tacita.solvers.lazy_cuts import Cut, cheapest_pattern
from tacita.solvers.linear import LinearProgram

pytestmark = pytest.mark.numeric
SIZES = st.sampled_from([2.0**-60, 1.0, 2.0**60])  # of costs, by which nothing is rounded
BOTH = pytest.mark.parametrize("ask", ["patterns", "relaxations"])


def cut(coefficients, lower):
    held = np.flatnonzero(coefficients)
    return Cut(held, np.array(coefficients, float)[held], float(lower))


def holds(one, vector):
    return one.coefficients @ vector[one.indices] >= one.lower - 1e-9


def revealing(cuts, most=1):
    """Reveal violated cuts a few at a time."""
    return lambda vector: [one for one in cuts if not holds(one, vector)][:most]


def tried(cost, cuts, fixed=None):
    """Try every pattern; infinite when none is allowed."""
    patterns = map(np.array, product((0, 1), repeat=len(cost)))
    return min(
        (
            float(cost @ pattern)
            for pattern in patterns
            if all(holds(one, pattern) for one in cuts)
            and all(pattern[place] == value for place, value in (fixed or {}).items())
        ),
        default=np.inf,
    )


@st.composite
def problems(draw, least):
    size = draw(st.integers(1, 8))
    costs = st.lists(st.integers(0, 20), min_size=size, max_size=size)
    rows = st.lists(st.integers(least, 5), min_size=size, max_size=size)
    cuts = draw(st.lists(st.tuples(rows, st.integers(-3, 6)), max_size=10))
    return np.array(draw(costs), float), [cut(row, lower) for row, lower in cuts]


@BOTH
@settings(max_examples=40)
@given(problem=problems(0), most=st.integers(1, 3), size=SIZES)
def test_hidden_covering_rows_are_found_as_trying_all_finds_them(ask, problem, most, size):
    assert_agrees(*problem, ask=ask, most=most, size=size)


@BOTH
@settings(max_examples=40)
@given(problem=problems(-4), most=st.integers(1, 3), size=SIZES)
def test_cuts_in_either_direction_are_respected(ask, problem, most, size):
    assert_agrees(*problem, ask=ask, most=most, size=size)


@pytest.mark.parametrize("unit", [1e3, 1e8, 1e11])
@settings(max_examples=20)
@given(problem=problems(-4))
def test_what_differs_by_less_than_a_millionth_is_proven_as_far_as_told(unit, problem):
    cost, cuts = problem[0] + unit, problem[1]
    found, best = cheapest_pattern(cost, revealing(cuts)), tried(cost, cuts)
    assert found.bound <= best <= found.cost
    assert best == np.inf or found.cost <= best * (1 + 1e-6)


def assert_agrees(cost, cuts, ask, most, size):
    found = cheapest_pattern(cost * size, revealing(cuts, most), ask=ask)
    best = tried(cost, cuts) * size
    assert found.cost == best
    assert found.bound <= best
    assert found.bound == pytest.approx(best, rel=1.1e-6)
    if best == np.inf:
        assert (found.pattern, found.is_optimal) == (None, False)
        assert found.stopped_by == "infeasibility"
    else:
        assert found.is_optimal
        assert found.stopped_by == "optimality"
        assert all(holds(one, found.pattern) for one in cuts)


@settings(max_examples=40)
@given(problem=problems(0), fixed=st.dictionaries(st.integers(0, 7), st.booleans(), max_size=4))
def test_fixed_variables_and_known_rows(problem, fixed):
    cost, cuts = problem
    fixed = {place: value for place, value in fixed.items() if place < len(cost)}
    ones, zeros = np.zeros(len(cost), bool), np.zeros(len(cost), bool)
    for place, value in fixed.items():
        (ones if value else zeros)[place] = True
    half = len(cuts) // 2
    found = cheapest_pattern(cost, revealing(cuts), is_one=ones, is_zero=zeros, rows=cuts[:half])
    assert found.cost == tried(cost, cuts, fixed)


def test_a_pattern_that_shallow_cuts_forbid_is_not_taken():
    # The cut misses its side by less than the solver can see; asking again would never end.
    shallow = Cut(np.array([0, 1]), np.array([1.0, 1.0]), 1.0 + 1e-9)

    def separate(vector):
        return [shallow] if vector.sum() < 2 else []

    found = cheapest_pattern(np.array([2.0, 3.0]), separate)
    assert found.cost == 5.0
    assert found.is_optimal


def large(seed):
    """A covering problem that is not solved at its root."""
    rng = np.random.default_rng(seed)
    cost = rng.integers(5, 15, 60).astype(float)
    return cost, [cut((rng.random(60) < 0.15).astype(float), 1) for _ in range(120)]


def test_a_node_limit_leaves_the_start_and_a_bound():
    cost, cuts = large(1)
    start = np.ones(60, bool)
    found = cheapest_pattern(cost, revealing(cuts), start=start, node_limit=1)
    assert found.stopped_by == "node_limit"
    assert not found.is_optimal
    assert found.bound < found.cost <= cost.sum()
    assert all(holds(one, found.pattern) for one in cuts)


def test_no_time_leaves_nothing():
    cost, cuts = large(1)
    found = cheapest_pattern(cost, revealing(cuts), time_limit=0.0)
    assert (found.pattern, found.cost, found.stopped_by) == (None, np.inf, "time_limit")
    assert not found.is_optimal


def test_a_start_that_a_cut_forbids_is_passed_over():
    pair = cut([1, 1], 1)
    start = np.zeros(2, bool)
    found = cheapest_pattern(np.array([3.0, 2.0]), revealing([pair]), start=start)
    assert found.pattern.tolist() == [False, True]


def test_the_same_search_twice_asks_the_same_questions():
    cost, cuts = large(2)
    asked = []

    def separate(vector):
        asked.append(vector.tobytes())
        return revealing(cuts, 5)(vector)

    runs = []
    for _ in range(2):
        asked.clear()
        found = cheapest_pattern(cost, separate, node_limit=40)
        runs.append((list(asked), found.cost, found.bound, found.cuts))
    assert runs[0] == runs[1]
    assert len(runs[0][0]) > 10


def test_patterns_are_passed_as_exact_zeros_and_ones():
    cost, cuts = large(3)
    seen = set()

    def separate(vector):
        seen.update(vector.tolist())
        return revealing(cuts, 5)(vector)

    cheapest_pattern(cost, separate, node_limit=20)
    assert seen == {0.0, 1.0}


def test_another_solver_may_run_inside():
    """Cuts from the dual of a linear program: as much as x allows must reach 3."""
    capacity = np.array([2.0, 1.0, 1.5, 1.0])
    matrix = csr_array(np.ones((1, 5)) * [1, 1, 1, 1, -1])

    def separate(vector):
        upper = np.append(capacity * vector, np.inf)
        flow = LinearProgram(matrix, np.zeros(1), np.zeros(5), upper)
        reached = flow.maximize(np.array([4]), np.ones(1)).value
        return [Cut(np.arange(4), capacity, 3.0)] if reached < 3 - 1e-7 else []

    for _ in range(3):
        found = cheapest_pattern(np.array([5.0, 1.0, 4.0, 3.0]), separate)
        assert found.pattern.tolist() == [True, True, False, False]
        assert found.cost == 6.0


def test_what_separation_raises_comes_out():
    def separate(vector):
        raise ZeroDivisionError("while separating")

    with pytest.raises(ZeroDivisionError, match="while separating"):
        cheapest_pattern(np.ones(3), separate)


def test_nothing_is_held_after_the_search():
    def separate(vector):
        return []

    gone = weakref.ref(separate)
    cheapest_pattern(np.ones(2), separate)
    del separate
    gc.collect()
    assert gone() is None


def test_without_the_solver_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    with pytest.raises(MissingExtraError, match="optimal"):
        cheapest_pattern(np.ones(2), lambda vector: [])
