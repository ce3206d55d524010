"""What a ledger says is read back as the parser reads it, and most of it without the parser."""

# ruff: noqa: S608 - queries are what is tested
from __future__ import annotations

from datetime import date, datetime

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import QueryError
from tacita.queries.language.expressions import Call, Literal, Named
from tacita.queries.language.parse import parse
from tacita.queries.language.query import StatisticalQuery
from tacita.queries.language.reading import read_back
from tacita.queries.language.writing import written
from tacita.queries.public_classes import PublicClasses

TABLE = pa.table(
    {
        "sector": ["IT", "HC"],
        'WHERE "it" is': ["x", "y"],
        "hired": pa.array([18000, 18001], pa.date32()),
        "age": [20, 30],
        "salary": [5, 6],
    }
)
ROLES = dict.fromkeys(TABLE.column_names, "key") | {"salary": "confidential"}
VIEW = PublicClasses.of(ta.read(TABLE, roles=ROLES), "firms")


def read(sql: str) -> tuple[StatisticalQuery, list[str]]:
    """Return what is read back, and what the parser was asked to read."""
    parsed = []
    return read_back(sql, VIEW, lambda text: parsed.append(text) or parse(text, VIEW)), parsed


texts = st.one_of(
    st.text(max_size=4), st.sampled_from(["it's", '"', "' WHERE ", " AND (", ")", "?", "--", ""])
).filter(lambda text: "\x00" not in text)
numbers = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False)
).map(Literal)
ages = st.recursive(
    st.one_of(st.just(Named("age")), numbers),
    lambda inner: st.one_of(
        st.builds(
            lambda *parts: Call(parts[0], parts[1:]),
            st.sampled_from(["+", "-", "*", "/", "%"]), inner, inner
        ),
        st.builds(lambda one: Call("abs", (one,)), inner),
        st.builds(lambda one: Call("BIGINT", (one,)), inner),
        st.builds(lambda one: Call("round", (one, Literal(2))), inner),
    ),
    max_leaves=3,
)  # fmt: skip
said = st.builds(Literal, texts)
names = st.sampled_from([Named("sector"), Named('WHERE "it" is')])
compared = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
simple = st.one_of(
    st.builds(lambda how, *two: Call(how, two), compared, ages, ages),
    st.builds(lambda how, *two: Call(how, two), compared, names, said),
    st.builds(lambda one, some: Call("IN", (one, *some)), names, st.lists(said, min_size=1)),
    st.builds(lambda one, like: Call("LIKE", (one, like)), names, said),
    st.builds(lambda one: Call("IS NULL", (one,)), names),
    st.builds(lambda one: Call("=", (Named("salary"), one)), numbers),
    st.dates(date(1000, 1, 1)).map(lambda day: Call(">", (Named("hired"), Literal(day)))),
    st.datetimes(datetime(1000, 1, 1)).map(lambda at: Call("<", (Named("hired"), Literal(at)))),
)
conditions = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.builds(
            lambda how, some: Call(how, tuple(some)),
            st.sampled_from(["AND", "OR"]),
            st.lists(inner, min_size=2, max_size=4),
        ),
        st.builds(lambda one: Call("NOT", (one,)), inner),
        st.builds(lambda one: Call("coalesce", (one, Literal(False))), inner),
        st.builds(lambda *three: Call("CASE", three), inner, inner, inner),
    ),
    max_leaves=5,
)
STATEMENTS = (
    "SELECT count(*) FROM firms WHERE {}",
    'SELECT sector, sum(salary) AS "it\'s WHERE" FROM firms WHERE {} GROUP BY sector LIMIT 3',
    (
        "SELECT CASE WHEN sector = ' WHERE ' THEN 1 END, avg(salary) FROM firms WHERE {} "
        "GROUP BY CUBE(sector, age) HAVING count(*) > 3 ORDER BY 2 DESC"
    ),
)


@settings(max_examples=300, deadline=None)
@given(conditions, st.sampled_from(STATEMENTS))
def test_it_is_read_as_the_parser_reads_it(condition, statement):
    try:
        query = parse(statement.format(written(condition)), VIEW)
    except QueryError:
        return  # types that do not go together, or too deep
    sql = query.canonical()
    found, parsed = read(sql)
    assert found == parse(sql, VIEW)
    assert found.canonical() == sql
    assert all(text == sql or written(query.where) not in text for text in parsed)


@pytest.mark.parametrize(
    "where",
    [
        "sector = 'IT'",
        "sector = 'it''s' AND age BETWEEN 3 AND 5 AND hired > DATE '2020-01-01'",
        "sector IN ('a', 'b') AND (age < -1.5 OR NOT age = 2) AND salary > 3",
        "coalesce(lower(sector) LIKE 'a%', FALSE) AND CAST(age AS DOUBLE) / 2 > 1e300",
        "CASE WHEN age > 3 THEN 'a' WHEN age > 2 THEN sector ELSE NULL END IS NULL",
    ],
)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_parser_never_sees_such_conditions(statement, where):
    """Otherwise a long history would take as long to open as it took to ask."""
    sql = parse(statement.format(where), VIEW).canonical()
    _, parsed = read(sql)
    assert parsed == [parse(statement.replace(" WHERE {}", ""), VIEW).canonical()]


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT count(*) AS "count(*)" FROM "firms" WHERE ("age" = -9223372036854775808)',
        'SELECT count(*) AS "count(*)" FROM "firms" WHERE ((("age" = 1) AND ("age" = 2)) AND ("age" = 3))',
        'SELECT count(*) AS "count(*)" FROM "firms" WHERE ("sector" IN (\'a\', NULL))',
        'SELECT count(*) AS "count(*)" FROM "firms" WHERE (("age" = 1))',
        'select count(*) from firms where age = 1 WHERE',
        "SELECT count(*) FROM firms WHERE age = 1",
        'SELECT count(*) AS "n" FROM "firms" WHERE ("AGE" = 1)',
    ],
)  # fmt: skip
def test_what_we_would_write_otherwise_is_parsed(sql):
    try:
        expected = parse(sql, VIEW)
    except QueryError as error:
        with pytest.raises(QueryError, match=str(error)):
            read(sql)
    else:
        found, parsed = read(sql)
        assert found == expected
        assert parsed == [sql]


@pytest.mark.parametrize("condition", ['("wage" = 1)', '(("age" = 1) AND ("wage" = 1))', "(", ""])
def test_what_cannot_be_read_is_the_parsers_to_refuse(condition):
    with pytest.raises(QueryError):
        read(f'SELECT count(*) AS "n" FROM "firms" WHERE {condition}')
