"""A linear program whose costs and bounds change from one search to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tacita.errors import ProtectionError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Simplex = Literal["dual", "primal"]
STRATEGIES = {"dual": 1, "primal": 4}


@dataclass(frozen=True, eq=False)
class Vertex:
    """A best point of a linear program.

    Args:
        value: what it comes to.
        point: the point.
        prices: what each equation is worth: how fast the value grows with its right-hand side.
    """

    value: float
    point: Floats
    prices: Floats


class ChangingProgram:
    """Minimize `costs @ x` with `matrix @ x = 0`, `lower <= x <= upper`, again and again.

    Args:
        matrix: one row an equation, in compressed rows.
        lower: the least value of each variable.
        upper: the largest value of each variable.
        simplex: how it is searched: `dual` where mostly bounds change, `primal` where costs do.

    >>> from scipy.sparse import csr_array
    >>> program = ChangingProgram(csr_array(np.array([[1.0, -1.0]])), np.zeros(2), np.full(2, 9.0))
    >>> program.bound(np.array([0]), np.array([2.0]), np.array([9.0]))
    >>> program.cost(np.array([1]), np.array([5.0]))
    >>> program.minimize().value
    10.0
    """

    def __init__(
        self, matrix: csr_array, lower: Floats, upper: Floats, *, simplex: Simplex = "dual"
    ) -> None:
        import highspy

        self._status = highspy.HighsModelStatus
        self._solver = solver = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, value in OPTIONS.items():
            solver.setOptionValue(option, value)
        solver.setOptionValue("simplex_strategy", STRATEGIES[simplex])
        rows, columns = matrix.shape
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = rows, columns
        model.col_cost_ = np.zeros(columns)
        model.col_lower_, model.col_upper_ = lower, upper
        model.row_lower_ = model.row_upper_ = np.zeros(rows)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_, model.a_matrix_.index_ = matrix.indptr, matrix.indices
        model.a_matrix_.value_ = matrix.data.astype(np.float64)
        solver.passModel(model)
        self._start = highspy.HighsBasis()
        self._start.col_status = [highspy.HighsBasisStatus.kLower] * columns
        self._start.row_status = [highspy.HighsBasisStatus.kBasic] * rows
        self._start.valid = True

    def cost(self, columns: Ints, costs: Floats) -> None:
        """Change what some variables cost."""
        self._solver.changeColsCost(len(columns), np.asarray(columns, np.int32), costs)

    def bound(self, columns: Ints, lower: Floats, upper: Floats) -> None:
        """Change the bounds of some variables."""
        self._solver.changeColsBounds(len(columns), np.asarray(columns, np.int32), lower, upper)

    def restart(self) -> None:
        """Let the next search start where every variable is at its lower bound."""
        self._solver.setBasis(self._start)

    def minimize(self) -> Vertex | None:
        """Search for the least cost; None if nothing fulfils the equations and bounds.

        Raises:
            ProtectionError: the solver cannot tell.
        """
        solver, status = self._solver, self._status
        solver.run()
        if solver.getModelStatus() != status.kOptimal:
            # What the last vertex led to may be the fault of that vertex: search from the start.
            solver.clearSolver()
            solver.run()
        if solver.getModelStatus() == status.kUnknown:
            self._run_less_exactly()
        found = solver.getModelStatus()
        if found == status.kInfeasible:
            return None
        if found != status.kOptimal:
            raise ProtectionError(f"The solver stopped without an answer ({found}).")
        solution = solver.getSolution()
        return Vertex(
            solver.getObjectiveValue(), np.array(solution.col_value), np.array(solution.row_dual)
        )

    def _run_less_exactly(self) -> None:
        """Search once more where numbers are so large that doubles cannot be as exact as asked."""
        self._solver.clearSolver()
        self._solver.setOptionValue(EXACTNESS, LESS_EXACT)
        self._solver.run()
        self._solver.setOptionValue(EXACTNESS, OPTIONS[EXACTNESS])


EXACTNESS, LESS_EXACT = "primal_feasibility_tolerance", 1e-7  # the solver's own
OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "solver": "simplex",
    "presolve": "off",
    "parallel": "off",
    "threads": 1,
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
}
