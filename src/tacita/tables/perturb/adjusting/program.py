"""The mixed integer program of adjustment, and the inequalities that make it easy.

With a move split into up and down, d = p - n, and a 0/1 unknown y for each sensitive cell,

    min  sum_i w_i (p_i + n_i)   subject to   M (p - n) = 0,
    above_s y_s <= p_s <= up_s y_s,   below_s (1 - y_s) <= n_s <= down_s (1 - y_s).

Its relaxation is weak: half up and half down is no move at all, and nothing else has to follow. But
no member of a relation moves by more than all its others together, which for whole y means

    p_j + n_j  <=  sum over the others i of the relation (p_i + n_i).

These polygon inequalities close most of the gap (see `bounding`).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.solvers.duality import Rows
from tacita.solvers.integer import Effort
from tacita.solvers.lazy_cuts import Cut
from tacita.solvers.mixed import ENOUGH, EVERYTHING, Mixed, MixedProgram
from tacita.tables.perturb.adjusting.polygons import Polygon
from tacita.tables.perturb.adjusting.scale import scale_of
from tacita.tables.perturb.adjusting.task import NEVER, Task


class DirectionProgram:
    """Looks for the directions of sensitive cells.

    Args:
        task: the cells, relations and levels.
        polygons: inequalities that are added; none when left out.
    """

    def __init__(self, task: Task, polygons: Iterable[Polygon] = ()) -> None:
        self.task = task
        self._size, self._count = len(task), len(task.sensitive)
        self._scale, cost, self._worth = scale_of(task)
        room = np.concatenate([task.up, task.down]) / self._scale
        self._program = MixedProgram(
            np.concatenate([cost, cost, np.zeros(self._count)]),
            self._rows(),
            np.zeros(2 * self._size + self._count),
            np.concatenate([room, np.ones(self._count)]),
        )
        self._program.add(
            [
                Cut(np.concatenate([one.cells, one.cells + self._size]), np.tile(one.signs, 2), 0.0)
                for one in polygons
            ]
        )

    def _rows(self) -> Rows:
        """Return the relations, and what ties each sensitive cell to its direction."""
        from scipy.sparse import block_array, csr_array, diags_array

        task, none = self.task, np.zeros(self._count)
        relations = task.equations
        where = (np.ones(self._count), (np.arange(self._count), task.sensitive))
        picks = csr_array(where, shape=(self._count, self._size))
        levels = task.below, task.above
        below, above = (np.where(level < NEVER, level, 0) / self._scale for level in levels)
        down, up = (room[task.sensitive] / self._scale for room in (task.down, task.up))
        matrix = block_array(
            [
                [relations, -relations, None],
                [picks, None, -diags_array(above)],
                [picks, None, -diags_array(up)],
                [None, picks, diags_array(below)],
                [None, picks, diags_array(down)],
            ],
            format="csr",
        )
        free, rows = np.full(self._count, np.inf), np.zeros(relations.shape[0])
        least = np.concatenate([rows, none, -free, below, -free])
        most = np.concatenate([rows, free, none, free, down])
        return Rows(matrix, least, most)

    def search(
        self,
        whole: Ints,
        rises: Mask,
        *,
        start: Floats | None = None,
        effort: Effort = EVERYTHING,
        gap: float = ENOUGH,
    ) -> Mixed | None:
        """Choose the directions of some sensitive cells; None if nothing fulfils everything.

        Args:
            whole: the numbers of the sensitive cells whose directions are chosen.
            rises: which of the others rise.
            start: moves with these directions, to begin with (units).
            effort: how much may be spent.
            gap: how much better, as a share of the loss, directions must be to be looked for.
        """
        self._free(whole, rises)
        columns, begun = 2 * self._size + whole, None
        if start is not None:
            ways = np.maximum(start, 0.0), np.maximum(-start, 0.0)
            begun = np.concatenate([*(way / self._scale for way in ways), rises])
        return self._worth_of(self._program.minimize(columns, start=begun, effort=effort, gap=gap))

    def _free(self, numbers: Ints, rises: Mask) -> None:
        """Let the directions of some cells free, as far as both sides are open; fix the others."""
        lower, upper = rises.astype(np.float64), rises.astype(np.float64)
        lower[numbers], upper[numbers] = 0.0, 1.0
        lower[self.task.below == NEVER] = 1.0
        upper[self.task.below == NEVER] = 1.0
        lower[self.task.above == NEVER] = 0.0
        upper[self.task.above == NEVER] = 0.0
        columns = 2 * self._size + np.arange(self._count)
        self._program.bound(columns, lower, upper)

    def rises(self, point: Floats) -> Mask:
        """Return the directions of a point."""
        chosen: Mask = point[2 * self._size :] > 1 / 2
        return chosen

    def moves(self, point: Floats) -> Floats:
        """Return the moves of a point (units)."""
        moves: Floats = (point[: self._size] - point[self._size : 2 * self._size]) * self._scale
        return moves

    def _worth_of(self, found: Mixed | None) -> Mixed | None:
        """Return what was found in units of the loss."""
        if found is None:
            return None
        worth = self._worth
        return Mixed(
            found.value * worth, found.point, found.bound * worth, found.is_proven, found.is_timed
        )
