"""Rows of an answer, computed from protected numbers alone."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.queries.answer import Released
from tacita.queries.expanding import expand
from tacita.queries.language.parse import parse
from tacita.queries.presenting import present
from tacita.queries.public_classes import PublicClasses

RECORDS = pa.table(
    {
        "sector": ["IT", "IT", "HC", "HC", "Fin", None],
        "region": ["B", "T", "B", "T", "B", "B"],
        "hired": pa.array([18262, 18262, 18300, 18300, 18300, None], pa.date32()),
        "salary": [10, 20, 30, 40, 50, 60],
    }
)
ROLES = {"sector": "key", "region": "key", "hired": "key", "salary": "confidential"}
VIEW = PublicClasses.of(ta.read(RECORDS, roles=ROLES), "firms")


def answer(sql: str, *, refused=lambda cell: False):
    """Answer a query exactly but for the cells that are refused."""
    query = parse(sql, VIEW)
    cells = expand(query, VIEW)
    return present(query, cells, [None if refused(cell) else _exact(cell) for cell in cells])[:3]


def _exact(cell) -> Released:
    values = VIEW.numbers("salary")[cell.members.rows]
    if cell.asked.statistic == "count":
        return Released(len(values))
    return Released({"sum": values.sum(), "max": values.max()}[cell.asked.statistic])


def test_rows_come_by_group_and_groupings_as_they_are_written():
    columns, rows, refused = answer(
        "SELECT sector, grouping(sector), count(*) FROM firms GROUP BY ROLLUP (sector)"
    )
    assert columns == ("sector", "grouping(sector)", "count(*)")
    assert rows == (("Fin", 0, 1), ("HC", 0, 2), ("IT", 0, 2), (None, 0, 1), (None, 1, 6))
    assert refused == ((False,) * 3,) * 5


def test_columns_may_be_expressions_of_protected_numbers():
    _, rows, _ = answer(
        "SELECT lower(sector), round(sum(salary) / count(*) + 0.4), 'x' FROM firms "
        "WHERE region = 'B' GROUP BY sector"
    )
    assert rows == (("fin", 50.0, "x"), ("hc", 30.0, "x"), ("it", 10.0, "x"), (None, 60.0, "x"))


def test_groups_can_be_dates():
    _, rows, _ = answer("SELECT hired, year(hired), count(*) FROM firms GROUP BY hired")
    assert rows == ((date(2020, 1, 1), 2020, 2), (date(2020, 2, 8), 2020, 3), (None, None, 1))


def test_a_refused_number_is_refused_wherever_it_is_needed():
    _, rows, refused = answer(
        "SELECT sector, count(*), sum(salary), coalesce(sum(salary), 0) FROM firms GROUP BY sector",
        refused=lambda cell: cell.asked.statistic == "sum" and cell.group == ("HC",),
    )
    assert rows[1] == ("HC", 2, None, None)
    assert refused[1] == (False, False, True, True)
    assert not any(map(any, (refused[0], *refused[2:])))


@pytest.mark.parametrize(
    "having",
    [
        "sum(salary) > 0",
        "sum(salary) IS NULL",
        "NOT sum(salary) > 1000",
        "coalesce(sum(salary), 1) > 0",
    ],
)
def test_having_never_keeps_a_row_by_a_refused_number(having):
    sql = f"SELECT sector, count(*) FROM firms GROUP BY sector HAVING {having}"  # noqa: S608
    _, rows, _ = answer(sql, refused=lambda cell: cell.group == ("HC",))
    assert "HC" not in [row[0] for row in rows]


def test_having_may_ask_for_groups_alone():
    _, rows, refused = answer(
        "SELECT sector, count(*) AS n FROM firms GROUP BY sector HAVING sector > 'G'",
        refused=lambda cell: cell.group == ("HC",),
    )
    assert rows == (("HC", None), ("IT", 2))
    assert refused == ((False, True), (False, False))


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("2", ["IT", "Fin", None, "HC"]),
        ("2 DESC", [None, "Fin", "IT", "HC"]),
        ("-sum(salary)", [None, "Fin", "IT", "HC"]),
        ("total NULLS FIRST", ["IT", "Fin", None, "HC"]),
        ("sector DESC", ["IT", "HC", "Fin", None]),
        ("sector NULLS FIRST", [None, "Fin", "HC", "IT"]),
        ("count(*) DESC, sector DESC", ["IT", "Fin", None, "HC"]),
        ("max(salary) DESC LIMIT 2", [None, "Fin"]),
        ("max(salary) DESC LIMIT 2 OFFSET 1", ["Fin", "IT"]),
        ("max(salary) LIMIT 0", []),
    ],
)
def test_order_by_and_limit_see_protected_numbers_and_put_refused_ones_last(order, expected):
    sql = f"SELECT sector, sum(salary) AS total FROM firms GROUP BY sector ORDER BY {order}"  # noqa: S608
    _, rows, _ = answer(sql, refused=lambda cell: cell.group == ("HC",))
    assert [row[0] for row in rows] == expected


def test_an_answer_without_rows_has_its_columns():
    assert answer("SELECT sector, count(*) FROM firms WHERE region = 'X' GROUP BY sector") == (
        ("sector", "count(*)"),
        (),
        (),
    )


def test_rows_of_noise_are_ordered_by_the_noise():
    query = parse("SELECT sector, count(*) FROM firms GROUP BY sector ORDER BY count(*)", VIEW)
    cells = expand(query, VIEW)
    _, rows, *_ = present(query, cells, [Released(float(one)) for one in (4, 3, 2, 1)])
    assert [row[1] for row in rows] == [1.0, 2.0, 3.0, 4.0]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(-5, 5)), min_size=12, max_size=12))
def test_every_number_is_told_where_it_belongs_or_marked_as_refused(numbers):
    query = parse(
        "SELECT region, sector, sum(salary) FROM firms GROUP BY CUBE (region, sector)", VIEW
    )
    cells = expand(query, VIEW)
    given_out = (numbers * 2)[: len(cells)]
    _, rows, refused, *_ = present(
        query, cells, [None if n is None else Released(n) for n in given_out]
    )
    expected = {(cell.group, cell.of): n for cell, n in zip(cells, given_out, strict=True)}
    told = [row[2] for row in rows]
    assert sorted(map(str, told)) == sorted(map(str, expected.values()))
    assert [row[2] is None for row in rows] == [row[2] for row in refused]
