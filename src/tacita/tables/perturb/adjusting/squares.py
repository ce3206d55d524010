"""The nearest table by squared distances: quadratic programs, and directions turned one by one."""

from __future__ import annotations

import math

import numpy as np

from tacita.arithmetic import product
from tacita.data.classes import Floats, Mask
from tacita.errors import ProtectionError
from tacita.solvers.quadratic import LeastSquares, least_squares
from tacita.tables.perturb.adjusting.clock import Clock
from tacita.tables.perturb.adjusting.polygons import Polygons
from tacita.tables.perturb.adjusting.task import NEVER, Task

SOLVED = 100.0  # the largest level that is handed to the solver
MOST_TURNS, LEAST_TURNS, WORK = 100, 10, 200_000  # directions that are tried, by the table's size
GAIN = 1e-7  # of the loss: less is none
ROUNDS = 12
TAILING = 1e-4  # of the bound: less than that gained in a round is not worth another


class Squares:
    """Minimizes the weighted sum of squared moves.

    Args:
        task: the cells, relations and levels.
        clock: the time that is left.
    """

    def __init__(self, task: Task, clock: Clock) -> None:
        self.task, self.clock = task, clock
        levels = np.concatenate([task.below, task.above])
        self._scale = float(levels[levels < NEVER].max(initial=1)) / SOLVED
        self._heaviest = float(task.weight.max())
        self._weight = task.weight / self._heaviest
        self._matrix = task.equations

    def improved(self, rises: Mask, begun: Floats) -> tuple[Mask, Floats]:
        """Turn the directions of sensitive cells that are held hardest, as long as that gains.

        Args:
            rises: the directions to begin with.
            begun: moves of these directions, which are taken if time is up before others are found.

        Returns:
            The directions, and the moves of all cells (units).
        """
        best = self._solved(rises)
        if best is None:
            if not self.clock.is_up:
                raise ProtectionError("The solver found no nearest table by squared distances.")
            self.clock.cut("the least squares of these directions")
            return rises, begun
        turns = min(MOST_TURNS, max(LEAST_TURNS, WORK // max(len(self.task), 1)))
        for number in self._held_hardest(rises, best)[:turns]:
            if self.clock.is_up:
                self.clock.cut("turning directions one by one")
                break
            other = rises.copy()
            other[number] = ~other[number]
            found = self._solved(other)
            if found is not None and found.value < best.value * (1 - GAIN):
                rises, best = other, found
        return rises, best.point * self._scale

    def _held_hardest(self, rises: Mask, found: LeastSquares) -> list[int]:
        """List the sensitive cells that could go to the other side, by what holding them costs."""
        task = self.task
        level = np.where(rises, task.above, task.below) / self._scale
        cost = np.abs(found.pushes[task.sensitive]) * level
        order = np.argsort(-cost, kind="stable")
        both = (task.below < NEVER) & (task.above < NEVER)
        return [int(number) for number in order if both[number]]

    def _solved(self, rises: Mask) -> LeastSquares | None:
        lower, upper = (end / self._scale for end in self.task.room(rises))
        nothing = np.zeros(self._matrix.shape[0])
        return least_squares(
            self._weight, self._matrix, nothing, lower, upper, seconds=self.clock.seconds
        )

    def bound(self) -> float:
        """Return what no adjustment can lose less than (units).

        How far cells move without their signs fulfils all polygon inequalities (see `program`). The
        least squares of such distances are bounded by duality: with any prices q of 0 or more,

            sum_i min over g_i of  (w_i g_i^2 - (G^T q)_i g_i),

        so the solver's error does no harm.
        """
        task, least = self.task, np.zeros(len(self.task))
        least[task.sensitive] = np.minimum(task.below, task.above) / self._scale
        most = np.maximum(task.down, task.up) / self._scale
        polygons, bound, gross = Polygons(task.matrix), 0.0, least
        for _ in range(ROUNDS):
            if not polygons.add(gross):
                break
            if self.clock.is_up:
                self.clock.cut("the lower bound")
                break
            found = self._relaxed(polygons, least, most)
            if found is None:
                break
            gross, value = found
            gained, bound = value - bound, max(bound, value)
            if gained <= TAILING * bound:
                break
        bound = max(bound, float(product(self._weight, least**2)))
        return math.sqrt(bound * self._heaviest) * self._scale

    def _relaxed(
        self, polygons: Polygons, least: Floats, most: Floats
    ) -> tuple[Floats, float] | None:
        """Return the distances of least squares, and the bound that their prices give."""
        from scipy.sparse import eye_array, hstack

        rows = polygons.matrix()
        count, size = rows.shape
        matrix = hstack([rows, -eye_array(count)], format="csr")
        none = np.zeros(count)
        found = least_squares(
            np.concatenate([self._weight, none]),
            matrix,
            none,
            np.concatenate([least, none]),
            np.concatenate([most, np.full(count, np.inf)]),
            seconds=self.clock.seconds,
        )
        if found is None:
            return None
        slope = rows.T @ np.maximum(found.prices, 0.0)
        best = np.clip(slope / (2 * self._weight), least, most)
        return found.point[:size], float(product(self._weight, best**2) - product(slope, best))
