from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.tables.audit.audit import audit
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.linked import LinkedTables
from tacita.tables.protect.fast_suppression import FastSuppression
from tacita.tables.protect.optimal_suppression import OptimalSuppression
from tacita.tables.status import Status
from tacita.tables.system import System
from tacita.tables.table import Table

SEEDS = st.integers(0, 10**6)
WAYS = [FastSuppression, OptimalSuppression]
SENSITIVE = Status.SENSITIVE


def grid(inner, sensitive=(), published=(), **known):
    """Make a 2-dimensional table with totals; cells are named by their place in the full grid."""
    inner = np.array(inner, float)
    full = np.vstack([inner.sum(0), inner])
    full = np.column_stack([full.sum(1), full])
    status = np.zeros(full.shape, np.int8)
    for place in sensitive:
        status[place] = SENSITIVE
    for place in published:
        status[place] = Status.PUBLISHED
    spans = tuple(
        Dimension.flat(name, [f"{name}{code}" for code in range(size)])
        for name, size in zip("ab", inner.shape, strict=True)
    )
    places = np.array(list(np.ndindex(full.shape)), np.int32)
    return Table("grid", spans, places, Cells.of(full.ravel(), status=status.ravel(), **known))


def levels(table, upper=0.0, lower=0.0, sliding=0.0):
    hit = table.cells.sensitive
    return table.with_cells(
        upper_level=np.where(hit, upper, 0.0),
        lower_level=np.where(hit, lower, 0.0),
        sliding_level=np.where(hit, sliding, 0.0),
    )


@pytest.mark.parametrize("way", WAYS)
class TestEveryWay:
    def test_a_rectangle_by_hand(self, way):
        # Rectangles around the 20: with 10, 8, 22 it is 40, with 10, 17, 12 it is 39.
        table = levels(grid([[20, 50, 10], [8, 19, 22], [17, 32, 12]], [(1, 1)]), upper=5)
        found = way().protect(table.system())
        assert found.secondary.tolist() == [4 + 3, 12 + 1, 12 + 3]
        assert found.cost == 10 + 17 + 12

    def test_nothing_to_do(self, way):
        found = way().protect(grid([[1, 2], [3, 4]]).system())
        assert (found.cost, found.bound, found.gap) == (0, 0, 0)
        assert found.is_optimal
        assert found.audit.is_safe

    def test_sensitive_cells_that_protect_each_other(self, way):
        corners = [(1, 1), (1, 2), (2, 1), (2, 2)]
        found = way().protect(levels(grid([[5, 6], [7, 8]], corners), upper=3, lower=3).system())
        assert not found.secondary.size
        assert found.is_optimal

    def test_negative_values(self, way):
        table = levels(grid([[-20, 50, 10], [8, -19, 22]], [(1, 1)]), upper=4, lower=4)
        found = way().protect(table.system())
        assert found.audit.is_safe
        assert found.cost == 18 + 10 + 22 - 10  # the 10, the 8 and the 22

    def test_zeros_that_may_be_more_are_cheap(self, way):
        table = levels(grid([[9, 0, 7], [0, 5, 6], [6, 4, 3]], [(1, 1)]), lower=2)
        found = way().protect(table.system())
        assert found.secondary.tolist() == [6, 9, 10]
        assert found.to_dict()["suppressed_value"] == 5

    def test_zeros_that_everybody_knows_stay(self, way):
        table = grid([[9, 0, 7], [0, 0, 5], [6, 4, 3]], [(1, 1)])
        upper = np.where(table.cells.value == 0, 0.0, np.inf)
        found = way().protect(levels(table.with_cells(upper_bound=upper), upper=2).system())
        assert found.audit.is_safe
        assert (table.cells.value[found.secondary] > 0).all()

    def test_a_width_in_all(self, way):
        table = levels(grid([[20, 50, 10], [8, 19, 22], [17, 32, 12]], [(1, 1)]), sliding=12)
        found = way().protect(table.system())
        cell = 4 + 1
        assert found.audit.upper[cell] - found.audit.lower[cell] >= 12

    def test_without_levels_no_value_is_told_exactly(self, way):
        found = way().protect(grid([[20, 50], [8, 19]], [(1, 1)]).system())
        assert not found.audit.disclosed[4]
        assert found.secondary.size == 3

    def test_given_secondaries_stay_and_cost_nothing(self, way):
        table = levels(grid([[20, 50, 10], [8, 19, 22], [17, 32, 12]], [(1, 1)]), upper=5)
        status = table.cells.status.copy()
        status[[4 + 2, 8 + 1, 8 + 2]] = Status.SECONDARY
        found = way().protect(table.with_cells(status=status).system())
        assert found.secondary.tolist() == [6, 9, 10]
        assert found.cost == 0

    def test_a_cell_that_cannot_be_protected_is_named(self, way):
        others = [(1, 2), (1, 3), (1, 0)]
        table = levels(grid([[20, 50, 10], [8, 19, 22]], [(1, 1)], others), upper=5)
        with pytest.raises(ProtectionError, match=r"a0.*cannot be protected.*Allow more cells"):
            way().protect(table.system())

    def test_a_level_below_what_is_possible(self, way):
        table = levels(grid([[20, 50], [8, 19]], [(1, 1)]), lower=30)
        with pytest.raises(ProtectionError, match="cannot be 30 below its value"):
            way().protect(table.system())

    def test_a_value_that_is_not_known(self, way):
        table = grid([[20, 50], [8, 19]], [(1, 1)])
        with pytest.raises(InputError, match="needs the value of every cell"):
            way().protect(table.published().system())

    def test_a_cost_that_is_not_known(self, way):
        table = levels(grid([[20, 50], [8, 19]], [(1, 1)]), upper=5)
        with pytest.raises(ParameterError, match="contributors of some cells is not known"):
            way(cost="contributors").protect(table.system())

    def test_costs_by_contributors(self, way):
        people = np.array([99, 50, 20, 29, 50, 5, 1, 44, 49, 9, 1, 39], float)
        table = levels(grid([[20, 50, 10], [8, 19, 22]], [(1, 1)], contributors=people), upper=5)
        found = way(cost="contributors").protect(table.system())
        assert found.secondary.tolist() == [6, 9, 10]  # the dear 50 and 19 have one contributor
        assert found.cost == 11

    def test_what_was_suppressed_before_is_preferred(self, way):
        table = levels(grid([[20, 50, 10], [8, 19, 12]], [(1, 1)]), upper=5)
        plain = way().protect(table.system())
        assert plain.secondary.tolist() == [7, 9, 11]
        before = np.zeros(len(table), bool)
        before[[6, 9, 10]] = True
        dearer = levels(grid([[20, 12, 10], [8, 15, 12]], [(1, 1)]), upper=5)
        found = way().protect(dearer.system(), before)
        assert found.secondary.tolist() == [6, 9, 10]
        assert found.cost == 12 + 8 + 15
        assert found.bound <= 10 + 8 + 12
        assert not found.is_optimal


@pytest.mark.parametrize("way", WAYS)
class TestSingletons:
    def row(self, contributors):
        # Two sensitive cells hide each other, unless the only contributor of one looks.
        table = levels(grid([[20, 30, 40], [25, 35, 45]], [(1, 1), (1, 2)]), upper=1)
        status = table.cells.status.copy()
        status[[8 + 1, 8 + 2]] = SENSITIVE
        return table.with_cells(status=status, contributors=np.array(contributors, float))

    def test_the_only_contributor_does_not_learn_its_neighbour(self, way):
        table = self.row([9] * 5 + [1] + [9] * 6)
        ignored = way().protect(table.system())
        assert not ignored.secondary.size
        knowing = replace(ignored.system, known=np.arange(12) == 5)
        assert 6 in audit(knowing).exact_disclosed
        found = way(singletons="protected").protect(table.system())
        knowing = replace(found.system, known=np.arange(12) == 5)
        assert set(audit(knowing).exact_disclosed) <= {5}

    def test_several_contributors_learn_nothing_more(self, way):
        found = way(singletons="protected").protect(self.row([9] * 12).system())
        assert not found.secondary.size

    @settings(max_examples=10)
    @given(seed=SEEDS)
    def test_no_single_contributor_learns_a_neighbour(self, judged_table, way, seed):
        table = judged_table(seed, share=0.3)
        people = np.random.default_rng(seed).integers(1, 4, len(table)).astype(float)
        system = table.with_cells(contributors=people).system()
        found = way(singletons="protected", **_quick(way)).protect(system)
        # A total and its only part are one and the same.
        several = np.flatnonzero(np.diff(system.relations.indptr) > 2)
        members = system.relations[several]
        # The only contributor of a total knows its parts, being theirs too.
        neighbours = ((members > 0).astype(int).T @ abs(members)).toarray() > 0
        for alone in np.flatnonzero(system.cells.sensitive & (people == 1)):
            known = np.arange(len(system)) == alone
            learnt = audit(replace(found.system, known=known)).exact_disclosed
            assert not set(learnt) & set(np.flatnonzero(neighbours[alone])) - {alone}


@pytest.mark.parametrize("way", WAYS)
class TestSafetyRange:
    @settings(max_examples=8)
    @given(seed=SEEDS)
    def test_every_secondary_has_room_of_its_own(self, judged_table, way, seed):
        system = judged_table(seed).system()
        found = way(safety_range=20, **_quick(way)).protect(system)
        value = system.cells.value
        new = np.setdiff1d(found.secondary, np.flatnonzero(system.cells.suppressed))
        assert (found.audit.upper[new] >= 1.2 * value[new] - 1e-6).all()
        assert (found.audit.lower[new] <= 0.8 * value[new] + 1e-6).all()

    def test_more_room_costs_no_less(self, way):
        table = levels(grid([[20, 50, 10], [8, 190, 22], [17, 3, 12]], [(1, 1)]), upper=1)
        plain, wide = (way(safety_range=s).protect(table.system()) for s in (0, 50))
        assert plain.cost <= wide.cost
        assert wide.bound <= wide.cost
        assert not wide.is_optimal


def _quick(way):
    return {"node_limit": 50} if way is OptimalSuppression else {}


class TestLinked:
    def tables(self):
        first = levels(grid([[20, 50, 10], [8, 19, 22]], [(1, 1)]), upper=5)
        second = grid([[30, 50], [20, 29]])
        spans = (first.dimensions[0], Dimension.flat("c", ["c0", "c1"]))
        return LinkedTables((first, replace(second, name="second", dimensions=spans)))

    @pytest.mark.parametrize("way", WAYS)
    def test_a_shared_cell_has_one_status_and_everything_is_safe_together(self, way):
        linked = self.tables()
        system = linked.system()
        found = way().protect(system)
        assert len(system) < sum(map(len, linked))
        assert found.audit.is_safe
        assert audit(found.system).is_safe


class TestParts:
    def test_tables_without_a_common_relation_add_up(self):
        one = levels(grid([[20, 50, 10], [8, 19, 22]], [(1, 1)]), upper=5).system()
        both = System(
            Cells.joined(one.cells, one.cells),
            csr_array(np.kron(np.eye(2, dtype=int), one.relations.toarray())),
            np.zeros(2 * len(one.rhs)),
            decimals=0,
        )
        for way in WAYS:
            single, double = way().protect(one), way().protect(both)
            assert double.cost == pytest.approx(2 * single.cost)
            assert double.bound == pytest.approx(2 * single.bound)

    def test_what_is_said_of_it(self):
        found = OptimalSuppression().protect(
            levels(grid([[20, 50, 10], [8, 19, 22]], [(1, 1)]), upper=5).system()
        )
        assert "3 secondary suppressions" in repr(found)
        assert "least possible" in repr(found)
        told = found.to_dict()
        assert told["optimal"] is True
        assert told["below_level"] == told["exact_disclosed"] == 0
        assert told["gap"] <= 1e-12  # what doubles may lose in the proof
