"""The functions of the language and their meaning, computed column-wise with SQL's blanks.

No function fails because of a value: what has no result (a division by zero, a number that is too
large, a text that is no number) is blank. An error would tell that such a value is there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacita.errors import QueryError

Value = Any  # an Arrow array, or an Arrow scalar where all is constant

WHOLE = pa.int64()
REAL = pa.float64()
LARGEST = float(2**63)  # whole numbers are below
LONGEST_TEXT = 1_000_000  # characters
A_DAY = r"\d{4}-\d\d-\d\d"
A_TIME = r"[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?"
A_NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"


class Sort(StrEnum):
    """What a value is."""

    NUMBER = "a number"
    TEXT = "a text"
    TRUTH = "a condition"
    DAY = "a date"
    TIME = "a date with a time"
    BLANK = "NULL"


TYPES = {
    Sort.TEXT: pa.string(),
    Sort.TRUTH: pa.bool_(),
    Sort.DAY: pa.date32(),
    Sort.TIME: pa.timestamp("us"),
}


def sort_of(value: Value) -> Sort:
    """Tell what a value is; columns that the language cannot compute with are refused."""
    kind = value.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return Sort.NUMBER
    if pa.types.is_null(kind):
        return Sort.BLANK
    for sort, known in TYPES.items():
        if kind == known:
            return sort
    raise QueryError("Nothing can be computed with sets, times of day and lengths of time.")


def plain(column: pa.Array) -> pa.Array:
    """Return a column in the few types that the language computes with; a NaN is a blank."""
    kind = column.type
    if pa.types.is_integer(kind) and kind != pa.uint64():
        return column.cast(WHOLE)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind) or kind == pa.uint64():
        return _finite(column.cast(REAL, safe=False))
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return column.cast(pa.string())
    if pa.types.is_date(kind):
        return column.cast(pa.date32())
    if pa.types.is_timestamp(kind):
        return column.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.timestamp("us"))
    return column


# -- what values have in common ------------------------------------------------------------------


def _numbers(*values: Value) -> list[Value]:
    """Return numbers of one type."""
    for value in values:
        if sort_of(value) not in {Sort.NUMBER, Sort.BLANK}:
            raise QueryError(f"numbers are needed; found {sort_of(value)}")
    whole = all(pa.types.is_integer(value.type) for value in values)
    return [value.cast(WHOLE if whole else REAL, safe=False) for value in values]


def _of(sort: Sort, *values: Value) -> list[Value]:
    """Return values that must all be of one sort."""
    for value in values:
        if sort_of(value) not in {sort, Sort.BLANK}:
            raise QueryError(f"{sort} is needed; found {sort_of(value)}")
    return [value.cast(TYPES[sort]) for value in values]


def _alike(*values: Value) -> list[Value]:
    """Return values of one sort: what can be compared, or stand in one column."""
    sorts = {sort_of(value) for value in values} - {Sort.BLANK}
    if sorts <= {Sort.NUMBER}:
        return _numbers(*values)
    if sorts == {Sort.DAY, Sort.TIME}:
        return [value.cast(TYPES[Sort.TIME], safe=False) for value in values]
    if Sort.TEXT in sorts and len(sorts) > 1 and sorts <= {Sort.TEXT, Sort.DAY, Sort.TIME}:
        return _alike(*map(_dated, values))
    if len(sorts) > 1:
        raise QueryError(f"{' and '.join(sorted(sorts))} do not go together")
    return _of(sorts.pop(), *values)


def _dated(value: Value) -> Value:
    """Return a written text as the date that it stands for, as SQL does beside dates."""
    if sort_of(value) is not Sort.TEXT:
        return value
    if not isinstance(value, pa.Scalar):
        raise QueryError("a date is needed; found a text")
    return pa.scalar(as_date(value.as_py()))


def as_date(text: str) -> date:
    """Return the date, or the date with its time, that a text stands for.

    >>> as_date("2020-02-29"), as_date("2020-02-29 12:00:00").hour
    (datetime.date(2020, 2, 29), 12)
    """
    try:
        if re.fullmatch(A_DAY, text, re.ASCII):
            return date.fromisoformat(text)
        if re.fullmatch(A_DAY + A_TIME, text, re.ASCII):
            return datetime.fromisoformat(text)
    except ValueError:
        pass  # there is no such day
    raise QueryError("A date is written as '2020-02-29' or '2020-02-29 12:00:00'.")


def _number_said(value: Value, least: int | None = None) -> int:
    """Return a whole number that must be written out."""
    known = value.as_py() if isinstance(value, pa.Scalar) else None
    if not isinstance(known, int) or isinstance(known, bool) or abs(known) > LONGEST_TEXT:
        raise QueryError("a whole number, written out, is needed")
    if least is not None and known < least:
        raise QueryError(f"a whole number from {least} on is needed")
    return known


def _finite(value: Value) -> Value:
    """Return doubles, blank where there is none."""
    return pc.if_else(pc.is_finite(value), value, pa.scalar(None, REAL))


def _where(condition: Value, value: Value) -> Value:
    """Return a value, blank where a condition does not hold."""
    return pc.if_else(condition, value, pa.scalar(None, value.type))


# -- arithmetic ----------------------------------------------------------------------------------


def _arithmetic(operation: Callable[..., Value]) -> Callable[..., Value]:
    def compute(*values: Value) -> Value:
        numbers = _numbers(*values)
        result = operation(*numbers)
        if result.type == REAL:
            return _finite(result)
        # Whole numbers wrap around; the same in doubles tells where.
        size = pc.abs(operation(*[number.cast(REAL, safe=False) for number in numbers]))
        return _where(pc.less(size, LARGEST), result)

    return compute


def _divide(left: Value, right: Value) -> Value:
    left, right = (number.cast(REAL, safe=False) for number in _numbers(left, right))
    return _finite(pc.divide(left, right))


def _without_zero(divisor: Value) -> Value:
    return _where(pc.not_equal(divisor, pa.scalar(0, divisor.type)), divisor)


def _quotient(left: Value, right: Value) -> Value:
    left, right = _numbers(left, right)
    if left.type != WHOLE:
        raise QueryError("whole numbers are needed; use floor(a / b) for others")
    # The least whole number has no opposite, so that it cannot be divided by -1.
    right = _without_zero(right)
    fits = pc.greater(left, pa.scalar(-(2**63), WHOLE))
    return pc.divide(_where(fits, left), right)


def _remainder(left: Value, right: Value) -> Value:
    left, right = _numbers(left, right)
    if left.type == WHOLE:
        return pc.subtract(left, pc.multiply(_quotient(left, right), right))
    quotient = pc.trunc(pc.divide(left, _without_zero(right)))
    return _finite(pc.subtract(left, pc.multiply(quotient, right)))


def _real(operation: Callable[..., Value]) -> Callable[[Value], Value]:
    return lambda value: operation(_numbers(value)[0].cast(REAL, safe=False))


def _round(value: Value, digits: Value | None = None) -> Value:
    (number,) = _numbers(value)
    places = 0 if digits is None else _number_said(digits)
    if abs(places) > 15:  # noqa: PLR2004 - what a double holds
        raise QueryError("at most 15 digits can be kept")
    if number.type == WHOLE and places >= 0:
        return number
    real = number.cast(REAL, safe=False)
    # Arrow fails on numbers whose digits leave a double; those are as round as they can be.
    digits_end = LARGEST * 10.0 ** max(-places, 0)
    small = _where(pc.less(pc.abs(real), digits_end), real)
    rounded = pc.coalesce(pc.round(small, places, round_mode="half_towards_infinity"), real)
    return _finite(rounded) if number.type != WHOLE else _whole(rounded)


def _whole(real: Value) -> Value:
    """Return doubles as whole numbers; to the even one where two are as near."""
    rounded = pc.round(real, 0, round_mode="half_to_even")
    fits = pc.less(pc.abs(rounded), LARGEST)
    return _where(fits, rounded).cast(WHOLE, safe=False)


# -- comparisons and conditions ------------------------------------------------------------------


def _comparison(operation: Callable[..., Value]) -> Callable[..., Value]:
    return lambda left, right: operation(*_alike(left, right))


def _in(value: Value, *choices: Value) -> Value:
    value, *said = map(_one_zero, _alike(value, *choices))
    found = pc.is_in(value, value_set=pa.array([one.as_py() for one in said], value.type))
    return _where(pc.is_valid(value), found)


def _one_zero(value: Value) -> Value:
    """Return doubles without -0.0, which equals 0.0 and which Arrow's sets tell from it."""
    return pc.add(value, 0.0) if value.type == REAL else value


def _like(*, ignore_case: bool) -> Callable[..., Value]:
    def compute(value: Value, pattern: Value) -> Value:
        value, pattern = _of(Sort.TEXT, value, pattern)
        if not isinstance(pattern, pa.Scalar) or not pattern.is_valid:
            raise QueryError("the pattern must be written out")
        # Arrow knows an escape character, SQL has none unless one is said.
        said = pattern.as_py().replace("\\", "\\\\")
        return pc.match_like(value, said, ignore_case=ignore_case)

    return compute


def _logical(operation: Callable[..., Value]) -> Callable[..., Value]:
    def compute(first: Value, *others: Value) -> Value:
        result, *more = _of(Sort.TRUTH, first, *others)
        for condition in more:
            result = operation(result, condition)
        return result

    return compute


def _case(*parts: Value) -> Value:
    """Take conditions and values in turn, and at the end the value where no condition holds."""
    conditions = _of(Sort.TRUTH, *parts[:-1:2])
    *values, result = _alike(*parts[1::2], parts[-1])
    for condition, value in zip(reversed(conditions), reversed(values), strict=True):
        result = pc.if_else(pc.fill_null(condition, False), value, result)
    return result


def _nullif(value: Value, other: Value) -> Value:
    equal = pc.fill_null(pc.equal(*_alike(value, other)), False)
    return _where(pc.invert(equal), value)


# -- texts and dates -----------------------------------------------------------------------------


def _text(operation: Callable[..., Value]) -> Callable[[Value], Value]:
    return lambda value: operation(*_of(Sort.TEXT, value))


def _substr(value: Value, start: Value, length: Value | None = None) -> Value:
    (text,) = _of(Sort.TEXT, value)
    first = _number_said(start, least=1) - 1
    stop = LONGEST_TEXT if length is None else first + _number_said(length, least=0)
    return pc.utf8_slice_codeunits(text, first, stop)


def _left(value: Value, length: Value) -> Value:
    return _substr(value, pa.scalar(1), length)


def _right(value: Value, length: Value) -> Value:
    (text,) = _of(Sort.TEXT, value)
    kept = _number_said(length, least=0)
    return pc.utf8_slice_codeunits(text, -kept if kept else LONGEST_TEXT, LONGEST_TEXT)


def _part(operation: Callable[..., Value]) -> Callable[[Value], Value]:
    def compute(value: Value) -> Value:
        if sort_of(value) is Sort.BLANK:
            value = value.cast(TYPES[Sort.DAY])
        if sort_of(value) not in {Sort.DAY, Sort.TIME}:
            raise QueryError(f"a date is needed; found {sort_of(value)}")
        return operation(value)

    return compute


def _to_real(value: Value) -> Value:
    if sort_of(value) is not Sort.TEXT:
        return _numbers(value)[0].cast(REAL, safe=False)
    text = pc.utf8_trim_whitespace(_where(pc.match_substring_regex(value, A_NUMBER), value))
    return _finite(pc.cast(pc.utf8_ltrim(text, "+"), REAL))


def _to_whole(value: Value) -> Value:
    return value if value.type == WHOLE else _whole(_to_real(value))


def _to_text(value: Value) -> Value:
    if value.type == REAL:
        raise QueryError("fractions have no one text; CAST to BIGINT first")
    if sort_of(value) not in {Sort.NUMBER, Sort.TEXT, Sort.BLANK}:
        raise QueryError(f"a number is needed; found {sort_of(value)}")
    return value.cast(pa.string())


@dataclass(frozen=True)
class Function:
    """One function of the language.

    Args:
        compute: what it does, column-wise.
        fewest: the number of arguments that it needs.
        most: the number that it can take; None where there is no limit.
    """

    compute: Callable[..., Value]
    fewest: int
    most: int | None


ARITHMETIC = {
    "+": Function(_arithmetic(pc.add), 2, 2),
    "-": Function(_arithmetic(pc.subtract), 2, 2),
    "*": Function(_arithmetic(pc.multiply), 2, 2),
    "/": Function(_divide, 2, 2),
    "//": Function(_quotient, 2, 2),
    "%": Function(_remainder, 2, 2),
}
COMPARISONS = {
    "=": Function(_comparison(pc.equal), 2, 2),
    "<>": Function(_comparison(pc.not_equal), 2, 2),
    "<": Function(_comparison(pc.less), 2, 2),
    "<=": Function(_comparison(pc.less_equal), 2, 2),
    ">": Function(_comparison(pc.greater), 2, 2),
    ">=": Function(_comparison(pc.greater_equal), 2, 2),
    "LIKE": Function(_like(ignore_case=False), 2, 2),
    "ILIKE": Function(_like(ignore_case=True), 2, 2),
}
CONDITIONS = {
    "AND": Function(_logical(pc.and_kleene), 1, None),
    "OR": Function(_logical(pc.or_kleene), 1, None),
    "NOT": Function(lambda value: pc.invert(*_of(Sort.TRUTH, value)), 1, 1),
    "IN": Function(_in, 2, None),
    "IS NULL": Function(pc.is_null, 1, 1),
    "CASE": Function(_case, 3, None),
}
# What is written as name(argument, ...).
NAMED = {
    "abs": Function(_arithmetic(pc.abs), 1, 1),
    "ceil": Function(_real(pc.ceil), 1, 1),
    "coalesce": Function(lambda *values: pc.coalesce(*_alike(*values)), 1, None),
    "day": Function(_part(pc.day), 1, 1),
    "floor": Function(_real(pc.floor), 1, 1),
    "left": Function(_left, 2, 2),
    "length": Function(lambda value: _text(pc.utf8_length)(value).cast(WHOLE), 1, 1),
    "lower": Function(_text(pc.utf8_lower), 1, 1),
    "month": Function(_part(pc.month), 1, 1),
    "nullif": Function(_nullif, 2, 2),
    "quarter": Function(_part(pc.quarter), 1, 1),
    "right": Function(_right, 2, 2),
    "round": Function(_round, 1, 2),
    "substr": Function(_substr, 2, 3),
    "upper": Function(_text(pc.utf8_upper), 1, 1),
    "year": Function(_part(pc.year), 1, 1),
}
CASTS = {
    "BIGINT": Function(_to_whole, 1, 1),
    "DOUBLE": Function(_to_real, 1, 1),
    "VARCHAR": Function(_to_text, 1, 1),
}
FUNCTIONS = {**ARITHMETIC, **COMPARISONS, **CONDITIONS, **NAMED, **CASTS}


def apply(name: str, *values: Value) -> Value:
    """Compute one function of the language.

    Raises:
        QueryError: it cannot be computed of such values; what it says does not depend on data.

    >>> apply("/", pa.array([6, 1, None]), pa.array([3, 0, 2])).to_pylist()
    [2.0, None, None]
    """
    function = FUNCTIONS[name]
    if len(values) < function.fewest or (function.most is not None and len(values) > function.most):
        raise QueryError(f"`{name}` cannot take {len(values)} arguments.")
    try:
        return function.compute(*values)
    except QueryError as error:
        raise QueryError(f"In `{name}`: {str(error).rstrip('.')}.") from error
    except pa.ArrowException as error:
        if any(len(value) for value in values if isinstance(value, pa.Array)):
            return _all_blank(function, values)
        sorts = ", ".join(sort_of(value) for value in values)
        raise QueryError(f"`{name}` cannot be computed of {sorts}.") from error


def _all_blank(function: Function, values: Sequence[Value]) -> Value:
    """Return blanks where the values made a function fail that can be computed of their types.

    An error would tell of the values, whoever they belong to and whatever a policy refuses.
    """
    (size,) = {len(value) for value in values if isinstance(value, pa.Array)}
    empty = [value[:0] if isinstance(value, pa.Array) else value for value in values]
    return pa.nulls(size, function.compute(*empty).type)
