"""The relaxation of a 0/1 program that grows: its cheapest vector, cut after cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacita.errors import ProtectionError
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
    >>> relaxed.solve()
    (3.5, array([0.5, 1. ]))
    """

    def __init__(self, cost: Floats, is_one: Mask) -> None:
        import highspy

        self._highs = highspy
        self._solver = solver = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, value in OPTIONS.items():
            solver.setOptionValue(option, value)
        columns = np.arange(len(cost), dtype=np.int32)
        solver.addVars(len(cost), is_one.astype(np.float64), np.ones(len(cost)))
        solver.changeColsCost(len(cost), columns, np.asarray(cost, np.float64))

    def add(self, cuts: Sequence[Cut]) -> None:
        """Add inequalities."""
        for cut in cuts:
            self._solver.addRow(
                cut.lower,
                self._highs.kHighsInf,
                len(cut.indices),
                cut.indices.astype(np.int32),
                cut.coefficients,
            )

    def solve(self) -> tuple[float, Floats]:
        """Return the least cost and a vector that has it."""
        self._solver.run()
        if self._solver.getModelStatus() != self._highs.HighsModelStatus.kOptimal:
            raise ProtectionError("The solver could not find the cheapest vector.")
        point = np.clip(np.array(self._solver.getSolution().col_value), 0.0, 1.0)
        return self._solver.getObjectiveValue(), point


OPTIONS: dict[str, Any] = {"output_flag": False, "parallel": "off", "threads": 1}
