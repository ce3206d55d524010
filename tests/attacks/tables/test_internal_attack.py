"""The internal attack of contributors on each other."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.attacks.tables.internal_attack import InternalAttack
from tacita.data.read import declare
from tacita.errors import ParameterError
from tacita.tables.dimension import Dimension
from tacita.tables.ready import ready_table
from tacita.tables.status import Status
from tacita.tables.table import Table
from tacita.tables.tabulate import tabulate

pytestmark = pytest.mark.numeric


def cell(*contributions: float, **more: object) -> Table:
    """Return a table with one town and its total, which hold the same contributions."""
    value, count = sum(contributions), len(contributions)
    kept = sorted(contributions, reverse=True) + [0.0] * 4
    columns = {"value": [value] * 2, "frequency": [count] * 2, "largest": [kept] * 2, **more}
    town = Dimension.flat("town", ["t"])
    return ready_table("pay", [town], {"town": ["Total", "t"]}, columns, variable="pay")


def test_each_of_two_respondents_learns_the_other_blood_pressure() -> None:
    """Seed 002: with two respondents the value of each is disclosed to the other."""
    records = {"town": ["t1", "t1", "t2", "t2", "t2"], "pressure": [120, 131, 110, 118, 140]}
    table = tabulate(declare(pa.table(records), {}), ["town"], value="pressure", statistic="mean")
    found = InternalAttack().measure(table, table.published())
    assert found.value == Fraction(1, 3)
    assert found.details is not None
    assert found.details.to_pylist() == [
        {
            "town": "t1",
            "contributors": 2.0,
            "who": "contributor 2",
            "learns": "the contribution of contributor 1",
            "estimate": 131.0,
            "error_percent": 0.0,
        }
    ]


@pytest.mark.parametrize(("within", "share"), [(0, 0), (9.9, 0), (10, 1), (25, 1)])
def test_the_second_largest_misses_the_largest_by_the_rest(within: float, share: int) -> None:
    """50 + 20 + 5: contributor 2 estimates 75 - 20 = 55, which is 10 percent too much."""
    table = cell(50, 20, 5)
    found = InternalAttack(within=within).measure(table, table.published())
    assert found.value == share
    if share:
        assert found.details is not None
        assert found.details["estimate"].to_pylist() == [55.0, 55.0]
        assert found.details["error_percent"].to_pylist() == [10.0, 10.0]
        assert found.figures["disclosed_nearly"] == 2


def test_decimals_are_compared_as_they_were_written() -> None:
    """0.7 + 0.2 + 0.07 leaves exactly a tenth of 0.7, though the doubles do not."""
    table = cell(0.7, 0.2, 0.07, value=[0.97, 0.97])
    assert InternalAttack(within=10).measure(table, table).value == 1
    assert InternalAttack(within=9.999).measure(table, table).value == 0


def test_a_coalition_learns_what_one_cannot() -> None:
    table = cell(50, 20, 5)
    found = InternalAttack(coalition=2).measure(table, table.published())
    assert found.value == 1
    assert found.figures["disclosed_exactly"] == 2
    assert found.details is not None
    assert found.details["who"].to_pylist() == ["contributors 2 to 3"] * 2
    assert found.sentence.endswith("to 2 insiders")


def test_holdings_are_contributors() -> None:
    """Three records of two holdings: each holding knows the other."""
    records = pa.table({"town": ["t"] * 3, "holding": ["h", "h", "g"], "pay": [10, 20, 25]})
    data = declare(records, {})
    single = tabulate(data, ["town"], value="pay")
    holding = tabulate(data, ["town"], value="pay", contributor="holding")
    assert InternalAttack().measure(single, single).value == 0
    found = InternalAttack().measure(holding, holding)
    assert found.value == 1
    assert found.details is not None
    assert found.details["estimate"].to_pylist() == [30.0, 30.0]


def test_two_contributors_are_enough_where_contributions_are_not_known() -> None:
    town = Dimension.flat("town", ["s", "t"])
    columns = {"value": [90.0, 30.0, 60.0], "frequency": [9, 2, 7]}
    table = ready_table("pay", [town], {"town": ["Total", "s", "t"]}, columns, variable="pay")
    found = InternalAttack().measure(table, table.published())
    assert found.value == 1
    assert found.figures["cells_attacked"] == 1
    assert found.figures["cells_not_known"] == 2
    assert found.details is not None
    assert found.details["estimate"].to_pylist() == [None]


def test_a_changed_value_protects_two_contributors() -> None:
    table = cell(50, 20)
    moved = table.cells.value - 4.0
    published = table.published().with_cells(value=moved, shown=moved)
    assert InternalAttack().measure(table, published).value == 0
    assert InternalAttack(within=7.9).measure(table, published).value == 0
    found = InternalAttack(within=8).measure(table, published)
    assert found.value == 1
    assert found.details is not None
    assert found.details["estimate"].to_pylist() == [46.0, 46.0]


def test_a_median_of_two_is_their_mean_and_of_three_tells_nothing_exact() -> None:
    records = {"town": ["s", "s", "t", "t", "t"], "pay": [1, 2, 3, 4, 5]}
    table = tabulate(declare(pa.table(records), {}), ["town"], value="pay", statistic="median")
    found = InternalAttack(coalition=3).measure(table, table)
    assert found.figures["cells_attacked"] == 1
    assert found.value == 1


def test_counts_and_suppressed_cells_are_not_attacked() -> None:
    counts = tabulate(declare(pa.table({"town": ["s", "t"]}), {}), ["town"])
    assert InternalAttack().measure(counts, counts).value == 0
    table = cell(50, 20)
    hidden = table.with_cells(status=np.full(2, Status.SECONDARY, np.int8))
    assert InternalAttack().measure(hidden, hidden.published()).figures["cells_attacked"] == 0


def test_cells_without_a_value_are_not_attacked() -> None:
    table = cell(50, 20)
    blank = table.with_cells(value=np.full(2, np.nan))
    assert InternalAttack().measure(table, blank).figures["cells_attacked"] == 0
    found = InternalAttack().measure(blank, table)
    assert found.figures["cells_attacked"] == 0
    assert found.figures["cells_not_known"] == 2


def test_a_coalition_has_somebody() -> None:
    with pytest.raises(ParameterError, match=r"`coalition` .* greater than or equal to 1; found 0"):
        InternalAttack(coalition=0)


@given(
    st.lists(st.integers(1, 60), min_size=2, max_size=5),
    st.integers(1, 3),
    st.integers(0, 40),
)
def test_no_insiders_do_better_than_the_next_largest(
    contributions: list[int], coalition: int, within: int
) -> None:
    """Try every coalition against every other contributor."""
    table = cell(*contributions)
    total = sum(contributions)
    names = range(len(contributions))
    best = min(
        Fraction(total - contributions[target] - sum(contributions[i] for i in pool))
        / contributions[target]
        for target in names
        for size in range(1, coalition + 1)
        for pool in combinations([i for i in names if i != target], size)
    )
    found = InternalAttack(coalition=coalition, within=within).measure(table, table.published())
    assert found.value == (100 * best <= within)
    if found.value:
        assert found.details is not None
        assert found.details["error_percent"][0].as_py() == pytest.approx(float(100 * best))
