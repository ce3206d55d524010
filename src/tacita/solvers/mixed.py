"""Linear programs in which some unknowns are whole, solved again and again with other bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacita.errors import ProtectionError
from tacita.solvers.integer import OPTIONS, Effort
from tacita.solvers.lazy_cuts import Cut

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]

ENOUGH = 1e-7  # of the value: a point that is better by less is not looked for
SETTINGS = {"primal_feasibility_tolerance": 1e-9}
EVERYTHING = Effort()


@dataclass(frozen=True, eq=False)
class Mixed:
    """The best point found.

    Args:
        value: what it comes to; infinite if none was found within the effort.
        point: the point, or None.
        bound: what no point can be less than.
        is_proven: whether no point is better, but for the solver's error.
        is_timed: whether a clock ended the search, so that another run may find another point.
    """

    value: float
    point: Floats | None
    bound: float
    is_proven: bool
    is_timed: bool


@dataclass(frozen=True, eq=False)
class Rows:
    """The inequalities `least <= matrix @ x <= most`.

    Args:
        matrix: one row an inequality, in compressed rows.
        least: the least value of each row; -inf where there is none.
        most: the largest value of each row; inf where there is none.
    """

    matrix: csr_array
    least: Floats
    most: Floats


class MixedProgram:
    """Minimize `costs @ x` with inequalities and `lower <= x <= upper`, some x whole.

    Args:
        costs: what each unknown costs.
        rows: the inequalities.
        lower: the least value of each unknown.
        upper: the largest value of each unknown.

    >>> from scipy.sparse import csr_array
    >>> rows = Rows(csr_array(np.array([[2.0, 2.0]])), np.array([5.0]), np.array([np.inf]))
    >>> program = MixedProgram(np.array([3.0, 1.0]), rows, np.zeros(2), np.array([9.0, 1.0]))
    >>> program.minimize().value, program.minimize(np.array([0])).point
    (5.5, array([2. , 0.5]))
    """

    def __init__(self, costs: Floats, rows: Rows, lower: Floats, upper: Floats) -> None:
        import highspy

        self._highs = highspy
        self._solver = solver = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, value in (OPTIONS | SETTINGS).items():
            solver.setOptionValue(option, value)
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = rows.matrix.shape
        model.col_cost_, model.col_lower_, model.col_upper_ = costs, lower, upper
        model.row_lower_, model.row_upper_ = rows.least, rows.most
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_, model.a_matrix_.index_ = rows.matrix.indptr, rows.matrix.indices
        model.a_matrix_.value_ = rows.matrix.data.astype(np.float64)
        solver.passModel(model)
        self._size, self._whole = len(costs), np.zeros(0, np.int64)

    def add(self, cuts: Sequence[Cut]) -> None:
        """Add inequalities."""
        if not cuts:
            return
        starts = np.cumsum([0, *(len(cut.indices) for cut in cuts)]).astype(np.int32)
        self._solver.addRows(
            len(cuts),
            np.array([cut.lower for cut in cuts]),
            np.full(len(cuts), self._highs.kHighsInf),
            int(starts[-1]),
            starts[:-1],
            np.concatenate([cut.indices for cut in cuts]).astype(np.int32),
            np.concatenate([cut.coefficients for cut in cuts]),
        )

    def bound(self, columns: Ints, lower: Floats, upper: Floats) -> None:
        """Change the bounds of some unknowns."""
        self._solver.changeColsBounds(len(columns), np.asarray(columns, np.int32), lower, upper)

    def minimize(
        self,
        whole: Ints | None = None,
        *,
        start: Floats | None = None,
        effort: Effort = EVERYTHING,
        gap: float = ENOUGH,
    ) -> Mixed | None:
        """Search for the least cost; None if nothing fulfils everything.

        Args:
            whole: the unknowns that are whole; none when left out.
            start: a point to begin with, which fulfils everything.
            effort: after how much of it the best point so far is returned.
            gap: how much better, as a share of the value, a point must be to be looked for.

        Raises:
            ProtectionError: the solver cannot tell.
        """
        self._solver.setOptionValue("mip_rel_gap", gap)
        self._ask(np.zeros(0, np.int64) if whole is None else whole, effort)
        if start is not None:
            known = self._highs.HighsSolution()
            known.col_value = start.tolist()
            self._solver.setSolution(known)
        self._solver.run()
        status, statuses = self._solver.getModelStatus(), self._highs.HighsModelStatus
        if status in (statuses.kInfeasible, statuses.kUnboundedOrInfeasible):
            return None
        ended = (statuses.kOptimal, statuses.kTimeLimit, statuses.kSolutionLimit)
        if status not in ended:
            raise ProtectionError(f"The solver stopped without an answer ({status}).")
        return self._best(status, is_mixed=whole is not None and len(whole) > 0)

    def _ask(self, whole: Ints, effort: Effort) -> None:
        """Tell the solver which unknowns are whole, and how long it may search."""
        if not np.array_equal(whole, self._whole):
            kinds, self._whole = self._highs.HighsVarType, whole
            kind = np.full(self._size, kinds.kContinuous.value, np.uint8)
            kind[whole] = kinds.kInteger.value
            columns = np.arange(self._size, dtype=np.int32)
            self._solver.changeColsIntegrality(self._size, columns, kind)
        limits: dict[str, Any] = {"mip_max_nodes": 2**31 - 1, "time_limit": np.inf}
        for option, value in (limits | effort.options()).items():
            self._solver.setOptionValue(option, value)

    def _best(self, status: Any, *, is_mixed: bool) -> Mixed:
        info, statuses = self._solver.getInfo(), self._highs.HighsModelStatus
        is_proven = status == statuses.kOptimal
        found = info.primal_solution_status == self._highs.SolutionStatus.kSolutionStatusFeasible
        value = info.objective_function_value if found else np.inf
        bound = info.mip_dual_bound if is_mixed else (value if is_proven else -np.inf)
        point = np.array(self._solver.getSolution().col_value) if found else None
        return Mixed(value, point, bound, is_proven, status == statuses.kTimeLimit)
