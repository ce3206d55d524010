"""Risks of perturbed tables, against enumeration and by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.perturb.applied import perturbed
from tacita.tables.table import Table

pytestmark = pytest.mark.numeric

COUNTS = st.lists(st.integers(0, 9), min_size=2, max_size=4)


def one_way(values: list[int], **known: object) -> Table:
    dimension = Dimension.flat("code", [f"{n}" for n in range(len(values))])
    cells = Cells.of([sum(values), *values], **known)
    return Table("t", (dimension,), np.arange(len(values) + 1)[:, None], cells)


def rounded(table: Table, base: float) -> Table:
    return perturbed(table, ta.ConventionalRounding(base), np.random.default_rng())[0].published()


def possible(published: np.ndarray, base: int) -> list[tuple[int, ...]]:
    """List every table of counts that is rounded to what is published."""

    def near(value: float) -> list[int]:
        return [v for v in range(50) if base * ((2 * v + base) // (2 * base)) == value]

    inner = product(*(near(value) for value in published[1:]))
    return [(sum(v), *v) for v in inner if sum(v) in near(published[0])]


@settings(deadline=None, max_examples=60)
@given(COUNTS, st.sampled_from([2, 3, 5]))
def test_what_can_be_worked_out_is_what_all_possible_tables_agree_on(values, base):
    table = one_way(values)
    seen = rounded(table, base)
    columns = np.array(possible(seen.cells.value, base)).T
    sure = np.array([len(set(column)) == 1 for column in columns])
    changed = seen.cells.value != table.cells.value
    found = ta.RederivableCells().measure(table, seen)
    assert found.value == Fraction(int((sure & changed).sum()), max(int(changed.sum()), 1))
    assert found.figures["shown_for_sure"] == (sure & ~changed).sum()
    widths = ta.IntervalWidths().measure(table, seen).details
    assert widths.column("lower").to_pylist() == columns.min(axis=1).tolist()
    assert widths.column("upper").to_pylist() == columns.max(axis=1).tolist()


def test_total_and_parts_give_each_other_away():
    table = one_way([2, 2, 2], status=[0, 1, 0, 0])  # 1, 2, 2 would look the same
    seen = rounded(table, 5)
    assert seen.cells.value.tolist() == [5, 0, 0, 0]
    found = ta.ExactDisclosure().measure(table, seen)
    assert (found.value, found.sentence) == (0, "0 of 1 perturbed sensitive cell can be computed")
    # Both parts are at least 1 to be rounded to 2, and together no more than 2.
    seen = rounded(one_way([1, 1]), 2)
    assert seen.cells.value.tolist() == [2, 2, 2]
    assert ta.RederivableCells().measure(one_way([1, 1]), seen).value == 1


class TestUnmoved:
    def table(self) -> Table:
        level = [0.0, 2.0, 2.0, 0.0]
        return one_way([10, 20, 30], status=[0, 1, 1, 0], lower_level=level, upper_level=level)

    @pytest.mark.parametrize(
        ("shown", "near"), [((12, 18), 0), ((11, 18), 1), ((10, 20), 2), ((9, 21), 2), ((8, 30), 0)]
    )
    def test_a_cell_counts_that_is_nearer_than_its_level(self, shown, near):
        table = self.table()
        moved = table.with_cells(
            shown=np.array([60.0, *shown, 30]), status=np.zeros(4, np.int8)
        ).published()
        assert ta.UnmovedSensitive().measure(table, moved).value == Fraction(near, 2)

    def test_a_suppressed_cell_does_not_count(self):
        table = self.table()
        assert ta.UnmovedSensitive().measure(table, table.published()).value == 0

    def test_decimals_decide_as_written(self):
        level = [0.0, 0.1, 0.0]
        table = one_way([0, 5], status=[0, 1, 0], lower_level=level, upper_level=level)
        table = table.with_cells(shown=np.array([5.2, 0.2, 5]))
        moved = table.with_cells(shown=np.array([5.3, 0.3, 5]), status=np.zeros(3, np.int8))
        assert ta.UnmovedSensitive().measure(table, moved).value == 0  # 0.3 - 0.2 is 0.1, not less


def test_attacks_take_perturbed_values_for_what_they_are():
    firms = ta.example("firms", 60).without(["weight"])
    table = ta.tabulate(firms, ["region", "size_class"]).judge(ta.MinimumFrequency(3))
    seen = rounded(table, 5)
    assert ta.SensitivePublished().measure(table, seen).value < 1
    inside = ta.MembershipAttack().measure(table, seen).details
    true = {tuple(table.codes_of(row)): table.cells.value[row] for row in range(len(table))}
    for row in inside.to_pylist():
        count = true[row["region"], row["size_class"]]
        assert row["least"] <= count
        assert row["largest"] is None or count <= row["largest"]
    assert "perturbed cells follow" in ta.SubtractionAttack().measure(table, seen).sentence
    with pytest.raises(InputError, match="perturbed by `conventional_rounding`"):
        ta.SmallCountPosterior().measure(table, seen)
    differences = ta.DifferencingAttack().measure(table, seen).details
    assert all(error == 0 for error in differences.column("error_percent").to_pylist())
