"""Statistical queries: what an analyst asks for, once it is known to be nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tacita.queries.computed import Computed
from tacita.queries.language.expressions import Expression, conjuncts, names_of
from tacita.queries.language.writing import quoted, written
from tacita.queries.statistic import Asked, Statistic

if TYPE_CHECKING:
    from tacita.queries.key_sets import KeySets


@dataclass(frozen=True)
class OutputColumn:
    """A column of the answer.

    Args:
        name: what it is called.
        value: a group, or an expression of groups and statistics.
    """

    name: str
    value: Expression


@dataclass(frozen=True)
class Ordering:
    """What the rows of the answer are put in order by.

    Args:
        value: an expression of groups and statistics.
        descending: whether the largest stands first.
        nulls_first: whether blanks stand first; what is refused stands last in any case.
    """

    value: Expression
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True)
class StatisticalQuery:
    """Statistics of query sets.

    Args:
        view: the protected view.
        asked: the statistics, every one once.
        where: the condition on records; None where all of them are meant.
        confidential: the confidential attributes that the condition names.
        groups: expressions that the records are grouped by: of public attributes, of confidential
            ones with all values written out, or confidential categories that a policy permits.
        grouping_sets: the groupings, each the places of its expressions in `groups`.
        columns: the columns of the answer.
        having: the condition on rows of the answer.
        order: what the rows are put in order by.
        limit: the number of rows wanted; None where all are.
        offset: the number of rows left out at the start.
        secret: which of the groups nobody may know to be there, by their places: confidential
            categories, and under differential privacy whatever is not declared.
        written: which are of confidential attributes with their values written out; where there
            are key sets, all that are written out.
        keys: the key sets that groups come from; None where they come from the data.
    """

    view: str
    asked: tuple[Asked, ...]
    where: Expression | None
    confidential: frozenset[str]
    groups: tuple[Expression, ...]
    grouping_sets: tuple[tuple[int, ...], ...]
    columns: tuple[OutputColumn, ...]
    having: Expression | None = None
    order: tuple[Ordering, ...] = ()
    limit: int | None = None
    offset: int = 0
    secret: frozenset[int] = frozenset()
    written: frozenset[int] = frozenset()
    keys: KeySets | None = field(default=None, compare=False, repr=False)

    def answers(self) -> tuple[Expression, ...]:
        """Return the expressions of groups and statistics that rows are made of and ordered by."""
        return (*(one.value for one in self.columns), *(one.value for one in self.order))

    def public_predicates(self) -> tuple[Expression, ...]:
        """Return the conditions, all of which must hold, that name public attributes only."""
        return tuple(one for one in conjuncts(self.where) if not names_of(one) & self.confidential)

    def confidential_predicates(self) -> tuple[Expression, ...]:
        """Return the conditions, all of which must hold, that name a confidential attribute."""
        return tuple(one for one in conjuncts(self.where) if names_of(one) & self.confidential)

    def canonical(self) -> str:
        """Return the query in one way of writing; read again, it is the same query.

        What is written differently and means the same to the parser (letter case, line breaks,
        superfluous parentheses, bound parameters) is written the same.
        """
        return self._canonical

    @cached_property
    def _canonical(self) -> str:
        told = [asked_in_sql(one) for one in self.asked]
        groups = [written(one) for one in self.groups]
        said = [f"{written(one.value, told, groups)} AS {quoted(one.name)}" for one in self.columns]
        clauses = ["SELECT " + ", ".join(said), f"FROM {quoted(self.view)}"]
        if self.where is not None:
            clauses.append(f"WHERE {written(self.where)}")
        if self.groups:
            clauses.append(f"GROUP BY {self._grouping(groups)}")
        if self.having is not None:
            clauses.append(f"HAVING {written(self.having, told, groups)}")
        if self.order:
            clauses.append("ORDER BY " + ", ".join(_order(one, told, groups) for one in self.order))
        if self.limit is not None:
            clauses.append(f"LIMIT {self.limit}")
        if self.offset:
            clauses.append(f"OFFSET {self.offset}")
        return " ".join(clauses)

    def _grouping(self, groups: list[str]) -> str:
        if self.grouping_sets == (tuple(range(len(groups))),):
            return ", ".join(groups)
        sets = (f"({', '.join(groups[place] for place in one)})" for one in self.grouping_sets)
        return f"GROUPING SETS ({', '.join(sets)})"


def _order(ordering: Ordering, told: list[str], groups: list[str]) -> str:
    way = "DESC" if ordering.descending else "ASC"
    blanks = "FIRST" if ordering.nulls_first else "LAST"
    return f"{written(ordering.value, told, groups)} {way} NULLS {blanks}"


def asked_in_sql(asked: Asked) -> str:
    """Return a statistic as SQL.

    >>> asked_in_sql(Asked(Statistic.VAR, "salary", population=True))
    'var_pop("salary")'
    """
    names = [name for name in (asked.attribute, asked.other) if name is not None]
    parts = [name if isinstance(name, Computed) else quoted(name) for name in names]
    if asked.fraction is not None:
        parts.append(repr(asked.fraction))
    if asked.statistic in {Statistic.COUNT_DISTINCT, Statistic.RESPONDENTS}:
        return f"count(DISTINCT {parts[0]})"
    return f"{_name_in_sql(asked)}({', '.join(parts) or '*'})"


def _name_in_sql(asked: Asked) -> str:
    if asked.weighted:
        return f"weighted_{asked.statistic}"
    if asked.statistic is Statistic.QUANTILE:
        return "quantile_cont"
    if asked.statistic in {Statistic.VAR, Statistic.STDDEV, Statistic.COVAR}:
        return f"{asked.statistic}_{'pop' if asked.population else 'samp'}"
    return str(asked.statistic)
