"""The relaxation of a 0/1 program that grows: its cheapest vector, cut after cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacita.errors import ProtectionError
from tacita.solvers.duality import no_rows, proven_least, size_of
from tacita.solvers.lazy_cuts import Cut

Floats = np.ndarray[Any, np.dtype[np.float64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]


class Relaxation:
    """Minimize `cost @ x` over `0 <= x <= 1` and all inequalities added so far.

    Args:
        cost: what each variable costs.
        is_one: variables that are 1.

    >>> relaxed = Relaxation(np.array([3.0, 2.0]), np.zeros(2, bool))
    >>> relaxed.add([Cut(np.array([0, 1]), np.ones(2), 1.5)])
    >>> bound, point = relaxed.solve()
    >>> round(bound, 9), point
    (3.5, array([0.5, 1. ]))
    """

    def __init__(self, cost: Floats, is_one: Mask) -> None:
        import highspy

        self._highs = highspy
        self._solver = solver = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, value in OPTIONS.items():
            solver.setOptionValue(option, value)
        columns = np.arange(len(cost), dtype=np.int32)
        self._lower, self._upper = is_one.astype(np.float64), np.ones(len(cost))
        self._size = size_of(cost)
        self._cost, self._rows = np.asarray(cost, np.float64) / self._size, no_rows(len(cost))
        solver.addVars(len(cost), self._lower, self._upper)
        solver.changeColsCost(len(cost), columns, self._cost)

    def add(self, cuts: Sequence[Cut]) -> None:
        """Add inequalities."""
        if not cuts:
            return
        self._rows = self._rows.joined(cuts)
        for cut in cuts:
            self._solver.addRow(
                cut.lower,
                self._highs.kHighsInf,
                len(cut.indices),
                cut.indices.astype(np.int32),
                cut.coefficients,
            )

    def solve(self) -> tuple[float, Floats]:
        """Return what no vector costs less than, and the vector that the solver takes for cheapest.

        Prices prove the bound, whatever errors the solver made.
        """
        solver, best = self._solver, self._highs.HighsModelStatus.kOptimal
        solver.run()
        if solver.getModelStatus() != best:
            # What the last vertex led to may be the fault of that vertex: search from the start.
            solver.clearSolver()
            solver.run()
        if solver.getModelStatus() != best:
            raise ProtectionError("The solver could not find the cheapest vector.")
        solution = solver.getSolution()
        prices, point = np.array(solution.row_dual), np.array(solution.col_value)
        bound = proven_least(self._cost, self._rows, self._lower, self._upper, prices)
        return bound * self._size, np.clip(point, 0.0, 1.0)


OPTIONS: dict[str, Any] = {"output_flag": False, "parallel": "off", "threads": 1}
