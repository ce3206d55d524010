"""From a statistical query to its cells: one number each, over one query set each.

The groups are those of the public classes that the public conditions choose, so that which rows an
answer has tells nothing about confidential values: a group that a condition on a confidential
attribute empties is there all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.classes import Ints, Mask
from tacita.errors import QueryError
from tacita.queries.cells import Cell, QuerySet
from tacita.queries.language.expressions import (
    Call,
    Expression,
    codes_of,
    holds_in_classes,
    holds_in_records,
)
from tacita.queries.language.query import StatisticalQuery
from tacita.queries.public_classes import PublicClasses

MOST_CELLS = 100_000
COMPRESSED = 2**40  # beyond, codes of several attributes are numbered anew before they overflow


@dataclass(frozen=True, eq=False)
class _Key:
    """A grouping expression: of every class a code, of every code a value."""

    codes: Ints
    values: pa.Array


@dataclass(frozen=True, eq=False)
class _Groups:
    """The groups of one grouping set.

    Args:
        places: the chosen classes, group after group.
        bounds: where every group starts in `places`; one more at the end.
    """

    places: Ints
    bounds: Ints

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def query_sets(
        self, data: PublicClasses, among: Mask | None, condition: Expression | None
    ) -> Iterator[QuerySet]:
        """Return the query set of every group; `among` is where a confidential condition holds."""
        for start, stop in pairwise(self.bounds.tolist()):
            places = self.places[start:stop]
            yield QuerySet(data, places=places, among=among, condition=condition)

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
    places = np.flatnonzero(_chosen_classes(query, data))
    condition = _confidential(query)
    among = None if condition is None else holds_in_records(condition, data)
    keys = [_Key(*codes_of(expression, data)) for expression in query.groups]
    found = [(of, _grouped(places, [keys[one] for one in of])) for of in _coarsest_first(query)]
    _check_number(len(query.asked) * sum(len(groups) for _, groups in found))
    return tuple(
        Cell(asked, members, group, of)
        for of, groups in found
        for members, group in zip(
            groups.query_sets(data, among, condition), groups.values(keys, of), strict=True
        )
        for asked in query.asked
    )


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
