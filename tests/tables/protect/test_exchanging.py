from __future__ import annotations

import time

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.tables.protect.attacker import Attacker
from tacita.tables.protect.exchanging import exchanged
from tacita.tables.protect.greedy import levels_reached
from tacita.tables.protect.problem import problem_of
from tacita.tables.ready import grid_table

SEEDS = st.integers(0, 10**6)


def protects(problem, pattern):
    return not Attacker(problem).cuts(pattern.astype(float))


@settings(max_examples=25)
@given(SEEDS, st.integers(2, 3))
def test_it_never_costs_more_and_always_protects(judged_table, seed, dimensions):
    problem = problem_of(judged_table(seed, dimensions=dimensions, share=0.15).system())
    rng = np.random.default_rng(seed)
    before = levels_reached(problem, discount=rng.random(len(problem))).pattern
    after = exchanged(problem, before)
    assert problem.cost_of(after.pattern) <= problem.cost_of(before)
    assert (after.pattern >= problem.is_required).all()
    assert protects(problem, after.pattern)
    for level, cells in zip(problem.levels, after.leans_on, strict=True):
        attacker = Attacker(problem)
        attacker.open(np.isin(np.arange(len(problem)), cells).astype(float))
        assert attacker.reaching(level) is not None


def test_a_dear_rectangle_gives_way_to_a_cheap_one():
    inside = {"x": [20, 90, 10], "y": [80, 90, 70], "z": [15, 80, 12]}
    table = grid_table("t", inside, ["u", "v", "w"], sensitive=[("x", "u")])
    levels = 5.0 * table.cells.sensitive
    problem = problem_of(table.with_cells(upper_level=levels).system())
    names = [table.codes_of(int(place)) for place in problem.places]
    dear = [("x", "u"), ("x", "v"), ("y", "u"), ("y", "v")]
    found = exchanged(problem, np.array([name in dear for name in names]))
    cheap = {("x", "u"), ("x", "w"), ("z", "u"), ("z", "w")}
    assert {name for name, gone in zip(names, found.pattern, strict=True) if gone} == cheap


def test_after_the_deadline_nothing_is_exchanged(judged_table):
    problem = problem_of(judged_table(3, dimensions=3).system())
    before = levels_reached(problem, discount=np.linspace(1, 0.01, len(problem))).pattern
    found = exchanged(problem, before, deadline=time.monotonic())
    assert np.array_equal(found.pattern, before)
