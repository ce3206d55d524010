"""Groups that are there whoever is in them: every combination of declared values.

Grouping expressions that share an attribute are looked at together, over all values of their
attributes, so that `GROUP BY region, left(region, 1)` has no impossible groups; those that share
none are combined freely. Conditions that name only such attributes leave out the groups in which
they cannot hold. A record whose group is not declared is in no group of the query, nor in its
totals, so that margins are the sums of their cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Ints
from tacita.errors import QueryError
from tacita.queries.key_sets import MOST_GROUPS, KeySets
from tacita.queries.language.expressions import (
    ClassColumns,
    Expression,
    Named,
    RecordColumns,
    codes_of,
    conjuncts,
    evaluate,
    holds_in_rows,
    names_of,
    ranked,
    spread,
    written_values,
)
from tacita.queries.language.functions import Value
from tacita.queries.language.query import StatisticalQuery
from tacita.queries.public_classes import PublicClasses

Group = tuple[Any, ...]


def refuse_too_many(number: int) -> None:
    """Raise where a query has more declared groups than are answered, before any is made."""
    if number > MOST_GROUPS:
        raise QueryError(
            f"A query has at most {MOST_GROUPS:,} groups; the declared values of this one have "
            f"{number:,} combinations. Group by less, or choose fewer values with WHERE."
        )


@dataclass(frozen=True, eq=False)
class _Combinations:
    """All combinations of the declared values of some attributes."""

    columns: dict[str, pa.Array]

    @classmethod
    def of(cls, names: Sequence[str], keys: KeySets) -> _Combinations:
        """Combine the values of some attributes, the last one changing fastest."""
        sizes = [len(keys.values[name]) for name in names]
        refuse_too_many(prod(sizes))
        places = np.indices(sizes).reshape(len(sizes), -1) if sizes else ()
        return cls(
            {
                name: keys.values[name].take(pa.array(one))
                for name, one in zip(names, places, strict=True)
            }
        )

    def __len__(self) -> int:
        return max(map(len, self.columns.values()), default=1)

    def find(self, expression: Expression) -> Value | None:
        """Return an attribute."""
        return self.columns[expression.name] if isinstance(expression, Named) else None


@dataclass(frozen=True, eq=False)
class Component:
    """Grouping expressions that share attributes, with the values that they have together.

    Args:
        places: the places of the expressions in the query.
        values: of each expression its values, in order.
        codes: of each expression its value in every combination that there can be.
        is_public: whether the expressions are of public attributes only.
        found: of every class, or of every record where they are not public, its combination; -1
            where it is not declared.
    """

    places: tuple[int, ...]
    values: tuple[pa.Array, ...]
    codes: tuple[Ints, ...]
    is_public: bool
    found: Ints

    def projected(self, of: Sequence[int]) -> tuple[list[Ints], Ints]:
        """Return the distinct values of some expressions, and which of them combinations have."""
        chosen = [code for place, code in zip(self.places, self.codes, strict=True) if place in of]
        number = _numbered(chosen)
        _, first, among = np.unique(number, return_index=True, return_inverse=True)
        return [code[first] for code in chosen], among


def components_of(query: StatisticalQuery, data: PublicClasses, keys: KeySets) -> list[Component]:
    """Return the grouping expressions of a query that are declared, with their values.

    Raises:
        QueryError: there are too many combinations, which depends on the query and on what is
            declared only.
    """
    conditions = conjuncts(query.where)
    made = []
    for places in _connected(query):
        groups = [query.groups[place] for place in places]
        names = sorted(frozenset().union(*map(names_of, groups)))
        is_public = all(map(data.is_public, names))
        if places[0] in query.written:
            said = pa.array([one.value for one in written_values(groups[0])])
            codes, values = ranked(said)
            tables = [(np.unique(codes), values)]
        else:
            combined = _Combinations.of(names, keys)
            possible = np.ones(len(combined), np.bool_)
            for condition in conditions:
                if names_of(condition) <= set(names):
                    possible &= holds_in_rows(condition, combined, len(combined))
            columns = [spread(evaluate(one, combined), len(combined)) for one in groups]
            tables = [(codes[possible], values) for codes, values in map(ranked, columns)]
        made.append(_component(places, groups, tables, data, is_public=is_public))
    return made


def _connected(query: StatisticalQuery) -> list[tuple[int, ...]]:
    """Return the places of declared groups, those that share attributes together."""
    found = [(place,) for place in sorted(query.written)]
    joined: list[tuple[set[str], list[int]]] = []
    for place, group in enumerate(query.groups):
        if place in query.written | query.secret:
            continue
        names, places = set(names_of(group)), [place]
        for one in [one for one in joined if one[0] & names]:
            joined.remove(one)
            names |= one[0]
            places += one[1]
        joined.append((names, places))
    return sorted([*found, *(tuple(sorted(places)) for _, places in joined)])


def _component(
    places: tuple[int, ...],
    groups: Sequence[Expression],
    tables: Sequence[tuple[Ints, pa.Array]],
    data: PublicClasses,
    *,
    is_public: bool,
) -> Component:
    """Find the combination of every class, or record, one expression after the other."""
    known = np.zeros(len(tables[0][0]), np.int64)
    found = np.zeros(len(data) if is_public else data.records, np.int64)
    for group, (codes, values) in zip(groups, tables, strict=True):
        own, said = _coded(group, data, is_public=is_public)
        place = pc.index_in(said.cast(values.type), value_set=values).fill_null(-1)
        own = np.asarray(place, np.int64)[own]
        size = max(len(values), 1)
        pairs, known = np.unique(known * size + codes, return_inverse=True)
        wanted = np.where((found >= 0) & (own >= 0), found * size + own, -1)
        at = np.minimum(np.searchsorted(pairs, wanted), max(len(pairs) - 1, 0))
        there = pairs[at] == wanted if len(pairs) else np.zeros(len(wanted), np.bool_)
        found = np.where(there, at, -1)
    _, first = np.unique(known, return_index=True)
    return Component(
        places,
        tuple(values for _, values in tables),
        tuple(codes[first] for codes, _ in tables),
        is_public,
        found,
    )


def _coded(group: Expression, data: PublicClasses, *, is_public: bool) -> tuple[Ints, pa.Array]:
    """Return the value of an expression in every class, or in every record."""
    if is_public and names_of(group):
        return codes_of(group, data)
    columns = ClassColumns(data) if is_public else RecordColumns(data)
    size = len(data) if is_public else data.records
    return ranked(spread(evaluate(group, columns), size))


def _numbered(codes: Sequence[Ints]) -> Ints:
    """Return one number for every combination of codes, in their order."""
    number = np.zeros(len(codes[0]) if codes else 0, np.int64)
    for code in codes:
        size = int(code.max(initial=0)) + 1
        _, number = np.unique(number * size + code, return_inverse=True)
    return number


@dataclass(frozen=True, eq=False)
class Part:
    """What one component contributes to the number of a group.

    Args:
        component: the component.
        among: of each of its combinations the place among those that the grouping tells apart.
        size: how many it tells apart.
        stride: by how much the number of a group grows with the place.
    """

    component: Component
    among: Ints
    size: int
    stride: int

    def of_groups(self, number: int) -> Ints:
        """Return the place of this part in the groups of so many numbers."""
        found: Ints = np.arange(number) // self.stride % self.size
        return found


@dataclass(frozen=True, eq=False)
class DeclaredGroups:
    """The groups of one grouping, all of them.

    A group has a number, made of the places of its parts, and stands at a place in the order of its
    values.

    Args:
        parts: what the groups are made of.
        columns: the values of each grouping expression, group after group; None where the grouping
            adds up over it.
        ascending: the numbers of the groups in the order of their values.
    """

    parts: tuple[Part, ...]
    columns: tuple[list[Any] | None, ...]
    ascending: Ints

    def __len__(self) -> int:
        return len(self.ascending)

    def groups(self) -> Iterator[Group]:
        """Return the values of every group, in their order."""
        blank = [None] * len(self)
        columns = [blank if one is None else one for one in self.columns]
        return zip(*columns, strict=True) if columns else iter([()] * len(self))

    def numbers(self, classes: Ints, rows: Ints | None = None) -> Ints:
        """Return the numbers of the groups of some classes, or of records of those classes.

        Only parts of public attributes are looked at where no records are given.
        """
        number = np.zeros(len(classes), np.int64)
        for part in self.parts:
            if part.component.is_public:
                number += part.among[part.component.found[classes]] * part.stride
            elif rows is not None:
                number += part.among[part.component.found[rows]] * part.stride
        return number

    def public_numbers(self) -> Ints:
        """Return the numbers that groups have by their public parts, in their order."""
        number = np.zeros(len(self), np.int64)
        for part in self.parts:
            if part.component.is_public:
                number += part.of_groups(len(self)) * part.stride
        return number[self.ascending]


def number_of_groups(components: Sequence[Component], of: Sequence[int]) -> int:
    """Return how many groups a grouping has; none of them is made."""
    chosen = [one for one in components if set(one.places) & set(of)]
    return prod(len(one.projected(of)[0][0]) for one in chosen)


def declared_groups(
    components: Sequence[Component], of: Sequence[int], places: int
) -> DeclaredGroups:
    """Combine the groups of several components.

    Args:
        components: the grouping expressions of a query.
        of: which of them the grouping is of, by their places.
        places: how many the query has.
    """
    chosen = [one for one in components if set(one.places) & set(of)]
    projected = [one.projected(of) for one in chosen]
    sizes = [len(codes[0]) for codes, _ in projected]
    total = prod(sizes)
    parts: list[Part] = []
    codes: dict[int, Ints] = {}
    values: dict[int, pa.Array] = {}
    stride = total
    for one, (own, among), size in zip(chosen, projected, sizes, strict=True):
        stride = stride // size if size else 1
        part = Part(one, among, max(size, 1), max(stride, 1))
        parts.append(part)
        at = part.of_groups(total)
        names = [place for place in one.places if place in of]
        codes |= {place: code[at] for place, code in zip(names, own, strict=True)}
        values |= dict(zip(one.places, one.values, strict=True))
    ascending = np.arange(total)
    if codes:
        ascending = np.lexsort([codes[place] for place in sorted(codes, reverse=True)])
    columns = tuple(
        values[place].take(pa.array(codes[place][ascending])).to_pylist()
        if place in codes
        else None
        for place in range(places)
    )
    return DeclaredGroups(tuple(parts), columns, ascending)
