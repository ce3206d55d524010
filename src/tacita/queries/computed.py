"""Values that a query computes of every record before it asks for their statistics."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Self

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Mask
from tacita.errors import QueryError
from tacita.queries.bounding import WAYS
from tacita.queries.language.expressions import (
    Call,
    Expression,
    Literal,
    Named,
    RecordColumns,
    evaluate,
    spread,
)
from tacita.queries.language.functions import REAL
from tacita.queries.language.writing import written
from tacita.queries.public_classes import PublicClasses

Bounds = tuple[float, float]
CHOOSING = frozenset({"CASE", "coalesce", "nullif"})


class Computed(str):
    """An expression of attributes, by its text, where the name of an attribute can stand.

    >>> print(Computed.of(Call("+", (Named("pay"), Named("bonus")))))
    ("pay" + "bonus")
    """

    __slots__ = ("expression",)
    expression: Expression

    @classmethod
    def of(cls, expression: Expression) -> Self:
        """Return an expression with its text."""
        found = cls(written(expression))
        found.expression = expression
        return found


def refuse_unbounded(expression: Expression) -> None:
    """Raise unless the bounds of an expression follow from those of its attributes.

    Raises:
        QueryError: it has a function whose bounds do not follow, or a divisor that may be 0.
    """
    for part in _valued(expression):
        if part.function == "/":
            below = part.arguments[1]
            if not isinstance(below, Literal) or not _number(below.value):
                raise QueryError("In a statistic, values are divided by a written number only.")
        elif part.function not in CHOOSING and part.function not in WAYS:
            raise QueryError(
                f"No bounds follow for {part.function} in a statistic; use +, -, *, CASE, coalesce,"
                " nullif, abs, round, floor or ceil of attributes that have bounds."
            )


def _valued(expression: Expression) -> list[Call]:
    """Return the functions that make the value, and not a condition."""
    if not isinstance(expression, Call):
        return []
    return [expression, *(part for one in _values(expression) for part in _valued(one))]


def _values(call: Call) -> tuple[Expression, ...]:
    """Return the arguments whose values a function gives or computes with."""
    if call.function == "CASE":
        return (*call.arguments[1:-1:2], call.arguments[-1])
    return call.arguments[:1] if call.function in {"nullif", "round"} else call.arguments


def bounded_names(name: str) -> frozenset[str]:
    """Return the attributes whose bounds are needed for those of a value.

    >>> rich = Call(">", (Named("pay"), Literal(5)))
    >>> sorted(bounded_names(Computed.of(Call("CASE", (rich, Named("debt"), Literal(0))))))
    ['debt']
    """
    if not isinstance(name, Computed):
        return frozenset({str(name)})
    return frozenset(_names(name.expression))


def _names(expression: Expression) -> set[str]:
    if isinstance(expression, Named):
        return {expression.name}
    values = _values(expression) if isinstance(expression, Call) else ()
    return {name for one in values for name in _names(one)}


class DerivedBounds(dict[str, Bounds]):
    """The bounds of attributes, and with them those of what is computed from attributes.

    >>> bounds = DerivedBounds({"pay": (0.0, 10.0), "debt": (-5.0, 5.0)})
    >>> bounds[Computed.of(Call("-", (Named("pay"), Named("debt"))))]
    (-5.0, 15.0)
    """

    def __missing__(self, name: str) -> Bounds:
        if not isinstance(name, Computed):
            raise KeyError(name)
        found = _derived(name.expression, self)
        low, high = (0.0, 0.0) if found is None else map(float, found)
        if low == high:  # a constant: something to be measured against is needed
            low, high = min(low, 0.0), max(high, 0.0) or float(low == 0)
        return low, high

    def __contains__(self, name: object) -> bool:
        if isinstance(name, Computed):
            return all(dict.__contains__(self, one) for one in bounded_names(name))
        return super().__contains__(name)


def _derived(expression: Expression, bounds: Mapping[str, Bounds]) -> Bounds | None:
    """Return the least and the most that an expression can be; None where it is always blank."""
    if isinstance(expression, Literal):
        return None if expression.value is None else (_number(expression.value),) * 2
    if isinstance(expression, Named):
        return bounds[expression.name]
    if not isinstance(expression, Call):
        raise TypeError(expression)
    parts = [_derived(one, bounds) for one in _values(expression)]
    known = [one for one in parts if one is not None]
    if expression.function in CHOOSING:
        lows, highs = zip(*known, strict=True) if known else ((), ())
        return (min(lows), max(highs)) if known else None
    if len(known) < len(parts):
        return None
    if expression.function == "round":
        digits = [one.value for one in expression.arguments[1:] if isinstance(one, Literal)]
        known += [(_number(digit),) * 2 for digit in digits]
    found = WAYS[expression.function](*known)
    if found is None or not all(map(isfinite, found)):
        raise QueryError("What the statistic is of can be too large for a number.")
    return found


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


# -- values of records -----------------------------------------------------------------------------


def numbers_of(data: PublicClasses, name: str) -> Floats:
    """Return the numbers of an attribute, or of what is computed; a blank is NaN."""
    if not isinstance(name, Computed):
        return data.numbers(name)
    column = _column(data, name)
    return np.asarray(column.cast(REAL, safe=False).to_numpy(zero_copy_only=False), np.float64)


def is_known(data: PublicClasses, name: str) -> Mask:
    """Tell in which records an attribute, or what is computed, has a value."""
    if isinstance(name, Computed):
        return np.asarray(_column(data, name).is_valid())
    if data.is_public(name):
        return data.columns[name].codes[data.of_record] >= 0
    return np.asarray(data.hidden[name].is_valid())


def _column(data: PublicClasses, name: Computed) -> pa.Array:
    return spread(evaluate(name.expression, RecordColumns(data)), data.records)
