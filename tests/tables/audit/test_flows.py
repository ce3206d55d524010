"""Tests of intervals found by flows, against linear programs and against all values that fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.errors import InputError
from tacita.tables.audit import intervals
from tacita.tables.audit.audit import TableAudit, audit
from tacita.tables.audit.flows import FlowPart, Networks
from tacita.tables.audit.intervals import SIDES, Part, parts_of
from tacita.tables.audit.presolve import Problem, problem_of
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.status import Status
from tacita.tables.system import System
from tacita.tables.table import Table

pytestmark = pytest.mark.numeric

SEEDS = st.integers(0, 10**6)
DEPTHS = st.sampled_from([0, 2, 3])


def two_way(
    seed: int, *sizes: int, deep: int = 0, least: int = 0, share: float = 0.5, unit: float = 1.0
) -> Table:
    """Make a table of rows, perhaps in branches of `deep` rows, by columns, with levels."""
    rng = np.random.default_rng(seed)
    rows, columns = sizes
    paths = [
        (f"r{row}", *([f"branch{row // deep}"] if deep else []), "Total") for row in range(rows)
    ]
    spans = Dimension.of_trees("a", [paths]), Dimension.flat("b", [f"c{c}" for c in range(columns)])
    values = np.zeros((len(spans[0]), columns + 1))
    for path in paths:
        drawn = rng.integers(least, 9, columns)
        for code in path:
            values[spans[0].place(code)] += [drawn.sum(), *drawn]
    drawn = rng.choice(
        [0, Status.SENSITIVE, Status.SECONDARY], values.size, p=[1 - share, *[share / 2] * 2]
    )
    level = {name: np.round(rng.integers(0, 5, values.size) * unit, 6) for name in LEVELS}
    cells = Cells.of(np.round(values.ravel() * unit, 6), status=drawn, **level)
    return Table("t", spans, np.array(list(np.ndindex(values.shape)), np.int32), cells)


LEVELS = ("lower_level", "upper_level", "sliding_level")


def with_bounds(table: Table, seed: int) -> Table:
    """Let something be known beforehand of some cells, nothing of others."""
    rng = np.random.default_rng(seed)
    value, n = table.cells.value, len(table)
    below = np.where(rng.random(n) < 0.5, rng.integers(0, 4, n), np.inf)
    above = np.where(rng.random(n) < 0.5, rng.integers(0, 4, n), np.inf)
    return table.with_cells(lower_bound=value - below, upper_bound=value + above)


def by_flows(
    table: System | Table, monkeypatch: pytest.MonkeyPatch, **options: float
) -> TableAudit:
    """Audit with flows wherever that can be done, however small the parts are."""
    with monkeypatch.context() as patch:
        patch.setattr(intervals, "MANY", 1)
        return audit(table, **options)


def by_programs(
    table: System | Table, monkeypatch: pytest.MonkeyPatch, **options: float
) -> TableAudit:
    with monkeypatch.context() as patch:
        patch.setattr(intervals, "MANY", np.inf)
        return audit(table, **options)


@pytest.fixture(scope="module")
def same() -> Callable[..., None]:
    """Compare the two ways to audit a table."""

    def compare(table: System | Table, **options: float) -> None:
        with pytest.MonkeyPatch.context() as patch:
            one = by_flows(table, patch, **options)
            other = by_programs(table, patch, **options)
        assert one.lower == pytest.approx(other.lower, abs=1e-6)
        assert one.upper == pytest.approx(other.upper, abs=1e-6)
        for name in ("disclosed", "by_arithmetic", "is_protected"):
            assert getattr(one, name).tolist() == getattr(other, name).tolist()

    return compare


def parts(system: System, rounding: float = 0.0) -> list[Problem]:
    problem = problem_of(system, rounding=rounding)
    return list(problem.without(problem.is_fixed).components())


class TestAsLinearPrograms:
    @settings(max_examples=200)
    @given(SEEDS, st.integers(2, 7), st.integers(2, 5), DEPTHS)
    def test_tables(self, same, seed, rows, columns, deep):
        same(two_way(seed, rows, columns, deep=deep))

    @settings(max_examples=100)
    @given(SEEDS, DEPTHS, st.sampled_from([0, -8]))
    def test_bounds_and_cells_without_any(self, same, seed, deep, least):
        same(with_bounds(two_way(seed, 5, 4, deep=deep, least=least), seed))

    @settings(max_examples=50)
    @given(SEEDS, DEPTHS)
    def test_negative_values(self, same, seed, deep):
        same(two_way(seed, 5, 4, deep=deep, least=-8))

    @settings(max_examples=50)
    @given(SEEDS, st.sampled_from([0.1, 0.001, 1e6, 1e9]))
    def test_other_units(self, same, seed, unit):
        same(two_way(seed, 4, 4, unit=unit))

    @settings(max_examples=50)
    @given(SEEDS, DEPTHS)
    def test_rounding(self, same, seed, deep):
        same(two_way(seed, 4, 3, deep=deep), rounding=1.0)

    @settings(max_examples=50)
    @given(SEEDS, st.integers(1, 3))
    def test_any_table(self, same, random_table, seed, dimensions):
        """Of tables that are no networks some parts are."""
        same(random_table(seed, dimensions=dimensions, share=0.3))

    @settings(max_examples=50)
    @given(SEEDS)
    def test_what_an_intruder_does_not_know_is_not_needed(self, same, seed):
        same(two_way(seed, 5, 4, deep=2).published())


class TestAllThatFits:
    @settings(max_examples=100)
    @given(SEEDS, DEPTHS)
    def test_the_ends_are_reached_and_never_passed(self, seed, deep):
        system = two_way(seed, 4, 3, deep=deep, share=0.25).system()
        for problem in parts(system):
            part = Networks(system.relations).part(problem)
            lower, upper = problem.ends
            if not np.prod(upper - lower + 1) <= 100_000:
                continue
            tried = np.array(list(product(*map(np.arange, lower, upper + 1))))
            fitting = tried[(tried @ problem.matrix.T.toarray() == problem.rhs).all(axis=1)]
            ends = part.ends(np.ones(len(problem), bool))
            assert ends.lower.tolist() == fitting.min(axis=0).tolist()
            assert ends.upper.tolist() == fitting.max(axis=0).tolist()


class TestNetworks:
    @pytest.mark.parametrize(("share", "kind"), [(0.2, Part), (0.6, FlowPart)])
    def test_large_parts_are_searched_by_flows(self, share, kind):
        system = two_way(3, 60, 40, share=share).system()
        assert type(next(parts_of(problem_of(system), system))) is kind

    def test_a_large_table_with_subtotals_too(self):
        system = two_way(3, 60, 40, deep=6, share=0.2).system()
        problem = max(parts(system), key=len)
        assert (np.diff(problem.matrix.tocsc().indptr) > 2).any()
        assert isinstance(Networks(system.relations).part(problem), FlowPart)

    def test_other_relations_and_numbers_are_left_to_linear_programs(self):
        system = two_way(1, 4, 4).system()
        problem = parts(system)[0]
        networks = Networks(system.relations)
        assert networks.part(problem) is not None
        assert networks.part(replace(problem, is_whole=False)) is None
        assert networks.part(replace(problem, rhs=problem.rhs + 2.0**58)) is None
        assert networks.part(replace(problem, matrix=problem.matrix * 3)) is None

    def test_three_directions_are_no_network(self, random_table):
        system = random_table(1, dimensions=3, share=0.9).system()
        assert Networks(system.relations).part(parts(system)[0]) is None


class TestSingleCells:
    def found(self) -> tuple[FlowPart, Part]:
        system = two_way(1, 5, 4, share=0.6).system()
        problem = parts(system)[0]
        return Networks(system.relations).part(problem), Part.of(problem, system)

    def test_what_is_proven_needs_no_search_before(self):
        one, other = self.found()
        for cell, side in product(range(len(one.problem)), SIDES):
            assert one.proven(cell, side) == other.proven(cell, side)

    def test_only_what_is_wanted_is_searched(self):
        one, other = self.found()
        wanted = np.arange(len(one.problem)) == 2
        (lower, upper), ends = one.ends(wanted), other.ends(wanted)
        assert (lower[2], upper[2]) == (ends.lower[2], ends.upper[2])
        assert (lower <= ends.upper).all()


def grid_system(rows: list[int], columns: list[int], pattern: np.ndarray) -> System:
    """Make a system of unknown cells that come to some sums by row and by column."""
    row, column = np.nonzero(pattern)
    relations = np.vstack(
        [row == np.arange(len(rows))[:, None], column == np.arange(len(columns))[:, None]]
    )
    nothing = np.full(len(row), np.nan)
    cells = Cells.of(nothing, status=np.ones(len(row)), lower_bound=np.zeros(len(row)))
    return System(
        cells, csr_array(relations.astype(np.int64)), np.array([*rows, *columns], float)
    ).checked()


class TestContradictions:
    """What no single relation shows."""

    def test_sums_of_rows_and_columns_that_differ(self, monkeypatch):
        system = grid_system([5, 5, 5], [5, 5, 6], np.ones((3, 3)))
        for way in (by_flows, by_programs):
            with pytest.raises(InputError, match="contradict each other"):
                way(system, monkeypatch)

    def test_two_rows_that_some_columns_have_no_room_for(self, monkeypatch):
        """The first two rows come to 10, and the three columns in which they are to 9."""
        pattern = np.ones((4, 6), bool)
        pattern[:2, 3:] = False
        for way in (by_flows, by_programs):
            with pytest.raises(InputError, match="contradict each other"):
                way(grid_system([5, 5, 4, 4], [3] * 6, pattern), monkeypatch)
            found = way(grid_system([5, 4, 5, 4], [3] * 6, pattern), monkeypatch)
            assert found.disclosed.sum() == 6  # nothing is left for the others in these columns

    @settings(max_examples=100)
    @given(SEEDS, DEPTHS)
    def test_both_ways_refuse_the_same_tables(self, seed, deep):
        """A published number is changed: there may be no values left, also among subtotals."""
        table = two_way(seed, 5, 4, deep=deep, share=0.6).published()
        shown = np.flatnonzero(np.isfinite(table.cells.value))
        assume(shown.size)
        value = table.cells.value.copy()
        value[np.random.default_rng(seed).choice(shown)] += 1
        refused = []
        with pytest.MonkeyPatch.context() as patch:
            for way in (by_flows, by_programs):
                try:
                    way(table.with_cells(value=value), patch)
                    refused.append(False)
                except InputError:
                    refused.append(True)
        assert refused[0] == refused[1]

    def test_an_equation_that_follows_from_others_must_hold_too(self):
        system = two_way(3, 12, 8, deep=4, share=0.9).system()
        problem = parts(system)[0]
        networks = Networks(system.relations)
        assert networks.part(problem) is not None
        for row in np.flatnonzero(~networks._kept(problem)):
            wrong = problem.rhs.copy()
            wrong[row] += 1
            with pytest.raises(InputError, match="contradict each other"):
                networks.part(replace(problem, rhs=wrong))


def test_huge_values_are_told_to_the_last_unit(monkeypatch):
    """Cells of 10^12 that three units move: as linear programs and exact points find them."""
    grid = np.array([[1e12, 1e12], [1, 2]])
    full = np.column_stack([grid.sum(1), grid])
    full = np.vstack([full.sum(0), full])
    spans = tuple(Dimension.flat(name, "xy") for name in "ab")
    places = np.array(list(np.ndindex(3, 3)), np.int32)
    status = np.where((places > 0).all(axis=1), Status.SENSITIVE, Status.SAFE)
    level = np.zeros(9)
    for more, is_enough in ((0, True), (1, False)):
        level[4] = 1 + more
        table = Table("t", spans, places, Cells.of(full.ravel(), status=status, upper_level=level))
        found = by_flows(table, monkeypatch)
        assert (found.lower[4], found.upper[4]) == (1e12 - 2, 1e12 + 1)
        assert found.is_protected[4] == is_enough
