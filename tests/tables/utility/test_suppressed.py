"""The salary table of the seeds, and laws of what suppressions take away."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import InputError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.linked import LinkedTables
from tacita.tables.status import Status
from tacita.tables.table import Table
from tacita.tables.utility.suppressed_cells import SuppressedCells
from tacita.tables.utility.suppressed_value import SuppressedValue
from tacita.tables.utility.suppression_cost import SuppressionCost

pytestmark = pytest.mark.numeric

LOSSES = (SuppressedCells, SuppressedValue, SuppressionCost)
VALUES = [16, 9, 7, 7, 4, 3, 9, 5, 4]


def table(status: list[int], name: str = "people", **known: object) -> Table:
    """Two regions by two sexes, totals first: 16; 9 7; 7; 4 3; 9; 5 4."""
    dimensions = (Dimension.flat("region", ["n", "s"]), Dimension.flat("sex", ["f", "m"]))
    places = np.array([[r, s] for r in range(3) for s in range(3)])
    return Table(name, dimensions, places, Cells.of(VALUES, status=status, **known))


# one sensitive cell (n, f) and the three that close its rectangle
PATTERN = [0, 0, 0, 0, 1, 2, 0, 2, 2]


@pytest.mark.parametrize(
    ("method", "which", "share", "figures"),
    [
        (SuppressedCells, "secondary", Fraction(3, 9), {"secondary": 3, "primary": 1, "total": 9}),
        (SuppressedCells, "all", Fraction(4, 9), {"suppressed": 4}),
        (SuppressedValue, "secondary", Fraction(12, 64), {"secondary": 12, "primary": 4}),
        (SuppressedValue, "all", Fraction(16, 64), {"suppressed": 16, "total": 64}),
        (SuppressionCost, "secondary", Fraction(6, 45), {"secondary": 6, "primary": 5}),
        (SuppressionCost, "all", Fraction(11, 45), {"suppressed": 11, "total": 45}),
    ],
)
def test_hand_computed(method, which, share, figures):
    cost = [9, 9, 9, 1, 5, 3, 6, 2, 1]
    original = table(PATTERN, cost=cost)
    found = method(which).measure(original, original.published())
    assert found.value == share
    assert {name: found.figures[name] for name in figures} == figures
    assert found.details.num_rows == 4
    assert found.details.column("status").to_pylist().count("sensitive") == 1


@pytest.mark.parametrize("method", LOSSES)
def test_identical_tables_lose_nothing(method):
    whole = table([0] * 9)
    assert method("all").measure(whole, whole).value == 0


def test_what_is_sensitive_is_for_the_original_to_say():
    """A file that says only `suppressed` does not make secondary suppressions of all cells."""
    original, published = table([0, 0, 0, 0, 1, 0, 0, 0, 0]), table([0, 0, 0, 0, 2, 2, 0, 2, 2])
    assert SuppressedCells().measure(original, published).figures["primary"] == 1


def test_a_cell_that_one_of_linked_tables_shows_is_not_lost():
    one, other = table(PATTERN, "one"), table([0] * 9, "other")
    links = LinkedTables((one, other))
    published = LinkedTables((one.published(), other))
    assert SuppressedCells("all").measure(links, published).value == 0
    both = LinkedTables((one.published(), table(PATTERN, "other").published()))
    assert SuppressedCells("all").measure(links, both).value == Fraction(4, 9)


@given(
    st.lists(st.sampled_from([int(s) for s in Status]), min_size=9, max_size=9),
    st.sampled_from(LOSSES),
)
def test_more_suppressions_lose_more(status, method):
    original = table(status)
    found = method("all").measure(original, original.published()).value
    more = table([Status.SECONDARY if s == Status.SAFE else s for s in status])
    assert 0 <= found <= method("all").measure(original, more.published()).value <= 1


def test_tables_over_other_cells_are_refused():
    whole = table([0] * 9)
    flat = Table("x", whole.dimensions[:1], np.array([[0], [1], [2]]), Cells.of([2, 1, 1]))
    with pytest.raises(InputError, match="spanned by region, sex"):
        SuppressedCells().measure(whole, flat)
    part = Table("x", whole.dimensions, whole.places[:6], whole.cells.take(np.arange(6)))
    with pytest.raises(InputError, match=r"no cell \(region s\)"):
        SuppressedCells().measure(whole, part)
    with pytest.raises(InputError, match=r"the cell \(region s\), which the original has not"):
        SuppressedCells().measure(part, whole)
    with pytest.raises(InputError, match="2 linked tables"):
        SuppressedCells().measure(LinkedTables((whole, table([0] * 9, "b"))), whole)


def test_codes_in_another_order_are_the_same_cells():
    original = table(PATTERN)
    turned = (Dimension.flat("region", ["s", "n"]), original.dimensions[1])
    order = [0, 1, 2, 6, 7, 8, 3, 4, 5]
    published = Table("p", turned, original.places, original.cells.take(np.array(order)))
    found = SuppressedCells().measure(original, published.published())
    assert found.value == Fraction(3, 9)
