"""Cells: what a statistical query asks for, one number each, with the records it is about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.queries.language.expressions import Expression
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked


class QuerySet:
    """The records a statistic is about.

    Say the classes either by a mask or by their places: a table has thousands of small sets, and a
    mask of all classes for each of them would fill the memory. It is made when it is asked for.

    Attributes:
        is_public: whether everybody can tell who is in the set.

    Args:
        data: the data it is a set of.
        classes: of all classes those that public attributes choose.
        among: of the records (in the order of the classes) those that a predicate on a confidential
            attribute chooses; None where the query names none, so that the set is public.
        places: the chosen classes by their numbers, in ascending order.
        condition: the predicate on confidential attributes that chooses among their records.
        rows: the records by their places, where confidential values choose them. Then `places` are
            the classes that they are chosen from, which everybody knows; without them those that
            the records are of, which nobody may know.
    """

    def __init__(
        self,
        data: PublicClasses,
        classes: Mask | None = None,
        among: Mask | None = None,
        *,
        places: Ints | None = None,
        condition: Expression | None = None,
        rows: Ints | None = None,
    ) -> None:
        self.data = data
        self.condition = condition
        self._classes = classes
        self._among = among
        self.is_public = among is None and rows is None
        # What is said need not be found.
        if rows is not None:
            self.__dict__["rows"] = rows
        if places is not None:
            self.__dict__["places"] = places

    @property
    def among(self) -> Mask | None:
        """Of all records, whether a confidential attribute chooses them; None in a public set."""
        if self.is_public or self._among is not None:
            return self._among
        chosen = np.zeros(self.data.records, np.bool_)
        chosen[self.rows] = True
        return chosen

    @property
    def classes(self) -> Mask:
        """Of all classes, whether they are chosen."""
        if self._classes is not None:
            return self._classes
        chosen = np.zeros(len(self.data), np.bool_)
        chosen[self.places] = True
        return chosen

    @cached_property
    def places(self) -> Ints:
        """The numbers of the chosen classes."""
        if self._classes is None:
            return np.unique(self.data.of_record[self.rows])
        return np.flatnonzero(self._classes)

    @cached_property
    def size(self) -> int:
        """The number of records in the set."""
        if self.is_public:
            return int(self.data.sizes[self.places].sum())
        return int(self.rows.size)

    @cached_property
    def rows(self) -> Ints:
        """The places of the records in the hidden columns."""
        sizes = self.data.sizes[self.places]
        before = self.data.starts[self.places] - (np.cumsum(sizes) - sizes)
        rows: Ints = np.arange(sizes.sum()) + np.repeat(before, sizes)
        return rows if self._among is None else rows[self._among[rows]]


@dataclass(frozen=True, eq=False, slots=True)
class Cell:
    """One number that is asked for.

    Args:
        asked: the statistic.
        members: the records it is about.
        group: the value of every grouping expression; None in a margin that adds up over it (and
            where the value itself is blank: `of` tells them apart).
        of: which grouping expressions the cell is of.
        is_secret: whether its group is one of confidential values, which nobody may know to be
            there unless a policy shows it.
        groups: how many groups its grouping has.
    """

    asked: Asked
    members: QuerySet
    group: tuple[Any, ...] = ()
    of: tuple[int, ...] = ()
    is_secret: bool = False
    groups: int = 1
