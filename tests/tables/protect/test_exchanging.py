from __future__ import annotations

import time
from dataclasses import replace

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


def named(table, problem):
    return [table.codes_of(int(place)) for place in problem.places]


@settings(max_examples=25)
@given(SEEDS, st.integers(2, 3))
def test_it_never_costs_more_and_always_protects(judged_table, seed, dimensions):
    problem = problem_of(judged_table(seed, dimensions=dimensions, share=0.15, cells=7**3).system())
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
    names = named(table, problem)
    dear = [("x", "u"), ("x", "v"), ("y", "u"), ("y", "v")]
    found = exchanged(problem, np.array([name in dear for name in names]))
    cheap = {("x", "u"), ("x", "w"), ("z", "u"), ("z", "w")}
    assert {name for name, gone in zip(names, found.pattern, strict=True) if gone} == cheap


def test_cells_that_serve_the_same_level_alone_are_given_up_with_a_dear_one():
    # Two rectangles that reach the level only together, 4 each, against a third one that costs 5.
    inside = {"x": [20, 6, 6, 30], "y": [30, 40, 40, 40]}
    table = grid_table("t", inside, ["u", "v", "w", "z"], sensitive=[("x", "u")])
    problem = problem_of(table.with_cells(upper_level=10.0 * table.cells.sensitive).system())
    costs = {("x", "v"): 3, ("x", "w"): 3, ("x", "z"): 4, ("y", "u"): 2}
    costs |= {("y", "v"): 1, ("y", "w"): 1, ("y", "z"): 1, ("x", "u"): 0}
    names = named(table, problem)
    problem = replace(problem, cost=np.array([float(costs.get(name, 1000)) for name in names]))
    two = {(row, column) for row in "xy" for column in "uvw"}
    found = exchanged(problem, np.array([name in two for name in names]))
    third = {(row, column) for row in "xy" for column in "uz"}
    assert {name for name, gone in zip(names, found.pattern, strict=True) if gone} == third


def test_a_level_leans_on_its_own_cheapest_cells_though_those_of_another_reach_it_too():
    inside = {"x": [50, 60, 90], "y": [50, 60, 20], "z": [20, 90, 20]}
    table = grid_table("t", inside, ["u", "v", "w"], sensitive=[("x", "u"), ("y", "u")])
    levels = np.where(table.cells.sensitive, 5.0, 0.0)
    levels[table.cells.sensitive.argmax()] = 10.0
    problem = problem_of(table.with_cells(upper_level=levels).system())
    names = named(table, problem)
    dear = {("x", "u"), ("x", "v"), ("y", "v")}
    cheap = {("y", "w"), ("z", "u"), ("z", "w")}
    pattern = np.array([name in dear | cheap | {("y", "u")} for name in names])
    found = exchanged(problem, pattern, deadline=time.monotonic())
    leans_on = {
        names[level.cell]: {names[cell] for cell in cells}
        for level, cells in zip(problem.levels, found.leans_on, strict=True)
    }
    assert leans_on[("y", "u")] == cheap | {("y", "u")}
    assert dear <= leans_on[("x", "u")]


def test_a_level_that_is_missed_by_the_error_of_the_solver_counts_as_reached():
    inside = {"x": [20, 2, 3], "y": [30, 40, 40]}
    table = grid_table("t", inside, ["u", "v", "w"], sensitive=[("x", "u")])
    level = (2 + 3) * (1 + 5e-8) * table.cells.sensitive
    problem = problem_of(table.with_cells(upper_level=level).system())
    pattern = np.array([set(name) <= set("xyuvw") for name in named(table, problem)])
    assert protects(problem, pattern)
    assert np.array_equal(exchanged(problem, pattern).pattern, pattern)


def test_after_the_deadline_nothing_is_exchanged(judged_table):
    problem = problem_of(judged_table(3, dimensions=3).system())
    before = levels_reached(problem, discount=np.linspace(1, 0.01, len(problem))).pattern
    found = exchanged(problem, before, deadline=time.monotonic())
    assert np.array_equal(found.pattern, before)
