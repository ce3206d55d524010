"""Which classes of a node must be left out so that the others keep every promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.microdata.anonymize.generalizing.levels import Levels
from tacita.microdata.anonymize.generalizing.tables import NodeTable, Places, Tables
from tacita.microdata.anonymize.promises import Promise
from tacita.microdata.models.class_table import ClassTable


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
        return [self._is_told("joining_keeps", promise) for promise in self.promises]

    @property
    def is_monotone(self) -> bool:
        """Whether a node above one that will do always does, too.

        Where records may be left out, promises must be steady: what is left out at a node may
        break a class above that would have kept them without it.
        """
        if self.allowed:
            return all(self.steady)
        return all(self._is_told("merging_keeps", promise) for promise in self.promises)

    def _is_told(self, trait: str, promise: Promise) -> bool:
        """Tell whether a model has a trait; none lasts where its values are generalized, too."""
        return getattr(promise.model, trait, False) and self.tables.place(promise.attribute) is None

    def steady_part(self) -> Judge | None:
        """Return who asks only the promises that a class keeps whoever joins it, if any."""
        promises = [p for p, steady in zip(self.promises, self.steady, strict=True) if steady]
        return Judge(self.tables, promises, self.allowed) if promises else None

    def judged(self, table: NodeTable) -> Judged:
        """Leave out the classes that break a promise until none does, or too many are out."""
        gone = np.zeros(len(table), np.bool_)
        below = None
        while True:
            found = [self._broken(place, table, gone) for place in range(len(self.promises))]
            if below is None:  # later, promises may be broken by what others left out here only
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
        codes = self._codes(table, keys) if promise.looks_at_keys else None
        if len(keys) == len(self.tables.keys):
            return promise.breaks(self._seen(replace(left, keys=codes), promise, table.levels))
        classes, into = self.tables.grouped(replace(table, classes=left), keys)
        if codes is not None:
            codes = {name: _of_groups(code, into, len(classes)) for name, code in codes.items()}
        classes = replace(classes, keys=codes)
        return promise.breaks(self._seen(classes, promise, table.levels))[into]

    def _codes(self, table: NodeTable, keys: Sequence[int]) -> dict[str, Ints]:
        """Return the codes of some keys in every class of a node."""
        return {self.tables.keys[a].name: self.tables.codes(table, a) for a in keys}

    def _seen(self, classes: ClassTable, promise: Promise, levels: Levels) -> ClassTable:
        """Return what a promise looks at: values as released, the population if it counts there."""
        if not promise.counts_population:
            classes = replace(classes, population=None)
        name, key = promise.attribute, self.tables.place(promise.attribute)
        if name is None or key is None:
            return classes
        released = self.tables.generalized(classes.values[name], key, levels[key])
        return replace(classes, values={name: released})


def _of_groups(codes: Ints, into: Places, groups: int) -> Ints:
    """Return the codes of groups of classes that have the same ones."""
    found = np.empty(groups, np.int64)
    found[into] = codes
    return found


def emptied(classes: ClassTable, gone: Mask) -> ClassTable:
    """Return the table after the records of some classes were left out."""
    return replace(
        classes,
        sizes=np.where(gone, 0, classes.sizes),
        values={name: one.emptied(gone) for name, one in classes.values.items()},
        weights=None if classes.weights is None else np.where(gone, 0.0, classes.weights),
    )
