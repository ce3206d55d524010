"""Tests of cutting a table into subtables."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.formats import read_table
from tacita.tables.linked import LinkedTables
from tacita.tables.protect.subtables import Subtable, subtables_of
from tacita.tables.table import Table

SHARED = Path(__file__).parents[4] / "shared"


def tree(name: str, *branches: int) -> Dimension:
    """Make a dimension with a branch for each number of leaves."""
    paths = [
        (f"{name}{branch}.{leaf}", f"{name}{branch}", "Total")
        for branch, leaves in enumerate(branches)
        for leaf in range(leaves)
    ]
    return Dimension.of_trees(name, [paths])


def table_of(*spans: Dimension, name: str = "t") -> Table:
    """Make a table in which every cell is the number of leaves below it."""
    counts = []
    for span in spans:
        count = np.zeros(len(span))
        for leaf in span.leaves:
            for parents in span.parents[:1]:
                code = int(leaf)
                while code != -1:
                    count[code] += 1
                    code = int(parents[code])
        counts.append(count)
    places = np.array(list(product(*(range(len(span)) for span in spans))), np.int32)
    values = np.prod([counts[axis][places[:, axis]] for axis in range(len(spans))], axis=0)
    return Table(name, spans, places, Cells.of(values))


def shapes(table: Table) -> list[tuple[int, ...]]:
    found = subtables_of(table.system().relations)
    return sorted(tuple(sorted(one.grid().shape)) for one in found)


def assert_covered(relations: csr_array, found: list[Subtable]) -> None:
    """Check that every relation is in a subtable, with all its cells."""
    rows = [row.tobytes() for row in relations.toarray()]
    missing = set(rows)
    for one in found:
        members = set(one.cells.tolist())
        for row in one.relations.tolist():
            start, stop = relations.indptr[row : row + 2]
            assert members.issuperset(relations.indices[start:stop].tolist())
            missing.discard(rows[row])
    assert not missing


def test_flat_tables_are_one_subtable() -> None:
    flat = Dimension.flat("a", "xyz"), Dimension.flat("b", "uv"), Dimension.flat("c", "pq")
    assert shapes(table_of(*flat)) == [(3, 3, 4)]
    assert shapes(table_of(*flat[:2])) == [(3, 4)]
    assert shapes(table_of(flat[0])) == [(4,)]


def test_every_pair_of_totals_with_parts_is_a_subtable() -> None:
    # The first attribute parts in three (the top, 2 branches), the second in two (top, 1 branch).
    table = table_of(tree("a", 2, 3), tree("b", 4))
    assert shapes(table) == sorted([(2, 3), (3, 5), (2, 3), (3, 5), (2, 4), (4, 5)])


def test_subtables_are_cross_products() -> None:
    table = table_of(tree("a", 2, 3), Dimension.flat("b", "uvw"), Dimension.flat("c", "pq"))
    for one in subtables_of(table.system().relations):
        places = table.places[one.cells]
        assert (one.grid() >= 0).all()
        for position in one.positions.T:
            # All cells at one position have one code of some attribute in common.
            same = [places[position == at] for at in range(position.max() + 1)]
            axes = set.intersection(*({*np.flatnonzero(np.ptp(p, axis=0) == 0)} for p in same))
            assert any(len({p[0, axis] for p in same}) == len(same) for axis in axes)


def test_higher_subtables_come_first() -> None:
    table = table_of(tree("a", 2, 3), tree("b", 2, 2))
    found = subtables_of(table.system().relations)
    seen: set[int] = set()
    assert [one.depth for one in found] == sorted(one.depth for one in found)
    for one in found:
        total = int(one.cells[(one.positions == 0).all(axis=1)][0])
        assert total in seen or total == 0
        seen.update(one.cells.tolist())


def test_linked_tables_are_cut_up_together() -> None:
    a, b, c = Dimension.flat("a", "xy"), Dimension.flat("b", "uv"), Dimension.flat("c", "pq")
    linked = LinkedTables((table_of(a, b, name="one"), table_of(a, c, name="other")))
    system = linked.system()
    found = subtables_of(system.relations)
    assert_covered(system.relations, found)
    assert sorted(one.grid().shape for one in found) == [(3, 3), (3, 3)]


def test_relations_that_are_no_sums_stand_alone() -> None:
    rows = np.array([[-1, 1, 1, 0], [1, -1, 1, -1], [2, 0, 0, -1]])
    found = subtables_of(csr_array(rows))
    assert_covered(csr_array(rows), found)
    assert sorted(one.relations.tolist() for one in found) == [[0], [1], [2]]


def test_no_relations_no_subtables() -> None:
    assert subtables_of(csr_array((0, 3), dtype=np.int64)) == []


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), dimensions=st.integers(1, 4))
def test_every_relation_is_covered(
    random_table: Callable[..., Table], seed: int, dimensions: int
) -> None:
    relations = random_table(seed, dimensions=dimensions).system().relations
    found = subtables_of(relations)
    assert_covered(relations, found)
    for one in found:
        assert len(np.unique(one.positions, axis=0)) == len(np.unique(one.cells)) == len(one.cells)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_empty_cells_may_be_absent(random_table: Callable[..., Table], seed: int) -> None:
    whole = random_table(seed, dimensions=2)
    kept = np.flatnonzero(whole.cells.value > 0)
    if kept.size:
        table = Table("t", whole.dimensions, whole.places[kept], whole.cells.take(kept))
        relations = table.system().relations
        assert_covered(relations, subtables_of(relations))


@pytest.mark.skipif(not SHARED.exists(), reason="the reference data are not here")
@pytest.mark.parametrize(
    ("name", "count", "axes"),
    [("simple2d_p15", 5, 2), ("ent_act_product_p10h", 15, 2), ("tauW_IS_p10", 67, 2)],
)
def test_stored_tables(name: str, count: int, axes: int) -> None:
    relations = read_table(SHARED / f"data/tables/derived_jj/{name}.jj.gz").relations
    found = subtables_of(relations)
    assert_covered(relations, found)
    assert len(found) == count
    assert {one.positions.shape[1] for one in found} == {axes}
    assert all((one.grid() >= 0).all() for one in found)
