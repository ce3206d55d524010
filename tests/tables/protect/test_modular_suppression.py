"""Tests of modular cell suppression."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import ParameterError, ProtectionError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.formats import read_table
from tacita.tables.linked import LinkedTables
from tacita.tables.protect.modular_suppression import Modular, ModularSuppression
from tacita.tables.protect.optimal_suppression import OptimalSuppression
from tacita.tables.protect.problem import problem_of
from tacita.tables.protect.subtables import subtables_of
from tacita.tables.protect.suppression import Solution
from tacita.tables.status import Status
from tacita.tables.table import Table

SEEDS = st.integers(0, 10**6)
STORED = Path(__file__).parents[4] / "shared" / "data" / "tables" / "derived_jj"


class TestLaws:
    @settings(max_examples=8)
    @given(SEEDS, st.integers(1, 2))
    def test_safe_by_the_audit_and_never_cheaper_than_the_optimum(
        self, judged_table, reaches_all, seed, dimensions
    ):
        system = judged_table(seed, dimensions=dimensions, share=0.08, cells=7**3).system()
        found = ModularSuppression(node_limit=1).protect(system)
        assert found.audit.is_safe
        assert reaches_all(system, found.system.cells.suppressed)
        best = OptimalSuppression(node_limit=1).protect(system)
        assert found.cost >= best.bound * (1 - 1e-6)

    @pytest.mark.parametrize(("seed", "dimensions"), [(0, 3), (2, 3), (3, 3), (34, 4)])
    def test_more_dimensions(self, judged_table, seed, dimensions):
        system = judged_table(seed, dimensions=dimensions, share=0.02, cells=7**3).system()
        assert ModularSuppression(node_limit=1).protect(system).audit.is_safe

    @settings(max_examples=10)
    @given(SEEDS)
    def test_a_table_without_hierarchies_is_solved_optimally(self, tiny, seed):
        system = tiny(seed).system()
        found, best = ModularSuppression().protect(system), OptimalSuppression().protect(system)
        assert found.cost == pytest.approx(best.cost)

    @settings(max_examples=4)
    @given(SEEDS)
    def test_the_same_table_gives_the_same_pattern(self, judged_table, seed):
        system = judged_table(seed, dimensions=2, share=0.1).system()
        first, second = (ModularSuppression().protect(system) for _ in range(2))
        assert first.is_reproducible
        assert np.array_equal(first.secondary, second.secondary)

    @settings(max_examples=5)
    @given(SEEDS)
    def test_secondaries_have_room_where_it_is_asked_for(self, judged_table, seed):
        system = judged_table(seed, share=0.1).system()
        found = ModularSuppression(safety_range=10, node_limit=1).protect(system)
        new = found.system.cells.suppressed & ~system.cells.suppressed
        assert (found.audit.upper[new] >= system.cells.value[new] * 1.1 - 1e-6).all()


def hierarchical(status: dict[tuple[int, int], Status], sure: float = 0.0) -> Table:
    """Make a table of two branches of two leaves by two columns; the leaves of one are small."""
    tree = Dimension.of_trees("a", [[(f"{b}{leaf}", b, "Total") for b in "xy" for leaf in (1, 2)]])
    flat = Dimension.flat("b", "uv")
    inner = {"x1": (4, 9), "x2": (8, 7), "y1": (100, 110), "y2": (120, 130)}
    values = np.zeros((len(tree), 3))
    for code, cells in inner.items():
        for at in (tree.place(code), tree.place(code[0]), 0):
            values[at] += [sum(cells), *cells]
    places = np.array(list(np.ndindex(values.shape)), np.int32)
    statuses = np.zeros(values.size, np.int8)
    levels = np.zeros(values.size)
    for (row, column), word in status.items():
        statuses[row * 3 + column] = word
        levels[row * 3 + column] = sure
    cells = Cells.of(values.ravel(), status=statuses, upper_level=levels)
    return Table("t", (tree, flat), places, cells)


class TestSteps:
    def test_a_level_that_fits_into_a_lower_subtable_stays_there(self):
        tree = hierarchical({}).dimensions[0]
        table = hierarchical({(tree.place("x1"), 1): Status.SENSITIVE}, sure=3.0)
        found = ModularSuppression().protect(table.system())
        codes = {found.system.name_of(int(cell)) for cell in found.secondary}
        assert codes == {"(a x1, b v)", "(a x2, b u)", "(a x2, b v)"}

    def test_a_published_total_goes_only_if_nothing_else_works(self):
        # The row x2 must be published: x1 can be protected through the totals of x and y alone.
        tree = hierarchical({}).dimensions[0]
        kept = {(tree.place("x2"), column): Status.PUBLISHED for column in range(3)}
        table = hierarchical({(tree.place("x1"), 1): Status.SENSITIVE} | kept, sure=3.0)
        found = ModularSuppression().protect(table.system())
        suppressed = {found.system.name_of(int(cell)) for cell in found.secondary}
        assert found.audit.is_safe
        assert {"(a x, b u)", "(a x, b v)"} <= suppressed

    def test_subtables_that_did_not_change_are_not_solved_again(self):
        tree = hierarchical({}).dimensions[0]
        kept = {(tree.place("x2"), column): Status.PUBLISHED for column in range(3)}
        more = {(tree.place("y1"), 1): Status.SENSITIVE}
        table = hierarchical({(tree.place("x1"), 1): Status.SENSITIVE} | kept | more, sure=3.0)
        system = table.system()
        problem, asked = problem_of(system), []

        def way(part):
            asked.append(part)
            return OptimalSuppression().solution(part)

        modular = Modular(problem, subtables_of(system.relations), way, 0.1)
        first, calls = modular.pattern(), len(asked)
        assert calls < 3 * 3  # three subtables; the total that had to go takes a pass more
        assert np.array_equal(modular.pattern(), first)
        assert len(asked) == calls

    def test_a_clock_is_told(self):
        tree = hierarchical({}).dimensions[0]
        system = hierarchical({(tree.place("x1"), 1): Status.SENSITIVE}, sure=3.0).system()
        problem = problem_of(system)

        def way(part):
            return Solution(np.ones(len(part), bool), 0.0, False, is_reproducible=False)

        modular = Modular(problem, subtables_of(system.relations), way, 0.1)
        modular.pattern()
        assert not modular.is_reproducible

    def test_linked_tables_are_protected_in_one_run(self, salary):
        flat = Dimension.flat("Sector", ["IT", "Fin", "HC"])
        rows = [salary.row(), *(salary.row(Sector=one) for one in ("IT", "Fin", "HC"))]
        other = Table(
            "sectors",
            (flat,),
            np.arange(4, dtype=np.int32)[:, None],
            salary.cells.take(np.array(rows)),
            "Salary",
            "sum",
        )
        found = ModularSuppression().protect(LinkedTables((salary, other)).system())
        assert found.audit.is_safe


class TestRefusals:
    def test_a_cell_that_cannot_be_protected_is_named(self):
        tree = hierarchical({}).dimensions[0]
        rows, columns = len(tree), 3
        kept = {(r, c): Status.PUBLISHED for r in range(rows) for c in range(columns)}
        table = hierarchical(kept | {(tree.place("x1"), 1): Status.SENSITIVE}, sure=3.0)
        with pytest.raises(ProtectionError, match=r"\(a x1, b u\) cannot be protected"):
            ModularSuppression().protect(table.system())

    def test_bad_parameters(self):
        with pytest.raises(ParameterError, match="margin_range"):
            ModularSuppression(margin_range=101)
        with pytest.raises(ParameterError, match="node_limit"):
            ModularSuppression(node_limit=0)


@pytest.mark.skipif(not STORED.exists(), reason="the reference data are not here")
class TestStored:
    @pytest.mark.parametrize(
        ("name", "least", "most"),
        [
            ("simple2d_p15", 521_926, 2_524_351),  # tau-ARGUS Modular with singletons
            ("ent_region_product_p10h", 5_415.65, 5_415.65),  # sdcTable HITAS
            ("ent_act_product_p10h", 308_560.6, 504_511.41),  # tau-ARGUS Modular with singletons
        ],
    )
    def test_between_the_optimum_and_what_other_systems_reach(self, name, least, most):
        found = ModularSuppression().protect(read_table(STORED / f"{name}.jj.gz"))
        assert found.audit.is_safe
        assert least - 0.01 <= found.cost <= most + 0.01
