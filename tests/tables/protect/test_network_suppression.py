"""Tests of network cell suppression."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.errors import InputError, ProtectionError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.formats import read_table
from tacita.tables.network import network_of
from tacita.tables.protect import fast_suppression
from tacita.tables.protect.fast_suppression import FastSuppression
from tacita.tables.protect.network_suppression import NetworkSuppression
from tacita.tables.protect.optimal_suppression import OptimalSuppression
from tacita.tables.ready import grid_table
from tacita.tables.status import Status
from tacita.tables.system import System
from tacita.tables.table import Table

SEEDS = st.integers(0, 10**6)
STORED = Path(__file__).parents[4] / "shared" / "data" / "tables" / "derived_jj"


def two_way(seed: int, *sizes: int, deep: int = 0, most: int = 20, share: float = 0.15) -> Table:
    """Make a table of rows, perhaps in branches of `deep` rows, by columns, with levels."""
    rng = np.random.default_rng(seed)
    rows, columns = sizes
    paths = [
        (f"r{row}", *([f"branch{row // deep}"] if deep else []), "Total") for row in range(rows)
    ]
    spans = Dimension.of_trees("a", [paths]), Dimension.flat("b", [f"c{c}" for c in range(columns)])
    values = np.zeros((len(spans[0]), columns + 1))
    for path in paths:
        drawn = rng.integers(0, most + 1, columns)
        for code in path:
            values[spans[0].place(code)] += [drawn.sum(), *drawn]
    status = (rng.random(values.shape) < share) * Status.SENSITIVE
    above = np.where(status, rng.integers(1, most // 2, values.shape), 0.0)
    places = np.array(list(np.ndindex(values.shape)), np.int32)
    cells = Cells.of(
        values.ravel(),
        status=status.ravel(),
        upper_level=above.ravel(),
        lower_level=np.minimum(above, values).ravel(),
    )
    return Table("t", spans, places, cells)


def skewed(seed: int, rows: int, columns: int) -> System:
    """Make a table of very different decimals: no cell alone has room for some of the levels."""
    rng = np.random.default_rng(seed)
    inner = np.round(rng.lognormal(3, 2, (rows, columns)), 2)
    names = [f"c{column}" for column in range(columns)]
    table = grid_table("t", {f"r{row}": inner[row] for row in range(rows)}, names)
    value = np.round(table.cells.value, 2)  # the totals are decimals too
    is_sensitive = (table.places > 0).all(axis=1) & (rng.random(len(table)) < 0.2)
    level = np.where(is_sensitive, np.round(0.3 * value, 2), 0.0)
    return table.with_cells(
        value=value,
        status=np.where(is_sensitive, Status.SENSITIVE, Status.SAFE),
        lower_level=level,
        upper_level=level,
    ).system()


class TestNetworks:
    @pytest.mark.parametrize("deep", [0, 2, 3])
    def test_every_cycle_keeps_every_relation(self, deep):
        """A cell moves from its tail to its head: all that balances at the nodes adds up."""
        relations = two_way(1, 6, 4, deep=deep).system().relations
        found = network_of(relations)
        balances = np.zeros((found.nodes, relations.shape[1]))
        np.add.at(balances, (found.head, np.arange(relations.shape[1])), 1)
        np.add.at(balances, (found.tail, np.arange(relations.shape[1])), -1)
        rank = np.linalg.matrix_rank
        together = np.vstack([balances[:-1], relations.toarray()])
        assert rank(balances[:-1]) == rank(relations.toarray()) == rank(together)
        assert found.rank(np.arange(relations.shape[1])) == rank(together)

    def test_deep_hierarchies(self):
        paths = [
            (f"{leaf:03b}", f"{leaf:03b}"[:2], f"{leaf:03b}"[:1], "Total") for leaf in range(8)
        ]
        span = Dimension.of_trees("a", [paths])
        flat = Dimension.flat("b", "uv")
        places = np.array(list(np.ndindex(len(span), 3)), np.int32)
        below = np.array([8 / 2 ** len(code) if code != "Total" else 8 for code in span.codes])
        values = below[places[:, 0]] * np.where(places[:, 1] == 0, 2, 1)
        assert network_of(Table("t", (span, flat), places, Cells.of(values)).system().relations)

    def test_a_table_of_one_attribute_is_a_network(self):
        relations = csr_array(np.array([[-1, 1, 1, 0, 0], [0, 0, -1, 1, 1]]))
        assert network_of(relations) is not None

    def test_other_tables_are_not(self):
        rows = np.array([[-1, 1, 1, 0], [-1, 0, 0, 2]])
        assert network_of(csr_array(rows)) is None
        flat = [Dimension.flat(name, "xy") for name in "abc"]
        places = np.array(list(np.ndindex(3, 3, 3)), np.int32)
        values = 2.0 ** (places == 0).sum(axis=1)
        assert (
            network_of(Table("t", tuple(flat), places, Cells.of(values)).system().relations) is None
        )


class TestLaws:
    @settings(max_examples=15)
    @given(SEEDS, st.integers(2, 6), st.integers(2, 5), st.sampled_from([0, 2, 3]))
    def test_safe_by_the_audit_and_never_cheaper_than_the_optimum(
        self, reaches_all, seed, rows, columns, deep
    ):
        system = two_way(seed, rows, columns, deep=deep).system()
        found = NetworkSuppression().protect(system)
        assert found.audit.is_safe
        assert reaches_all(system, found.system.cells.suppressed)
        best = OptimalSuppression(node_limit=1).protect(system)
        assert found.cost >= best.bound * (1 - 1e-6)

    @settings(max_examples=10)
    @given(SEEDS, st.integers(2, 5), st.integers(2, 7))
    def test_very_different_values_are_safe(self, reaches_all, seed, rows, columns):
        system = skewed(seed, rows, columns)
        found = NetworkSuppression().protect(system)
        assert found.audit.is_safe
        assert reaches_all(system, found.system.cells.suppressed)
        assert found.bound <= found.cost

    @settings(max_examples=15)
    @given(SEEDS)
    def test_every_small_table_is_a_network(self, tiny, reaches_all, seed):
        system = tiny(seed).system()
        found = NetworkSuppression().protect(system)
        assert reaches_all(system, found.system.cells.suppressed)
        assert found.cost >= OptimalSuppression().protect(system).cost - 1e-9

    @settings(max_examples=15)
    @given(SEEDS, st.integers(1, 3))
    def test_any_other_table_is_refused_or_safe(self, judged_table, seed, dimensions):
        system = judged_table(seed, dimensions=dimensions, share=0.05, cells=7**3).system()
        assume(system.cells.sensitive.any())
        if network_of(system.relations) is None:
            with pytest.raises(InputError, match="two attributes"):
                NetworkSuppression().protect(system)
        else:
            assert NetworkSuppression().protect(system).audit.is_safe

    @settings(max_examples=10)
    @given(SEEDS)
    def test_every_secondary_suppression_is_needed_where_single_cycles_do(self, seed):
        system = two_way(seed, 5, 5, share=0.06, most=30).system()
        pattern = NetworkSuppression().protect(system)
        again = NetworkSuppression().protect(pattern.system)
        assert again.cost == 0.0

    @settings(max_examples=5)
    @given(SEEDS)
    def test_the_same_table_gives_the_same_pattern(self, seed):
        system = two_way(seed, 8, 6, deep=2).system()
        first, second = (NetworkSuppression().protect(system) for _ in range(2))
        assert first.is_reproducible
        assert np.array_equal(first.secondary, second.secondary)

    def test_a_contributor_who_knows_a_cell(self):
        table = two_way(3, 5, 4)
        one = np.where(table.cells.sensitive, 1.0, 5.0)
        system = table.with_cells(frequency=one, contributors=one).system()
        found = NetworkSuppression(singletons="protected").protect(system)
        assert found.audit.is_safe
        assert found.cost >= NetworkSuppression().protect(system).cost


class TestExamples:
    def one_sensitive(self, values: list[list[float]], level: float) -> Table:
        grid = np.array(values)
        full = np.vstack([grid.sum(0), grid])
        full = np.column_stack([full.sum(1), full])
        spans = (
            Dimension.flat("a", [f"a{i}" for i in range(len(grid))]),
            Dimension.flat("b", [f"b{i}" for i in range(len(grid.T))]),
        )
        status = np.full(full.shape, Status.SAFE)
        status[0], status[:, 0] = Status.PUBLISHED, Status.PUBLISHED
        status[1, 1] = Status.SENSITIVE
        places = np.array(list(np.ndindex(full.shape)), np.int32)
        levels = np.where(status.ravel() == Status.SENSITIVE, level, 0.0)
        return Table(
            "t", spans, places, Cells.of(full.ravel(), status=status.ravel(), upper_level=levels)
        )

    def test_several_cycles_share_what_one_cannot_carry(self):
        # 20 more in the corner: no other cell of its row can give more than 12.
        table = self.one_sensitive([[30, 12, 12.0], [12, 12, 12], [12, 12, 12]], 20.0)
        found = NetworkSuppression().protect(table.system())
        assert found.audit.is_safe
        assert found.audit.upper[table.row(a="a0", b="b0")] >= 50

    def test_a_cell_that_cannot_be_protected_is_named(self):
        table = self.one_sensitive([[30, 12, 12.0], [12, 12, 12], [12, 12, 12]], 25.0)
        with pytest.raises(ProtectionError, match=r"\(a a0, b b0\) cannot be protected"):
            NetworkSuppression().protect(table.system())

    def test_three_attributes_are_refused(self):
        flat = tuple(Dimension.flat(name, "xy") for name in "abc")
        places = np.array(list(np.ndindex(3, 3, 3)), np.int32)
        table = Table("t", flat, places, Cells.of(2.0 ** (places == 0).sum(axis=1)))
        with pytest.raises(InputError, match="fast_suppression"):
            NetworkSuppression().protect(table.system())

    def test_two_ways_to_part_a_total_without_cells_in_common_are_refused(self):
        rows = np.array([[-1, 1, 1, 0, 0], [-1, 0, 0, 1, 1]])
        cells = Cells.of([10, 4, 6, 3, 7], status=[0, 1, 0, 0, 0])
        with pytest.raises(InputError, match="two attributes"):
            NetworkSuppression().protect(System(cells, csr_array(rows), np.zeros(2)))


class TestLargeTables:
    def test_large_two_way_tables_are_protected_in_the_fast_way_too(self, monkeypatch):
        system = two_way(5, 12, 9).system()
        by_programs = FastSuppression().protect(system)
        monkeypatch.setattr(fast_suppression, "MANY", 50)
        monkeypatch.setattr(fast_suppression, "fast_solution", None)
        found = FastSuppression().protect(system)
        assert np.array_equal(found.secondary, NetworkSuppression().protect(system).secondary)
        assert 0 < found.bound <= by_programs.cost

    def test_other_large_tables_are_not(self, monkeypatch, judged_table):
        system = judged_table(2, dimensions=3).system()
        expected = FastSuppression().protect(system).secondary
        monkeypatch.setattr(fast_suppression, "MANY", 1)
        assert np.array_equal(FastSuppression().protect(system).secondary, expected)

    def test_relations_that_only_look_like_a_network_are_left_to_programs(self, monkeypatch):
        rows = np.array([[-1, 1, 1, 0, 0], [-1, 0, 0, 1, 1]])
        cells = Cells.of([10, 4, 6, 3, 7], status=[0, 1, 0, 0, 0])
        monkeypatch.setattr(fast_suppression, "MANY", 1)
        system = System(cells, csr_array(rows), np.zeros(2)).checked()
        assert FastSuppression().protect(system).audit.is_safe


@pytest.mark.skipif(not STORED.exists(), reason="the reference data are not here")
class TestStored:
    @pytest.mark.parametrize(
        ("name", "best"),
        [
            ("simple2d_p15", 521_926),
            ("ent_region_product_p10h", 5_415.65),
            ("ent_act_product_p10h", 308_560.6),
            ("tauW_IS_p10", 2_244_954),
        ],
    )
    def test_close_to_the_optimum(self, name, best):
        found = NetworkSuppression().protect(read_table(STORED / f"{name}.jj.gz"))
        assert found.audit.is_safe
        assert best - 0.01 <= found.cost <= 1.12 * best
