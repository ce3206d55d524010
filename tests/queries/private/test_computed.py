"""Statistics of what is computed of every record, against DuckDB and all neighbours."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import QueryError
from tacita.queries.computed import Computed, DerivedBounds
from tacita.queries.guard import Guard
from tacita.queries.language.expressions import Call, Literal, Named, evaluate
from tacita.queries.language.naming import Permitted
from tacita.queries.language.parse import parse
from tacita.queries.private.moments import ClampedSums, Moment
from tacita.queries.private.parts import Neighbours, measured, sensitivity
from tacita.queries.public_classes import PublicClasses

BOUNDS = {"pay": (0.0, 100.0), "debt": (-20.0, 30.0), "age": (0.0, 99.0)}
ROLES = {"person": "identifier", "sex": "key", "age": "key", "pay": "confidential",
         "debt": "confidential", "job": "confidential"}  # fmt: skip
ROWS = [
    (1, "f", 30, 55.0, -3.0, "cook"),
    (1, "m", 41, 20.5, None, "nurse"),
    (2, "f", 30, None, 12.0, None),
    (3, "m", 18, 99.0, 30.0, "cook"),
    (4, "f", 77, 12.0, -20.0, "smith"),
    (4, "f", 30, 64.25, 0.0, "cook"),
]
VALUES = [
    "pay + debt",
    "pay - 2 * debt",
    "CASE WHEN job = 'cook' THEN pay ELSE 0 END",
    "CASE WHEN age > 30 THEN debt WHEN pay > 50 THEN 7 END",
    "pay * debt / 4",
    "abs(debt)",
    "coalesce(debt, 0) + coalesce(pay, -1)",
    "nullif(debt, 0)",
    "round(pay / 3, 1)",
    "floor(pay) * (age - 50)",
    "-pay",
    "1",
    "CAST(pay AS BIGINT)",
]
FILTERS = [
    "count(*) FILTER (WHERE pay > 50)",
    "count(debt) FILTER (WHERE job = 'cook')",
    "sum(pay) FILTER (WHERE sex = 'f' AND debt < 1)",
    "avg(pay + debt) FILTER (WHERE job IS NOT NULL)",
    "var_pop(pay) FILTER (WHERE age < 70)",
]


def table() -> pa.Table:
    columns = dict(zip(ROLES, zip(*ROWS, strict=True), strict=True))
    return pa.table({name: pa.array(values) for name, values in columns.items()})


@pytest.fixture(scope="module")
def people() -> PublicClasses:
    return PublicClasses.of(ta.read(table(), roles=ROLES), "people")


def sure(**more) -> ta.PrivateAnswers:
    said = {"share_each": 0.01, "groups": {"sex": ["f", "m"]}, **more}
    return ta.PrivateAnswers(1e12, BOUNDS, **said)


def by_duckdb(sql: str):
    database = duckdb.connect(config={"threads": 1})
    database.register("people", table())
    return database.execute(sql).fetchall()


@pytest.mark.parametrize("value", VALUES)
def test_sums_and_means_of_expressions_are_those_of_duckdb(people, value):
    sql = f"SELECT sum({value}), avg({value}), count({value}) FROM people"  # noqa: S608
    (found,) = Guard(people, [sure()]).ask(sql, user="ana").rows
    (wanted,) = by_duckdb(sql)
    assert found == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize("asked", FILTERS)
@pytest.mark.parametrize("groups", ["", " GROUP BY sex ORDER BY sex"])
def test_filters_choose_records_as_in_duckdb(people, asked, groups):
    sql = f"SELECT {'sex, ' if groups else ''}{asked}, count(*) FROM people{groups}"  # noqa: S608
    found = Guard(people, [sure()]).ask(sql, user="ana").rows
    for one, other in zip(found, by_duckdb(sql), strict=True):
        assert one[:-2] == other[:-2]
        wanted = [number or 0 for number in other[-2:]]  # a sum of nobody is 0 with noise
        assert one[-2:] == pytest.approx(wanted, abs=1e-3)


def test_two_statistics_of_different_values_are_measured_apart(people):
    sql = "SELECT count(*), count(*) FILTER (WHERE pay > 50), sum(pay), sum(pay + 1) FROM people"
    guard = Guard(people, [sure()])
    assert guard.ask(sql, user="ana").rows[0] == pytest.approx((6, 3, 250.75, 255.75), abs=1e-3)
    told = guard.explain(sql, user="ana")["private_answers"]
    assert sum("error of" in name for name in told) == 4


def test_who_is_counted_is_respondents(people):
    sql = "SELECT sex, count(DISTINCT person) FROM people GROUP BY ROLLUP(sex) ORDER BY sex"
    policy = sure(respondent="person", records_each=2)
    assert Guard(people, [policy]).ask(sql, user="ana").rows == (("f", 3), ("m", 2), (None, 4))


# -- bounds ----------------------------------------------------------------------------------------

leaves = st.one_of(
    st.sampled_from([Named("pay"), Named("debt")]),
    st.builds(Literal, st.one_of(st.integers(-9, 9), st.floats(-5, 5), st.none())),
)


def longer(parts):
    two = st.tuples(parts, parts)
    condition = st.builds(lambda of: Call("<", of), two)
    return st.one_of(
        st.builds(Call, st.sampled_from("+-*"), two),
        st.builds(Call, st.sampled_from(["abs", "floor", "ceil"]), st.tuples(parts)),
        st.builds(Call, st.sampled_from(["coalesce", "nullif"]), two),
        st.builds(lambda c, of: Call("CASE", (c, *of)), condition, two),
        st.builds(lambda one, by: Call("/", (one, Literal(by))), parts, st.sampled_from([2, -0.5])),
        st.builds(lambda one, by: Call("round", (one, Literal(by))), parts, st.integers(-1, 2)),
    )


class Record:
    def __init__(self, **values):
        self._values = values

    def find(self, expression):
        if isinstance(expression, Named):
            return pa.array([self._values[expression.name]], pa.float64())
        return None


@pytest.mark.numeric
@given(
    expression=st.recursive(leaves, longer, max_leaves=6),
    pay=st.one_of(st.none(), st.floats(0, 100)),
    debt=st.one_of(st.none(), st.floats(-20, 30)),
)
def test_no_record_is_beyond_the_bounds_that_follow(expression, pay, debt):
    low, high = DerivedBounds(BOUNDS)[Computed.of(expression)]
    value = evaluate(expression, Record(pay=pay, debt=debt))
    value = value.as_py() if isinstance(value, pa.Scalar) else value[0].as_py()
    assert low < high
    slack = 1e-9 * max(1, abs(low), abs(high))
    assert value is None or low - slack <= value <= high + slack


@pytest.mark.parametrize("asked", ["sum(pay + debt)", "sum(abs(debt)) FILTER (WHERE pay > 50)",
                                   "avg(pay - 2 * debt)", "count(*) FILTER (WHERE debt > 5)"])  # fmt: skip
@pytest.mark.parametrize("neighbours", Neighbours)
def test_no_neighbour_moves_a_computed_part_further(asked, neighbours):
    """Every other record, also with values beyond the bounds."""
    bounds = DerivedBounds(BOUNDS)
    choices = list(
        product(["f", "m"], [30], [None, -50.0, 0.0, 60.0, 1e6], [None, -20.0, 30.0, 1e9])
    )

    def parts(records):
        columns = dict(zip(["sex", "age", "pay", "debt"], zip(*records, strict=True), strict=True))
        kinds = [pa.string(), pa.int64(), pa.float64(), pa.float64()]
        arrays = {
            name: pa.array(values, kind)
            for (name, values), kind in zip(columns.items(), kinds, strict=True)
        }
        roles = {name: ROLES[name] for name in columns}
        data = PublicClasses.of(ta.read(pa.table(arrays), roles=roles), "people")
        query = parse(f"SELECT {asked} FROM people", data, permitted=Permitted(expressions=True))  # noqa: S608
        return {
            what: sum(map(int, what.of_records(data, bounds))) for what in measured(query.asked[0])
        }

    stay = [("f", 30, 10.0, 1.0), ("m", 30, 70.0, 20.0)]
    for one in choices:
        here = parts([*stay, one])
        others = [[*stay, other] for other in choices]
        for there in map(parts, others if neighbours is Neighbours.CHANGE_ONE else [stay]):
            for what, value in here.items():
                limit = sensitivity(what, False, bounds, neighbours, 1)
                assert abs(value - there[what]) <= limit.sum


def test_records_of_nobody_add_nothing(people):
    name = Computed.of(Call("+", (Named("pay"), Named("debt"))))
    total = ClampedSums(DerivedBounds(BOUNDS)).over(Moment((name,), (name,)), _everybody(people))
    unit = Moment((name,), (name,)).unit(DerivedBounds(BOUNDS))
    assert total * unit == pytest.approx(52 + 129 - 8 + 64.25, abs=1e-3)


def _everybody(data):
    from tacita.queries.expanding import expand

    return expand(parse("SELECT count(*) FROM people", data), data)[0].members


# -- what cannot be asked --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ("sum(pay / debt)", "divided by a written number only"),
        ("sum(pay / 0)", "divided by a written number only"),
        ("sum(pay % 7)", "No bounds follow for %"),
        ("sum(length(job))", "No bounds follow for length"),
        ("sum(job)", "`job`|'job'"),
        ("sum(CASE WHEN pay > 1 THEN job END)", "of numbers; found a text"),
        ("sum(pay > 1)", "No bounds follow for >"),
        ("sum(sum(pay))", "Statistics can stand in SELECT"),
        ("sum(pay) FILTER (WHERE sum(pay) > 1)", "Statistics can stand in SELECT"),
        ("corr(pay, debt) FILTER (WHERE pay > 1)", "FILTER .* belongs to"),
        ("count(DISTINCT sex) FILTER (WHERE pay > 1)", "FILTER .* belongs to"),
        ("sum(person + 1)", "no attribute 'person'"),
        ("count(DISTINCT pay + 1)", "of an attribute, not of an expression"),
    ],
)
def test_what_has_no_bounds_is_refused_with_the_reason(people, asked, reason):
    guard = Guard(people, [sure()])
    with pytest.raises(QueryError, match=reason):
        guard.ask(f"SELECT {asked} FROM people", user="ana")  # noqa: S608
    assert guard.left("ana") == {"epsilon": 1e12}


def test_bounds_that_are_missing_are_said_and_learned_ones_are_used(people):
    sql = "SELECT sum(pay + debt) FROM people"
    guard = Guard(people, [ta.PrivateAnswers(1.0, {"pay": (0, 9)}, share_each=0.1)])
    assert guard.explain(sql, user="ana")["private_answers"]["bounds missing"] == "debt"
    assert guard.ask(sql, user="ana").is_refused
    learning = ta.PrivateAnswers(1.0, {"pay": (0, 9)}, learn={"debt": 0.3}, share_each=0.1)
    answer = Guard(people, [learning]).ask(sql, user="ana")
    assert answer.left == {"epsilon": pytest.approx(0.6)}
    assert not answer.is_refused


@pytest.mark.parametrize("chain", [[ta.Audit()], [sure(statistics=["sum"]), ta.QuerySetSize(2)]])
def test_policies_without_a_budget_answer_attributes_only(people, chain):
    guard = Guard(people, chain)
    with pytest.raises(QueryError, match="not of an expression"):
        guard.ask("SELECT sum(pay + debt) FROM people", user="ana")
    with pytest.raises(QueryError, match="only where all policies have budgets"):
        guard.ask("SELECT count(*) FILTER (WHERE sex = 'f') FROM people", user="ana")


@pytest.mark.parametrize("asked", [*[f"sum({value})" for value in VALUES], *FILTERS])
def test_what_the_ledger_keeps_is_read_as_the_same_query(people, asked):
    permitted = Permitted(expressions=True)
    query = parse(f"SELECT {asked} AS x FROM people", people, permitted=permitted)  # noqa: S608
    again = parse(query.canonical(), people, permitted=permitted)
    assert again.canonical() == query.canonical()
    assert again.asked == query.asked


def test_the_price_is_that_of_any_query(people):
    guard = Guard(people, [ta.PrivateAnswers(1.0, BOUNDS, share_each=0.1)])
    for sql in ("SELECT sum(pay + debt) FROM people", f"SELECT {FILTERS[0]} FROM people"):  # noqa: S608
        cost = guard.ask(sql, user="ana").cost["private_answers"]["epsilon"]
        assert Fraction(cost) == Fraction(1, 10)
