"""Types: whether everything in a query can be computed, which never depends on a value."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from tacita.errors import QueryError
from tacita.queries.computed import Computed
from tacita.queries.language.expressions import (
    Call,
    Expression,
    Group,
    IsTotal,
    Named,
    Told,
    conjuncts,
    evaluate,
    was_decided,
)
from tacita.queries.language.functions import REAL, WHOLE, Sort, Value, plain, sort_of
from tacita.queries.language.query import StatisticalQuery
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked, Statistic

DEEPEST = 16  # functions within each other
NO_NUMBERS, NO_COUNTS = pa.array([], REAL), pa.array([], WHOLE)


@dataclass(frozen=True, eq=False)
class _NoRows:
    """The attributes, groups and statistics of a query, without a single value."""

    data: PublicClasses
    groups: tuple[Expression, ...]

    def find(self, expression: Expression) -> Value | None:
        """Return an empty column of the right type."""
        if isinstance(expression, Named):
            public = self.data.columns.get(expression.name)
            column = self.data.hidden[expression.name] if public is None else public.values
            return plain(column[:0])
        if isinstance(expression, Group):
            return evaluate(self.groups[expression.place], self)
        if isinstance(expression, Told | IsTotal):
            return NO_NUMBERS if isinstance(expression, Told) else NO_COUNTS
        return None


def checked(query: StatisticalQuery, data: PublicClasses, longest: int) -> StatisticalQuery:
    """Return a query that can be computed, and be read again as it is written for the ledger.

    Raises:
        QueryError: a function is given what it cannot take, a condition is none, or the query is
            too long or too deep once its names, aliases and parameters are written out.
    """
    _check_size(query, longest)
    columns = _NoRows(data, query.groups)
    new = not all(was_decided(one, data) for one in conjuncts(query.where))
    for name, condition in (("WHERE", query.where if new else None), ("HAVING", query.having)):
        if condition is not None:
            sort = sort_of(evaluate(condition, columns))
            if sort not in {Sort.TRUTH, Sort.BLANK}:
                raise QueryError(f"{name} needs a condition; found {sort}.")
    for expression in (*query.groups, *query.answers()):
        sort_of(evaluate(expression, columns))
    for asked in query.asked:
        for of in (asked.attribute, asked.other):
            if isinstance(of, Computed):
                _check_computed(asked, of, columns)
    return query


def _check_computed(asked: Asked, name: Computed, columns: _NoRows) -> None:
    """Raise unless a statistic is of numbers; anything can be counted."""
    sort = sort_of(evaluate(name.expression, columns))
    if asked.statistic is not Statistic.COUNT and sort not in {Sort.NUMBER, Sort.BLANK}:
        raise QueryError(f"This statistic is of numbers; found {sort}.")


def _check_size(query: StatisticalQuery, longest: int) -> None:
    of = [name for one in query.asked for name in (one.attribute, one.other)]
    computed = [name.expression for name in of if isinstance(name, Computed)]
    said = (query.where, query.having, *query.groups, *query.answers(), *computed)
    if max(_depth(one, query.groups) for one in said) > DEEPEST:
        raise QueryError("The query is nested too deeply; write it in a simpler way.")
    if len(query.canonical()) > longest:
        raise QueryError(
            f"The query is too long: with its parameters at most {longest:,} characters."
        )


def _depth(expression: Expression | None, groups: tuple[Expression, ...]) -> int:
    """Return how many functions stand within each other."""
    if isinstance(expression, Call):
        return 1 + max((_depth(one, groups) for one in expression.arguments), default=0)
    return _depth(groups[expression.place], ()) if isinstance(expression, Group) else 0
