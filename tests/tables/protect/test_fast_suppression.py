from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.tables.formats import read_table
from tacita.tables.protect.fast_suppression import FastSuppression

SEEDS = st.integers(0, 10**6)
STORED = Path(__file__).parents[4] / "shared" / "data" / "tables" / "derived_jj"


class TestLaws:
    @settings(max_examples=8)
    @given(SEEDS, st.integers(2, 3))
    def test_safe_by_the_audit_and_by_another_solver(
        self, judged_table, reaches_all, seed, dimensions
    ):
        system = judged_table(seed, dimensions=dimensions, cells=7**3).system()
        found = FastSuppression().protect(system)
        assert found.audit.is_safe
        assert reaches_all(system, found.system.cells.suppressed)
        assert found.bound <= found.cost

    def test_a_clock_that_has_run_out_leaves_a_safe_pattern_and_is_told(self, judged_table):
        system = judged_table(3, dimensions=3).system()
        full, hasty = FastSuppression(), FastSuppression(time_limit=1e-9)
        found = hasty.protect(system)
        assert found.audit.is_safe
        assert not found.is_reproducible
        assert full.protect(system).is_reproducible
        assert found.cost >= full.protect(system).cost

    def test_four_dimensions(self, judged_table, reaches_all):
        system = judged_table(0, dimensions=4, share=0.05).system()
        found = FastSuppression().protect(system)
        assert found.audit.is_safe
        assert reaches_all(system, found.system.cells.suppressed)

    @settings(max_examples=4)
    @given(SEEDS)
    def test_every_secondary_suppression_is_needed(self, judged_table, reaches_all, seed):
        system = judged_table(seed, share=0.15).system()
        found = FastSuppression().protect(system)
        for cell in np.flatnonzero(found.system.cells.suppressed & ~system.cells.suppressed):
            without = found.system.cells.suppressed.copy()
            without[cell] = False
            assert not reaches_all(system, without)

    @settings(max_examples=4)
    @given(SEEDS)
    def test_the_same_table_gives_the_same_pattern(self, judged_table, seed):
        system = judged_table(seed).system()
        first, second = (FastSuppression().protect(system) for _ in range(2))
        assert first.is_reproducible
        assert np.array_equal(first.secondary, second.secondary)

    @settings(max_examples=4)
    @given(SEEDS, st.integers(1, 3))
    def test_fewer_rounds_give_a_lower_bound_and_are_safe_too(self, judged_table, seed, rounds):
        system = judged_table(seed).system()
        few, many = (FastSuppression(rounds=number).protect(system) for number in (rounds, 100))
        assert few.audit.is_safe
        assert few.bound <= many.cost * (1 + 1e-9)


@pytest.mark.skipif(not STORED.is_dir(), reason="the reference data are not here")
@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("simple2d_p15", 521_926),
        ("ent_region_product_p10h", 5_415.65),
        ("ent_act_product_p10h", 308_560.6),
        ("tauW_IS_p10", 2_244_954),
    ],
)
def test_close_to_the_proven_optima(name, least):
    found = FastSuppression().protect(read_table(str(STORED / f"{name}.jj.gz")))
    assert found.audit.is_safe
    assert least * (1 - 1e-6) <= found.cost <= 1.03 * least
    assert found.bound <= least * (1 + 1e-6)
