"""Functions of the language: blanks, extremes and nothing that fails because of a value."""

from __future__ import annotations

import math
from datetime import date, datetime

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import QueryError
from tacita.queries.language.functions import FUNCTIONS, Function, apply, as_date, plain

WHOLE = st.one_of(
    st.none(), st.integers(-5, 5), st.integers(-(2**63), 2**63 - 1), st.just(-(2**63))
)
REAL = st.one_of(
    st.none(), st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0.0, 2.5])
)


def _exactly(name: str, left: int, right: int) -> int | float | None:
    """Compute with whole numbers of any size; None where there is no result of 64 bits."""
    if name in {"//", "%"} and (right == 0 or left == -(2**63)):
        return None
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1) if right else 0
    result = {
        "+": left + right,
        "-": left - right,
        "*": left * right,
        "//": quotient,
        "%": left - quotient * right,
    }[name]
    return result if abs(result) < 2**63 else None


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["+", "-", "*", "//", "%"]), st.lists(st.tuples(WHOLE, WHOLE), min_size=1))
def test_whole_numbers_are_exact_or_blank(name, pairs):
    left, right = zip(*pairs, strict=True)
    found = apply(name, pa.array(left, pa.int64()), pa.array(right, pa.int64())).to_pylist()
    for one, (a, b) in zip(found, pairs, strict=True):
        expected = None if a is None or b is None else _exactly(name, a, b)
        # Near the ends of 64 bits a result may be blank, and is never wrong.
        assert one == expected or (one is None and abs(expected) > 2**62)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["+", "-", "*", "/", "%"]), st.lists(st.tuples(REAL, REAL), min_size=1))
def test_doubles_are_finite_or_blank(name, pairs):
    left, right = (pa.array(column, pa.float64()) for column in zip(*pairs, strict=True))
    for one, (a, b) in zip(apply(name, left, right).to_pylist(), pairs, strict=True):
        assert one is None or math.isfinite(one)
        if one is None and name in {"+", "-", "*"} and a is not None and b is not None:
            assert not math.isfinite({"+": a + b, "-": a - b, "*": a * b}[name])
        if name == "/" and a is not None and b not in (None, 0.0) and math.isfinite(a / b):
            assert one == a / b


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("/", ([1, 0, 6], [0, 0, 4]), [None, None, 1.5]),
        ("%", ([7.5, -7.5, 1.0], [2.0, 2.0, 0.0]), [1.5, -1.5, None]),
        ("round", ([2.5, -2.5, 1.25, None],), [3.0, -3.0, 1.0, None]),
        ("round", ([1.25, -1.35], 1), [1.3, -1.4]),
        ("round", ([125, 124, -125], -1), [130, 120, -130]),
        ("round", ([125, None], 2), [125, None]),
        ("floor", ([2.5, -2.5, None],), [2.0, -3.0, None]),
        ("ceil", ([2, -3],), [2.0, -3.0]),
        ("abs", ([-3, 4, None, -(2**63)],), [3, 4, None, None]),
        ("BIGINT", ([2.5, 3.5, -2.5, 1e30, None],), [2, 4, -2, None, None]),
        ("BIGINT", (["12", " +7 ", "1.6", "x", "1e3", "", None],), [12, 7, 2, None, 1000, None, None]),
        ("DOUBLE", (["1e3", ".5", "inf", "nan", "1e999", "0x1"],), [1000.0, 0.5, None, None, None, None]),
        ("VARCHAR", ([12, -3, None],), ["12", "-3", None]),
        ("substr", (["hello", "hi", None], 2, 3), ["ell", "i", None]),
        ("substr", (["hello", ""], 2), ["ello", ""]),
        ("left", (["hello", "hi"], 3), ["hel", "hi"]),
        ("right", (["hello", "hi"], 3), ["llo", "hi"]),
        ("right", (["hello", "hi"], 0), ["", ""]),
        ("length", (["äö", "", None],), [2, 0, None]),
        ("LIKE", (["a%c", "abc", "a\\c", None], "a\\c"), [False, False, True, None]),
        ("LIKE", (["abc", "ac", "xabc"], "a%c"), [True, True, False]),
        ("ILIKE", (["ÄB", "äbc"], "äb"), [True, False]),
        ("IN", ([1, 2, None], 1, 3), [True, False, None]),
        ("IN", ([0.0, -0.0, 1.0], 0), [True, True, False]),
        ("IN", ([0.0, -0.0, 1.0], -0.0), [True, True, False]),
        ("AND", ([True, True, None, False], [None, True, None, None]), [None, True, None, False]),
        ("OR", ([True, False, None, False], [None, False, None, None]), [True, False, None, None]),
        ("NOT", ([True, False, None],), [False, True, None]),
        ("coalesce", ([None, 1], [2.5, 3.0]), [2.5, 1.0]),
        ("nullif", ([1, 2, None], 1), [None, 2, None]),
        ("nullif", ([1, 2], None), [1, 2]),
        ("CASE", ([True, None, False], [1, 2, 3], 0.5), [1.0, 0.5, 0.5]),
        ("IS NULL", ([1, None],), [False, True]),
        ("=", ([2**53 + 1, 1], [float(2**53), 1.0]), [True, True]),
        ("=", ([1, None], None), [None, None]),
        ("<", ([date(2020, 1, 1), None], "2020-01-02"), [True, None]),
        ("=", ([date(2020, 1, 1)], datetime(2020, 1, 1)), [True]),
        ("year", ([date(2020, 5, 17), None],), [2020, None]),
        ("quarter", ([date(2020, 5, 17)],), [2]),
        ("month", ([datetime(2020, 5, 17, 3)],), [5]),
        ("day", ([date(2020, 5, 17)],), [17]),
    ],
)  # fmt: skip
def test_results_worked_out_by_hand(name, values, expected):
    given_in = [plain(pa.array(v)) if isinstance(v, list) else pa.scalar(v) for v in values]
    assert apply(name, *given_in).to_pylist() == expected


SORTS = [
    pa.array([], kind)
    for kind in (pa.int64(), pa.float64(), pa.string(), pa.bool_(), pa.date32(), pa.timestamp("us"),
                 pa.null(), pa.list_(pa.string()))
] + [pa.scalar(one) for one in (1, 1.5, "x", "2020-01-01", True, None, date(2020, 1, 1), -1)]  # fmt: skip


# The values of IN are always written out: the parser makes comparisons of all others.
@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"IN"}))
@settings(max_examples=25, deadline=None)
@given(values=st.lists(st.sampled_from(SORTS), max_size=4))
def test_functions_of_anything_give_a_column_or_a_refusal(name, values):
    try:
        result = apply(name, *values)
    except QueryError as refusal:
        assert name in str(refusal) or "sets" in str(refusal)  # noqa: PT017
    else:
        assert isinstance(result, pa.Array | pa.Scalar)


def test_columns_are_made_plain():
    assert plain(pa.array([1, 2], pa.int8())).type == pa.int64()
    assert plain(pa.array([1.5, float("nan")])).to_pylist() == [1.5, None]
    assert plain(pa.array([2**64 - 1], pa.uint64())).to_pylist() == [float(2**64)]
    assert plain(pa.array(["x"], pa.large_string())).type == pa.string()
    zoned = pa.array([datetime(2020, 1, 1)], pa.timestamp("ns", "Europe/Madrid"))
    assert plain(zoned).type == pa.timestamp("us")


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2020-02-30", "2020-01-01T00:00:00+02:00", "1" * 99]
)
def test_dates_are_written_in_one_way(text):
    with pytest.raises(QueryError, match="2020-02-29"):
        as_date(text)


EXTREMES = {
    "numbers": pa.array([1.7e308, -1.7e308, 5e-324, -0.0, 2.0**63, None]),
    "whole numbers": pa.array([2**63 - 1, -(2**63), 2**53 + 1, 0, -1, None]),
    "texts": pa.array(["1e999", "9" * 400, "\0", "\u0661", "x" * 100_000, None]),
    "days": pa.array([2**31 - 1, -(2**31), 0, None], pa.int32()).cast(pa.date32()),
    "times": pa.array([2**63 - 1, -(2**63) + 1, 0, None], pa.int64()).cast(pa.timestamp("us")),
}
SAID = [pa.scalar(one) for one in (-15, -1, 0, 1, 15, 2.5, "1%", date(2020, 2, 29), None)]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("kind", EXTREMES)
def test_what_can_be_computed_can_be_computed_of_all_values(name, kind) -> None:
    """If an error came of values only, whoever asks could search for them by errors."""
    column = EXTREMES[kind]
    beside = [] if name == "IN" else [[column]]  # the choices of IN are written out
    for others in ([], *beside, *([one] for one in SAID), *([one, one] for one in SAID)):
        try:
            apply(name, column[:0], *[one[:0] if one is column else one for one in others])
        except QueryError:
            continue
        assert len(apply(name, column, *others)) == len(column)


def test_a_number_without_fraction_is_rounded_to_itself() -> None:
    column = pa.array([1e300, 12.345, 2.0**60, -1.7e308])
    assert apply("round", column, pa.scalar(2)).to_pylist() == [1e300, 12.35, 2.0**60, -1.7e308]
    assert apply("round", column, pa.scalar(-1)).to_pylist()[1] == 10.0


def test_a_function_that_fails_of_values_is_blank(monkeypatch) -> None:
    def failing(value):
        if len(value):
            raise pa.ArrowInvalid("a value of a respondent")
        return value

    monkeypatch.setitem(FUNCTIONS, "abs", Function(failing, 1, 1))
    assert apply("abs", pa.array([1, 2])) == pa.nulls(2, pa.int64())
