"""Bounds of expressions: they hold, are as narrow as can be where they say so, and decide."""

# ruff: noqa: S608 - the texts are the tests' own

from __future__ import annotations

import io
import operator
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.queries.answer import Answer
from tacita.queries.bounding import Span, compared, computed
from tacita.queries.guard import Guard
from tacita.queries.public_classes import PublicClasses
from tacita.server import formats

pytestmark = pytest.mark.numeric

NUMBERS = st.floats(-50, 50)
ROLES = {"sector": "key", "age": "key", "salary": "confidential", "bonus": "confidential"}


@pytest.fixture(scope="module")
def people() -> PublicClasses:
    rng = np.random.default_rng(5)
    columns = {
        "sector": rng.choice(["a", "b", "c"], 60),
        "age": rng.integers(20, 60, 60),
        "salary": rng.lognormal(10, 0.5, 60).round(-2),
        "bonus": rng.lognormal(7, 0.5, 60).round(),
    }
    return PublicClasses.of(ta.read(pa.table(columns), roles=ROLES), "people")


@pytest.fixture(scope="module")
def guard(people) -> Iterator[Guard]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOUNDING_KEY", "a key of the tests")
        yield Guard(people, [ta.Camouflage(key_from="BOUNDING_KEY")])


@pytest.fixture(scope="module")
def exact(people) -> Guard:
    return Guard(people, [ta.Unprotected()])


def asked(guard: Guard, sql: str) -> Answer:
    return guard.ask(sql, user="ana")


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from("+-*/"), st.tuples(*[NUMBERS] * 4), st.tuples(st.floats(0, 1), st.floats(0, 1))
)
def test_every_pair_of_values_is_within(function, ends, at):
    one, other = sorted(ends[:2]), sorted(ends[2:])
    found = computed(function, [Span(*one, frozenset("x")), Span(*other, frozenset("y"))])
    if function == "/" and other[0] <= 0 <= other[1]:
        assert found is None
        return
    if found is None:
        assert function == "/"  # beyond what a double can say
        return
    a, b = (low + share * (high - low) for (low, high), share in zip((one, other), at, strict=True))
    value = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else 0}[function]
    slack = 1e-9 * max(1.0, abs(found.lower), abs(found.upper))
    assert found.lower - slack <= value <= found.upper + slack
    assert not found.is_outer  # they vary freely


EXPRESSIONS = [
    "sum(salary) / count(*)",
    "12 * avg(salary) - 100",
    "avg(salary) - regr_slope(salary, age) * avg(age)",
    "sum(bonus) / sum(salary)",
    "regr_slope(salary, age) / avg(salary)",
    "stddev(salary) / avg(salary)",
    "abs(avg(bonus) - avg(salary))",
    "round(avg(salary) / 1000, 1)",
    "max(salary) - min(salary)",
    "-floor(sum(bonus))",
    "CAST(avg(salary) AS BIGINT)",
    "coalesce(sum(salary), 0)",
    "1 / avg(salary)",
]


@pytest.mark.parametrize("what", EXPRESSIONS)
def test_the_truth_is_within(guard, exact, what):
    sql = f"SELECT sector, {what} AS told FROM people GROUP BY sector"
    told = asked(guard, sql)
    for row, bounds, truth in zip(told.rows, told.intervals, asked(exact, sql).rows, strict=True):
        assert row[1] is None
        assert bounds[1][0] <= truth[1] <= bounds[1][1]


def test_an_intercept_is_narrower_than_its_parts_allow(guard):
    """Over the set, mean and slope move together: by their bounds alone it would be wider."""
    sql = "SELECT avg(salary), regr_slope(salary, age), avg(age), {} FROM people"
    whole = "avg(salary) - regr_slope(salary, age) * avg(age)"
    told = asked(guard, sql.format(whole))
    mean, slope, _, (lower, upper) = told.intervals[0]
    age = told.rows[0][2]
    apart = (mean[0] - slope[1] * age, mean[1] - slope[0] * age)
    assert apart[0] < lower < upper < apart[1]
    assert "intervals" not in told.guarantees


def test_what_moves_together_and_is_no_ratio_has_outer_bounds(guard):
    sql = "SELECT stddev(salary) / avg(salary) AS cv, sum(bonus) / sum(salary) AS share FROM people"
    told = asked(guard, sql)
    assert told.guarantees["intervals"].startswith("The bounds of cv are outer bounds")
    assert all(told.intervals[0])


def test_a_number_over_itself_is_one(guard):
    told = asked(guard, "SELECT sum(salary) / avg(salary) FROM people").interval
    assert told == pytest.approx((60, 60), rel=1e-8)


def test_what_cannot_be_bounded_is_blank(guard):
    lower, upper = asked(guard, "SELECT avg(salary) FROM people").interval
    sql = (
        "SELECT CASE WHEN sum(salary) > 5 THEN 'much' ELSE 'little' END, sum(salary) % 7, "
        f"1 / (avg(salary) - {(lower + upper) / 2}) FROM people"
    )
    told = asked(guard, sql)
    assert told.rows == ((None, None, None),)
    assert told.intervals == ((None, None, None),)


def test_noise_with_bounds_keeps_its_value_and_confidence_is_not_joined(people):
    noisy = Guard(people, [ta.CellKeyNoise(5, variance=3)])
    told = asked(noisy, "SELECT count(*), 2 * count(*) + 1, count(*) - count(age) FROM people")
    number, double, _ = told.rows[0]
    assert double == 2 * number + 1
    assert told.intervals[0][1] == (2 * (number - 5) + 1, 2 * (number + 5) + 1)
    assert "count(*) - count(age)" in told.guarantees["intervals"].replace('"', "")
    private = Guard(people, [ta.PrivateAnswers(9.0, {"salary": (0, 90_000)})])
    told = asked(private, "SELECT 2 * count(*), sum(salary) / count(*) FROM people")
    assert told.intervals[0][0] is not None
    assert told.intervals[0][1] is None  # 95 % twice is not 95 %


# -- HAVING and ORDER BY -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bounds(guard) -> dict[str, tuple[float, float]]:
    told = asked(guard, "SELECT sector, sum(salary) FROM people GROUP BY sector")
    return {row[0]: one[1] for row, one in zip(told.rows, told.intervals, strict=True)}


def kept(guard: Guard, having: str, order: str = "1") -> list[str]:
    sql = f"SELECT sector FROM people GROUP BY sector HAVING {having} ORDER BY {order}"
    return [row[0] for row in asked(guard, sql).rows]


@pytest.mark.parametrize("limit", ["lower", "upper", "middle"])
def test_having_keeps_what_holds_whatever_the_number_is(guard, bounds, limit):
    for sector, (lower, upper) in bounds.items():
        cut = {"lower": lower - 1, "upper": upper + 1, "middle": (lower + upper) / 2}[limit]
        above = [one for one, (low, _) in bounds.items() if low > cut]
        below = [one for one, (_, high) in bounds.items() if high <= cut]
        assert kept(guard, f"sum(salary) > {cut}") == sorted(above)
        assert kept(guard, f"NOT sum(salary) > {cut}") == sorted(below)
        assert kept(guard, f"sum(salary) <= {cut}") == sorted(below)
        either = f"sum(salary) > {cut} OR sum(salary) <= {cut}"
        assert kept(guard, either) == sorted({*above, *below})
        assert (sector in above, sector in below) == (limit == "lower", limit == "upper")


def test_having_knows_that_bounds_are_no_blank_and_mixes_with_the_rest(guard):
    assert kept(guard, "sum(salary) IS NULL") == []
    assert kept(guard, "sum(salary) IS NOT NULL AND sector > 'a'") == ["b", "c"]
    assert kept(guard, "sum(salary) IN (1, 2)") == []
    assert kept(guard, "sum(salary) NOT IN (1, 2) OR sector = 'a'") == ["a", "b", "c"]
    assert kept(guard, "count(*) > 0 AND sum(salary) % 2 = 1") == []


@pytest.mark.parametrize("way", ["ASC", "DESC"])
def test_order_goes_by_the_middle(guard, bounds, way):
    expected = sorted(bounds, key=lambda one: sum(bounds[one]), reverse=way == "DESC")
    assert kept(guard, "1 = 1", f"sum(salary) {way}") == expected
    assert kept(guard, "1 = 1", f"-2 * sum(salary) {way}") == expected[::-1]


def test_comparisons_of_bounds_by_all_pairs():
    functions = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "=": "eq", "<>": "ne"}
    spans = [(a, b) for a in range(3) for b in range(a, 3)]
    for one in spans:
        for other in spans:
            for function, name in functions.items():
                # Bounds on half steps stand for all values in between.
                values = {
                    getattr(operator, name)(a / 2, b / 2)
                    for a in range(2 * one[0], 2 * one[1] + 1)
                    for b in range(2 * other[0], 2 * other[1] + 1)
                }
                expected = values.pop() if len(values) == 1 else None
                assert compared(function, Span(*one), Span(*other)) is expected
    assert compared("<", None, Span(0, 1)) is None


# -- forms ---------------------------------------------------------------------------------------


def test_bounds_are_in_all_forms_of_an_answer(guard):
    told = asked(guard, "SELECT sector, count(*) AS n, avg(salary) AS m FROM people GROUP BY 1")
    table = told.to_arrow()
    assert table.column_names == ["sector", "n", "m", "m_lower", "m_upper"]
    assert table["m_lower"].to_pylist() == [row[2][0] for row in told.intervals]
    read = pa.csv.read_csv(io.BytesIO(formats.to_csv(told)))
    assert read["m_upper"].to_pylist() == [row[2][1] for row in told.intervals]
    stream = pa.ipc.open_stream(formats.to_arrow(told)).read_all()
    assert stream.column_names == table.column_names
    assert told.to_dict()["intervals"][0][2] == list(told.intervals[0][2])
    lower, upper = told.intervals[0][2]
    assert f"[{lower:,.10g}, {upper:,.10g}]" in repr(told)
