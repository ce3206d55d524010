"""Expressions as SQL, in one way of writing them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from tacita.queries.language.expressions import (
    Call,
    Expression,
    Group,
    IsTotal,
    Literal,
    Named,
    Told,
)
from tacita.queries.language.functions import ARITHMETIC, CASTS, COMPARISONS


def quoted(name: str) -> str:
    """Return a name as SQL quotes it.

    >>> print(quoted('a "b" c'))
    "a ""b"" c"
    """
    return '"' + name.replace('"', '""') + '"'


def written(expression: Expression, told: Sequence[str] = (), groups: Sequence[str] = ()) -> str:
    """Return an expression as SQL.

    Args:
        expression: the expression.
        told: the statistics it is of, in writing.
        groups: the grouping expressions it is of, in writing.

    >>> print(written(Call("AND", (Call("=", (Named("a"), Literal("x"))), Named("b")))))
    (("a" = 'x') AND "b")
    """
    match expression:
        case Call(function, arguments):
            parts = [written(one, told, groups) for one in arguments]
            return _WRITTEN.get(function, _called)(function, parts)
        case Literal(value):
            return _said(value)
        case Named(name):
            return quoted(name)
        case Told(place):
            return told[place]
        case Group(place):
            return groups[place]
        case IsTotal(place):
            return f"grouping({groups[place]})"


def _said(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, float):
        # A fraction is told from a whole number by its exponent.
        return f"{value!r}" if "e" in repr(value) else f"{value!r}e0"
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def _called(function: str, parts: list[str]) -> str:
    return f"{function}({', '.join(parts)})"


def _infix(function: str, parts: list[str]) -> str:
    return "(" + f" {function} ".join(parts) + ")"


def _cast(function: str, parts: list[str]) -> str:
    return f"CAST({parts[0]} AS {function})"


def _case(_: str, parts: list[str]) -> str:
    branches = zip(parts[:-1:2], parts[1::2], strict=True)
    said = " ".join(f"WHEN {condition} THEN {value}" for condition, value in branches)
    return f"CASE {said} ELSE {parts[-1]} END"


_WRITTEN = {
    **dict.fromkeys([*ARITHMETIC, *COMPARISONS, "AND", "OR"], _infix),
    **dict.fromkeys(CASTS, _cast),
    "NOT": lambda _, parts: f"(NOT {parts[0]})",
    "IN": lambda _, parts: f"({parts[0]} IN ({', '.join(parts[1:])}))",
    "IS NULL": lambda _, parts: f"({parts[0]} IS NULL)",
    "CASE": _case,
}
