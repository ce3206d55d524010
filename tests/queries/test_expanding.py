"""The cells of a query are those SQL means: random queries against DuckDB on the records."""

# ruff: noqa: S608 - queries are what is tested
from __future__ import annotations

import math
from datetime import date
from functools import cache

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import QueryError
from tacita.queries import expanding
from tacita.queries.answer import Released
from tacita.queries.cells import QuerySet
from tacita.queries.expanding import expand
from tacita.queries.language.parse import parse
from tacita.queries.presenting import present
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Statistic

ROLES = {
    "a": "key",
    "b": "key",
    "d": "key",
    "flag": "key",
    "x": "confidential",
    "y": "confidential",
}


def _records(seed: int, size: int = 40) -> pa.Table:
    rng = np.random.default_rng(seed)

    def some(values: list, kind: pa.DataType) -> pa.Array:
        chosen = [values[one] for one in rng.integers(0, len(values), size)]
        return pa.array([None if rng.random() < 0.2 else one for one in chosen], kind)

    days = [date(2020, 1, 10), date(2020, 2, 29), date(2021, 5, 1)]
    return pa.table(
        {
            "a": some(["p", "q", "pq", "P"], pa.string()),
            "b": some([-1, 0, 1, 2, 3], pa.int64()),
            "d": some(days, pa.date32()),
            "flag": some([True, False], pa.bool_()),
            "x": some([-1.5, 0.25, 0.5, 2.0, 10.0], pa.float64()),
            "y": some([1, 2, 3, 5], pa.int64()),
        }
    )


TABLES = [_records(seed) for seed in range(4)]
KINDS = {"b": "continuous", "x": "continuous", "y": "continuous"}
VIEWS = [PublicClasses.of(ta.read(one, roles=ROLES, kinds=KINDS), "firms") for one in TABLES]

PUBLIC = [
    "a = 'p'", "a <> 'q'", "a IN ('p', 'pq')", "a NOT IN ('p', NULL)", "b IN (1, NULL, b)",
    "a LIKE 'p%'", "a NOT LIKE '_q'", "a ILIKE 'P'", "a IS NULL", "a IS NOT NULL", "b > 1",
    "b BETWEEN 0 AND 2", "b NOT BETWEEN 0 AND 2", "b % 2 = 1", "-b % 2 = -1", "b + 1 >= 2",
    "2 * b - 1 <> 1", "b / 2 > 0.4", "b // 2 = 0", "d >= DATE '2020-02-29'", "d < '2021-01-01'",
    "year(d) = 2020", "extract(month FROM d) IN (1, 5)", "quarter(d) <= day(d)", "flag", "NOT flag",
    "flag = TRUE", "flag IS NOT TRUE", "(b > 1) IS FALSE", "TRUE", "NULL", "1 = 1", "b = NULL",
    "CASE WHEN b > 1 THEN a = 'p' WHEN flag THEN a = 'q' END", "CASE b WHEN 1 THEN TRUE ELSE FALSE END",
    "coalesce(a, 'none') = 'none'", "nullif(b, 2) IS NULL", "length(a) > 1", "upper(a) = 'P'",
    "lower(a) <> 'p'", "substr(a, 2, 1) = 'q'", "left(a, 1) = right(a, 1)", "round(b / 2) = 1",
    "abs(b - 2) < 2", "floor(b / 2.0) = ceil(b / 2.0)", "CAST(b AS VARCHAR) = '2'", "mod(b, 3) = 0",
    "CAST(b AS DOUBLE) > 1.5", "a > 'p'", "a = CAST(b AS VARCHAR)", "b < length(a)",
    "coalesce(b, length(a), 7) > 1", "if(flag, b, 0) >= 1", "TRY_CAST(a AS BIGINT) IS NULL",
    "d > TIMESTAMP '2020-01-10 00:00:00'", "b <= 1.5",
]  # fmt: skip
CONFIDENTIAL = ["x > 0.3", "x IS NULL", "y IN (1, 2)", "x + b > 1", "x > 1 OR a = 'p'", "NOT y = 2"]
GROUPS = ["a", "b", "year(d)", "b % 2", "upper(a)", "coalesce(a, '?')", "flag", "(a IS NULL)",
          "CASE WHEN b > 1 THEN 'high' ELSE 'low' END", "b + length(a)",
          "CASE WHEN x > 0.3 THEN 'rich' WHEN x < 0 THEN 'poor' END",
          "CASE WHEN y > b THEN 1.5 WHEN flag THEN 2 ELSE 3 END"]  # fmt: skip
STATISTICS = ["count(x)", "count(DISTINCT a)", "sum(x)", "avg(y)", "min(x)", "max(y)", "var_pop(x)",
              "stddev_samp(y)", "median(x)", "quantile_cont(y, 0.3)", "count(DISTINCT b)",
              "sum(x) / count(*)", "var_samp(y) + 1", "sum(b)", "covar_pop(x, y)"]  # fmt: skip

conditions = st.recursive(
    st.sampled_from(PUBLIC * 2 + CONFIDENTIAL),
    lambda one: st.one_of(
        st.tuples(one, st.sampled_from(["AND", "OR"]), one).map(lambda t: f"({' '.join(t)})"),
        one.map(lambda part: f"(NOT ({part}))"),
    ),
    max_leaves=5,
)


@st.composite
def queries(draw) -> str:
    groups = draw(st.lists(st.sampled_from(GROUPS), max_size=3, unique=True))
    shape = draw(st.sampled_from(["{}", "ROLLUP ({})", "CUBE ({})"])) if groups else ""
    said = [*groups, *(f"grouping({one})" for one in groups), "count(*)"]
    said += draw(st.lists(st.sampled_from(STATISTICS), min_size=1, max_size=4, unique=True))
    where = draw(st.one_of(st.just(""), conditions.map(" WHERE {}".format)))
    grouping = f" GROUP BY {shape.format(', '.join(groups))}" if groups else ""
    return f"SELECT {', '.join(said)} FROM firms{where}{grouping}"


@cache
def _column(view: PublicClasses, name: str) -> list:
    if name in view.hidden:
        return view.hidden[name].to_pylist()
    return view.columns[name].of_classes().take(pa.array(view.of_record)).to_pylist()


def _known(view: PublicClasses, name: str | None, rows: np.ndarray) -> list:
    return [1 if name is None else _column(view, name)[row] for row in rows]


def _slowly(view: PublicClasses, cell) -> Released:
    """Compute a statistic by its definition, value by value."""
    asked = cell.asked
    values = _known(view, asked.attribute, cell.members.rows)
    if asked.other is not None:
        both = zip(values, _known(view, asked.other, cell.members.rows), strict=True)
        pairs = [pair for pair in both if None not in pair]
        return Released(float(np.cov(*zip(*pairs, strict=True), ddof=0)[0, 1]) if pairs else None)
    values = [value for value in values if value is not None]
    if asked.statistic is Statistic.COUNT:
        return Released(len(values))
    if asked.statistic is Statistic.COUNT_DISTINCT:
        return Released(len(set(values)))
    spread = 0 if asked.population else 1
    if not values or (asked.statistic in {"var", "stddev"} and len(values) <= spread):
        return Released(None)
    return Released(
        {
            "sum": math.fsum,
            "avg": np.mean,
            "min": min,
            "max": max,
            "var": lambda v: np.var(v, ddof=spread),
            "stddev": lambda v: np.std(v, ddof=spread),
            "quantile": lambda v: np.quantile(v, asked.fraction),
        }[asked.statistic](values)
    )


def _ours(sql: str, view: PublicClasses) -> list[tuple]:
    query = parse(sql, view)
    assert parse(query.canonical(), view) == query
    cells = expand(query, view)
    _, rows, *_ = present(query, cells, [_slowly(view, cell) for cell in cells])
    # Ours has a row also for a group that a condition on a confidential attribute empties.
    count = [one.name for one in query.columns].index("count(*)")
    return [row for row in rows if row[count] or not query.groups or _is_total(row, query)]


def _is_total(row: tuple, query) -> bool:
    marks = row[len(query.groups) : 2 * len(query.groups)]
    return () in query.grouping_sets and all(marks)


def _by_group(rows: list[tuple], width: int) -> dict:
    """Return the numbers of every group; what tells groups apart must be unique."""
    found = {row[:width]: [math.nan if v is None else v for v in row[width:]] for row in rows}
    assert len(found) == len(rows)
    return found


@pytest.fixture(scope="module")
def database():
    connection = duckdb.connect()
    for place, table in enumerate(TABLES):
        connection.register(f"records{place}", table)
        connection.execute(f"CREATE TABLE firms{place} AS SELECT * FROM records{place}")
    return connection


@settings(max_examples=70, deadline=None)
@given(queries(), st.integers(0, len(TABLES) - 1))
def test_random_queries_agree_with_duckdb(database, sql, place):
    expected = database.execute(sql.replace("FROM firms", f"FROM firms{place}")).fetchall()
    width = 2 * len(parse(sql, VIEWS[place]).groups)
    ours, theirs = _by_group(_ours(sql, VIEWS[place]), width), _by_group(expected, width)
    assert ours.keys() == theirs.keys()
    for group, numbers in theirs.items():
        assert ours[group] == pytest.approx(numbers, rel=1e-9, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("condition", PUBLIC + CONFIDENTIAL)
def test_every_condition_and_its_negation_agree_with_duckdb(database, condition):
    for said in (condition, f"NOT ({condition})"):
        sql = f"SELECT count(*), count(x) FROM firms WHERE {said}"
        assert (
            _ours(sql, VIEWS[0])
            == database.execute(sql.replace("FROM firms", "FROM firms0")).fetchall()
        )


def test_coarse_groupings_come_first_and_groups_in_order():
    view = VIEWS[0]
    cells = expand(parse("SELECT count(*), sum(x) FROM firms GROUP BY CUBE (flag, b)", view), view)
    assert [len(cell.of) for cell in cells] == sorted(len(cell.of) for cell in cells)
    assert [str(cell.asked) for cell in cells[:4]] == ["count(*)", "sum(x)"] * 2
    by_flag = [cell.group for cell in cells[::2] if cell.of == (0,)]
    assert by_flag == [(False, None), (True, None), (None, None)]
    by_b = [cell.group[1] for cell in cells[::2] if cell.of == (1,)]
    assert by_b == [-1, 0, 1, 2, 3, None]


def test_cells_of_one_grouping_share_out_the_records():
    view = VIEWS[1]
    cells = expand(parse("SELECT count(*) FROM firms GROUP BY ROLLUP (a, year(d))", view), view)
    for of in {cell.of for cell in cells}:
        places = np.concatenate([cell.members.places for cell in cells if cell.of == of])
        assert sorted(places) == list(range(len(view)))


def test_a_query_without_groups_has_its_cells_even_if_nobody_is_meant():
    view = VIEWS[0]
    cells = expand(parse("SELECT count(*), avg(x) FROM firms WHERE b > 99", view), view)
    assert [cell.members.size for cell in cells] == [0, 0]
    assert not expand(parse("SELECT count(*) FROM firms WHERE b > 99 GROUP BY a", view), view)


def test_written_values_of_a_confidential_attribute_are_groups_whoever_is_in_them():
    view = VIEWS[0]
    bands = "CASE WHEN x > 99 THEN 'over' WHEN x > 0 THEN 'in' ELSE 'out' END"
    sql = f"SELECT flag, count(*) FROM firms WHERE flag GROUP BY flag, {bands}"
    cells = expand(parse(sql, view), view)
    assert [cell.group for cell in cells] == [(True, "in"), (True, "out"), (True, "over")]
    assert [cell.members.size > 0 for cell in cells] == [True, True, False]
    assert not any(cell.members.is_public or cell.is_secret for cell in cells)


@pytest.mark.parametrize("band", ["CASE WHEN x > 1 THEN y ELSE 0 END", "floor(x)", "x > 1"])
def test_groups_of_a_confidential_attribute_that_are_not_written_out_are_refused(band):
    with pytest.raises(QueryError, match="CASE of it with written values"):
        parse(f"SELECT count(*) FROM firms GROUP BY {band}", VIEWS[0])


def test_a_condition_on_a_confidential_attribute_changes_no_group():
    view = VIEWS[0]
    cells = expand(
        parse("SELECT count(*) FROM firms WHERE x > 99 AND b > 0 GROUP BY b", view), view
    )
    assert [cell.group for cell in cells] == [(1,), (2,), (3,)]
    assert [cell.members.size for cell in cells] == [0, 0, 0]
    assert not any(cell.members.is_public for cell in cells)
    assert cells[0].members.classes.sum() > 0


def test_query_sets_are_public_where_no_confidential_attribute_chooses():
    view = VIEWS[0]
    (cell,) = expand(parse("SELECT sum(x) FROM firms WHERE a = 'p' OR flag", view), view)
    assert cell.members.is_public
    assert cell.members.size == len(cell.members.rows)


def test_too_many_cells_are_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr(expanding, "MOST_CELLS", 10)
    view = VIEWS[0]
    with pytest.raises(QueryError, match="at most 10 numbers"):
        expand(parse("SELECT count(*) FROM firms GROUP BY a, b", view), view)


def test_many_combinations_keep_their_order(monkeypatch):
    view = VIEWS[2]
    query = parse("SELECT count(*) FROM firms GROUP BY a, b, d, flag", view)
    expected = [(cell.group, cell.members.size) for cell in expand(query, view)]
    monkeypatch.setattr(expanding, "COMPRESSED", 8)
    assert [(cell.group, cell.members.size) for cell in expand(query, view)] == expected


def test_a_query_set_says_its_classes_either_way():
    view = VIEWS[0]
    (cell,) = expand(parse("SELECT count(*) FROM firms WHERE b = 1 AND x > 0", view), view)
    members = cell.members
    other = QuerySet(view, members.classes, members.among)
    assert other.places.tolist() == members.places.tolist()
    assert other.rows.tolist() == members.rows.tolist()
    chosen = members.classes[view.of_record] & members.among
    assert members.rows.tolist() == np.flatnonzero(chosen).tolist()


def test_the_two_zeros_are_one_group() -> None:
    data = ta.read(
        pa.table({"a": [0.0, -0.0, 1.0], "b": [-1, 1, 2]}), roles={"a": "key", "b": "key"}
    )
    classes = PublicClasses.of(data, "t")
    for key in ("a", "a * b"):
        cells = expand(parse(f"SELECT count(*) FROM t GROUP BY {key}", classes), classes)
        assert [cell.members.size for cell in cells] == [2, 1]
