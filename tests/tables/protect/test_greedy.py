from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.tables.protect.attacker import Attacker
from tacita.tables.protect.deviation import Deviations
from tacita.tables.protect.greedy import greedy_pattern, levels_reached
from tacita.tables.protect.problem import problem_of

SEEDS = st.integers(0, 10**6)


def protects(problem, pattern):
    return not Attacker(problem).cuts(pattern.astype(float))


@settings(max_examples=15)
@given(SEEDS, st.integers(2, 3))
def test_every_level_is_reached_and_leans_on_cells_that_reach_it(judged_table, seed, dimensions):
    problem = problem_of(judged_table(seed, dimensions=dimensions, cells=7**3).system())
    found = levels_reached(problem)
    assert protects(problem, found.pattern)
    assert np.array_equal(found.pattern, greedy_pattern(problem))
    for level, cells in list(zip(problem.levels, found.leans_on, strict=True))[:10]:
        attacker = Attacker(problem)
        attacker.open(np.isin(np.arange(len(problem)), cells).astype(float))
        assert attacker.reaching(level) is not None


@settings(max_examples=10)
@given(SEEDS)
def test_a_discount_leads_to_other_cells(judged_table, seed):
    problem = problem_of(judged_table(seed).system())
    first = levels_reached(problem).pattern
    led = levels_reached(problem, discount=np.where(first, 0.01, 1.0)).pattern
    assert protects(problem, led)
    assert problem.cost_of(led & ~first) <= problem.cost_of(first)


def price(problem, level, deviation):
    """Return what is minimized: costs by how far cells move."""
    room = np.where(deviation.moves > 0, problem.up[deviation.cells], problem.down[deviation.cells])
    share = np.abs(deviation.moves) / np.minimum(room, level.amount)
    return float(problem.cost[deviation.cells] @ share)


@settings(max_examples=10)
@given(SEEDS)
def test_a_search_does_not_depend_on_those_before_it(judged_table, seed):
    problem = problem_of(judged_table(seed, dimensions=3, share=0.1, cells=7**3).system())
    everywhere, again = np.ones(len(problem), bool), Deviations(problem)
    for level in problem.levels[:5]:
        again.cheapest(level, np.ones(len(problem)), problem.is_required)
        found = Deviations(problem).cheapest(level, problem.cost, everywhere)
        later = again.cheapest(level, problem.cost, everywhere)
        assert found is not None
        assert later is not None
        assert found.reached(problem)[problem.levels.index(level)]
        assert price(problem, level, later) == pytest.approx(price(problem, level, found))
        moved = np.zeros(len(problem))
        moved[later.cells] = later.moves
        assert problem.matrix @ moved == pytest.approx(np.zeros(problem.matrix.shape[0]), abs=1e-6)
        assert (moved <= problem.up + 1e-6).all()
        assert (-moved <= problem.down + 1e-6).all()
