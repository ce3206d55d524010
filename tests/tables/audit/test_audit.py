from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from tacita.errors import InputError, ParameterError
from tacita.tables.audit.audit import audit
from tacita.tables.cells import Cells
from tacita.tables.ready import flat_dimension, ready_table
from tacita.tables.status import Status
from tacita.tables.system import System
from tacita.tables.table import Table

pytestmark = pytest.mark.numeric

SEEDS = st.integers(0, 10**6)
NAN = np.nan


def independent_ends(system: System) -> tuple[np.ndarray, np.ndarray]:
    """Solve the two linear programs of every unknown cell one by one, with another solver."""
    unknown = np.flatnonzero(system.unknown)
    matrix = system.relations.toarray()
    rhs = system.rhs - matrix @ np.where(system.unknown, 0.0, system.cells.value)
    bounds = list(
        zip(system.cells.lower_bound[unknown], system.cells.upper_bound[unknown], strict=True)
    )
    lower, upper = system.cells.value.copy(), system.cells.value.copy()
    for number, cell in enumerate(unknown):
        cost = np.eye(len(unknown))[number]
        ends = [
            linprog(sign * cost, A_eq=matrix[:, unknown], b_eq=rhs, bounds=bounds)
            for sign in (1, -1)
        ]
        lower[cell] = ends[0].fun if ends[0].status == 0 else -np.inf
        upper[cell] = -ends[1].fun if ends[1].status == 0 else np.inf
    return lower, upper


def feasible_tables(system: System) -> np.ndarray:
    """List all whole values that the unknown cells can have, by trying them."""
    unknown = np.flatnonzero(system.unknown)
    most = int(system.cells.value.max())
    rhs = system.rhs - system.relations @ np.where(system.unknown, 0.0, system.cells.value)
    tried = np.array(list(product(range(most + 1), repeat=len(unknown))), float).reshape(
        -1, len(unknown)
    )
    matrix = system.relations.toarray()[:, unknown]
    return tried[(tried @ matrix.T == rhs).all(axis=1)]


class TestPrintedExamples:
    def test_the_salary_table_discloses_all_three_cells(self, salary):
        found = audit(salary)
        hidden = salary.cells.suppressed
        assert (found.lower[hidden] == salary.cells.value[hidden]).all()
        assert (found.upper[hidden] == salary.cells.value[hidden]).all()
        assert found.by_arithmetic[hidden].all()
        assert len(found.exact_disclosed) == 3
        assert not found
        assert "NOT SAFE: 3 sensitive cells" in repr(found)

    def test_the_intruder_needs_no_suppressed_value(self, salary):
        found = audit(salary.published())
        assert found.lower[salary.row(Sector="IT", Region="BCN")] == 852000

    def test_the_small_table_has_its_interval(self):
        codes = {"a": [*"111222333", *["Total"] * 3], "b": ["1", "2", "Total"] * 4}
        values = [NAN, NAN, 7, NAN, NAN, 3, 3, 3, 6, 9, 7, 16]
        status = np.where(np.isnan(values), Status.SENSITIVE, Status.SAFE)
        spans = [flat_dimension(name, column) for name, column in codes.items()]
        found = audit(ready_table("example", spans, codes, {"value": values, "status": status}))
        table = found.to_pandas().set_index("name")
        assert table.loc["(a 1, b 1)", ["lower", "upper"]].tolist() == [3, 6]
        assert table.loc["(a 1, b 2)", ["lower", "upper"]].tolist() == [1, 4]
        assert found.is_safe


class TestIntervals:
    @given(SEEDS, st.integers(2, 4))
    def test_they_are_those_of_an_independent_solver(self, random_table, seed, dimensions):
        share = 0.5 if dimensions < 4 else 0.15
        system = random_table(seed, dimensions=dimensions, share=share).system()
        if system.unknown.sum() > 60:
            return
        found = audit(system)
        lower, upper = independent_ends(system)
        assert found.lower == pytest.approx(lower, abs=1e-6)
        assert found.upper == pytest.approx(upper, abs=1e-6)

    @given(SEEDS)
    def test_they_hold_every_table_that_fits(self, random_table, seed):
        system = random_table(seed, share=0.25, most=2).system()
        unknown = np.flatnonzero(system.unknown)
        if not unknown.size or (system.cells.value.max() + 1) ** unknown.size > 200_000:
            return
        found, fitting = audit(system), feasible_tables(system)
        assert (fitting >= found.lower[unknown] - 1e-9).all()
        assert (fitting <= found.upper[unknown] + 1e-9).all()

    @given(SEEDS)
    def test_in_two_dimensions_without_hierarchies_they_are_reached_by_whole_numbers(self, seed):
        """Such tables are transportation problems, whose vertices are whole."""
        rng = np.random.default_rng(seed)
        grid = rng.integers(0, 3, (2, 3)).astype(float)
        pattern = rng.random((3, 4)) < 0.6
        pattern[0], pattern[:, 0] = False, False  # what is added up stays visible
        table = two_way(grid, pattern)
        system, unknown = table.system(), np.flatnonzero(table.cells.suppressed)
        if not unknown.size or (grid.sum() + 1) ** unknown.size > 200_000:
            return
        found, fitting = audit(system), feasible_tables(system)
        assert found.lower[unknown].tolist() == fitting.min(axis=0).tolist()
        assert found.upper[unknown].tolist() == fitting.max(axis=0).tolist()

    @given(SEEDS)
    def test_the_order_of_cells_and_relations_does_not_matter(self, random_table, seed):
        system = random_table(seed, dimensions=3).system()
        rng = np.random.default_rng(seed)
        cells, rows = rng.permutation(len(system)), rng.permutation(system.relations.shape[0])
        shuffled = replace(
            system,
            cells=system.cells.take(cells),
            relations=system.relations[rows][:, cells],
            rhs=system.rhs[rows],
        )
        one, other = audit(system), audit(shuffled)
        assert other.lower.tolist() == one.lower[cells].tolist()
        assert other.upper.tolist() == one.upper[cells].tolist()
        assert other.disclosed.tolist() == one.disclosed[cells].tolist()
        assert other.is_protected.tolist() == one.is_protected[cells].tolist()

    @given(SEEDS, st.sampled_from([10.0, 0.01, 3.0]))
    def test_another_unit_scales_them(self, random_table, seed, factor):
        table = random_table(seed, dimensions=3)
        levels = {name: np.full(len(table), 1.0) for name in ("lower_level", "upper_level")}
        scaled = {name: level * factor for name, level in levels.items()}
        one = audit(table.with_cells(**levels))
        other = audit(table.with_cells(value=np.round(table.cells.value * factor, 2), **scaled))
        assert other.lower == pytest.approx(one.lower * factor)
        assert other.upper == pytest.approx(one.upper * factor)
        assert other.disclosed.tolist() == one.disclosed.tolist()
        assert other.is_protected.tolist() == one.is_protected.tolist()

    def test_without_bounds_a_cell_can_be_anything(self):
        grid = np.array([[5.0, -3.0], [2.0, 4.0]])
        hidden = np.zeros((3, 3), bool)
        hidden[1:, 1:] = True
        found = audit(two_way(grid, hidden))
        cell = found.system.unknown
        assert (found.lower[cell] == -np.inf).all()
        assert (found.upper[cell] == np.inf).all()
        assert found.is_safe
        assert "unbounded" not in repr(found)

    def test_known_bounds_narrow_them(self, salary):
        hidden = salary.suppress(
            *({"Sector": s, "Region": r} for s in ("HC", "IT") for r in ("BCN", "TGN"))
        )
        bound = np.full(len(hidden), np.inf)
        bound[hidden.row(Sector="HC", Region="TGN")] = 110000.0
        wide, narrow = audit(hidden), audit(hidden.with_cells(upper_bound=bound))
        row = hidden.row(Sector="HC", Region="BCN")
        assert wide.lower[row] == 482000 - 350000
        assert narrow.lower[row] == 482000 - 110000


class TestVerdicts:
    def hidden(self, lower: float, upper: float) -> Table:
        """Four cells x + y = 7 and so on, of which x lies between 3 and 6 and is 4."""
        grid = np.array([[4.0, 3.0], [2.0, 1.0], [3.0, 3.0]])
        pattern = np.zeros((4, 3), bool)
        pattern[1:3, 1:] = True
        table = two_way(grid, pattern)
        row = table.row(a="a0", b="b0")
        levels = {"lower_level": np.zeros(len(table)), "upper_level": np.zeros(len(table))}
        levels["lower_level"][row], levels["upper_level"][row] = lower, upper
        return table.with_cells(**levels)

    @pytest.mark.parametrize(
        ("lower", "upper", "safe"),
        [(1, 2, True), (1.000001, 2, False), (1, 2.000001, False), (0.5, 1.5, True), (2, 0, False)],
    )
    def test_levels_are_compared_exactly(self, lower, upper, safe):
        found = audit(self.hidden(lower, upper))
        row = (
            found.system.cells.upper_level.argmax()
            if upper
            else found.system.cells.lower_level.argmax()
        )
        assert (found.lower[row], found.upper[row]) == (3, 6)
        assert found.is_safe is safe

    @pytest.mark.parametrize(("width", "safe"), [(3, True), (3.01, False)])
    def test_sliding_levels_ask_for_a_width(self, width, safe):
        table = self.hidden(0, 0)
        level = np.zeros(len(table))
        level[table.row(a="a0", b="b0")] = width
        assert audit(table.with_cells(sliding_level=level)).is_safe is safe

    def test_of_an_unknown_value_the_width_is_judged(self):
        table = self.hidden(1, 2)
        cells = table.published().cells
        kept = {name: getattr(table.cells, name) for name in ("lower_level", "upper_level")}
        assert audit(replace(table, cells=replace(cells, **kept))).is_safe
        wider = {"lower_level": kept["lower_level"] * 1.5, "upper_level": kept["upper_level"]}
        assert not audit(replace(table, cells=replace(cells, **wider))).is_safe

    def test_a_cell_without_levels_must_only_not_be_disclosed(self):
        assert audit(self.hidden(0, 0)).is_safe

    def test_secondary_cells_need_no_protection_of_their_own(self, salary):
        status = np.where(salary.cells.suppressed, Status.SECONDARY, Status.SAFE)
        found = audit(salary.with_cells(status=status))
        assert found.is_safe
        assert found.to_dict()["secondary_disclosed"] == 3

    def test_cells_that_bounds_alone_disclose(self):
        """Two zeros below a published total of 0: nothing is added up, and still all is known."""
        pattern = np.zeros((3, 3), bool)
        pattern[1, 1:] = True
        pattern[2, 1:] = True
        found = audit(two_way(np.array([[0.0, 0.0], [4.0, 5.0]]), pattern))
        assert found.disclosed.sum() == 4
        assert not found.by_arithmetic.any()

    def test_a_published_system_that_contradicts_itself_is_refused(self):
        table = self.hidden(0, 0).published()
        value = table.cells.value.copy()
        value[table.row(a="a2", b="b0")] = 99.0
        with pytest.raises(InputError, match=r"leave no value for cell|does not add up"):
            audit(table.with_cells(value=value))


def rectangle(grid, **levels) -> Table:
    """Make a table whose margins are published and whose four cells are suppressed."""
    pattern = np.zeros((3, 3), bool)
    pattern[1:, 1:] = True
    table = two_way(np.array(grid, float), pattern)
    row = table.row(a="a0", b="b0")
    columns = {name: np.zeros(len(table)) for name in levels}
    for name, level in levels.items():
        columns[name][row] = level
    return table.with_cells(**columns)


class TestTies:
    """The first cell of [[5, 2], [1, 2]] lies in [3, 6], whatever the unit."""

    UNITS = (1.0, 1e-9, 1e-12, 0.01, 1e6, 1e12, 2.0**46)

    @pytest.mark.parametrize("unit", UNITS)
    @pytest.mark.parametrize(
        ("level", "most"), [("upper_level", 1), ("lower_level", 2), ("sliding_level", 3)]
    )
    def test_a_level_that_is_just_reached_is_enough_and_more_is_not(self, unit, level, most):
        grid = [[5 * unit, 2 * unit], [1 * unit, 2 * unit]]
        assert audit(rectangle(grid, **{level: most * unit})).is_protected.all()
        found = audit(rectangle(grid, **{level: (most + 1) * unit}))
        assert (~found.is_protected).sum() == 1

    @pytest.mark.parametrize("level", ["upper_level", "sliding_level"])
    def test_one_unit_decides_between_huge_values(self, level):
        """Cells of 10^12 that can be moved by three units: doubles of a solver hardly see them."""
        much = 10**12
        reach = {"upper_level": 1, "sliding_level": 3}[level]
        for more, is_enough in ((0, True), (1, False)):
            table = rectangle([[much, much], [1, 2]], **{level: reach + more})
            found = audit(table)
            row = table.row(a="a0", b="b0")
            assert (found.lower[row], found.upper[row]) == (much - 2, much + 1)
            assert found.is_protected[row] == is_enough
            assert not found.disclosed.any()

    def test_bounds_far_larger_than_the_values_do_not_unbound_a_cell(self):
        table = rectangle([[5e12, 2e12], [1e12, 2e12]])
        upper = np.where(table.cells.suppressed, 8e12, np.inf)
        found = audit(table.with_cells(upper_bound=upper))
        row = table.row(a="a0", b="b0")
        assert (found.lower[row], found.upper[row]) == (3e12, 6e12)

    def test_coefficients_other_than_one(self):
        """3 x + 2 y = 12 leaves x between 0 and 4, and y between 0 and 6."""
        cells = Cells.of([2.0, 3.0], status=[1, 1], upper_level=[2, 3], lower_level=[2, 3])
        system = System(cells, csr_array(np.array([[3, 2]])), np.array([12.0])).checked()
        found = audit(system)
        assert (found.lower.tolist(), found.upper.tolist()) == ([0, 0], [4, 6])
        assert found.is_safe
        more = replace(system, cells=replace(cells, upper_level=np.array([2.0, 3.001])))
        assert audit(more).below_level.tolist() == [1]


class TestRounding:
    def test_a_rounded_value_is_still_within_what_is_known_of_it(self):
        """A published 0 of something that is never negative can be 1 at most, and not -1."""
        codes = {"a": ["x", "y", "Total"]}
        columns = {"value": [4.0, 0.0, 4.0], "status": [1, 0, 0]}
        table = ready_table("r", [flat_dimension("a", codes["a"])], codes, columns)
        found = audit(table, rounding=1.0)
        row = table.row(a="x")
        assert (found.lower[row], found.upper[row]) == (2, 5)

    def test_rounded_totals_are_refused_unless_it_is_said(self):
        table = self.rounded()
        with pytest.raises(InputError, match="say how far published values are rounded"):
            audit(table)
        with pytest.raises(ParameterError, match="`rounding` is a number of at least 0"):
            audit(table, rounding=-1)

    def rounded(self) -> Table:
        codes = {"a": ["x", "y", "z", "Total"]}
        columns = {"value": [1.4, 1.4, 1.4, 4.2]}
        whole = {"value": np.round(columns["value"])}
        return ready_table("r", [flat_dimension("a", codes["a"])], codes, whole)


def two_way(grid: np.ndarray, pattern: np.ndarray) -> Table:
    """Make a table with margins; the pattern has the total first in both dimensions."""
    from tacita.tables.dimension import Dimension

    full = np.vstack([grid.sum(0), grid])
    full = np.column_stack([full.sum(1), full])
    spans = tuple(
        Dimension.flat(name, [f"{name}{number}" for number in range(size)])
        for name, size in zip("ab", grid.shape, strict=True)
    )
    places = np.array(list(product(*(range(len(span)) for span in spans))), np.int32)
    status = np.where(pattern.ravel(), Status.SENSITIVE, Status.SAFE)
    return Table("two-way", spans, places, Cells.of(full.ravel(), status=status))
