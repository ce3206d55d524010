"""The external attack on cells with one contributor."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.attacks.tables.external_attack import ExternalAttack
from tacita.data.read import declare
from tacita.errors import InputError
from tacita.tables.dimension import Dimension
from tacita.tables.linked import LinkedTables
from tacita.tables.ready import ready_table
from tacita.tables.status import Status
from tacita.tables.table import Table
from tacita.tables.tabulate import tabulate

pytestmark = pytest.mark.numeric

RECORDS = {
    "ethnicity": ["e1", "e1", "e1", "e2", "e2", "e2"],
    "town": ["t1", "t1", "t1", "t1", "t2", "t2"],
    "pressure": [120.0, 130.0, 125.0, 141.5, 110.0, 118.0],
}
BY = ["ethnicity", "town"]


def pressures(statistic: str = "mean") -> Table:
    """Return the blood pressures by ethnicity and town."""
    return tabulate(
        declare(pa.table(RECORDS), {}),
        BY,
        value="pressure" if statistic != "count" else None,
        statistic=statistic,
    )


@pytest.mark.parametrize("statistic", ["mean", "sum", "median"])
def test_the_pressure_of_the_only_respondent_is_disclosed(statistic: str) -> None:
    table = pressures(statistic)
    found = ExternalAttack().measure(table, table.published())
    # Cells: 3 ethnicities x 3 towns less the empty (e1, t2), which is a structural zero.
    assert found.value == Fraction(1, 8)
    assert found.details is not None
    assert found.details.to_pylist() == [
        {
            "ethnicity": "e2",
            "town": "t1",
            "learns": "the value of the only contributor",
            "estimate": 141.5,
            "error_percent": 0.0,
        }
    ]


def test_a_count_of_one_tells_who_the_respondent_is() -> None:
    table = pressures("count")
    found = ExternalAttack().measure(table, table.published())
    assert found.value == Fraction(1, 8)
    assert found.figures["respondents_identified"] == 1
    assert "single respondent" in found.sentence


def test_an_intruder_knows_contributors_that_are_not_published() -> None:
    table = pressures()
    blank = np.full(len(table), np.nan)
    bare = table.published().with_cells(frequency=blank, contributors=blank)
    assert ExternalAttack().measure(table, bare).value == Fraction(1, 8)


def test_suppressed_cells_are_not_read() -> None:
    table = pressures()
    hidden = table.with_cells(status=np.full(len(table), Status.SENSITIVE, np.int8))
    for published in (hidden, hidden.published()):
        found = ExternalAttack().measure(table, published)
        assert found.value == 0
        assert found.details is not None
        assert not len(found.details)


@pytest.mark.parametrize(("within", "disclosed"), [(0, 0), (0.9, 0), (1, 1), (2, 1)])
def test_a_changed_value_is_disclosed_within_some_percent(within: float, disclosed: int) -> None:
    """One percent of 141.5 is 1.415; exactly that far off is within one percent."""
    table = pressures("sum")
    row = table.row(ethnicity="e2", town="t1")
    moved = table.cells.value.copy()
    moved[row] += 1.415
    published = table.published().with_cells(value=moved, shown=moved)
    found = ExternalAttack(within=within).measure(table, published)
    assert found.figures["values_disclosed"] == disclosed


def test_a_count_that_was_changed_to_one_identifies_nobody() -> None:
    table = pressures("count")
    ones = np.ones(len(table))
    found = ExternalAttack().measure(table, table.with_cells(value=ones, shown=ones))
    assert found.figures["respondents_identified"] == 1


def test_a_cell_that_two_tables_show_is_counted_once() -> None:
    table = pressures()
    towns = tabulate(declare(pa.table(RECORDS), {}), ["town"], value="pressure", statistic="mean")
    both = LinkedTables((table, towns))
    found = ExternalAttack().measure(both, both)
    assert found.figures["cells_attacked"] == 8
    assert found.details is not None
    assert found.details["table"].to_pylist() == [table.name]


def test_tables_over_other_attributes_are_refused() -> None:
    towns = tabulate(declare(pa.table(RECORDS), {}), ["town"], value="pressure")
    with pytest.raises(InputError, match=r"same attributes; found ethnicity x town and town"):
        ExternalAttack().measure(pressures(), towns)


def test_cells_that_the_original_does_not_have_are_refused() -> None:
    def towns(*codes: str) -> Table:
        town = Dimension.flat("town", codes)
        return ready_table(
            "t", [town], {"town": ["Total", *codes]}, {"value": [2.0, *[1.0] * len(codes)]}
        )

    with pytest.raises(InputError, match=r"cell \(town t9\) is not in the original table `t`"):
        ExternalAttack().measure(towns("t1", "t2"), towns("t1", "t9"))
    with pytest.raises(InputError, match="looks at tables; found a list"):
        ExternalAttack().measure([1], [2])


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(1, 9))).filter(
        len
    ),
    st.randoms(use_true_random=False),
)
def test_it_finds_every_single_contributor_whatever_the_order(
    records: list[tuple[str, str, int]], random: object
) -> None:
    """Count the records of every combination by hand; totals are combinations too."""
    counts: dict[tuple[str, str], list[int]] = {}
    for one, two, value in records:
        for key in ((one, two), (one, "Total"), ("Total", two), ("Total", "Total")):
            counts.setdefault(key, []).append(value)
    single = {key: values[0] for key, values in counts.items() if len(values) == 1}
    random.shuffle(records)
    columns = dict(zip(("one", "two", "value"), map(list, zip(*records, strict=True)), strict=True))
    table = tabulate(declare(pa.table(columns), {}), ["one", "two"], value="value")
    found = ExternalAttack().measure(table, table.published())
    assert found.value == Fraction(len(single), len(counts))
    assert found.details is not None
    rows = found.details.to_pylist()
    assert {(row["one"], row["two"]): row["estimate"] for row in rows} == single
