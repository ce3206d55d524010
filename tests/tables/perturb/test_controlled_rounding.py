"""Controlled rounding: additive, close, restricted where it can be, and the least loss."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.formats import read_table
from tacita.tables.linked import LinkedTables
from tacita.tables.perturb.controlled_rounding import ControlledRounding
from tacita.tables.perturb.conventional_rounding import ConventionalRounding
from tacita.tables.ready import grid_table
from tacita.tables.table import Table

STORED = Path(__file__).parents[4] / "shared/data/tables/derived_jj"
RNG = np.random.default_rng(0)
SEEDS = st.integers(0, 10**6)
MOST_CELLS = 1000  # of a random table, so that its integer program is quick


def rounded(system, base, **options):
    """Round a table and hold what is always true against the result."""
    found = ControlledRounding(base, **options).perturb(system, RNG)
    step = Fraction(str(base))
    times = np.array([Fraction(str(value)) / step for value in found.value])
    assert all(time.denominator == 1 for time in times)
    whole = times.astype(np.int64)
    come_to = [Fraction(str(value)) / step for value in system.rhs]
    assert (system.relations.astype(np.int64) @ whole == come_to).all()
    assert found.is_additive
    assert found.bound <= found.loss * (1 + 1e-9)
    if not found.remarks:
        cells = system.cells
        assert (found.value >= np.floor(cells.lower_bound / base) * base).all()
        assert (found.value <= np.ceil(cells.upper_bound / base) * base).all()
    return found


def distance(found):
    return float(np.abs(found.change).sum())


def cube(inner):
    """Make a table of any number of attributes from what stands inside of it."""
    full = np.asarray(inner, float)
    for axis in range(full.ndim):
        full = np.concatenate([full.sum(axis=axis, keepdims=True), full], axis=axis)
    spans = tuple(
        Dimension.flat("abcd"[axis], [f"{axis}{code}" for code in range(size - 1)])
        for axis, size in enumerate(full.shape)
    )
    places = np.array(list(np.ndindex(full.shape)), np.int32)
    return Table("cube", spans, places, Cells.of(full.ravel()), "v", "sum")


PARITY = cube([[[1, 0], [0, 1]], [[0, 1], [1, 0]]])  # without a zero-restricted rounding to base 2


class TestEveryTable:
    @settings(max_examples=25)
    @given(SEEDS, st.integers(2, 4), st.sampled_from([3, 5, 10]))
    def test_is_additive_and_as_near_as_it_says(self, random_table, seed, dimensions, base):
        system = random_table(seed, dimensions=dimensions, most=20).system()
        assume(len(system) < MOST_CELLS)
        found = rounded(system, base, node_limit=1)
        assert (found.value >= 0).all()
        assert distance(found) == pytest.approx(found.loss)
        assert found.loss >= ConventionalRounding(base).perturb(system, RNG).loss - 1e-9
        is_multiple = system.cells.value % base == 0
        if not found.remarks:
            assert (np.abs(found.change) < base).all()
            assert (found.change[is_multiple] == 0).all()
        else:
            assert "No zero-restricted rounding" in found.remarks[0]
            assert (np.abs(found.change) >= base).any()

    @settings(max_examples=25)
    @given(SEEDS, st.integers(2, 3), st.sampled_from([3, 5, 10]))
    def test_unrestricted_never_loses_more(self, random_table, seed, dimensions, base):
        system = random_table(seed, dimensions=dimensions, most=20).system()
        assume(len(system) < MOST_CELLS // 2)
        free = rounded(system, base, zero_restricted=False, node_limit=50)
        near = rounded(system, base, node_limit=50)
        assert free.bound <= near.loss * (1 + 1e-6)
        assert free.remarks == ()
        assert (free.value >= 0).all()

    @settings(max_examples=30)
    @given(SEEDS, st.integers(2, 6), st.integers(2, 6), st.sampled_from([0.5, 3, 2.5]))
    def test_two_attributes_always_have_a_zero_restricted_one(self, seed, rows, columns, base):
        inner = np.random.default_rng(seed).integers(-300, 300, (rows, columns)) / 10
        found = rounded(cube(inner).system(), base)
        assert found.remarks == ()
        assert found.is_optimal
        assert (np.abs(found.change) < base).all()

    @settings(max_examples=15)
    @given(SEEDS, st.sampled_from(["equal", "relative", "cost"]))
    def test_a_network_and_an_integer_program_find_the_same(self, seed, weight):
        inner = np.random.default_rng(seed).integers(0, 40, (4, 5))
        system = cube(inner).system()
        flow = rounded(system, 7, weight=weight)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("tacita.tables.perturb.rounding.problem.network_of", lambda _: None)
            search = rounded(system, 7, weight=weight, node_limit=None)
        assert flow.loss == pytest.approx(search.loss, rel=1e-6)
        assert flow.is_optimal
        assert search.is_optimal

    def test_the_values_that_are_no_decimals_add_up_too(self):
        inner = np.array([[1 / 3, 2 / 3, 5.0], [np.pi, 10 / 3, 7.1]])
        found = ControlledRounding(1).perturb(cube(inner).system(), RNG)
        assert found.is_additive
        assert (np.abs(found.change) < 1).all()
        assert found.change[cube(inner).row(a="00", b="12")] == 0


def best_of_all(table, base, reach):
    """Find the least distance of additive tables by trying all; None if there are none."""
    system = table.system()
    is_total = np.zeros(len(system), bool)
    is_total[system.relations.indices[system.relations.data < 0]] = True
    leaves = np.flatnonzero(~is_total)
    below, rest = np.divmod(system.cells.value, base)
    ways = [below[leaf] + np.arange(1 - reach, reach + (rest[leaf] > 0)) for leaf in leaves]
    tried = np.array(list(product(*ways)))
    sizes = [len(dimension) - 1 for dimension in table.dimensions]
    full = tried.reshape(len(tried), *sizes)
    for axis in range(1, full.ndim):
        full = np.concatenate([full.sum(axis=axis, keepdims=True), full], axis=axis)
    values = full.reshape(len(tried), -1) * base
    off = np.abs(values - system.cells.value)
    is_allowed = (off < reach * base).all(axis=1) & (values >= 0).all(axis=1)
    return off.sum(axis=1)[is_allowed].min() if is_allowed.any() else None


class TestTryingAll:
    @settings(max_examples=40)
    @given(SEEDS, st.sampled_from([(2, 2), (2, 3), (2, 2, 2)]), st.sampled_from([2, 3, 5]))
    def test_nothing_is_closer(self, seed, shape, base):
        table = cube(np.random.default_rng(seed).integers(0, 12, shape))
        found = rounded(table.system(), base, node_limit=None)
        least = best_of_all(table, base, 1)
        if least is None:
            assert "No zero-restricted rounding adds up" in found.remarks[0]
        else:
            assert found.remarks == ()
            assert found.is_optimal
            assert found.loss == pytest.approx(least)

    @settings(max_examples=10)
    @given(SEEDS, st.sampled_from([2, 3]))
    def test_nothing_is_closer_when_all_may_jump(self, seed, base):
        table = cube(np.random.default_rng(seed).integers(0, 9, (2, 2)))
        found = rounded(table.system(), base, zero_restricted=False)
        assert found.is_optimal
        assert found.loss == pytest.approx(best_of_all(table, base, 3))


class TestJumps:
    def test_where_there_is_no_zero_restricted_one_cells_jump_and_it_says_so(self):
        assert best_of_all(PARITY, 2, 1) is None
        found = rounded(PARITY.system(), 2)
        assert found.is_optimal
        assert found.loss == best_of_all(PARITY, 2, 2)
        assert (np.abs(found.change) >= 2).sum() == 1
        (remark,) = found.remarks
        assert remark == (
            "No zero-restricted rounding adds up: 1 cell jumped over the next multiple of 2, to "
            "less than 4 from the true value."
        )

    def test_a_search_that_is_cut_short_says_so_and_still_adds_up(self):
        inner = np.random.default_rng(3).integers(0, 30, (6, 6, 5))
        found = rounded(cube(inner).system(), 7, time_limit=1e-6)
        assert not found.is_optimal
        assert not found.is_reproducible
        assert found.bound <= found.loss
        if found.remarks:
            assert "No zero-restricted rounding was found within the limits" in found.remarks[0]

    def test_what_counts_as_more_is_moved_less(self):
        table = grid_table("t", {"x": [2, 2], "y": [2, 2]}, ["u", "v"])
        heavy = np.where(np.arange(9) == 4, 100.0, 1.0)
        system = table.with_cells(cost=heavy).system()
        value = rounded(system, 5, weight="cost").value
        assert value[4] == 0
        assert rounded(system, 5, weight="cost").loss == pytest.approx(
            float(heavy @ np.abs(value - table.cells.value))
        )


class TestBounds:
    def table(self, **bounds):
        table = grid_table("t", {"x": [6, 3], "y": [3, 8]}, ["u", "v"])
        lower, upper = table.cells.lower_bound.copy(), table.cells.upper_bound.copy()
        for place, (least, most) in bounds.items():
            at = table.row(row=place[0], column=place[1])
            lower[at], upper[at] = least, most
        return table.with_cells(lower_bound=lower, upper_bound=upper)

    @pytest.mark.parametrize("bounds", [(5, 9), (6, 20), (0, 9)])
    def test_values_stay_inside_of_what_everybody_knows(self, bounds):
        table = self.table(xu=bounds)
        found = rounded(table.system(), 5)
        assert bounds[0] <= found.value[table.row(row="x", column="u")] <= bounds[1]
        assert found.remarks == ()

    def test_where_no_multiple_is_inside_the_next_ones_are_taken(self):
        table = self.table(xu=(6, 7))
        found = rounded(table.system(), 5)
        assert found.value[table.row(row="x", column="u")] in (5, 10)
        (remark,) = found.remarks
        assert remark == (
            "1 cell is published outside of what everybody knows beforehand: no multiples inside "
            "were found that add up."
        )

    def test_where_none_adds_up_inside_cells_leave_it(self):
        table = self.table(xu=(6, 10), xv=(3, 5), yu=(3, 5), yv=(8, 10))
        upper = table.cells.upper_bound.copy()
        upper[table.row()] = 24
        found = rounded(table.with_cells(upper_bound=upper).system(), 5)
        assert "outside of what everybody knows" in found.remarks[0]

    def test_negative_values_are_rounded_like_others(self):
        table = grid_table("t", {"x": [-6, 3], "y": [4, -11]}, ["u", "v"])
        found = rounded(table.system(), 5)
        assert found.remarks == ()
        assert (np.abs(found.change) < 5).all()


class TestTables:
    def test_sensitive_cells_are_published_too(self):
        table = grid_table("t", {"x": [1, 7], "y": [9, 3]}, ["u", "v"], sensitive=[("x", "u")])
        assert not np.isnan(rounded(table.system(), 5).value).any()

    def test_linked_tables_share_their_cells(self):
        rng = np.random.default_rng(5)
        data = ta.read(
            pa.table({name: [f"{name}{at}" for at in rng.integers(0, 4, 300)] for name in "abc"})
        )
        pair = LinkedTables(tuple(ta.tabulate(data, list(by)) for by in ("ab", "ac")))
        found = rounded(pair.system(), 5)
        assert (np.abs(found.change) < 5).all()

    def test_a_table_without_totals_is_rounded_to_the_nearest(self):
        system = PARITY.system()
        alone = replace(system, relations=system.relations[:0], rhs=np.zeros(0))
        found = ControlledRounding(3).perturb(alone, RNG)
        assert np.array_equal(found.value, ConventionalRounding(3).perturb(alone, RNG).value)
        assert found.is_optimal

    def test_the_same_table_gives_the_same_values(self, random_table):
        system = random_table(11, dimensions=3, most=20).system()
        one, other = (rounded(system, 5, node_limit=1).value for _ in range(2))
        assert np.array_equal(one, other)

    @pytest.mark.skipif(not STORED.is_dir(), reason="the reference data are not here")
    @pytest.mark.parametrize("base", [5, 1000])
    def test_stored_instances_have_a_zero_restricted_one(self, base):
        found = rounded(read_table(STORED / "tauW_IS_p10.jj.gz"), base)
        assert found.is_optimal
        assert found.remarks == ()


class TestRefuses:
    def test_a_cell_without_a_value(self):
        system = PARITY.system()
        value = np.where(np.arange(len(system)) == 3, np.nan, system.cells.value)
        lacking = replace(system, cells=replace(system.cells, value=value))
        with pytest.raises(InputError, match="Start from the table before it was suppressed"):
            ControlledRounding(5).perturb(lacking, RNG)

    def test_a_relation_that_comes_to_no_multiple(self):
        system = PARITY.system()
        rhs = np.where(np.arange(len(system.rhs)) == 1, 3.0, 0.0)
        with pytest.raises(InputError, match="Relation 2 of the table comes to 3, which is no mul"):
            ControlledRounding(5).perturb(replace(system, rhs=rhs), RNG)

    def test_relations_that_no_multiples_fulfil(self):
        """Twice a number of fives is never five."""
        system = grid_table("t", {"x": [10, 20]}, ["u", "v"]).system()
        relations = 2 * system.relations
        wrong = replace(system, relations=relations, rhs=np.full(len(system.rhs), 5.0))
        with pytest.raises(ProtectionError, match="No multiples of 5 fulfil all relations"):
            ControlledRounding(5).perturb(wrong, RNG)

    def test_a_base_that_is_none(self):
        with pytest.raises(ParameterError, match="`base` of `controlled_rounding`"):
            ControlledRounding(0)
