"""Atoms: the records that a history of query sets cannot tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.queries.updating import FRESH

if TYPE_CHECKING:
    from tacita.kernels.grouping import Groups

Chosen = Mask | Ints  # the classes of a query set, as a mask or by their numbers
BITS = 62  # query sets that one whole number tells the classes of


@dataclass(frozen=True, eq=False)
class Cut:
    """How a query set lies to the atoms.

    Args:
        inside: of every atom the number of its records in the set.
        sizes: of every atom the number of its records.
    """

    inside: Ints
    sizes: Ints

    @property
    def whole(self) -> Mask:
        """The atoms that lie in the set."""
        whole: Mask = (self.inside > 0) & (self.inside == self.sizes)
        return whole

    @property
    def split(self) -> Ints:
        """The atoms that the set cuts in two."""
        return np.flatnonzero((self.inside > 0) & (self.inside < self.sizes))


class Atoms:
    """The coarsest partition of which every query set so far is a union of parts.

    At the start all records are one atom; a query set splits every atom in two at most. Records
    that are known anyway protect nobody: they are in no atom. Of what was deleted or changed the
    old values stay in their atoms, although no query set will contain them again: old answers are
    about them.

    Args:
        sizes: of every class the number of records that count.

    >>> atoms = Atoms(np.array([3, 1, 2]))
    >>> atoms.split(np.array([True, False, False]))
    array([0])
    >>> atoms.sizes, atoms.of_class
    (array([3, 3]), array([1, 0, 0]))
    """

    def __init__(self, sizes: Ints) -> None:
        self._of_classes = sizes
        self.of_class: Ints = np.zeros(len(sizes), np.int64)
        self.sizes: Ints = np.array([sizes.sum()], np.int64)

    def __len__(self) -> int:
        return len(self.sizes)

    def cut(self, classes: Chosen) -> Cut:
        """Tell how a query set would split the atoms; nothing is split."""
        weights = self._of_classes[classes]
        inside = np.bincount(self.of_class[classes], weights, minlength=len(self))
        return Cut(inside.astype(np.int64), self.sizes)

    def split(self, classes: Chosen) -> Ints:
        """Split the atoms by a query set; what lies inside becomes a new atom.

        Returns:
            of each new atom the one that it was part of.
        """
        cut = self.cut(classes)
        parents = cut.split
        number = np.arange(len(self))
        number[parents] = len(self) + np.arange(len(parents))
        self.of_class[classes] = number[self.of_class[classes]]
        self.sizes = np.concatenate([self.sizes, cut.inside[parents]])
        self.sizes[parents] -= cut.inside[parents]
        return parents

    def split_all(self, sets: Sequence[Chosen]) -> Ints:
        """Split the atoms by many query sets: the parts are those that one by one would leave.

        Returns:
            of each new atom the one that it was part of.
        """
        counted = np.flatnonzero(self._of_classes)
        parts, asked = self._parts(sets, counted)
        atoms, asked = self.of_class[counted[parts.first]], asked[counted[parts.first]]
        sizes = np.bincount(parts.ids, self._of_classes[counted], len(atoms)).astype(np.int64)
        inside = np.bincount(atoms[asked], sizes[asked], len(self)).astype(np.int64)
        # What no set contains keeps the number of its atom; where nothing is left, the first part.
        firsts = np.flatnonzero(asked)[np.unique(atoms[asked], return_index=True)[1]]
        asked[firsts[inside[atoms[firsts]] == self.sizes[atoms[firsts]]]] = False
        parents = atoms[asked]
        atoms[asked] = len(self) + np.arange(len(parents))
        self.of_class[counted] = atoms[parts.ids]
        np.subtract.at(self.sizes, parents, sizes[asked])
        self.sizes = np.concatenate([self.sizes, sizes[asked]])
        return parents

    def _parts(self, sets: Sequence[Chosen], counted: Ints) -> tuple[Groups, Mask]:
        """Put classes together that no set tells apart; tell which classes are in any set."""
        from tacita.kernels.grouping import group

        asked = np.zeros(len(self.of_class), bool)
        parts = group([self.of_class[counted]])
        for start in range(0, len(sets), BITS):
            signs = np.zeros(len(self.of_class), np.int64)
            for bit, classes in enumerate(sets[start : start + BITS]):
                signs[classes] |= 1 << bit
            asked |= signs != 0
            parts = group([parts.ids, signs[counted]])
        return parts, asked

    def move(self, came_from: Ints, sizes: Ints) -> None:
        """Go on with other classes after the data changed.

        New values make one atom more, which no old query set contains.

        Args:
            came_from: of every class the old class whose values it has; FRESH for new values.
            sizes: of every class the number of records that count.
        """
        fresh = came_from == FRESH
        self.sizes = np.append(self.sizes, sizes[fresh].sum())
        self.of_class = np.where(fresh, len(self) - 1, self.of_class[came_from])
        self._of_classes = sizes
