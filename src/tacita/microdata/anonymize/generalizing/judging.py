"""Which classes of a node must be left out so that the others keep every promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tacita.data.classes import Mask
from tacita.microdata.anonymize.generalizing.tables import NodeTable, Tables
from tacita.microdata.anonymize.promises import Promise
from tacita.microdata.models.class_table import ClassTable, Histogram


class Judged(NamedTuple):
    """What must be left out at a node.

    Args:
        broken: for every class, whether it is left out.
        left_out: the number of records in them.
        below: at least so many are left out at every node below, too.
    """

    broken: Mask
    left_out: int
    below: int


@dataclass(frozen=True, eq=False)
class Judge:
    """Asks the promises about the classes of nodes.

    Args:
        tables: the class tables.
        promises: the promises.
        allowed: how many records may be left out.
    """

    tables: Tables
    promises: Sequence[Promise]
    allowed: int

    def __post_init__(self) -> None:
        names = [key.name for key in self.tables.keys]
        self.__dict__["_keys"] = [
            [names.index(name) for name in promise.keys] for promise in self.promises
        ]

    @property
    def steady(self) -> Sequence[bool]:
        """Whether, for each promise, a class that keeps it does so whoever joins the class.

        A record that such promises leave out at a node is left out at every node below.
        """
        return [getattr(promise.model, "joining_keeps", False) for promise in self.promises]

    @property
    def is_monotone(self) -> bool:
        """Whether a node above one that will do always does, too.

        Where records may be left out, promises must be steady: what is left out at a node may
        break a class above that would have kept them without it.
        """
        if self.allowed:
            return all(self.steady)
        return all(getattr(promise.model, "merging_keeps", False) for promise in self.promises)

    def steady_part(self) -> Judge | None:
        """Return who asks only the promises that a class keeps whoever joins it, if any."""
        promises = [p for p, steady in zip(self.promises, self.steady, strict=True) if steady]
        return Judge(self.tables, promises, self.allowed) if promises else None

    def judged(self, table: NodeTable) -> Judged:
        """Leave out the classes that break a promise until none does, or too many are out."""
        gone, below = np.zeros(len(table), np.bool_), 0
        while True:
            found = [self._broken(place, table, gone) for place in range(len(self.promises))]
            if not below:
                below = self._surely_below(table, found)
            more = np.logical_or.reduce(found) & ~gone & (table.classes.sizes > 0)
            gone |= more
            left_out = int(table.classes.sizes[gone].sum())
            if not more.any() or self._is_final or left_out > self.allowed:
                return Judged(gone, left_out, max(below, left_out * self.is_monotone))

    @property
    def _is_final(self) -> bool:
        """Whether what is left out cannot break a promise about the others."""
        every = len(self.tables.keys)
        return all(self.steady) and all(len(keys) == every for keys in self.__dict__["_keys"])

    def _surely_below(self, table: NodeTable, found: Sequence[Mask]) -> int:
        """Count the records that steady promises leave out."""
        steady = [mask for mask, is_steady in zip(found, self.steady, strict=True) if is_steady]
        return int(table.classes.sizes[np.logical_or.reduce(steady)].sum()) if steady else 0

    def _broken(self, place: int, table: NodeTable, gone: Mask) -> Mask:
        """Tell the classes that break one promise when some are gone."""
        promise, keys = self.promises[place], self.__dict__["_keys"][place]
        left = emptied(table.classes, gone) if gone.any() else table.classes
        if len(keys) == len(self.tables.keys):
            return promise.breaks(_seen(left, promise))
        classes, into = self.tables.grouped(replace(table, classes=left), keys)
        return promise.breaks(_seen(classes, promise))[into]


def _seen(classes: ClassTable, promise: Promise) -> ClassTable:
    """Return what a promise looks at: the population only if it counts there."""
    return classes if promise.counts_population else replace(classes, population=None)


def emptied(classes: ClassTable, gone: Mask) -> ClassTable:
    """Return the table after the records of some classes were left out."""
    return replace(
        classes,
        sizes=np.where(gone, 0, classes.sizes),
        values={name: _emptied(one, gone) for name, one in classes.values.items()},
        weights=None if classes.weights is None else np.where(gone, 0.0, classes.weights),
    )


def _emptied(values: Histogram, gone: Mask) -> Histogram:
    left = ~gone[values.classes]
    return replace(
        values,
        classes=values.classes[left],
        codes=values.codes[left],
        counts=values.counts[left],
    )
