from __future__ import annotations

import time

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.tables.protect.attacker import Attacker
from tacita.tables.protect.bounding import lower_bound
from tacita.tables.protect.cleaning import cleaned
from tacita.tables.protect.greedy import Reached, levels_reached
from tacita.tables.protect.problem import problem_of

SEEDS = st.integers(0, 10**6)


def protects(problem, pattern):
    return not Attacker(problem).cuts(pattern.astype(float))


@settings(max_examples=4)
@given(SEEDS, st.integers(2, 3))
def test_cleaning_releases_every_cell_that_is_not_needed(judged_table, seed, dimensions):
    problem = problem_of(judged_table(seed, dimensions=dimensions, share=0.15, cells=7**3).system())
    found = levels_reached(problem, discount=np.random.default_rng(seed).random(len(problem)))
    kept = cleaned(problem, found)
    assert not (kept & ~found.pattern).any()
    assert (kept >= problem.is_required).all()
    assert protects(problem, kept)
    for cell in np.flatnonzero(kept & ~problem.is_required)[:15]:
        assert not protects(problem, kept & (np.arange(len(problem)) != cell))


@settings(max_examples=10)
@given(SEEDS)
def test_a_pattern_of_all_cells_is_cleaned_to_one_that_needs_each(judged_table, seed):
    problem = problem_of(judged_table(seed).system())
    found = levels_reached(problem)
    everything = Reached(np.ones(len(problem), bool), found.leans_on)
    kept = cleaned(problem, everything)
    assert protects(problem, kept)
    for cell in np.flatnonzero(kept & ~problem.is_required):
        assert not protects(problem, kept & (np.arange(len(problem)) != cell))


@settings(max_examples=10)
@given(SEEDS)
def test_cuts_keep_only_cells_that_are_needed(judged_table, seed):
    problem = problem_of(judged_table(seed, dimensions=3, cells=7**3).system())
    found = levels_reached(problem)
    kept = cleaned(problem, found, cuts=lower_bound(problem).cuts)
    assert protects(problem, kept)
    assert np.array_equal(kept, cleaned(problem, found))


def test_after_the_deadline_the_pattern_stays_as_it_is(judged_table):
    problem = problem_of(judged_table(5, dimensions=3).system())
    found = levels_reached(problem)
    assert np.array_equal(cleaned(problem, found, deadline=time.monotonic()), found.pattern)
