"""The search for the closest rounding: rungs, proofs, and what guides the search of large tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacita.errors import ProtectionError
from tacita.tables.perturb.rounding import search
from tacita.tables.perturb.rounding.diving import dive, summed
from tacita.tables.perturb.rounding.improving import Guide, improved
from tacita.tables.perturb.rounding.limits import Limits
from tacita.tables.perturb.rounding.merging import merged
from tacita.tables.perturb.rounding.problem import Rung, problem_of
from tacita.tables.perturb.rounding.search import closest, ladder
from tacita.tables.ready import grid_table

SEEDS = st.integers(0, 10**6)
GRID = grid_table("t", {"x": [1, 2, 8], "y": [3, 9, 4]}, ["u", "v", "w"])


class TestDive:
    @settings(max_examples=20)
    @given(SEEDS, st.integers(2, 4), st.sampled_from([3, 5]))
    def test_adds_up_and_leaves_what_is_no_total_near(self, random_table, seed, dimensions, base):
        system = random_table(seed, dimensions=dimensions, most=20).system()
        assume(len(system) < 700)
        problem = problem_of(system, base, "equal")
        program = problem.elastic_program(Rung(1, "inside"))
        point = dive(program, problem.totals)
        assert point is not None
        steps = program.steps(point, len(problem))
        assert problem.holds(steps)
        assert (problem.jumps(steps)[~problem.totals] == 0).all()
        assert (problem.parted.below + steps >= 0).all()

    def test_stops_with_the_clock(self, random_table):
        problem = problem_of(random_table(5, dimensions=3, most=20).system(), 7, "equal")
        program = problem.elastic_program(Rung(1, "inside"))
        assert dive(program, problem.totals, deadline=0.0) is None


class TestLeast:
    def test_where_costs_are_whole_one_unit_more_is_not_the_least(self):
        problem = problem_of(GRID.system(), 5, "equal")
        assert problem.is_least(5_000_000.0, 5_000_000.0)
        assert not problem.is_least(5_000_001.0, 5_000_000.0)

    def test_where_they_are_rounded_a_millionth_more_may_be(self):
        problem = problem_of(GRID.system(), 5, "relative")
        assert problem.is_least(5_000_001.0, 5_000_000.0)
        assert not problem.is_least(5_000_010.0, 5_000_000.0)


class TestSummed:
    @settings(max_examples=20)
    @given(SEEDS, st.integers(2, 4))
    def test_adds_up_what_is_rounded_to_the_nearest(self, random_table, seed, dimensions):
        problem = problem_of(
            random_table(seed, dimensions=dimensions, most=20).system(), 5, "equal"
        )
        steps = summed(problem)
        assert steps is not None
        assert problem.holds(steps)
        inner = ~problem.totals
        assert np.array_equal(steps[inner], problem.nearest[inner])

    def test_takes_over_where_a_search_finds_nothing(self, monkeypatch, random_table):
        monkeypatch.setattr(search, "_whole", lambda *_: None)
        problem = problem_of(random_table(5, dimensions=3, most=20).system(), 7, "equal")
        found = closest(problem, ladder(zero_restricted=True), Limits())
        assert found.is_given_up
        assert problem.holds(found.steps)
        assert found.bound == problem.loss(problem.nearest)

    def test_says_so_where_it_leads_nowhere_too(self, monkeypatch, random_table):
        monkeypatch.setattr(search, "_whole", lambda *_: None)
        monkeypatch.setattr(search, "summed", lambda _: None)
        problem = problem_of(random_table(5, dimensions=3, most=20).system(), 7, "equal")
        with pytest.raises(ProtectionError, match="within the limits; allow more time"):
            closest(problem, ladder(zero_restricted=True), Limits())


class TestLarge:
    """Tables that count as large although they are small, so that a tree can be searched too."""

    @settings(max_examples=20)
    @given(SEEDS, st.sampled_from([3, 5]), st.sampled_from(["equal", "relative"]))
    def test_is_never_closer_than_the_closest(self, random_table, seed, base, weight):
        problem = problem_of(random_table(seed, dimensions=3, most=20).system(), base, weight)
        assume(len(problem) < 300)
        best = closest(problem, ladder(zero_restricted=True), Limits(nodes=50))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(search, "LARGE", 0)
            found = closest(problem, ladder(zero_restricted=True), Limits(nodes=1))
        assert problem.holds(found.steps)
        if not found.is_given_up and not best.is_given_up:
            assert found.bound <= problem.loss(best.steps) * (1 + 1e-6)
            assert best.bound <= problem.loss(found.steps) * (1 + 1e-6)
            assert problem.jumps(found.steps).max() <= max(problem.jumps(best.steps).max(), 1)

    @settings(max_examples=15)
    @given(SEEDS)
    def test_a_tree_goes_on_from_there(self, random_table, seed):
        problem = problem_of(random_table(seed, dimensions=3, most=20).system(), 5, "equal")
        assume(len(problem) < 200)
        best = closest(problem, ladder(zero_restricted=True), Limits())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(search, "LARGE", 0)
            found = closest(problem, ladder(zero_restricted=True), Limits())
        if not found.is_given_up:
            assert problem.loss(found.steps) == pytest.approx(problem.loss(best.steps), rel=1e-6)

    @settings(max_examples=10)
    @given(SEEDS)
    def test_neighbourhoods_only_ever_lower_the_cost(self, random_table, seed):
        problem = problem_of(random_table(seed, dimensions=3, most=20).system(), 5, "equal")
        assume(len(problem) < 500)
        program = problem.elastic_program(Rung(1, "inside"))
        point = dive(program, problem.totals)
        nothing = np.zeros(len(problem))
        after = improved(program, point, problem.relations, Guide(nothing, nothing), Limits())
        assert np.array_equal(program.matrix @ after, program.rhs)
        assert program.cost @ after <= program.cost @ point


class TestMerged:
    @settings(max_examples=30)
    @given(SEEDS, st.integers(2, 4))
    def test_what_holds_for_merged_cells_holds_for_all(self, random_table, seed, dimensions):
        problem = problem_of(random_table(seed, dimensions=dimensions, most=6).system(), 5, "equal")
        before = problem.relations.copy()
        small = merged(problem)
        assert (problem.relations != before).nnz == 0
        steps = summed(small.problem)
        assert problem.holds(steps[small.place])
        assert problem.loss(steps[small.place]) == pytest.approx(small.problem.loss(steps))

    def test_the_only_part_of_a_total_is_that_total(self):
        problem = problem_of(
            grid_table("t", {"x": [1, 2, 8]}, ["u", "v", "w"]).system(), 5, "equal"
        )
        assert len(problem) == 8
        small = merged(problem)
        assert len(small.problem) == 4
        assert small.problem.relations.shape[0] == 1
        assert (small.problem.weight == 2).all()


class TestLadder:
    def test_bounds_are_left_only_where_nothing_adds_up_next_to_them(self, random_table):
        table = random_table(1, dimensions=3, most=4)
        value = table.cells.value
        known = table.with_cells(lower_bound=value.copy(), upper_bound=value.copy())
        problem = problem_of(known.system(), 3, "equal")
        *near, _ = rungs = ladder(zero_restricted=True)
        with pytest.raises(ProtectionError, match="No multiples of 3 fulfil all relations"):
            closest(problem, near, Limits(nodes=50))
        found = closest(problem, rungs, Limits(nodes=50))
        assert problem.holds(found.steps)
        assert (problem.parted.below + found.steps >= 0).all()


class TestProgram:
    def test_steps_cost_what_they_add_to_the_loss(self):
        """Of every cell and any steps, the variables' costs are the loss."""
        problem = problem_of(GRID.system(), 5, "equal")
        program = problem.program(Rung(3, "next"), np.ones(len(problem), bool))
        for place in range(len(problem)):
            for variable in np.flatnonzero(program.cell == place):
                point = np.zeros(len(program.cell), np.int64)
                first = (program.cell == place) & (program.sign > 0)
                if program.sign[variable] > 0:
                    point[np.flatnonzero(first)[: 1 + int(variable > np.argmax(first))]] = 1
                else:
                    point[variable] = 2
                steps = program.steps(point, len(problem))
                assert problem.bound(program.cost @ point) == pytest.approx(problem.loss(steps))

    @pytest.mark.parametrize("reach", [1, 2, 3])
    def test_a_reach_is_how_far_cells_may_be(self, reach):
        problem = problem_of(GRID.system(), 5, "equal")
        least, most = problem.ends(Rung(reach, "next"))
        value = GRID.cells.value
        for end, direction in ((least, -1), (most, 1)):
            off = (problem.parted.below + end) * 5 - value
            is_free = direction > 0 or value >= reach * 5
            assert (np.abs(off) < reach * 5).all()
            farther = np.abs(off + direction * 5) >= reach * 5
            assert (farther | ~np.asarray(is_free)).all()

    def test_a_bound_is_kept_where_a_multiple_is_inside(self):
        upper = np.where(np.arange(len(GRID)) == GRID.row(row="x", column="w"), 9.0, np.inf)
        problem = problem_of(GRID.with_cells(upper_bound=upper).system(), 5, "equal")
        place = GRID.row(row="x", column="w")
        assert problem.ends(Rung(1, "inside"))[1][place] == 0
        assert problem.ends(Rung(1, "next"))[1][place] == 1


class TestProof:
    @settings(max_examples=30)
    @given(SEEDS, st.sampled_from(["equal", "relative"]))
    def test_whole_potentials_prove_every_flow(self, seed, weight):
        inner = np.random.default_rng(seed).integers(0, 50, (3, 4))
        rows = {f"r{at}": row for at, row in enumerate(inner.tolist())}
        problem = problem_of(grid_table("t", rows, list("abcd")).system(), 7, weight)
        assert problem.is_network
        found = closest(problem, ladder(zero_restricted=True), Limits())
        assert found.bound == pytest.approx(problem.loss(found.steps), rel=1e-6)
