"""The row space of answered queries, in reduced row echelon form modulo two primes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.errors import ProtectionError
from tacita.queries.auditing.primes import two_primes

Residues = np.ndarray[Any, np.dtype[np.uint32]]
Wide = np.ndarray[Any, np.dtype[np.uint64]]
ROOM = 16  # rows and columns to begin with


class Echelon:
    """What linear combinations of query sets there are; one column an atom, one row a set.

    Every row has a 1 in a column of its own, its pivot, where all other rows have 0. Pivots are
    therefore not stored: `_body` holds the other, free columns only, at most a quarter of atoms
    squared. A unit vector is in the row space just if it is a row: a pivot whose free columns are
    all 0.

    Numbers are residues modulo two primes, drawn in secret; nothing is ever rounded.

    >>> space = Echelon()
    >>> space.grow(np.array([0, 0]))  # one atom is split in three
    >>> space.add(np.array([True, True, False]))
    >>> space.contains(np.array([True, True, False]))
    True
    >>> space.newly_determined(np.array([True, False, False]))
    array([0, 1])
    """

    def __init__(self) -> None:
        self._primes = two_primes()
        self._body: Residues = np.zeros((2, ROOM, ROOM), np.uint32)
        self._place: Ints = np.zeros(1, np.int64)  # an atom's free column, or -1 - its row
        self._free: Ints = np.zeros(1, np.int64)  # the atoms of the free columns
        self._pivots: Ints = np.zeros(0, np.int64)  # the atoms of the rows

    @property
    def rank(self) -> int:
        """The number of rows."""
        return len(self._pivots)

    def contains(self, atoms: Mask) -> bool:
        """Tell whether a sum over atoms follows from the answers."""
        return not self._left(atoms).any()

    def newly_determined(self, atoms: Mask) -> Ints:
        """Return the atoms whose sum would follow from the answers only once a set is answered.

        With the set's row reduced to `left`, a further unit vector is in the row space if `left`
        has one entry only, or if a row is a multiple of `left` but for its pivot.
        """
        from tacita.kernels.residues import multiples

        left = self._left(atoms)
        found = np.zeros(len(self._pivots), bool)
        for body, row, prime in zip(self._body, left, self._primes, strict=True):
            found |= multiples(body, self.rank, row, prime)
        alone = np.flatnonzero(left.any(axis=0))
        own = self._free[alone] if len(alone) == 1 else alone[:0]
        return np.sort(np.concatenate([own, self._pivots[found]]))

    def add(self, atoms: Mask, sets: Ints | None = None) -> None:
        """Add the row of an answered set, unless it follows from the others.

        Args:
            atoms: the atoms in the set.
            sets: of every atom the number of sets that it is in, where that is known; one of few
                makes the better pivot.
        """
        from tacita.kernels.residues import clear_column

        left = self._left(atoms)
        if not left.any():
            return
        column = self._pivot_column(left, sets)
        self._make_room(self.rank + 1, len(self._free))
        for body, row, prime in zip(self._body, left, self._primes, strict=True):
            one = row * np.uint64(pow(int(row[column]), -1, prime)) % np.uint64(prime)
            clear_column(body, self.rank, one, column, prime)
            body[self.rank, : len(one)] = one
        self._make_pivot(column)

    def add_all(self, sets: Mask) -> None:
        """Add the rows of many answered sets, one row of `sets` each.

        What they span does not depend on their order. Small sets come first, and atoms of few sets
        become pivots: most rows stay empty for long, which spares most of the work.
        """
        common = sets.sum(axis=0)
        for place in np.argsort(sets.sum(axis=1), kind="stable"):
            self.add(sets[place], common)

    def grow(self, parents: Ints) -> None:
        """Add columns of new atoms.

        Args:
            parents: the atom that each was split from, whose column it shares; -1 for atoms that no
                answered set contains.
        """
        from tacita.kernels.residues import copy_columns

        width = len(self._free)
        self._make_room(self.rank, width + len(parents))
        places = np.where(parents < 0, 0, self._place[parents])
        sources = np.where(parents < 0, -1, np.maximum(places, -1))
        for body in self._body:
            copy_columns(body, self.rank, width, sources)
        pivots = np.flatnonzero(places < 0)
        self._body[:, -1 - places[pivots], width + pivots] = 1
        atoms = len(self._place) + np.arange(len(parents))
        self._place = np.concatenate([self._place, width + np.arange(len(parents))])
        self._free = np.concatenate([self._free, atoms])

    def _left(self, atoms: Mask) -> Wide:
        """Return what is left of a set once the rows of its pivots are taken out."""
        from tacita.kernels.residues import left_over

        rows = np.flatnonzero(atoms[self._pivots])
        free = atoms[self._free]
        pairs = zip(self._body, self._primes, strict=True)
        return np.stack([left_over(body, rows, free, prime) for body, prime in pairs])

    def _pivot_column(self, left: Wide, sets: Ints | None) -> int:
        both = np.flatnonzero(left.all(axis=0))
        if not len(both):
            raise ProtectionError(
                "The two primes of the audit disagree, which next to never happens; start the "
                "database again, so that the history is audited with others."
            )
        return int(both[-1] if sets is None else both[np.argmin(sets[self._free[both]])])

    def _make_pivot(self, column: int) -> None:
        """Let a free column be the pivot of a new row; the last free column takes its place."""
        last = len(self._free) - 1
        self._body[:, : self.rank + 1, column] = self._body[:, : self.rank + 1, last]
        atom, moved = self._free[column], self._free[last]
        self._free[column] = moved
        self._place[moved] = column
        self._place[atom] = -1 - self.rank
        self._free = self._free[:-1]
        self._pivots = np.append(self._pivots, atom)

    def _make_room(self, height: int, width: int) -> None:
        _, tall, wide = self._body.shape
        if height <= tall and width <= wide:
            return
        # Half as much again of what is used: atoms that became pivots need no room any more.
        shape = (2, max(height + height // 2, ROOM), max(width + width // 2, ROOM))
        body = np.zeros(shape, np.uint32)
        kept = (slice(None), slice(self.rank), slice(len(self._free)))
        body[kept] = self._body[kept]
        self._body = body
