"""Tests of hypercube cell suppression."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import ProtectionError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.formats import read_table
from tacita.tables.protect.hypercube_suppression import HypercubeSuppression, hypercube_pattern
from tacita.tables.protect.optimal_suppression import OptimalSuppression
from tacita.tables.protect.problem import problem_of
from tacita.tables.protect.subtables import subtables_of
from tacita.tables.status import Status
from tacita.tables.table import Table

SEEDS = st.integers(0, 10**6)
STORED = Path(__file__).parents[4] / "shared" / "data" / "tables" / "derived_jj"


def two_way(inner: list[list[float]], sensitive: tuple[int, int], level: float = 0.0) -> Table:
    """Make a table with totals in which one inner cell is sensitive."""
    grid = np.array(inner, float)
    full = np.vstack([grid.sum(0), grid])
    full = np.column_stack([full.sum(1), full])
    spans = tuple(
        Dimension.flat(name, [f"{name}{at}" for at in range(1, size + 1)])
        for name, size in zip("ab", grid.shape, strict=True)
    )
    status, levels = np.zeros(full.shape, np.int8), np.zeros(full.shape)
    status[sensitive], levels[sensitive] = Status.SENSITIVE, level
    places = np.array(list(np.ndindex(full.shape)), np.int32)
    cells = Cells.of(
        full.ravel(), status=status.ravel(), upper_level=levels.ravel(), lower_level=levels.ravel()
    )
    return Table("t", spans, places, cells)


def corners(table: Table) -> set[tuple[int, ...]]:
    """Return where the cubes alone suppress cells."""
    system = table.system()
    problem = problem_of(system)
    pattern = hypercube_pattern(problem, subtables_of(system.relations))
    new = problem.places[pattern & ~problem.is_required]
    return {tuple(place) for place in table.places[new].tolist()}


class TestCubes:
    def test_the_cheapest_rectangle_is_taken(self):
        table = two_way([[5, 6, 50], [7, 8, 9], [60, 70, 80]], (1, 1))
        assert corners(table) == {(1, 2), (2, 1), (2, 2)}

    def test_corners_without_room_are_passed_over(self):
        # 10 must be possible to both sides: the rectangle through 7 and 8 has no room for it.
        table = two_way([[20, 16, 50], [7, 8, 90], [60, 70, 80]], (1, 1), level=10.0)
        assert corners(table) == {(1, 2), (3, 1), (3, 2)}

    def test_zeros_are_no_corners(self):
        table = two_way([[5, 6, 50], [0, 0, 9], [60, 70, 80]], (1, 1))
        assert corners(table) == {(1, 2), (3, 1), (3, 2)}

    def test_what_is_suppressed_already_is_preferred(self):
        table = two_way([[5, 6, 50], [7, 8, 9], [60, 70, 80]], (1, 1))
        status = table.cells.status.copy()
        for row, column in ((3, 1), (3, 3)):
            status[row * 4 + column] = Status.SECONDARY
        assert corners(table.with_cells(status=status)) == {(1, 3)}

    def test_where_no_cube_has_room_a_smaller_one_is_taken_and_completed(self):
        table = two_way([[30, 12, 12], [12, 12, 12], [12, 12, 12]], (1, 1), level=20.0)
        status = table.cells.status.copy()
        status[[0, 1, 2, 3, 4, 8, 12]] = Status.PUBLISHED  # the totals
        table = table.with_cells(status=status)
        assert len(corners(table)) == 3
        found = HypercubeSuppression().protect(table.system())
        assert found.audit.is_safe
        assert found.secondary.size > 3

    def test_three_dimensions_need_eight_corners(self):
        spans = tuple(Dimension.flat(name, ["1", "2", "3"]) for name in "abc")
        places = np.array(list(np.ndindex(4, 4, 4)), np.int32)
        values = 10.0 * 3.0 ** (places == 0).sum(axis=1)
        status = np.where((places == 1).all(axis=1), Status.SENSITIVE, Status.SAFE)
        table = Table("t", spans, places, Cells.of(values, status=status))
        assert corners(table) == {
            (i, j, k) for i in (1, 2) for j in (1, 2) for k in (1, 2) if (i, j, k) != (1, 1, 1)
        }


class TestLaws:
    @settings(max_examples=15)
    @given(SEEDS, st.integers(1, 3))
    def test_safe_by_the_audit_and_by_another_solver(
        self, judged_table, reaches_all, seed, dimensions
    ):
        system = judged_table(seed, dimensions=dimensions, share=0.1, cells=7**3).system()
        found = HypercubeSuppression().protect(system)
        assert found.audit.is_safe
        assert reaches_all(system, found.system.cells.suppressed)

    @settings(max_examples=10)
    @given(SEEDS)
    def test_never_cheaper_than_the_optimum(self, tiny, seed):
        system = tiny(seed).system()
        best = OptimalSuppression().protect(system)
        assert HypercubeSuppression().protect(system).cost >= best.cost - 1e-9

    def test_four_dimensions(self, judged_table):
        system = judged_table(12, dimensions=4, share=0.02).system()
        assert HypercubeSuppression().protect(system).audit.is_safe

    @settings(max_examples=5)
    @given(SEEDS)
    def test_the_same_table_gives_the_same_pattern(self, judged_table, seed):
        system = judged_table(seed, dimensions=3, share=0.1, cells=7**3).system()
        first, second = (HypercubeSuppression().protect(system) for _ in range(2))
        assert first.is_reproducible
        assert np.array_equal(first.secondary, second.secondary)


def test_a_cell_that_cannot_be_protected_is_named() -> None:
    table = two_way([[5, 6], [7, 8]], (1, 1), level=3.0)
    status = np.where(table.cells.sensitive, Status.SENSITIVE, Status.PUBLISHED)
    with pytest.raises(ProtectionError, match=r"\(a a1, b b1\) cannot be protected"):
        HypercubeSuppression().protect(table.with_cells(status=status).system())


@pytest.mark.skipif(not STORED.exists(), reason="the reference data are not here")
class TestStored:
    @pytest.mark.parametrize(
        ("name", "least", "most"),
        [
            ("simple2d_p15", 521_926, 1_083_269),  # sdcTable HYPERCUBE, one cell below its level
            ("ent_region_product_p10h", 8_193.19, 8_193.19),  # 8 cells, as sdcTable HYPERCUBE
            ("ent_act_product_p10h", 308_560.6, 1_225_905.96),  # tau-ARGUS Hypercube
        ],
    )
    def test_between_the_optimum_and_what_other_systems_reach(self, name, least, most):
        found = HypercubeSuppression().protect(read_table(STORED / f"{name}.jj.gz"))
        assert found.audit.is_safe
        assert least - 0.01 <= found.cost <= most + 0.01
