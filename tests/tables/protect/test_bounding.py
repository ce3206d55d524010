from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.tables.protect.attacker import Attacker
from tacita.tables.protect.bounding import lower_bound
from tacita.tables.protect.greedy import greedy_pattern
from tacita.tables.protect.problem import problem_of


@settings(max_examples=6)
@given(st.integers(0, 10**6), st.integers(2, 3))
def test_no_pattern_costs_less_and_more_rounds_only_raise_it(judged_table, seed, dimensions):
    problem = problem_of(judged_table(seed, dimensions=dimensions, cells=7**3).system())
    bounds = [lower_bound(problem, rounds=rounds).cost for rounds in (1, 2, 5, 100)]
    assert bounds == pytest.approx(sorted(bounds))
    assert bounds[-1] <= problem.cost_of(greedy_pattern(problem)) * (1 + 1e-7)


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_the_inequalities_hold_for_patterns_that_protect(judged_table, seed):
    problem = problem_of(judged_table(seed).system())
    bound = lower_bound(problem)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        pattern = greedy_pattern(problem) | (rng.random(len(problem)) < 0.2)
        assert not Attacker(problem).cuts(pattern.astype(float))
        for cut in bound.cuts:
            assert cut.coefficients @ pattern[cut.indices] >= cut.lower * (1 - 1e-6)


def test_nothing_to_reach_costs_nothing(random_table):
    problem = problem_of(random_table(1, share=0.0).system())
    assert lower_bound(problem).cost == 0
