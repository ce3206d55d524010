"""Interval publication: attacked by another solver, and the least widths found in another way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from tacita.data.decimals import decimals_of
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.tables.formats import read_table
from tacita.tables.perturb.interval_publication import IntervalPublication
from tacita.tables.ready import grid_table
from tacita.tables.status import Status
from tacita.tables.system import System

STORED = Path(__file__).parents[4] / "shared" / "data" / "tables" / "derived_jj"


def published(system, seed=0, **options):
    return IntervalPublication(**options).perturb(system, np.random.default_rng(seed))


def outcome(system, **options):
    """Publish intervals; None where that is said to be impossible."""
    try:
        return published(system, **options)
    except ProtectionError as error:
        if "cannot be protected" not in str(error):
            raise
        return None


def judged(random_table, seed, dimensions, count):
    """Make a random table: sensitive cells with levels, as many secondaries, and kept cells."""
    several = (random_table(seed + more, dimensions=dimensions, share=0.0) for more in range(6))
    table = min(several, key=len)
    rng, size = np.random.default_rng(seed), len(table)
    status = np.where(rng.random(size) < 0.01, Status.PUBLISHED, Status.SAFE).astype(np.int8)
    chosen = rng.choice(size, 2 * count, replace=False)
    status[chosen[:count]], status[chosen[count:]] = Status.SENSITIVE, Status.SECONDARY
    sensitive = status == Status.SENSITIVE
    below = np.minimum(rng.integers(0, 4, size), table.cells.value)
    return table.with_cells(
        status=status,
        upper_level=np.where(sensitive, rng.integers(1, 5, size), 0).astype(float),
        lower_level=np.where(sensitive, below, 0).astype(float),
    ).system()


def worked_out(system: System, found, cell: int, sign: int) -> float:
    """Return how far an intruder can move a cell, by a linear program of another solver."""
    solved = linprog(
        -sign * np.eye(len(system))[cell],
        A_eq=system.relations.toarray().astype(float),
        b_eq=system.rhs,
        bounds=list(zip(found.lower, found.upper, strict=True)),
    )
    assert solved.status == 0
    return sign * (solved.x[cell] - system.cells.value[cell])


def check(found, system: System):
    """Hold the laws against what is published."""
    cells = system.cells
    wide = found.lower < found.upper
    assert ((found.lower <= cells.value) & (cells.value <= found.upper)).all()
    assert ((found.lower >= cells.lower_bound) & (found.upper <= cells.upper_bound)).all()
    assert not wide[cells.status == Status.PUBLISHED].any()
    assert wide[cells.sensitive].all()
    assert (np.isnan(found.value) == wide).all()
    assert (found.value[~wide] == cells.value[~wide]).all()
    assert decimals_of(np.r_[found.lower, found.upper]) <= system.decimals
    for cell in np.flatnonzero(cells.sensitive):
        for sign, level in ((1, cells.upper_level[cell]), (-1, cells.lower_level[cell])):
            assert worked_out(system, found, int(cell), sign) >= level - 1e-7
    assert found.bound <= found.loss


def least_by_one_program(system: System) -> float:
    """Find the least widths in one linear program: a deviation for each level, all at once."""
    cells, size = system.cells, len(system)
    levels = [
        (int(cell), sign, level)
        for cell in np.flatnonzero(cells.sensitive)
        for sign, level in ((1, cells.upper_level[cell]), (-1, cells.lower_level[cell]))
        if level > 0
    ]
    matrix, eye = system.relations.toarray().astype(float), np.eye(size)
    free = cells.status != Status.PUBLISHED
    most = float(cells.value.sum() + 100)
    columns = (2 + len(levels)) * size
    equal, at_most = [], []
    for number, _ in enumerate(levels):
        own = slice((2 + number) * size, (3 + number) * size)
        keeps = np.zeros((len(matrix), columns))
        keeps[:, own] = matrix
        equal.append(keeps)
        for sign, widths in ((1, slice(0, size)), (-1, slice(size, 2 * size))):
            inside = np.zeros((size, columns))
            inside[:, own], inside[:, widths] = sign * eye, -eye
            at_most.append(inside)
    rooms = np.r_[
        np.where(free, np.minimum(cells.upper_bound - cells.value, most), 0.0),
        np.where(free, np.minimum(cells.value - cells.lower_bound, most), 0.0),
    ]
    bounds = [(0.0, room) for room in rooms]
    for cell, sign, level in levels:
        moves = [(-most, most)] * size
        moves[cell] = (level, most) if sign > 0 else (-most, -level)
        bounds += moves
    equal, at_most = np.vstack(equal), np.vstack(at_most)
    solved = linprog(
        np.r_[np.ones(2 * size), np.zeros(columns - 2 * size)],
        A_eq=equal,
        b_eq=np.zeros(len(equal)),
        A_ub=at_most,
        b_ub=np.zeros(len(at_most)),
        bounds=bounds,
    )
    assert solved.status == 0
    return solved.fun


class TestLaws:
    @settings(max_examples=10)
    @given(seed=st.integers(0, 10**6), dimensions=st.integers(2, 3), widening=st.floats(0, 2))
    def test_contains_the_truth_and_no_level_is_missed(
        self, random_table, seed, dimensions, widening
    ):
        system = judged(random_table, seed, dimensions, 4)
        found = outcome(system, widening=widening)
        assume(found is not None)
        check(found, system)

    @settings(max_examples=6)
    @given(seed=st.integers(0, 10**6))
    def test_every_suppressed_cell_by_choice(self, random_table, seed):
        system = judged(random_table, seed, 2, 3)
        found = outcome(system, cells="suppressed")
        assume(found is not None)
        check(found, system)
        for cell in np.flatnonzero(system.cells.status == Status.SECONDARY):
            reach = [worked_out(system, found, int(cell), sign) for sign in (1, -1)]
            assert sum(reach) >= 1 - 1e-7

    @settings(max_examples=8)
    @given(seed=st.integers(0, 10**6))
    def test_as_narrow_as_one_large_program_finds(self, random_table, seed):
        system = judged(random_table, seed, 2, 3)
        found = outcome(system, widening=0)
        assume(found is not None)
        least = least_by_one_program(system)
        assert found.bound == pytest.approx(least, rel=1e-5)
        assert found.loss >= least * (1 - 1e-6)


class TestWhereTheTruthLies:
    @pytest.fixture
    def system(self):
        inside = {"x": [40, 50, 60], "y": [60, 70, 80]}
        return grid_table("t", inside, "uvw", sensitive=[("x", "u")], level=9.0).system()

    def test_at_random_between_the_ends(self, system):
        cell = int(np.flatnonzero(system.cells.sensitive)[0])
        shares = []
        for seed in range(60):
            found = published(system, seed)
            lower, upper = found.lower[cell], found.upper[cell]
            assert 18 <= upper - lower <= 54
            assert lower <= 31
            assert upper >= 49
            shares.append((40 - lower) / (upper - lower))
        assert len(set(shares)) > 10
        assert min(shares) < 0.35
        assert max(shares) > 0.65

    def test_the_width_does_not_tell_the_level(self, system):
        cell = int(np.flatnonzero(system.cells.sensitive)[0])
        several = (published(system, seed) for seed in range(60))
        widths = [float(found.upper[cell] - found.lower[cell]) for found in several]
        assert len(set(widths)) > 10
        assert min(widths) < 24
        assert max(widths) > 48
        assert abs(np.mean(widths) - 36) < 6

    def test_the_same_seed_gives_the_same_intervals(self, system):
        one, other = published(system, 5), published(system, 5)
        assert one.lower.tolist() == other.lower.tolist()
        assert one.upper.tolist() == other.upper.tolist()

    def test_without_widening_it_is_as_narrow_as_can_be(self, system):
        found = published(system, widening=0)
        assert found.is_optimal
        assert found.bound == pytest.approx(found.loss, rel=1e-9)  # proven in doubles
        assert found.bound <= found.loss
        assert published(system).loss > found.loss

    def test_a_dear_cell_is_spared(self, system):
        """With weights the deviation goes through cells that cost little."""
        wide = [
            published(system, widening=0, weight=weight).loss for weight in ("equal", "relative")
        ]
        assert wide[0] > wide[1]


class TestEdges:
    @pytest.mark.parametrize("size", [2.0**-40, 2.0**30])
    def test_the_size_of_costs_changes_nothing(self, size):
        inside = {"x": [40, 50, 60], "y": [60, 70, 80]}
        table = grid_table("t", inside, "uvw", sensitive=[("x", "u")], level=9.0)
        cost = np.arange(1.0, len(table) + 1)
        one, other = (
            published(table.with_cells(cost=cost * by).system(), widening=0, weight="cost")
            for by in (1.0, size)
        )
        assert one.is_optimal
        assert other.is_optimal
        assert other.loss == one.loss * size
        assert other.bound == pytest.approx(one.bound * size, rel=1e-9)

    @pytest.mark.parametrize("unit", [1.0, 1e6, 1e10, 1e13])
    def test_large_values_are_published_as_narrow_as_small_ones(self, unit):
        inside = {"x": [40 * unit, 50 * unit], "y": [60 * unit, 70 * unit]}
        table = grid_table("t", inside, "uv", sensitive=[("x", "u")], level=9 * unit)
        found = published(table.system(), widening=0)
        assert found.loss == pytest.approx(4 * 18 * unit)
        assert found.bound == pytest.approx(found.loss)

    def test_without_sensitive_cells_all_values_are_published(self, salary):
        system = salary.with_cells(status=np.zeros(len(salary), np.int8)).system()
        found = published(system)
        assert found.value.tolist() == system.cells.value.tolist()
        assert (found.loss, found.is_optimal, found.lower) == (0.0, True, None)

    def test_a_sensitive_cell_without_levels_is_not_told_exactly(self, salary):
        found = published(salary.system())
        check(found, salary.system())

    def test_told_in_a_sentence(self, salary):
        assert "published as intervals" in repr(published(salary.system()))

    def test_kept_cells_around_it_name_the_cell(self, salary):
        status = np.where(salary.cells.sensitive, Status.SENSITIVE, Status.PUBLISHED)
        level = np.where(salary.cells.sensitive, 10.0, 0.0)
        system = salary.with_cells(status=status.astype(np.int8), upper_level=level).system()
        with pytest.raises(ProtectionError, match=r"Sector IT, Region BCN\) cannot be protected"):
            published(system)

    def test_an_unknown_value_is_refused(self, salary):
        system = salary.system()
        value = system.cells.value.copy()
        value[3] = np.nan
        with pytest.raises(InputError, match="needs the value of every cell"):
            published(replace(system, cells=replace(system.cells, value=value)))

    def test_parameters_are_explained(self):
        with pytest.raises(ParameterError, match="`widening` of `interval_publication`"):
            IntervalPublication(widening=-1)


@pytest.mark.skipif(not STORED.exists(), reason="the reference data are not here")
def test_a_stored_table_is_published_at_the_least_widths():
    system = read_table(STORED / "simple2d_p15.jj.gz")
    found = published(system, widening=0)
    check(found, system)
    assert found.is_optimal
