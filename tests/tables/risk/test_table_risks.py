"""The salary table and the small interval example of the literature, and laws of table risks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.linked import LinkedTables
from tacita.tables.risk.exact_disclosure import ExactDisclosure
from tacita.tables.risk.exposure import exposed
from tacita.tables.risk.interval_widths import IntervalWidths
from tacita.tables.risk.protection_shortfall import ProtectionShortfall
from tacita.tables.risk.sensitive_published import SensitivePublished
from tacita.tables.table import Table

pytestmark = pytest.mark.numeric

RISKS = (SensitivePublished, ExactDisclosure, ProtectionShortfall, IntervalWidths)


def table(values, status, **known) -> Table:
    """A table of rows by columns with their totals first: three rows, two columns."""
    dimensions = (Dimension.flat("row", ["1", "2", "3"]), Dimension.flat("column", ["1", "2"]))
    places = np.array([[row, column] for row in range(4) for column in range(3)])
    return Table("small", dimensions, places, Cells.of(values, status=status, **known), "x", "sum")


# row totals 7, 3, 6 and column totals 9, 7; the cell (1, 1) lies in [3, 6] given (3, 1) = 3
SMALL = [16, 9, 7, 7, 5, 2, 3, 1, 2, 6, 3, 3]
HIDDEN = [0, 0, 0, 0, 1, 2, 0, 2, 2, 0, 0, 0]


def levels(lower: float, upper: float, sliding: float = 0.0) -> dict[str, list[float]]:
    zero = [0.0] * 12
    made = {"lower_level": lower, "upper_level": upper, "sliding_level": sliding}
    return {name: [*zero[:4], level, *zero[5:]] for name, level in made.items()}


def test_the_printed_interval():
    """The seeds print [3, 6] for the first cell of this table."""
    original = table(SMALL, HIDDEN)
    found = exposed(original, original.published())
    cell = original.row(row="1", column="1")
    assert (found.lower[cell], found.upper[cell]) == (3, 6)


@pytest.mark.parametrize(
    ("asked", "share", "ratio"),
    [
        ((2, 1), 0, 1.0),  # exactly the interval
        ((1, 1), 0, 1.0),
        ((2.5, 1), 1, 0.8),
        ((1, 2), 1, 0.5),
        ((0, 0, 3), 0, 1.0),
        ((0, 0, 4), 1, 0.75),
    ],
)
def test_a_protection_interval_must_lie_in_the_feasibility_interval(asked, share, ratio):
    original = table(SMALL, HIDDEN, **levels(*asked))
    found = ProtectionShortfall().measure(original, original.published())
    assert found.value == share
    assert found.figures["smallest_ratio"] == pytest.approx(ratio)
    assert found.details.num_rows == share


def test_a_published_sensitive_cell_is_not_protected():
    original = table(SMALL, HIDDEN)
    whole = original.with_cells(status=np.zeros(12, np.int8))
    assert SensitivePublished().measure(original, whole).value == 1
    assert ProtectionShortfall().measure(original, whole).value == 1
    assert ExactDisclosure().measure(original, whole).value == 0  # nothing is suppressed


SALARIES = [1916000, 1566000, 350000, 949000, 852000, 97000, 485000, 335000, 150000]
SALARIES += [482000, 379000, 103000]


def test_the_printed_salary_table_hides_nothing():
    """Its three sensitive cells are suppressed without others: all follow from their totals."""
    original = table(SALARIES, [0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0])
    found = ExactDisclosure().measure(original, original.published())
    assert (found.value, found.figures["by_arithmetic"]) == (1, 3)
    assert found.details.column("computed").to_pylist() == [852000, 335000, 150000]
    assert ProtectionShortfall().measure(original, original.published()).value == 1


def test_cells_suppressed_alone_are_computed():
    original = table(SMALL, [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1])
    found = ExactDisclosure().measure(original, original.published())
    assert (found.value, found.figures["by_arithmetic"]) == (1, 2)
    assert found.details.column("computed").to_pylist() == [5, 3]
    assert found.details.column("row").to_pylist() == ["1", "3"]


def test_widths_by_hand():
    original = table(SMALL, HIDDEN, **levels(1, 1))
    found = IntervalWidths(60).measure(original, original.published())
    # every cell of the rectangle has an interval 3 wide: values 5, 2, 1, 2
    assert found.value == Fraction(1, 4)
    assert found.figures["smallest_of_value"] == pytest.approx(3 / 5)
    assert found.figures["median_of_value"] == pytest.approx(3 / 2)
    assert found.figures["smallest_of_level"] == pytest.approx(3 / 2)
    assert found.details.num_rows == 4


def test_a_width_that_is_just_the_share_counts_as_close_whatever_doubles_say():
    """In units of 3.1 the first cell is 15.5 and 9.3 wide; 18.6 - 9.3 is more in doubles."""
    original = table([31 * value / 10 for value in SMALL], HIDDEN)
    found = IntervalWidths(60).measure(original, original.published())
    assert found.value == Fraction(1, 4)
    assert IntervalWidths(59.999).measure(original, original.published()).value == 0


def test_a_cell_that_nobody_knows_does_not_hide_the_worst_ratio():
    asked = {**levels(0, 0), "upper_level": [0.0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0]}
    values = [16, 9, 7, 7, 5, np.nan, 3, 1, 2, 6, 3, 3]
    original = table(values, [0, 0, 0, 0, 1, 1, 0, 2, 2, 0, 0, 0], **asked)
    found = ProtectionShortfall().measure(original, original.published())
    assert found.figures["smallest_ratio"] == pytest.approx(1 / 2)


def test_a_link_discloses_what_one_table_protects():
    """The row totals of another table over the same rows give the suppressed margin away."""
    wide = table(SMALL, [0, 0, 0, 2, 1, 0, 2, 1, 0, 0, 0, 0])
    rows = Table(
        "rows", wide.dimensions[:1], np.arange(4)[:, None], Cells.of([16, 7, 3, 6]), "x", "sum"
    )
    alone = ExactDisclosure().measure(wide, wide.published())
    both = LinkedTables((wide, rows))
    shown = LinkedTables((wide.published(), rows))
    assert alone.value == 0
    together = ExactDisclosure().measure(both, shown)
    assert together.value == 1
    assert together.details.column("cell").to_pylist()[0].startswith("small (row 1")


@pytest.mark.parametrize("method", RISKS)
def test_a_table_without_sensitive_cells_has_no_risk(method):
    whole = table(SMALL, [0] * 12)
    assert method().measure(whole, whole.published()).value == 0


@given(st.lists(st.integers(0, 9), min_size=6, max_size=6), st.data())
def test_suppressing_more_never_raises_a_risk(inner, data):
    grid = np.zeros((4, 3))
    grid[1:, 1:] = np.reshape(inner, (3, 2))
    grid[0], grid[:, 0] = grid.sum(axis=0), grid.sum(axis=1)
    grid[0, 0] = sum(inner)
    status = data.draw(st.lists(st.sampled_from([0, 0, 1, 2]), min_size=12, max_size=12))
    original = table(grid.ravel(), status, upper_level=[float(s == 1) for s in status])
    more = original.with_cells(status=np.where(original.cells.status == 0, 2, status).astype("i1"))
    for method in (SensitivePublished, ProtectionShortfall, ExactDisclosure):
        before = method().measure(original, original.published()).value
        assert method().measure(original, more.published()).value <= before


@given(st.permutations(range(3)), st.sampled_from([2, 10, 1000]))
def test_permuting_rows_and_scaling_change_no_risk(order, factor):
    original = table(SMALL, HIDDEN, **levels(2.5, 1))
    rows = np.concatenate([[0, 1, 2], *(3 * (1 + row) + np.arange(3) for row in order)])
    cells = original.cells.take(rows)
    scaled = {
        name: getattr(cells, name) * factor
        for name in ("value", "shown", "lower_level", "upper_level")
    }
    codes = [str(row + 1) for row in order]
    dimensions = (Dimension.flat("row", codes), original.dimensions[1])
    other = Table("small", dimensions, original.places, cells, "x", "sum").with_cells(**scaled)
    for method in RISKS:
        one, two = (method().measure(t, t.published()) for t in (original, other))
        assert one.value == two.value
        assert {n: v and pytest.approx(v) for n, v in one.figures.items()} == two.figures
