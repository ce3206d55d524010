"""Expressions: what is computed from public attributes, or from statistics once protected.

This is all that an analyst's text becomes. A tree has four kinds of leaves and one kind of node.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property, reduce
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Ints, Mask
from tacita.errors import QueryError
from tacita.queries.language.functions import Sort, Value, apply, plain, sort_of
from tacita.queries.public_classes import PublicClasses

ROOM = 2**26  # bytes that remembered conditions may take
SHORT = 500  # characters of a condition that is remembered
TAKEN = 2**14  # bytes that so short a condition takes at most


@dataclass(frozen=True)
class Literal:
    """A value that is written out, or bound as a parameter."""

    value: bool | int | float | str | date | None

    def __eq__(self, other: object) -> bool:
        # To Python 1, 1.0 and True are equal; to SQL they are of different types.
        return (
            isinstance(other, Literal)
            and type(self.value) is type(other.value)
            and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True)
class Named:
    """An attribute of the view."""

    name: str


@dataclass(frozen=True)
class Told:
    """A statistic of the query, by its place among what is asked."""

    place: int


@dataclass(frozen=True)
class Group:
    """A grouping expression of the query, by its place."""

    place: int


@dataclass(frozen=True)
class IsTotal:
    """SQL's grouping(): 1 where a row adds up over a grouping expression, else 0."""

    place: int


@dataclass(frozen=True)
class Call:
    """A function of the language with its arguments; operators are functions."""

    function: str
    arguments: tuple[Expression, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        """The attributes that are named in it."""
        return frozenset().union(*map(names_of, self.arguments))


Expression = Literal | Named | Told | Group | IsTotal | Call


def names_of(expression: Expression) -> frozenset[str]:
    """Return the attributes that an expression names."""
    if isinstance(expression, Call):
        return expression.names
    return frozenset({expression.name}) if isinstance(expression, Named) else frozenset()


def leaves(expression: Expression) -> Iterator[Expression]:
    """Return the leaves of an expression."""
    if isinstance(expression, Call):
        for argument in expression.arguments:
            yield from leaves(argument)
    else:
        yield expression


def conjuncts(expression: Expression | None) -> tuple[Expression, ...]:
    """Return the conditions that must all hold.

    >>> a, b = Named("a"), Named("b")
    >>> conjuncts(Call("AND", (a, b))) == (a, b)
    True
    """
    if expression is None:
        return ()
    if isinstance(expression, Call) and expression.function == "AND":
        return tuple(part for one in expression.arguments for part in conjuncts(one))
    return (expression,)


def written_values(expression: Expression) -> tuple[Literal, ...]:
    """Return all values that an expression can have, where they are written out; none otherwise.

    >>> rich = Call("CASE", (Named("is_rich"), Literal("rich"), Literal(None)))
    >>> [one.value for one in written_values(rich)]
    ['rich', None]
    """
    if not isinstance(expression, Call) or expression.function != "CASE":
        return ()
    values = (*expression.arguments[1:-1:2], expression.arguments[-1])
    found = tuple(one for one in values if isinstance(one, Literal))
    return tuple(dict.fromkeys(found)) if len(found) == len(values) else ()


# -- evaluation ----------------------------------------------------------------------------------


class Columns(Protocol):
    """Where the leaves of an expression get their values from."""

    def find(self, expression: Expression) -> Value | None:
        """Return the values of a whole expression; None where its arguments must be found first."""


def evaluate(expression: Expression, columns: Columns) -> Value:
    """Return the values of an expression, with SQL's three-valued logic.

    Returns:
        An Arrow array, or an Arrow scalar where the expression names nothing.
    """
    if isinstance(expression, Literal):
        return plain_scalar(expression.value)
    found = columns.find(expression)
    if found is not None:
        return found
    if not isinstance(expression, Call):
        raise QueryError("A statistic stands where only attributes can.")
    return apply(expression.function, *[evaluate(one, columns) for one in expression.arguments])


def plain_scalar(value: Any) -> pa.Scalar:
    """Return a written value as Arrow has it."""
    return pa.scalar(value, pa.timestamp("us")) if isinstance(value, datetime) else pa.scalar(value)


@dataclass(frozen=True, eq=False)
class DistinctValues:
    """The distinct values of one public attribute, and a blank at the end."""

    name: str
    values: pa.Array

    def find(self, expression: Expression) -> Value | None:
        """Return the attribute's values."""
        return self.values if expression == Named(self.name) else None


@dataclass(frozen=True, eq=False)
class ClassColumns:
    """Public attributes, class by class.

    What names one attribute only is computed for its distinct values and spread by their codes, so
    that a condition costs a look-up a class.
    """

    data: PublicClasses

    def find(self, expression: Expression) -> Value | None:
        """Return the values of what names one attribute."""
        names = names_of(expression)
        if len(names) != 1:
            return None
        (name,) = names
        codes = self.data.columns[name].codes
        distinct = of_distinct(expression, self.data, name)
        return distinct.take(pa.array(np.where(codes < 0, len(distinct) - 1, codes)))


@dataclass(frozen=True, eq=False)
class RecordColumns:
    """All attributes, record by record in the order of the classes."""

    data: PublicClasses

    def find(self, expression: Expression) -> Value | None:
        """Return a confidential attribute, or the values of what names public ones only."""
        if isinstance(expression, Named) and expression.name in self.data.hidden:
            return plain(self.data.hidden[expression.name])
        names = names_of(expression)
        if not names or names & self.data.hidden.keys():
            return None
        values = evaluate(expression, ClassColumns(self.data))
        return values.take(pa.array(self.data.of_record))


def of_distinct(expression: Expression, data: PublicClasses, name: str) -> pa.Array:
    """Return an expression of one public attribute, of its distinct values and then of a blank."""
    values = plain(data.columns[name].values)
    known = pa.concat_arrays([values, pa.nulls(1, values.type)])
    return spread(evaluate(expression, DistinctValues(name, known)), len(known))


def spread(value: Value, size: int) -> pa.Array:
    """Return a column, also where an expression is constant."""
    return pa.repeat(value, size) if isinstance(value, pa.Scalar) else value


def holds_in_classes(condition: Expression, data: PublicClasses) -> Mask:
    """Tell of every class whether a condition on public attributes is true."""
    return _decided(condition, ClassColumns(data), len(data), True)


def holds_in_records(condition: Expression, data: PublicClasses) -> Mask:
    """Tell of every record, in the order of the classes, whether a condition is true."""
    return _decided(condition, RecordColumns(data), data.records, True)


def holds_in_rows(condition: Expression, columns: Columns, size: int) -> Mask:
    """Tell of every row of an answer whether a condition is true."""
    return _decided(condition, columns, size, True)


def _decided(condition: Expression, columns: Columns, size: int, wanted: bool) -> Mask:
    """Tell where a condition is true, or where it is false; where it is unknown it is neither.

    An OR is true where one part is, an AND where all are; false the other way round. So unknowns
    need no carrying, and plain masks are enough.
    """
    if isinstance(condition, Call) and condition.function == "NOT":
        return _decided(condition.arguments[0], columns, size, not wanted)
    if isinstance(condition, Call) and condition.function in {"AND", "OR"}:
        parts = (_decided(one, columns, size, wanted) for one in condition.arguments)
        both = (condition.function == "AND") is wanted
        return reduce(np.logical_and if both else np.logical_or, parts)
    if isinstance(columns, ClassColumns) and len(names_of(condition)) == 1:
        (name,) = names_of(condition)
        return _of_one(condition, columns.data, name, wanted)
    return _is(spread(evaluate(condition, columns), size), wanted)


# Where conditions on one public attribute are true, or false; of data that are in use.
_DECIDED: WeakKeyDictionary[PublicClasses, dict[tuple[Expression, bool], Mask]] = (
    WeakKeyDictionary()
)


def _of_one(condition: Expression, data: PublicClasses, name: str, wanted: bool) -> Mask:
    """Tell of every class where a condition on one public attribute is true, or false.

    Who asks much asks for the same values again, so that lately asked conditions are remembered,
    but for long ones, which would fill the memory whatever they are about.
    """
    known = _DECIDED.setdefault(data, {})
    found = known.get((condition, wanted))
    if found is None:
        # The blank stands last, which is where the code -1 of blanks looks.
        found = _is(of_distinct(condition, data, name), wanted)[data.columns[name].codes]
        found.flags.writeable = False
        if len(repr(condition)) <= SHORT:
            if (len(known) + 1) * (len(found) + TAKEN) > ROOM:
                known.clear()
            known[condition, wanted] = found
    return found


def was_decided(condition: Expression, data: PublicClasses) -> bool:
    """Tell whether a condition is remembered, so that it is one and can be computed."""
    return (condition, True) in _DECIDED.get(data, {})


def _is(conditions: pa.Array, wanted: bool) -> Mask:
    if sort_of(conditions) is Sort.BLANK:
        return np.zeros(len(conditions), np.bool_)
    known = conditions.fill_null(not wanted)
    return np.asarray(known.to_numpy(zero_copy_only=False) == wanted)


def codes_of(expression: Expression, data: PublicClasses) -> tuple[Ints, pa.Array]:
    """Return the value of a public expression in every class: codes, and the values in order.

    A blank is a value of its own, the last.
    """
    names = names_of(expression)
    if len(names) == 1:
        (name,) = names
        codes, values = ranked(of_distinct(expression, data, name))
        return codes[data.columns[name].codes], values
    return ranked(spread(evaluate(expression, ClassColumns(data)), len(data)))


def ranked(column: pa.Array) -> tuple[Ints, pa.Array]:
    """Return codes of a column, and its values in order; a blank is a value, the last."""
    if pa.types.is_floating(column.type):
        column = pc.add(column, 0.0)  # -0.0 becomes 0.0, which SQL cannot tell from it
    encoded = column.dictionary_encode(null_encoding="encode")
    order = np.asarray(pc.sort_indices(encoded.dictionary))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[np.asarray(encoded.indices)], encoded.dictionary.take(pa.array(order))
