"""What is in the language, and what it means."""

# ruff: noqa: S608 - queries are what is tested
from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import QueryError
from tacita.queries.expanding import expand
from tacita.queries.language.expressions import Call, Literal, Named, Told
from tacita.queries.language.parse import parse
from tacita.queries.language.query import asked_in_sql
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked, Statistic

S = Statistic

# The table of the lecture: record 14 earns 35,000.
SALARIES = pa.table(
    {
        "id": list(range(1, 16)),
        "Salary": [500000, 320000, 32000, 35000, 34000, 28000, 300000, 45000, 34000, 45000, 34000,
                   24000, 300000, 35000, 150000],
        "Sector": ["IT"] * 6 + ["HC"] * 6 + ["Fin"] * 3,
        "Region": (["BCN"] * 3 + ["TGN"] * 3) * 2 + ["BCN", "BCN", "TGN"],
        "age": list(range(20, 35)),
        "hired": pa.array(range(18000, 18015), pa.date32()),
        "w": [2.0] * 15,
    }
)  # fmt: skip
ROLES = {
    "id": "identifier",
    "Salary": "confidential",
    "age": "confidential",
    "Sector": "key",
    "Region": "key",
    "hired": "key",
    "w": "weight",
}
VIEW = PublicClasses.of(ta.read(SALARIES, roles=ROLES), "firms")
LECTURE = ["id", "Salary", "Sector", "Region"]
SEED = PublicClasses.of(
    ta.read(SALARIES.select(LECTURE), roles={name: ROLES[name] for name in LECTURE}), "table"
)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT count() FROM table WHERE Salary > 100000", 5),
        ("SELECT sum(Salary) FROM table WHERE Sector = 'HC'", 482_000),
        ("SELECT count() FROM table WHERE Sector = 'IT' and Region = 'TGN'", 3),
        ("SELECT count() FROM table WHERE Sector = 'Fin' and Region = 'TGN'", 1),
        ("SELECT avg(Salary) FROM table WHERE Sector = 'Fin' and Region = 'TGN'", 150_000),
    ],
)
def test_the_five_queries_of_the_lecture(sql, expected):
    (cell,) = expand(parse(sql, SEED), SEED)
    values = SEED.numbers("Salary")[cell.members.rows]
    found = {"count": len(values), "sum": values.sum(), "avg": values.mean()}
    assert found[cell.asked.statistic] == expected
    assert cell.members.is_public == ("Salary >" not in sql)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("count(*)", Asked(S.COUNT)),
        ("COUNT()", Asked(S.COUNT)),
        ("count(salary)", Asked(S.COUNT, "Salary")),
        ("count(DISTINCT Region)", Asked(S.COUNT_DISTINCT, "Region")),
        ("sum((salary))", Asked(S.SUM, "Salary")),
        ("avg(f.salary)", Asked(S.AVG, "Salary")),
        ("min(salary)", Asked(S.MIN, "Salary")),
        ("max(salary)", Asked(S.MAX, "Salary")),
        ("variance(salary)", Asked(S.VAR, "Salary")),
        ("var_samp(salary)", Asked(S.VAR, "Salary")),
        ("var_pop(salary)", Asked(S.VAR, "Salary", population=True)),
        ("stddev(salary)", Asked(S.STDDEV, "Salary")),
        ("stddev_samp(salary)", Asked(S.STDDEV, "Salary")),
        ("stddev_pop(salary)", Asked(S.STDDEV, "Salary", population=True)),
        ("median(salary)", Asked(S.QUANTILE, "Salary", fraction=0.5)),
        ("quantile_cont(salary, 0.9)", Asked(S.QUANTILE, "Salary", fraction=0.9)),
        ("quantile_cont(salary, 1)", Asked(S.QUANTILE, "Salary", fraction=1.0)),
        (
            "percentile_cont(0.25) WITHIN GROUP (ORDER BY salary)",
            Asked(S.QUANTILE, "Salary", fraction=0.25),
        ),
        (
            "percentile_cont(0.25) WITHIN GROUP (ORDER BY salary DESC)",
            Asked(S.QUANTILE, "Salary", fraction=0.75),
        ),
        ("corr(salary, age)", Asked(S.CORR, "Salary", "age")),
        ("covar_samp(salary, age)", Asked(S.COVAR, "Salary", "age")),
        ("covar_pop(salary, age)", Asked(S.COVAR, "Salary", "age", population=True)),
        ("regr_slope(salary, age)", Asked(S.REGR_SLOPE, "Salary", "age")),
        ("weighted_sum(salary)", Asked(S.SUM, "Salary", weighted=True)),
        ("WEIGHTED_AVG(salary)", Asked(S.AVG, "Salary", weighted=True)),
        ("sum(salary * w)", Asked(S.SUM, "Salary", weighted=True)),
        ("sum(W * salary)", Asked(S.SUM, "Salary", weighted=True)),
        ("sum(salary * w) / sum(w)", Asked(S.AVG, "Salary", weighted=True)),
        ("(sum(w * salary)) / (sum(w))", Asked(S.AVG, "Salary", weighted=True)),
    ],
)
def test_statistics(said, asked):
    query = parse(f"SELECT {said} FROM firms f", VIEW)
    assert query.asked == (asked,)
    assert query.columns[0].value == Told(0)
    assert parse(f"SELECT {asked_in_sql(asked)} FROM firms", VIEW).asked == (asked,)


def test_every_statistic_is_asked_once_wherever_it_stands():
    query = parse(
        "SELECT sum(salary) / count(*), Count(*) FROM firms GROUP BY sector "
        "HAVING sum(salary) > 5 ORDER BY max(salary)",
        VIEW,
    )
    assert list(map(str, query.asked)) == ["sum(Salary)", "count(*)", "max(Salary)"]


@pytest.mark.parametrize(
    ("grouping", "sets"),
    [
        ("sector, region", ((0, 1),)),
        ("sector, sector", ((0,),)),
        ("2, 1", ((0, 1),)),
        ("ALL", ((0, 1),)),
        ("(sector, region)", ((0, 1),)),
        ("()", ((),)),
        ("ROLLUP (sector, region)", ((0, 1), (0,), ())),
        ("CUBE (sector, region)", ((0, 1), (0,), (1,), ())),
        ("sector, ROLLUP (region)", ((0, 1), (0,))),
        ("ROLLUP ((sector, region))", ((0, 1), ())),
        ("GROUPING SETS ((sector, region), region, ())", ((0, 1), (1,), ())),
        ("GROUPING SETS (ROLLUP (sector), (sector), CUBE (region))", ((0,), (), (1,))),
        ("CUBE (sector), CUBE (region)", ((0, 1), (0,), (1,), ())),
    ],
)
def test_grouping_sets(grouping, sets):
    said = "count(*)" if grouping == "()" else "sector, region, count(*)"
    if "region" not in grouping and grouping not in {"2, 1", "ALL", "()"}:
        said = "sector, count(*)"
    assert parse(f"SELECT {said} FROM firms GROUP BY {grouping}", VIEW).grouping_sets == sets


def test_groups_can_be_named_by_alias_and_are_found_in_larger_expressions():
    query = parse(
        "SELECT year(hired) AS y, year(hired) - 2000, count(*) FROM firms GROUP BY y", VIEW
    )
    assert query.groups == (Call("year", (Named("hired"),)),)
    assert [one.name for one in query.columns] == ["y", "(year(hired) - 2000)", "count(*)"]


def test_an_attribute_goes_before_an_alias_of_its_name_in_group_by():
    query = parse(
        "SELECT lower(sector) AS region, count(*) FROM firms GROUP BY region, sector", VIEW
    )
    assert query.groups == (Named("Region"), Named("Sector"))


def test_conditions_on_public_and_confidential_attributes_are_kept_apart():
    query = parse(
        "SELECT count(*) FROM firms WHERE sector = 'IT' AND (salary > 5 OR region = 'TGN') AND "
        "region <> 'BCN' AND age < 30",
        VIEW,
    )
    assert query.confidential == {"Salary", "age"}
    assert len(query.public_predicates()) == 2
    assert len(query.confidential_predicates()) == 2


# -- one way of writing --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        "select COUNT( * )\nfrom FIRMS -- a comment\nwhere SECTOR = 'IT' and (Region) = 'BCN'",
        "SELECT count() AS \"count(*)\" FROM \"firms\" WHERE ((firms.sector = 'IT') AND region = 'BCN');",
        "FROM firms AS f SELECT count(*) WHERE f.sector = 'IT' AND f.region = 'BCN'",
    ],
)
def test_the_same_query_is_written_the_same(other):
    query = parse("SELECT count(*) FROM firms WHERE sector = 'IT' AND region = 'BCN'", VIEW)
    assert parse(other, VIEW) == query
    assert parse(other, VIEW).canonical() == query.canonical()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sector s, sum(salary)/count(*) FROM firms GROUP BY CUBE(sector, year(hired)) HAVING count(*) > 3 AND grouping(sector) = 0 ORDER BY 2 DESC NULLS FIRST, s LIMIT 5 OFFSET 2",
        "SELECT count(*) FROM firms WHERE region IN ('a', NULL, sector) OR NOT region BETWEEN 'a' AND 'b'",
        "SELECT count(*) FROM firms WHERE CASE sector WHEN 'IT' THEN TRUE END IS NOT FALSE",
        "SELECT count(*) FROM firms WHERE hired > DATE '2020-01-01' OR hired = TIMESTAMP '2020-01-01 10:00:00'",
        "SELECT count(*) FROM firms WHERE -1.5e-7 < length(sector) % 3 AND 1e300 > 2.0",
        "SELECT count(*) FROM firms WHERE region = 'it''s \"so\"\\' AND CAST('12' AS BIGINT) = 12",
        "SELECT count(*) FROM firms WHERE substr(region, 1, 2) ILIKE '%a_' AND coalesce(NULL, TRUE)",
        "SELECT round(avg(salary), 2), 7, NULL FROM firms GROUP BY ROLLUP ((sector IS NULL))",
    ],
)
def test_what_is_written_is_read_again_as_the_same(sql):
    query = parse(sql, VIEW)
    assert parse(query.canonical(), VIEW) == query
    assert parse(query.canonical(), VIEW).canonical() == query.canonical()


def test_numbers_of_different_types_are_different():
    assert Literal(1) != Literal(1.0)
    assert Literal(1) != Literal(True)
    whole, real = (parse(f"SELECT count(*) FROM firms WHERE age = {n}", VIEW) for n in ("1", "1.0"))
    assert whole.canonical() != real.canonical()


def test_names_with_quotes_are_quoted():
    table = pa.table({'a "b"': ["x", "y"], "x": [1, 2]})
    view = PublicClasses.of(
        ta.read(table, roles={'a "b"': "key", "x": "confidential"}), 'my "view"'
    )
    query = parse('SELECT sum(x) FROM "my ""view""" WHERE "A ""b""" = \'x\'', view)
    assert parse(query.canonical(), view) == query


def test_letter_case_tells_attributes_apart_where_it_must():
    table = pa.table({"a": ["x", "y"], "A": ["u", "v"], "x": [1, 2]})
    view = PublicClasses.of(
        ta.read(table, roles={"a": "key", "A": "key", "x": "confidential"}), "t"
    )
    assert parse("SELECT count(*) FROM t WHERE A = 'u'", view).where == Call(
        "=", (Named("A"), Literal("u"))
    )
    assert parse("SELECT sum(X) FROM t", view).asked == (Asked(S.SUM, "x"),)


# -- parameters ----------------------------------------------------------------------------------


def test_parameters_are_bound_in_the_order_of_the_text():
    query = parse(
        "SELECT quantile_cont(salary, ?) FROM firms WHERE sector = ? AND region IN (?, '?') LIMIT ?",
        VIEW,
        [0.25, "IT", "BCN", 3],
    )
    assert query.asked[0].fraction == 0.25
    assert query.limit == 3
    assert query.where == Call(
        "AND",
        (
            Call("=", (Named("Sector"), Literal("IT"))),
            Call("IN", (Named("Region"), Literal("BCN"), Literal("?"))),
        ),
    )


@pytest.mark.parametrize(
    "value",
    [
        "x' OR '1'='1",
        "'; DROP TABLE firms; --",
        "?",
        ":name",
        "$1",
        "\\",
        "\x00",
        "%' --",
        "(SELECT 1)",
    ],
)
def test_parameters_are_values_and_nothing_else(value):
    for sql, values in (("?", [value]), (":name", {"name": value}), ("$name", {"name": value})):
        query = parse(f"SELECT count(*) FROM firms WHERE sector = {sql}", VIEW, values)
        assert query.where == Call("=", (Named("Sector"), Literal(value)))
        assert parse(query.canonical(), VIEW) == query


@pytest.mark.parametrize(
    ("value", "bound"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (2**70, float(2**70)),
        (Decimal("1.5"), 1.5),
        (date(2020, 1, 1), date(2020, 1, 1)),
        (datetime(2020, 1, 1, 3), datetime(2020, 1, 1, 3)),
    ],
)
def test_plain_values_can_be_bound(value, bound):
    query = parse("SELECT count(*) FROM firms WHERE nullif(?, NULL) IS NULL", VIEW, [value])
    assert query.where == Call("IS NULL", (Call("nullif", (Literal(bound), Literal(None))),))


@pytest.mark.parametrize(
    ("sql", "values", "reason"),
    [
        ("?", [], "more parameters"),
        ("?", ["a", "b"], "More parameters are given"),
        ("?", {"a": "b"}, "no value"),
        (":a", {"b": "c"}, "no value"),
        (":a", {"a": "b", "c": "d"}, "More parameters are given"),
        (":a", ["b"], "more parameters"),
        ("?", [["a"]], "not list"),
        ("?", "IT", "not str"),
        ("?", {"IT"}, "not set"),
        ("?", [b"a"], "not bytes"),
        ("?", [float("nan")], "finite"),
        ("?", [10**5000], "finite"),
        ("?", [datetime(2020, 1, 1, tzinfo=UTC)], "time zone"),
        ("?", [5], "go together"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(sql, values, reason):
    with pytest.raises(QueryError, match=reason):
        parse(f"SELECT count(*) FROM firms WHERE sector = {sql}", VIEW, values)


def test_long_texts_are_read_as_short_ones():
    short = "SELECT count(*) FROM firms WHERE sector = 'IT'"
    assert parse(short + " " * 2000, VIEW) == parse(short, VIEW)


def test_a_kept_tree_forgets_its_parameters():
    sql = "SELECT count(*) FROM firms WHERE sector = ?"
    first, second = (parse(sql, VIEW, [one]) for one in ("IT", "HC"))
    assert first != second
    assert parse(sql, VIEW, ["IT"]) == first


def test_long_conditions_are_read():
    said = " OR ".join(f"sector = 's{number}'" for number in range(800))
    query = parse(f"SELECT count(*) FROM firms WHERE {said} OR sector = 'IT'", VIEW)
    (cell,) = expand(query, VIEW)
    assert cell.members.size == 6


def test_the_deepest_query_can_be_read_again():
    deep = "length(sector)"
    for _ in range(7):
        deep = f"abs(-{deep})"
    sql = f"SELECT {deep}, round(sum(salary), 2) FROM firms GROUP BY ROLLUP ({deep}, region) HAVING {deep} IN (1, 2)"
    query = parse(sql, VIEW)
    assert parse(query.canonical(), VIEW) == query
    with pytest.raises(QueryError, match="deeply"):
        parse(sql.replace("HAVING ", "HAVING 1 + "), VIEW)


def test_a_query_is_not_longer_when_written_out():
    sql = "SELECT sum(salary) + sum(age) + avg(age) AS a FROM firms WHERE sector = ? ORDER BY "
    assert parse(sql + "a, a", VIEW, ["x" * 5000]).canonical().count("avg") == 3
    with pytest.raises(QueryError, match="too long"):
        parse(sql + "a", VIEW, ["x" * 20_000])
    with pytest.raises(QueryError, match="too long"):
        parse(sql + ", ".join(["a"] * 100), VIEW, ["x" * 15_000])
    with pytest.raises(QueryError, match="at most 100 expressions"):
        parse(sql + ", ".join(["a"] * 101), VIEW, ["x"])
    with pytest.raises(QueryError, match="at most 100 columns"):
        parse(f"SELECT {', '.join(['count(*)'] * 101)} FROM firms", VIEW)


def test_weights_are_asked_for_where_there_are_some():
    with pytest.raises(QueryError, match="no weights"):
        parse("SELECT weighted_sum(Salary) FROM table", SEED)


def test_choices_of_a_long_list_are_not_compared_with_each_other(monkeypatch):
    compared = []
    monkeypatch.setattr(Literal, "__eq__", lambda one, other: compared.append(one) or one is other)
    said = ", ".join(map(str, range(1000)))
    parse(f"SELECT count(*) FROM firms WHERE age IN ({said}, NULL)", VIEW)
    assert len(compared) < 10 * 1000
