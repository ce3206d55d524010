from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.tables.protect import attacker as module
from tacita.tables.protect.attacker import Attacker
from tacita.tables.protect.problem import problem_of

SEEDS = st.integers(0, 10**6)


def patterns_of(problem):
    free = np.flatnonzero(~problem.is_required)
    for chosen in product([False, True], repeat=len(free)):
        pattern = problem.is_required.copy()
        pattern[free] = chosen
        yield pattern


@settings(max_examples=4)
@given(SEEDS)
def test_a_cut_forbids_only_patterns_that_miss_a_level(tiny, reaches_all, seed):
    """Every pattern that another solver finds to protect everything fulfils every cut."""
    system = tiny(seed).system()
    problem = problem_of(system, "cost")
    attacker, rng = Attacker(problem), np.random.default_rng(seed)
    relaxed = [np.where(problem.is_required, 1.0, rng.random(len(problem))) for _ in range(4)]
    cuts = [
        cut
        for point in [problem.is_required.astype(float), *relaxed]
        for cut in attacker.cuts(point * np.where(problem.is_required, 1.0, 0.3))
    ]
    for pattern in patterns_of(problem):
        broken = [
            cut for cut in cuts if cut.coefficients @ pattern[cut.indices] < cut.lower * (1 - 1e-9)
        ]
        if broken:
            suppressed = np.zeros(len(system), bool)
            suppressed[problem.places[pattern]] = True
            assert not reaches_all(system, suppressed)


@settings(max_examples=12)
@given(SEEDS)
def test_patterns_without_a_cut_are_those_that_protect(tiny, reaches_all, seed):
    system = tiny(seed).system()
    problem = problem_of(system)
    attacker, rng = Attacker(problem), np.random.default_rng(seed)
    for _ in range(6):
        pattern = problem.is_required | (rng.random(len(problem)) < 0.6)
        suppressed = np.zeros(len(system), bool)
        suppressed[problem.places[pattern]] = True
        found = attacker.cuts(pattern.astype(float))
        assert (not found) == reaches_all(system, suppressed)
        for cut in found:
            assert cut.coefficients @ pattern[cut.indices] < cut.lower


@settings(max_examples=12)
@given(SEEDS)
def test_a_large_table_is_attacked_by_its_open_cells_alone(judged_table, seed):
    problem = problem_of(judged_table(seed, dimensions=3, share=0.15, cells=7**3).system())
    pattern = problem.is_required | (np.random.default_rng(seed).random(len(problem)) < 0.3)
    whole = Attacker(problem)
    whole.open(pattern.astype(float))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LARGE", 0)
        part = Attacker(problem)
        part.open(pattern.astype(float))
        for level in problem.levels[:10]:
            assert (part.reaching(level) is None) == (whole.reaching(level) is None)


def test_prices_that_are_not_exact_do_no_harm(tiny):
    """Any prices give an inequality that holds: those of the solver, disturbed, do too."""
    problem = problem_of(tiny(1).system(), "cost")
    attacker, rng = Attacker(problem), np.random.default_rng(0)
    level = problem.levels[0]
    vertex = attacker._attack(level)
    everything = Attacker(problem)
    everything.open(np.ones(len(problem)))
    most = level.sign * everything._attack(level).point[level.cell]
    for _ in range(20):
        prices = vertex.prices + rng.normal(0, 1e-3, len(vertex.prices))
        reach = attacker._reach(level, module.Vertex(0.0, vertex.point, prices))
        assert reach.sum() >= most - 1e-9
