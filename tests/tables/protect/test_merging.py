from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import ProtectionError
from tacita.tables.protect.attacker import Attacker
from tacita.tables.protect.merging import Merged, solved_by_groups
from tacita.tables.protect.optimal_suppression import OptimalSuppression
from tacita.tables.protect.problem import problem_of

SEEDS = st.integers(0, 10**6)


def protects(problem, pattern):
    try:
        return not Attacker(problem).cuts(pattern.astype(float))
    except ProtectionError:  # no pattern does
        return False


def thinned(problem, seed):
    """Leave cells out, so that some relations have two left."""
    rng = np.random.default_rng(seed)
    kept = problem.is_required | (rng.random(len(problem)) < 0.7)
    return problem.only(np.flatnonzero(kept))


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 3))
def test_a_pattern_of_groups_protects_if_its_cells_do(judged_table, seed, dimensions):
    problem = thinned(
        problem_of(judged_table(seed, dimensions=dimensions, cells=7**3).system()), seed
    )
    merged = Merged.of(problem)
    assert not (np.diff(merged.problem.matrix.indptr) == 2).any()
    groups = merged.problem.is_required | (
        np.random.default_rng(seed + 1).random(len(merged.problem)) < 0.8
    )
    by_cells = protects(problem, merged.pattern(groups) | problem.is_required)
    assert protects(merged.problem, groups) == by_cells


@settings(max_examples=40)
@given(SEEDS)
def test_groups_cost_what_their_cells_cost(judged_table, seed):
    problem = thinned(problem_of(judged_table(seed).system()), seed)
    merged = Merged.of(problem)
    groups = merged.problem.is_required | (
        np.random.default_rng(seed + 1).random(len(merged.problem)) < 0.5
    )
    cost = merged.spent + merged.problem.cost_of(groups)
    assert problem.cost_of(merged.pattern(groups)) == pytest.approx(cost)


@settings(max_examples=15)
@given(SEEDS)
def test_the_least_cost_is_the_same_by_groups_and_by_cells(tiny, seed):
    problem = problem_of(tiny(seed).system())
    best = OptimalSuppression()
    try:
        by_cells = best.solution(problem)
    except ProtectionError:
        with pytest.raises(ProtectionError):
            solved_by_groups(problem, best.solution)
        return
    by_groups = solved_by_groups(problem, best.solution)
    assert protects(problem, by_groups.pattern)
    assert problem.cost_of(by_groups.pattern) == pytest.approx(problem.cost_of(by_cells.pattern))
    assert by_groups.bound == pytest.approx(by_cells.bound)


@settings(max_examples=40)
@given(SEEDS)
def test_every_level_of_cells_follows_from_one_of_groups(judged_table, seed):
    problem = thinned(problem_of(judged_table(seed).system()), seed)
    merged = Merged.of(problem)
    assert len(merged.stands_for) == len(merged.problem.levels)
    largest: dict[int, float] = {}
    for level in merged.problem.levels:
        largest[level.cell] = max(level.amount, largest.get(level.cell, 0.0))
    for level in problem.levels:
        assert level.amount <= largest[int(merged.group[level.cell])]
