"""Tests of the bound that relations must be covered."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.tables.protect.covering import covering_bound
from tacita.tables.protect.optimal_suppression import OptimalSuppression
from tacita.tables.protect.problem import problem_of
from tacita.tables.ready import grid_table
from tacita.tables.status import Status

SEEDS = st.integers(0, 10**6)


class TestLaws:
    @settings(max_examples=60)
    @given(SEEDS)
    def test_no_pattern_of_a_tiny_table_costs_less(self, tiny, seed):
        system = tiny(seed).system()
        found = OptimalSuppression(cost="cost").protect(system)
        assert covering_bound(problem_of(system, "cost")) <= found.cost * (1 + 1e-9) + 1e-9

    @settings(max_examples=12)
    @given(SEEDS, st.integers(1, 3), st.sampled_from(["value", "count"]))
    def test_no_pattern_of_any_table_costs_less(self, judged_table, seed, dimensions, cost):
        system = judged_table(seed, dimensions=dimensions, share=0.08, cells=7**3).system()
        found = OptimalSuppression(cost=cost, node_limit=50).protect(system)
        assert covering_bound(problem_of(system, cost)) <= found.cost * (1 + 1e-9) + 1e-9


class TestExamples:
    def bound(self, inside: list[list[float]], **levels: float) -> float:
        """Return the bound where the first cell has levels and nothing but the inside may go."""
        rows = {f"r{row}": values for row, values in enumerate(inside)}
        columns = [f"c{column}" for column in range(len(inside[0]))]
        table = grid_table("t", rows, columns, sensitive=[("r0", "c0")])
        first = table.row(row="r0", column="c0")
        status = np.where((table.places == 0).any(axis=1), Status.PUBLISHED, table.cells.status)
        asked = {
            name: np.where(np.arange(len(table)) == first, level, 0.0)
            for name, level in levels.items()
        }
        return covering_bound(problem_of(table.with_cells(status=status, **asked).system()))

    def test_the_cheapest_cell_of_the_row_and_of_the_column(self):
        assert self.bound([[10, 20, 25], [30, 40, 50]], lower_level=5.0) == pytest.approx(20 + 30)

    def test_cells_without_room_for_all_are_taken_together(self):
        # 8 more: the row gives 4 and 3 and an eighth of 8 from the cell of 100, the column 16.
        found = self.bound([[10, 4, 3, 100], [16, 9, 9, 9], [90, 9, 9, 9]], upper_level=8.0)
        assert found == pytest.approx(4 + 3 + 100 / 8 + 16)

    def test_what_is_suppressed_anyway_covers_too(self):
        table = grid_table(
            "t",
            {"x": [10, 20], "y": [30, 40]},
            ["u", "v"],
            level=5.0,
            sensitive=[("x", "u"), ("x", "v"), ("y", "u"), ("y", "v")],
        )
        assert covering_bound(problem_of(table.system())) == 0.0
