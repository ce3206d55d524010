from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacita.tables.formats import read_table
from tacita.tables.protect.fast_suppression import FastSuppression
from tacita.tables.protect.optimal_suppression import OptimalSuppression
from tacita.tables.status import Status

SEEDS = st.integers(0, 10**6)
STORED = Path(__file__).parents[4] / "shared" / "data" / "tables" / "derived_jj"
needs_stored = pytest.mark.skipif(not STORED.is_dir(), reason="the reference data are not here")


def stored(name):
    return read_table(str(STORED / f"{name}.jj.gz"))


def cheapest_by_trying(system, cost, reaches_all):
    """Try every pattern, cheap ones first, until one protects everything."""
    required = system.cells.suppressed
    free = np.flatnonzero(~required & (system.cells.status != Status.PUBLISHED))
    chosen = np.array(list(product([False, True], repeat=len(free))))
    for row in np.argsort(chosen @ cost[free], kind="stable"):
        pattern = required.copy()
        pattern[free] = chosen[row]
        if reaches_all(system, pattern):
            return float(chosen[row] @ cost[free])
    return None


class TestAgainstTrying:
    @settings(max_examples=8)
    @given(SEEDS, st.sampled_from([1.0, 2.0**-40, 2.0**50]))
    @example(0, 2.0**-40)  # costs that would be lost in the solvers' tolerances
    def test_no_pattern_is_cheaper(self, tiny, reaches_all, seed, size):
        table = tiny(seed)
        system = table.with_cells(cost=table.cells.cost * size).system()
        found = OptimalSuppression(cost="cost").protect(system)
        assert found.is_optimal
        assert reaches_all(system, found.system.cells.suppressed)
        assert found.cost == pytest.approx(
            cheapest_by_trying(system, system.cells.cost, reaches_all)
        )

    @settings(max_examples=8)
    @given(SEEDS)
    def test_fewest_cells(self, tiny, reaches_all, seed):
        system = tiny(seed).system()
        found = OptimalSuppression(cost="count").protect(system)
        assert found.cost == cheapest_by_trying(system, np.ones(len(system)), reaches_all)
        assert found.cost == len(found.secondary)

    @settings(max_examples=8)
    @given(SEEDS)
    def test_cells_that_must_be_published_are(self, tiny, reaches_all, seed):
        table = tiny(seed)
        status = table.cells.status.copy()
        status[0] = Status.PUBLISHED if status[0] == Status.SAFE else status[0]
        system = table.with_cells(status=status).system()
        wanted = cheapest_by_trying(system, system.cells.cost, reaches_all)
        if wanted is not None:
            found = OptimalSuppression(cost="cost").protect(system)
            assert found.cost == pytest.approx(wanted)
            assert 0 not in found.secondary


class TestLaws:
    @settings(max_examples=4)
    @given(SEEDS, st.integers(2, 3))
    def test_never_dearer_than_fast_and_never_below_a_bound(self, judged_table, seed, dimensions):
        system = judged_table(seed, dimensions=dimensions, share=0.05, cells=7**3).system()
        fast = FastSuppression().protect(system)
        best = OptimalSuppression(node_limit=20).protect(system)
        assert best.audit.is_safe
        assert best.cost <= fast.cost * (1 + 1e-9)
        assert fast.bound <= best.cost * (1 + 1e-6)
        assert best.bound <= best.cost
        if best.is_optimal:
            assert best.gap <= 1.1e-6  # a search tree in doubles proves no more

    @settings(max_examples=8)
    @given(SEEDS)
    def test_cells_in_another_order_cost_the_same(self, judged_table, seed):
        system = judged_table(seed, share=0.15).system()
        order = np.random.default_rng(seed).permutation(len(system))
        other = replace(
            system, cells=system.cells.take(order), relations=system.relations[:, order]
        )
        costs = [OptimalSuppression().protect(one).cost for one in (system, other)]
        assert costs[0] == pytest.approx(costs[1])

    @settings(max_examples=5)
    @given(SEEDS)
    def test_the_same_table_gives_the_same_pattern(self, judged_table, seed):
        system = judged_table(seed).system()
        first, second = (OptimalSuppression(node_limit=20).protect(system) for _ in range(2))
        assert first.is_reproducible
        assert np.array_equal(first.secondary, second.secondary)


class TestLimits:
    def test_a_clock_leaves_a_safe_pattern_with_its_bound(self, judged_table):
        system = judged_table(3, dimensions=3, share=0.1).system()
        found = OptimalSuppression(time_limit=0.001).protect(system)
        assert found.audit.is_safe
        assert not found.is_reproducible
        assert not found.is_optimal
        assert 0 < found.bound <= found.cost
        assert 0 < found.gap < 1
        assert found.to_dict()["reproducible"] is False

    def test_a_number_of_nodes_leaves_the_same_pattern_every_time(self, judged_table):
        system = judged_table(3, dimensions=3, share=0.1).system()
        first, second = (OptimalSuppression(node_limit=1).protect(system) for _ in range(2))
        assert first.is_reproducible
        assert first.audit.is_safe
        assert first.cost == second.cost
        assert np.array_equal(first.secondary, second.secondary)


@needs_stored
class TestProvenOptima:
    """The least suppressed value (or number of cells) that exact programs of others proved."""

    @pytest.mark.parametrize(
        ("name", "cost", "least", "cells"),
        [
            ("simple2d_p15", "value", 521_926, 6),
            ("simple2d_p15", "count", 4, 4),
            ("ent_region_product_p10h", "value", 5_415.65, 5),
            ("ent_region_product_p10h", "count", 5, 5),
            ("ent_act_product_p10h", "value", 308_560.6, 55),
            ("tauW_IS_p10", "value", 2_244_954, 195),
        ],
    )
    def test_reached_and_proven(self, name, cost, least, cells):
        found = OptimalSuppression(cost=cost).protect(stored(name))
        assert found.is_optimal
        assert found.audit.is_safe
        assert found.cost == pytest.approx(least, rel=1e-6)
        assert abs(len(found.secondary) - cells) <= (name == "tauW_IS_p10")  # a zero more or less


def test_a_time_limit_holds_for_the_whole_search(judged_table):
    system = judged_table(4, dimensions=3).system()  # hours, if it had to be proven
    found = OptimalSuppression(time_limit=2.0).protect(system)
    assert not found.is_optimal
    assert not found.is_reproducible
    assert 0 < found.bound < found.cost
    assert found.audit.is_safe
