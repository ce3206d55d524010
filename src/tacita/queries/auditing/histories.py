"""What was answered of one attribute, and whether one answer more would tell too much.

Whether a set may be answered depends on the sets answered before and on nothing else, so that a
refusal tells what everybody could have worked out. A history is about sums of numbers that can be
anything, over sets that everybody can name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.queries.auditing.atoms import Atoms, Chosen
from tacita.queries.auditing.echelon import Echelon


class History(Protocol):
    """The sets whose sums were answered."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was learned."""

    def allows(self, classes: Chosen) -> bool:
        """Tell whether the sum over a set may be answered as well."""

    def learn(self, classes: Chosen) -> None:
        """Remember that the sum over a set was answered."""

    def learn_all(self, sets: Sequence[Chosen]) -> None:
        """Remember that the sums over many sets were answered."""

    def move(self, came_from: Ints, sizes: Ints) -> None:
        """Go on with other classes after the data changed; see `Atoms.move`."""


class Exact:
    """No answer may determine the value of one record: Chin and Ozsoyoglu's audit expert.

    A sum over a set determines a value just if its unit vector is in the row space of the answered
    sets and not without the last one. Sums of the row space are constant on atoms, so

    - a set that splits two atoms or more determines nothing: no unit vector differs in two atoms;
    - a set that splits one atom can determine a part of it that is one record: what lies inside, if
      the rest of the set follows from the answers, and what lies outside, if the rest together with
      the atom does;
    - a set that splits none can determine atoms of one record, which elimination finds.

    Args:
        sizes: of every class the number of records that are not known anyway.
        most: how many atoms there may be; a set that would make more is refused.

    >>> history = Exact(np.array([1, 1, 1]), most=100)
    >>> history.learn(np.array([True, True, True]))
    >>> history.allows(np.array([True, False, False]))
    False
    """

    def __init__(self, sizes: Ints, most: int) -> None:
        self.atoms = Atoms(sizes)
        self.space = Echelon()
        self.most = most

    @property
    def is_empty(self) -> bool:
        """Whether nothing was learned."""
        return self.space.rank == 0

    def allows(self, classes: Chosen) -> bool:
        """Tell whether the sum over a set determines no value that was undetermined."""
        cut = self.atoms.cut(classes)
        split = cut.split
        if not len(split):
            return not (cut.sizes[self.space.newly_determined(cut.whole)] == 1).any()
        if len(self.atoms) + len(split) > self.most:
            return False
        if len(split) > 1:
            return True
        atom, rest = split[0], cut.whole
        inside = cut.inside[atom]
        if inside == 1 and self.space.contains(rest):
            return False
        with_atom = rest.copy()
        with_atom[atom] = True
        return bool(cut.sizes[atom] - inside > 1 or not self.space.contains(with_atom))

    def learn(self, classes: Chosen) -> None:
        """Add the row of a set."""
        self.space.grow(self.atoms.split(classes))
        self.space.add(self.atoms.cut(classes).whole)

    def learn_all(self, sets: Sequence[Chosen]) -> None:
        """Add the rows of many sets."""
        self.space.grow(self.atoms.split_all(sets))
        rows = np.array([self.atoms.cut(one).whole for one in sets], bool)
        self.space.add_all(rows.reshape(len(sets), len(self.atoms)))

    def move(self, came_from: Ints, sizes: Ints) -> None:
        """Add a column for the new values."""
        self.atoms.move(came_from, sizes)
        self.space.grow(np.array([-1]))


class InAtoms:
    """Every answered set is a union of atoms of at least k records.

    What follows from the answers is constant on atoms, so that no sum that follows is of fewer than
    k records. That is enough, and not always needed.

    Args:
        sizes: of every class the number of records that are not known anyway.
        k: the least number of records in an atom that an answered set contains.

    >>> history = InAtoms(np.array([3, 2, 4]), k=3)
    >>> history.allows(np.array([True, True, True]))
    True
    >>> history.learn(np.array([True, True, True]))
    >>> history.allows(np.array([True, True, False])), history.allows(np.array([True, False, True]))
    (True, False)
    """

    def __init__(self, sizes: Ints, k: int) -> None:
        self.atoms = Atoms(sizes)
        self.asked: Mask = np.zeros(1, bool)
        self.k = k

    @property
    def is_empty(self) -> bool:
        """Whether nothing was learned."""
        return not self.asked.any()

    def allows(self, classes: Chosen) -> bool:
        """Tell whether the atoms inside, and those left of answered ones, are large enough."""
        cut = self.atoms.cut(classes)
        outside = np.where(self.asked, cut.sizes - cut.inside, 0)[cut.split]
        parts = np.concatenate([cut.inside, outside])
        return bool((parts[parts > 0] >= self.k).all())

    def learn(self, classes: Chosen) -> None:
        """Split the atoms by a set."""
        parents = self.atoms.split(classes)
        self.asked = np.concatenate([self.asked, self.asked[parents]])
        self.asked |= self.atoms.cut(classes).whole

    def learn_all(self, sets: Sequence[Chosen]) -> None:
        """Split the atoms by many sets."""
        parents = self.atoms.split_all(sets)
        self.asked = np.concatenate([self.asked, self.asked[parents]])
        for one in sets:
            self.asked |= self.atoms.cut(one).whole

    def move(self, came_from: Ints, sizes: Ints) -> None:
        """Add an atom of the new values, which no answered set contains."""
        self.atoms.move(came_from, sizes)
        self.asked = np.append(self.asked, False)
