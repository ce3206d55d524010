"""True values of cells, against DuckDB on the same records."""

# ruff: noqa: S608 - the texts are the tests' own

from __future__ import annotations

import math
from decimal import Decimal

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.queries.answering import true_value
from tacita.queries.expanding import expand
from tacita.queries.language.parse import parse
from tacita.queries.public_classes import PublicClasses

STATISTICS = (
    "count(*)",
    "count(pay)",
    "count(age)",
    "count(DISTINCT sector)",
    "sum(pay)",
    "sum(age)",
    "avg(pay)",
    "var_samp(pay)",
    "var_pop(pay)",
    "stddev_samp(pay)",
    "min(pay)",
    "max(pay)",
    "max(age)",
    "median(pay)",
    "quantile_cont(pay, 0.3)",
    "corr(pay, debt)",
    "covar_samp(pay, debt)",
    "covar_pop(pay, debt)",
    "regr_slope(pay, debt)",
    "sum(pay * w)",
    "sum(pay * w) / sum(w)",
)
SMALL = {"g": "key", "x": "confidential"}
CONDITIONS = ("", "WHERE sector = 'IT'", "WHERE pay > 40", "WHERE age < 0", "WHERE sector IS NULL")


@pytest.fixture(scope="module")
def records() -> pa.Table:
    rng = np.random.default_rng(5)
    n = 200

    def some(values):
        return pa.array(values, mask=rng.random(n) < 0.1)

    return pa.table(
        {
            "sector": some(rng.choice(["IT", "HC", "Fin"], n)),
            "age": some(rng.integers(20, 60, n)),
            "pay": some(np.round(rng.gamma(4, 10, n), 2)),
            "debt": some(rng.normal(0, 5, n)),
            "w": rng.integers(1, 9, n) / 2,
        }
    )


@pytest.fixture(scope="module")
def classes(records) -> PublicClasses:
    roles = {"sector": "key", "age": "key", "w": "weight"}
    roles |= dict.fromkeys(("pay", "debt"), "confidential")
    return PublicClasses.of(ta.read(records, roles=roles), "records")


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_values_are_those_of_a_database(statistic, condition, classes, records) -> None:
    sql = f"SELECT {statistic} AS found FROM records {condition}"
    found = true_value(expand(parse(sql, classes), classes)[0])
    in_pairs = "/ sum(w)" in statistic  # what has no value has no weight either
    wanted = duckdb.sql(
        sql.replace("sum(w)", "sum(w) FILTER (pay IS NOT NULL)") if in_pairs else sql
    )
    told = wanted.fetchall()[0][0]
    if told is None or (isinstance(told, float) and math.isnan(told)):
        assert found is None
    else:
        assert found == pytest.approx(told, rel=1e-9, abs=1e-9)


def test_parts_add_up_to_their_total_exactly(classes) -> None:
    """Decimals are added as whole numbers, in whatever order."""
    query = "SELECT sector, sum(pay) FROM records GROUP BY ROLLUP(sector)"
    cells = expand(parse(query, classes), classes)
    total, *parts = [round(100 * true_value(cell)) for cell in cells]
    assert total == sum(parts)
    assert true_value(cells[0]) == total / 100


def values(column: pa.Array, *statistics: str) -> list[object]:
    """Return statistics of a column, by the classes and over a set that a condition names."""
    data = ta.read(pa.table({"g": ["a"] * len(column), "x": column}), roles=SMALL)
    classes = PublicClasses.of(data, "t")
    asked = [f"SELECT {one} FROM t" for one in statistics]
    return [true_value(expand(parse(sql, classes), classes)[0]) for sql in asked]


def test_whole_numbers_beyond_doubles_are_added_exactly() -> None:
    column = pa.array([2**53 + 1, 2**53 + 3, None, 2**53 + 5])
    assert values(column, "sum(x)", "max(x)") == [3 * 2**53 + 9, 2**53 + 5]
    assert values(column, "avg(x)")[0] == pytest.approx(2**53 + 3, rel=1e-15)
    huge = pa.array([2**64 - 1, 2**64 - 1], pa.uint64())
    assert values(huge, "sum(x)", "min(x)") == [float(2**65), float(2**64)]


def test_what_is_too_large_for_a_number_is_blank() -> None:
    column = pa.array([1e308, 1e308, -1e308, 1e308])
    asked = ("sum(x)", "avg(x)", "var_samp(x)", "stddev_pop(x)", "corr(x, x)", "covar_pop(x, x)")
    assert values(column, *asked) == [None] * 6
    assert values(column, "sum(x) FROM t WHERE x > 0 --", "min(x)") == [None, -1e308]
    assert values(pa.array([1e300, 1e300]), "sum(x) FROM t WHERE x > 0 --") == [2e300]


def test_decimals_are_numbers_also_where_they_are_extremes() -> None:
    column = pa.array([Decimal("1.10"), None, Decimal("2.20")])
    assert values(column, "min(x)", "max(x)", "sum(x)") == [1.1, 2.2, 3.3]
