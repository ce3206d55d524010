"""Many linear programs over one polyhedron, each started where the last one ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tacita.errors import ProtectionError
from tacita.solvers.duality import Rows, proven_least

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]
DUAL_SIMPLEX, PRIMAL_SIMPLEX = 1, 4  # a basis stays feasible when only the objective changes


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best point that a linear program found.

    Args:
        value: the largest value of the objective; infinite where there is none.
        point: a point that reaches it; where there is none, any point of the polyhedron.
        is_bounded: whether there is a largest value.
    """

    value: float
    point: Floats
    is_bounded: bool


class Basis(NamedTuple):
    """Where the search ended: as many equations as variables, the other variables at their ends.

    Args:
        rows: which equations.
        columns: which variables they are to be solved for.
        at_upper: which of the others are at their upper end; the rest are at their lower one, or
            at 0 if they have none.
    """

    rows: Mask
    columns: Mask
    at_upper: Mask


class LinearProgram:
    """The polyhedron `matrix @ x = rhs`, `lower <= x <= upper`, to be searched again and again.

    Only the objective changes from one search to the next, so that the simplex method starts at
    the last vertex: an order of magnitude faster than from the start.

    Args:
        matrix: one row an equation, in compressed rows.
        rhs: the right-hand sides.
        lower: the least value of each variable; -inf where there is none.
        upper: the largest value of each variable; inf where there is none.

    >>> from scipy.sparse import csr_array
    >>> ends = np.zeros(2), np.array([3.0, np.inf])
    >>> program = LinearProgram(csr_array(np.array([[1.0, 1.0]])), np.array([7.0]), *ends)
    >>> program.maximize(np.array([0]), np.array([1.0])).value
    3.0
    >>> program.maximize(np.array([1]), np.array([1.0])).value
    7.0
    """

    def __init__(self, matrix: csr_array, rhs: Floats, lower: Floats, upper: Floats) -> None:
        import highspy

        self._status = highspy.HighsModelStatus
        self._solver = solver = highspy.Highs()  # type: ignore[no-untyped-call]
        solver.setOptionValue("output_flag", False)
        for option, value in OPTIONS.items():
            solver.setOptionValue(option, value)
        solver.passModel(_model(highspy, matrix, rhs, lower, upper))
        solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self._columns, self._costs = np.zeros(0, np.int32), np.zeros(0)
        self._rows, self._ends = Rows(matrix, rhs, rhs), (lower, upper)

    def maximize(self, columns: Ints, costs: Floats) -> Optimum:
        """Search for the largest value of an objective.

        Args:
            columns: the variables in the objective; the others count nothing.
            costs: what each of them counts.

        Raises:
            ProtectionError: no point fulfils the equations and bounds, or the solver cannot tell.
        """
        solver = self._solver
        gone = self._columns
        solver.changeColsCost(len(gone), gone, np.zeros(len(gone)))
        self._columns = np.asarray(columns, np.int32)
        self._costs = np.asarray(costs, np.float64)
        solver.changeColsCost(len(columns), self._columns, self._costs)
        solver.run()
        if solver.getModelStatus() not in (self._status.kOptimal, self._status.kUnbounded):
            self._run_afresh()
        return self._optimum(solver.getModelStatus())

    def proven(self) -> float:
        """Return what the objective of the last search is never above, whatever errors it made."""
        solution = self._solver.getSolution()
        if not solution.dual_valid:
            return float("inf")
        costs = np.zeros(len(self._ends[0]))
        costs[self._columns] = -self._costs
        return -proven_least(costs, self._rows, *self._ends, -np.array(solution.row_dual))

    def basis(self) -> Basis:
        """Return the basis of the last search, from which its vertex can be worked out exactly."""
        import highspy

        status, found = highspy.HighsBasisStatus, self._solver.getBasis()
        columns, rows = np.array(found.col_status), np.array(found.row_status)
        return Basis(rows != status.kBasic, columns == status.kBasic, columns == status.kUpper)

    def _run_afresh(self) -> None:
        """Search from the start: what the last vertex led to may be the fault of that vertex."""
        for strategy in (PRIMAL_SIMPLEX, DUAL_SIMPLEX):
            self._solver.clearSolver()
            self._solver.setOptionValue("simplex_strategy", strategy)
            self._solver.run()
            if self._solver.getModelStatus() in (self._status.kOptimal, self._status.kUnbounded):
                break
        self._solver.setOptionValue("simplex_strategy", PRIMAL_SIMPLEX)

    def _optimum(self, status: Any) -> Optimum:
        point = np.array(self._solver.getSolution().col_value)
        if status == self._status.kOptimal:
            return Optimum(self._solver.getObjectiveValue(), point, is_bounded=True)
        if status == self._status.kUnbounded:
            return Optimum(float("inf"), point, is_bounded=False)
        if status == self._status.kInfeasible:
            raise ProtectionError("No values fulfil all relations and bounds at once.")
        raise ProtectionError(f"The solver stopped without an answer ({status}).")


OPTIONS: dict[str, Any] = {
    "solver": "simplex",
    "simplex_strategy": PRIMAL_SIMPLEX,
    "presolve": "off",
    "parallel": "off",
    "threads": 1,
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
}


def _model(highspy: Any, matrix: csr_array, rhs: Floats, lower: Floats, upper: Floats) -> Any:
    model = highspy.HighsLp()
    rows, columns = matrix.shape
    model.num_row_, model.num_col_ = rows, columns
    model.col_cost_ = np.zeros(columns)
    model.col_lower_, model.col_upper_ = lower, upper
    model.row_lower_ = model.row_upper_ = rhs
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = matrix.indptr
    model.a_matrix_.index_ = matrix.indices
    model.a_matrix_.value_ = matrix.data.astype(np.float64)
    return model
