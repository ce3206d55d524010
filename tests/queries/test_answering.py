"""True values of cells, against DuckDB on the same records."""

# ruff: noqa: S608 - the texts are the tests' own

from __future__ import annotations

import math

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
