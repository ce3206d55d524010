"""Which sensitive cells rise, guessed from how far cells move at least."""

from __future__ import annotations

import numpy as np

from tacita.arithmetic import product
from tacita.data.classes import Ints, Mask
from tacita.tables.perturb.adjusting.bounding import Distances
from tacita.tables.perturb.adjusting.task import NEVER, Task

TIGHT = 1e-6  # of the largest move of a relation: what others may move by more


def likely_directions(task: Task, distances: Distances) -> Mask:
    """Guess which sensitive cells rise.

    Where a polygon inequality is tight, all its members move against the largest one. Those of the
    largest moves are believed first; one that contradicts them is not.

    Args:
        task: the cells, relations and levels.
        distances: how far cells move at least.
    """
    gross, relations = distances.gross, task.matrix
    signs = _Signs(len(task))
    tight = [
        (float(gross[one.cells].max()), one)
        for one in distances.polygons
        if product(one.signs, gross[one.cells]) <= TIGHT * max(float(gross[one.cells].max()), 1.0)
    ]
    for _, one in sorted(tight, key=lambda pair: -pair[0]):
        entries = slice(relations.indptr[one.row], relations.indptr[one.row + 1])
        coefficient = np.sign(relations.data[entries])
        first = int(np.argmin(one.signs))
        for cell, against in zip(one.cells, -coefficient * coefficient[first], strict=True):
            if gross[cell] > 0 and cell != one.cells[first]:
                signs.tie(int(one.cells[first]), int(cell), int(against))
    rises = signs.all()[task.sensitive] > 0
    return np.where(task.below == NEVER, True, np.where(task.above == NEVER, False, rises))


class _Signs:
    """Signs of cells, as far as pairs were tied."""

    def __init__(self, cells: int) -> None:
        self._parent = list(range(cells))
        self._sign = [1] * cells  # against the parent

    def _root(self, cell: int) -> tuple[int, int]:
        """Return the first of those a cell is tied to, and the sign against it."""
        path, sign = [], 1
        while self._parent[cell] != cell:
            path.append(cell)
            cell = self._parent[cell]
        for one in reversed(path):
            sign *= self._sign[one]
            self._parent[one], self._sign[one] = cell, sign
        return cell, sign

    def tie(self, one: int, other: int, sign: int) -> None:
        """Let two cells have the same sign or opposite ones, unless more is known already."""
        (first, here), (second, there) = self._root(one), self._root(other)
        if first != second:
            self._parent[second], self._sign[second] = first, here * there * sign

    def all(self) -> Ints:
        """Return the sign of every cell; the first of those tied together rises."""
        return np.array([self._root(cell)[1] for cell in range(len(self._parent))])
