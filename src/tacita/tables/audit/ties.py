"""Cells that follow from each other: an equation with two cells left leaves one of them to find.

    y_a + y_b = c   gives   y_b = c - y_a,      y_a - y_b = c   gives   y_b = y_a - c,

and an equation with one cell left gives its value. Both leave equations with fewer cells, so that
they are taken again and again. What remains are groups of cells of which each follows from one
number. Of the cells of a suppression pattern often two thirds go that way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PAIR = 2


@dataclass(frozen=True, eq=False)
class Ties:
    """What is left of some equations between groups, and how cells follow from their groups.

    Args:
        matrix: one row an equation, one column a group.
        rhs: what each equation comes to.
        group: the group of each cell.
        sign: 1 for cells that are as much as their group and a shift, -1 for those that are the
            shift less their group, 0 for those that are the shift.
        shift: see above.
    """

    matrix: csr_array
    rhs: Floats
    group: Ints
    sign: Ints
    shift: Floats


def tied(matrix: csr_array, rhs: Floats, *, tolerance: float = 0.0) -> Ties:
    """Let cells follow from each other as far as equations with two cells go.

    Args:
        matrix: one row an equation, one column a cell.
        rhs: what each equation comes to.
        tolerance: how far two sides that should be equal may be apart.

    Raises:
        InputError: the equations contradict each other.

    >>> from scipy.sparse import csr_array
    >>> found = tied(csr_array(np.array([[1, 1, 0, 0], [0, 1, 1, 1]])), np.array([5.0, 7.0]))
    >>> found.group.tolist(), found.sign.tolist(), found.shift.tolist()
    ([0, 0, 1, 2], [1, -1, 1, 1], [0.0, 5.0, 0.0, 0.0])
    >>> found.matrix.toarray().tolist(), found.rhs.tolist()
    ([[-1, 1, 1]], [2.0])
    """
    cells = matrix.shape[1]
    group, sign, shift = np.arange(cells), np.ones(cells, np.int64), np.zeros(cells)
    while True:
        forest = _Forest(matrix.shape[1], tolerance)
        if not forest.take(matrix, rhs):
            return Ties(matrix, rhs, group, sign, shift)
        root, turn, ahead = forest.leaves()
        number = np.unique(root, return_inverse=True)[1]
        shift = sign * ahead[group] + shift
        sign, group = sign * turn[group], number[group]
        matrix, rhs = _put_in(matrix, rhs - matrix @ ahead, number, turn)


def _put_in(matrix: csr_array, rhs: Floats, number: Ints, turn: Ints) -> tuple[csr_array, Floats]:
    """Write equations between columns as equations between their groups."""
    from scipy.sparse import csr_array

    shape = (len(number), int(number.max(initial=-1)) + 1)
    joining = csr_array((turn.astype(matrix.dtype), (np.arange(len(number)), number)), shape=shape)
    joined = (matrix @ joining).tocsr()
    joined.eliminate_zeros()
    left = np.flatnonzero(np.diff(joined.indptr))
    return joined[left], rhs[left]


class _Forest:
    """Columns that follow from others: each is `sign * parent + shift`, roots from themselves."""

    def __init__(self, columns: int, tolerance: float) -> None:
        self.parent = list(range(columns))
        self.sign = [1] * columns
        self.shift = [0.0] * columns
        self.tolerance = tolerance

    def take(self, matrix: csr_array, rhs: Floats) -> bool:
        """Let columns follow from each other by short equations; tell whether there were any."""
        found = False
        for (column, other), (one, two), comes_to in _short(matrix, rhs):
            found = True
            if column == other:
                self.fix(column, comes_to / one)
            else:
                self.tie(column, other, -one * two, comes_to * two)
        return found

    def find(self, column: int) -> tuple[int, int, float]:
        """Return what a column follows from, its sign and its shift, and remember it."""
        path = []
        while self.parent[column] != column:
            path.append(column)
            column = self.parent[column]
        sign, shift = self.sign[column], self.shift[column]
        for below in reversed(path):
            shift = self.sign[below] * shift + self.shift[below]
            sign = self.sign[below] * sign
            # A root that has a value hands it down, and no sign.
            self.parent[below], self.sign[below], self.shift[below] = column, sign, shift
        return column, sign, shift

    def tie(self, column: int, other: int, sign: int, shift: float) -> None:
        """Let `other = sign * column + shift`."""
        (root, s, t), (end, turn, ahead) = self.find(column), self.find(other)
        # Now `turn * end + ahead = sign * s * root + sign * t + shift`.
        factor, right = sign * s, sign * t + shift - ahead
        if not turn:
            self._settle(root, factor, -right)
        elif not s or root != end:
            self.parent[end] = root
            self.sign[end], self.shift[end] = turn * factor, turn * right
        else:
            self._settle(root, factor - turn, -right)

    def fix(self, column: int, value: float) -> None:
        """Give a column a value."""
        root, sign, shift = self.find(column)
        self._settle(root, sign, value - shift)

    def _settle(self, root: int, factor: int, right: float) -> None:
        """Let `factor * root = right`."""
        if not factor:
            if abs(right) > self.tolerance:
                raise InputError("The published values contradict each other.")
            return
        self.sign[root], self.shift[root] = 0, right / factor

    def leaves(self) -> tuple[Ints, Ints, Floats]:
        """Return for every column what it follows from, its sign and its shift."""
        found = [self.find(column) for column in range(len(self.parent))]
        root, sign, shift = (np.array(part) for part in zip(*found, strict=True))
        return root, sign, shift.astype(np.float64)


def _short(
    matrix: csr_array, rhs: Floats
) -> Iterator[tuple[tuple[int, int], tuple[int, int], float]]:
    """Give equations of one or two columns with coefficients 1 and -1; of one it is there twice."""
    length = np.diff(matrix.indptr)
    for row in np.flatnonzero((length == 1) | (length == PAIR)).tolist():
        first, last = int(matrix.indptr[row]), int(matrix.indptr[row + 1]) - 1
        one, two = int(matrix.data[first]), int(matrix.data[last])
        if first == last or abs(one) == abs(two) == 1:
            columns = int(matrix.indices[first]), int(matrix.indices[last])
            yield columns, (one, two), float(rhs[row])
