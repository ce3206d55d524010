"""From a statistical query to its cells: one number each, over one query set each.

The groups are those of the public classes that the public conditions choose, so that which rows an
answer has tells nothing about confidential values: a group that a condition on a confidential
attribute empties is there all the same. Groups of confidential values, where a policy permits them,
are those of the records that are chosen; which of them are shown is for that policy to say. Where a
CASE writes out all values, all of them are groups. Where a query has key sets, its groups are those
that are declared, whoever is in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product, repeat
from math import prod
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from tacita.data.classes import Ints, Mask
from tacita.errors import QueryError
from tacita.queries.cells import Cell, QuerySet
from tacita.queries.declared_groups import (
    Component,
    DeclaredGroups,
    components_of,
    declared_groups,
    number_of_groups,
)
from tacita.queries.language.expressions import (
    Call,
    Expression,
    Literal,
    Named,
    RecordColumns,
    codes_of,
    evaluate,
    holds_in_classes,
    holds_in_records,
    names_of,
    ranked,
    spread,
    written_values,
)
from tacita.queries.language.query import StatisticalQuery
from tacita.queries.many_objects import without_search_for_cycles
from tacita.queries.public_classes import PublicClasses

MOST_CELLS = 100_000
Of = tuple[int, ...]
Group = tuple[Any, ...]
Sets = list[tuple[QuerySet, Group]]
COMPRESSED = 2**40  # beyond, codes of several attributes are numbered anew before they overflow


@dataclass(frozen=True, eq=False)
class _Key:
    """A grouping expression: of every class, or of every record, a code; of every code a value."""

    codes: Ints
    values: pa.Array


# The confidential categories of some data, record by record.
_CATEGORIES: WeakKeyDictionary[PublicClasses, dict[str, _Key]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class _Groups:
    """The groups of one grouping set.

    Args:
        places: the chosen classes, or records, group after group.
        bounds: where every group starts in `places`; one more at the end.
    """

    places: Ints
    bounds: Ints

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def each(self) -> Iterator[Ints]:
        """Return the classes, or records, of every group."""
        for start, stop in pairwise(self.bounds.tolist()):
            yield self.places[start:stop]

    def values(self, keys: Sequence[_Key], of: tuple[int, ...]) -> Iterator[tuple[Any, ...]]:
        """Return the values of the keys in every group; None for those that it adds up over."""
        if not of:
            return repeat((None,) * len(keys), 1)
        heads = self.places[self.bounds[:-1]]
        blank = [None] * len(heads)
        columns = [
            key.values.take(pa.array(key.codes[heads])).to_pylist() if place in of else blank
            for place, key in enumerate(keys)
        ]
        return zip(*columns, strict=True)


def expand(query: StatisticalQuery, data: PublicClasses) -> tuple[Cell, ...]:
    """Return the cells of a query: coarse groupings first, groups in order, then statistics.

    Coarse groupings come first because a policy that answers them can still refuse a part, and not
    the other way round. A grouping by nothing has one group, even an empty one.

    Raises:
        QueryError: there are too many cells, which depends on public attributes only.
    """
    return _Expansion(query, data).cells()


def outlined(query: StatisticalQuery, data: PublicClasses) -> tuple[Cell, ...]:
    """Return the cells of a query before any group of confidential categories is shown.

    They depend on nothing confidential: a grouping by such categories has one group, of nobody.
    """
    return _Expansion(query, data).cells(outline=True)


@dataclass(frozen=True, eq=False)
class _Expansion:
    """A query on its way to cells."""

    query: StatisticalQuery
    data: PublicClasses

    def cells(self, *, outline: bool = False) -> tuple[Cell, ...]:
        """Return the cells, or their outline."""
        many = 0 if self.query.keys is None else self._checked_declared()
        with without_search_for_cycles(many):
            return self._made(outline=outline)

    def _made(self, *, outline: bool) -> tuple[Cell, ...]:
        found = [(of, self._found(of, outline)) for of in _coarsest_first(self.query)]
        public = [sets for of, sets in found if not self.query.secret & set(of)]
        _check_number(len(self.query.asked) * sum(map(len, public)))
        return tuple(
            Cell(asked, members, group, of, bool(self.query.secret & set(of)), len(sets))
            for of, sets in found
            for members, group in sets
            for asked in self.query.asked
        )

    def _found(self, of: Of, outline: bool) -> Sets:
        """Return the query sets of a grouping with their groups."""
        if self.query.secret & set(of):
            nobody = self._of_rows(np.zeros(0, np.int64))
            found = [] if outline else self._of_categories(of)
            return found or [(nobody, (None,) * len(self.query.groups))]
        if self.query.keys is not None:
            return self._of_declared(of)
        if self.query.written & set(of):
            return self._of_written(of)
        groups = _grouped(self.places, [self.keys[one] for one in of])
        sets = (
            QuerySet(self.data, places=places, among=self.among, condition=self.condition)
            for places in groups.each()
        )
        _check_number(len(self.query.asked) * len(groups))
        return list(zip(sets, groups.values(self.keys, of), strict=True))

    def _of_categories(self, of: Of) -> Sets:
        """Return the groups of confidential categories that somebody is in."""
        groups = _grouped(self.rows, [self.of_records[one] for one in of])
        values = groups.values(self.of_records, of)
        return list(zip(map(self._of_rows, groups.each()), values, strict=True))

    def _of_written(self, of: Of) -> Sets:
        """Return every group of public attributes with every written value, also of nobody."""
        written = [place for place in of if place in self.query.written]
        public = tuple(place for place in of if place not in written)
        groups = _grouped(self.places, [self.keys[one] for one in public])
        combined = [self.of_records[one] for one in written]
        many = prod(len(key.values) for key in combined)
        _check_number(len(self.query.asked) * len(groups) * many)
        group = np.zeros(len(self.data), np.int64)
        group[groups.places] = np.repeat(np.arange(len(groups)), np.diff(groups.bounds))
        code = group[self.data.of_record[self.rows]]
        for key in combined:
            code = code * len(key.values) + key.codes[self.rows]
        order = np.argsort(code, kind="stable")
        bounds = np.searchsorted(code[order], np.arange(len(groups) * many + 1))
        chosen = _Groups(self.rows[order], bounds).each()
        outer = zip(groups.each(), groups.values(self.keys, public), strict=True)
        values = product(*[key.values.to_pylist() for key in combined])
        inner = [(one, self._where(written, one)) for one in values]
        return [
            (
                QuerySet(self.data, rows=rows, places=places, condition=condition),
                _filled(group, written, values),
            )
            for rows, ((places, group), (values, condition)) in zip(
                chosen, product(outer, inner), strict=True
            )
        ]

    # -- declared groups -------------------------------------------------------------------------

    def _checked_declared(self) -> int:
        """Return the number of declared cells; raise if they are too many, before any is made."""
        public = [of for of in self.query.grouping_sets if not self.query.secret & set(of)]
        many = sum(number_of_groups(self.components, of) for of in public)
        _check_number(len(self.query.asked) * many)
        return many

    def _of_declared(self, of: Of) -> Sets:
        """Return every declared group, also of nobody."""
        groups = declared_groups(self.components, of, len(self.query.groups))
        if all(one.is_public or set(one.places) <= self.query.written for one in self.components):
            hidden = [one for one in of if one in self._hidden_places]
        else:
            hidden = sorted(self._hidden_places)
        made = self._declared_records if hidden else self._declared_classes
        return list(zip(made(groups, of), groups.groups(), strict=True))

    def _declared_classes(self, groups: DeclaredGroups, _: Of) -> list[QuerySet]:
        return [
            QuerySet(self.data, places=places, among=self.among, condition=self.condition)
            for places in _split(self.places, groups.numbers(self.places), groups.ascending)
        ]

    def _declared_records(self, groups: DeclaredGroups, of: Of) -> list[QuerySet]:
        """Return the query sets of groups that confidential attributes choose."""
        numbers = groups.numbers(self.data.of_record[self.rows], self.rows)
        rows = _split(self.rows, numbers, groups.ascending)
        classes = _split(self.places, groups.numbers(self.places), groups.public_numbers())
        hidden = [one for one in of if one in self._hidden_places]
        columns = [groups.columns[one] or [] for one in hidden]
        values = zip(*columns, strict=True) if hidden else repeat((), len(groups))
        conditions: dict[Group, Expression] = {}
        made = []
        for own, places, said in zip(rows, classes, values, strict=True):
            if said not in conditions:
                conditions[said] = self._where(hidden, said)
            condition = conditions[said] if hidden else self.condition
            made.append(QuerySet(self.data, rows=own, places=places, condition=condition))
        return made

    @cached_property
    def components(self) -> list[Component]:
        """The grouping expressions that are declared, with their values."""
        keys = self.query.keys
        return [] if keys is None else components_of(self.query, self.data, keys)

    @cached_property
    def _hidden_places(self) -> frozenset[int]:
        """The places of declared grouping expressions of confidential attributes."""
        hidden = [one.places for one in self.components if not one.is_public]
        return frozenset(place for places in hidden for place in places)

    # -- the parts of a query --------------------------------------------------------------------

    def _where(self, written: Sequence[int], values: Sequence[Any]) -> Expression:
        """Return the condition on confidential attributes that chooses a written group."""
        are = [_is(self.query.groups[at], one) for at, one in zip(written, values, strict=True)]
        return Call("AND", (*self.query.confidential_predicates(), *are))

    def _of_rows(self, rows: Ints) -> QuerySet:
        return QuerySet(self.data, rows=rows)

    @cached_property
    def places(self) -> Ints:
        """The classes that public conditions choose, and whose groups are declared."""
        chosen = _chosen_classes(self.query, self.data)
        for one in self.components:
            if one.is_public:
                chosen = chosen & (one.found >= 0)
        return np.flatnonzero(chosen)

    @cached_property
    def condition(self) -> Expression | None:
        """The condition on confidential attributes, if there is one."""
        return _confidential(self.query)

    @cached_property
    def among(self) -> Mask | None:
        """The records that it chooses."""
        return None if self.condition is None else holds_in_records(self.condition, self.data)

    @cached_property
    def rows(self) -> Ints:
        """The records that all conditions choose."""
        rows = QuerySet(self.data, places=self.places, among=self.among).rows
        for one in self.components:
            if not one.is_public:
                rows = rows[one.found[rows] >= 0]
        return rows

    @cached_property
    def keys(self) -> list[_Key]:
        """The grouping expressions of public attributes, class by class; others are blank."""
        return [
            _Key(*codes_of(Literal(None) if place in self._of_single_records else group, self.data))
            for place, group in enumerate(self.query.groups)
        ]

    @cached_property
    def _of_single_records(self) -> frozenset[int]:
        """The places of grouping expressions that are looked at record by record."""
        public = self.data.is_public
        hidden = [not all(map(public, names_of(group))) for group in self.query.groups]
        return self.query.secret | self.query.written | set(np.flatnonzero(hidden).tolist())

    @cached_property
    def of_records(self) -> list[_Key]:
        """The grouping expressions, record by record."""
        return [
            self._of_each(group)
            if place in self._of_single_records
            else _Key(key.codes[self.data.of_record], key.values)
            for place, (group, key) in enumerate(zip(self.query.groups, self.keys, strict=True))
        ]

    def _of_each(self, expression: Expression) -> _Key:
        """Return an expression of confidential attributes; that of a category is kept."""
        if not isinstance(expression, Named):
            return self._coded(expression)
        kept = _CATEGORIES.setdefault(self.data, {})
        if expression.name not in kept:
            kept[expression.name] = self._coded(expression)
        return kept[expression.name]

    def _coded(self, expression: Expression) -> _Key:
        """Return the codes of an expression; all written values are values of it."""
        column = spread(evaluate(expression, RecordColumns(self.data)), self.data.records)
        written = pa.array([one.value for one in written_values(expression)], column.type)
        codes, values = ranked(pa.concat_arrays([written, column]))
        return _Key(codes[len(written) :], values)


def _split(places: Ints, numbers: Ints, wanted: Ints) -> list[Ints]:
    """Return the places of every wanted number, in ascending order; of none that nobody has."""
    order = np.argsort(numbers, kind="stable")
    places, numbers = places[order], numbers[order]
    starts = np.searchsorted(numbers, wanted, "left").tolist()
    stops = np.searchsorted(numbers, wanted, "right").tolist()
    return [places[start:stop] for start, stop in zip(starts, stops, strict=True)]


def _is(expression: Expression, value: Any) -> Expression:
    """Return the condition that an expression has a value."""
    if value is None:
        return Call("IS NULL", (expression,))
    return Call("=", (expression, Literal(value)))


def _filled(outer: Group, places: Sequence[int], inner: Sequence[Any]) -> Group:
    """Return a group with the values of some expressions put in."""
    values = list(outer)
    for place, value in zip(places, inner, strict=True):
        values[place] = value
    return tuple(values)


def _coarsest_first(query: StatisticalQuery) -> list[tuple[int, ...]]:
    return sorted(query.grouping_sets, key=len)


def _check_number(cells: int) -> None:
    if cells > MOST_CELLS:
        raise QueryError(
            f"A query asks for at most {MOST_CELLS:,} numbers; this one for {cells:,}. Group by "
            "less, or choose fewer groups with WHERE."
        )


def _chosen_classes(query: StatisticalQuery, data: PublicClasses) -> Mask:
    public = query.public_predicates()
    return holds_in_classes(Call("AND", public), data) if public else np.ones(len(data), np.bool_)


def _confidential(query: StatisticalQuery) -> Expression | None:
    """Return the condition on confidential attributes, if there is one."""
    hidden = query.confidential_predicates()
    return Call("AND", hidden) if hidden else None


def _grouped(places: Ints, keys: Sequence[_Key]) -> _Groups:
    """Put classes with equal keys together, in the order of the keys."""
    if not keys:
        return _Groups(places, np.array([0, len(places)]))
    code = _together([key.codes[places] for key in keys])
    order = np.argsort(code, kind="stable")
    changes = np.diff(code[order], prepend=-1) != 0
    return _Groups(places[order], np.append(np.flatnonzero(changes), len(places)))


def _together(codes: Sequence[Ints]) -> Ints:
    """Return one number for every combination of codes, in their order."""
    key = np.zeros(len(codes[0]), np.int64)
    size = 1
    for code in codes:
        count = int(code.max(initial=0)) + 1
        if size * count > COMPRESSED:
            known, key = np.unique(key, return_inverse=True)
            size = len(known)
        key = key * count + code
        size *= count
    # Short numbers are sorted by their digits, which takes a fraction of the time.
    return key.astype(np.int16) if size <= 2**15 else key
