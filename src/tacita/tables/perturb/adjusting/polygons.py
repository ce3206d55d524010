"""Polygon inequalities: no member of a relation moves by more than all its others together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacita.data.classes import Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array

VIOLATED = 1e-5  # of the move of a cell: by how much others fall short


class Polygon(NamedTuple):
    """The inequality `signs @ distances[cells] >= 0` that a relation gives, by its row."""

    cells: Ints
    signs: Floats
    row: int


class Polygons:
    """Collects the inequalities that distances violate.

    Args:
        relations: one row a relation between moves, in compressed rows, none of them empty.

    >>> from scipy.sparse import csr_array
    >>> polygons = Polygons(csr_array(np.array([[-1, 1, 1]])))
    >>> polygons.add(np.array([7.0, 2.0, 3.0]))
    [Polygon(cells=array([0, 1, 2], dtype=int32), signs=array([-1.,  1.,  1.]), row=0)]
    >>> polygons.add(np.array([7.0, 4.0, 3.0]))
    []
    """

    def __init__(self, relations: csr_array) -> None:
        self._relations = relations
        self._seen: set[tuple[int, int]] = set()
        self._all: list[Polygon] = []

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Polygon]:
        return iter(self._all)

    def add(self, distances: Floats) -> list[Polygon]:
        """Add the inequalities that distances violate, at most one a relation, and return them."""
        relations, size = self._relations, np.abs(self._relations.data)
        if not relations.shape[0]:
            return []
        moved = size * distances[relations.indices]
        largest = np.maximum.reduceat(moved, relations.indptr[:-1])
        total = np.add.reduceat(moved, relations.indptr[:-1])
        new = []
        for row in np.flatnonzero(2 * largest > total + VIOLATED * np.maximum(largest, 1.0)):
            entries = slice(relations.indptr[row], relations.indptr[row + 1])
            first = int(np.argmax(moved[entries]))
            if (int(row), first) not in self._seen:
                self._seen.add((int(row), first))
                signs = size[entries].astype(np.float64)
                signs[first] *= -1.0
                new.append(Polygon(relations.indices[entries], signs, int(row)))
        self._all += new
        return new

    def matrix(self) -> csr_array:
        """Return all inequalities, one a row."""
        from scipy.sparse import csr_array

        if not self._all:
            return csr_array((0, self._relations.shape[1]))
        ends = np.cumsum([0, *(len(one.cells) for one in self._all)])
        cells = np.concatenate([one.cells for one in self._all])
        signs = np.concatenate([one.signs for one in self._all])
        return csr_array((signs, cells, ends), shape=(len(self._all), self._relations.shape[1]))
