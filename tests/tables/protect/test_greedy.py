from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.tables.protect import deviation as module
from tacita.tables.protect.attacker import Attacker
from tacita.tables.protect.cleaning import cleaned
from tacita.tables.protect.deviation import Deviations
from tacita.tables.protect.greedy import greedy_pattern, levels_reached
from tacita.tables.protect.problem import problem_of

SEEDS = st.integers(0, 10**6)


def protects(problem, pattern):
    return not Attacker(problem).cuts(pattern.astype(float))


@settings(max_examples=15)
@given(SEEDS, st.integers(2, 3))
def test_every_level_is_reached_and_leans_on_cells_that_reach_it(judged_table, seed, dimensions):
    problem = problem_of(judged_table(seed, dimensions=dimensions).system())
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


@settings(max_examples=10)
@given(SEEDS)
def test_a_search_among_few_cells_grows_until_it_finds(judged_table, seed):
    problem = problem_of(judged_table(seed, dimensions=3, share=0.1).system())
    everywhere = np.ones(len(problem), bool)
    for level in problem.levels[:5]:
        whole = Deviations(problem).cheapest(level, problem.cost, everywhere)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "SIZES", (2, 5))
            part = Deviations(problem).cheapest(level, problem.cost, everywhere)
        assert whole is not None
        assert part is not None
        number = problem.levels.index(level)
        assert whole.reached(problem)[number]
        assert part.reached(problem)[number]
        moved = np.zeros(len(problem))
        moved[part.cells] = part.moves
        assert problem.matrix @ moved == pytest.approx(np.zeros(problem.matrix.shape[0]), abs=1e-6)
        assert (moved <= problem.up + 1e-6).all()
        assert (-moved <= problem.down + 1e-6).all()


@settings(max_examples=4)
@given(SEEDS, st.integers(2, 3))
def test_cleaning_releases_every_cell_that_is_not_needed(judged_table, seed, dimensions):
    problem = problem_of(judged_table(seed, dimensions=dimensions, share=0.15).system())
    found = levels_reached(problem, discount=np.random.default_rng(seed).random(len(problem)))
    kept = cleaned(problem, found)
    assert not (kept & ~found.pattern).any()
    assert (kept >= problem.is_required).all()
    assert protects(problem, kept)
    for cell in np.flatnonzero(kept & ~problem.is_required)[:15]:
        assert not protects(problem, kept & (np.arange(len(problem)) != cell))
