"""Linear programs in which some unknowns are whole, solved again and again with other bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacita.errors import ProtectionError
from tacita.solvers.duality import Rows, proven_least
from tacita.solvers.integer import OPTIONS, Effort
from tacita.solvers.lazy_cuts import Cut

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]

ENOUGH = 1e-7  # of the value: a point that is better by less is not looked for
LOWERED = 1e-8  # of a bound: what the solver's own tolerances may have raised it by
FEASIBLE = 1e-9  # how far a point may be outside of an inequality or a bound
SETTINGS = {
    "primal_feasibility_tolerance": FEASIBLE,
    "dual_feasibility_tolerance": FEASIBLE,
    "mip_feasibility_tolerance": FEASIBLE,
}
EVERYTHING = Effort()
NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Mixed:
    """The best point found.

    Args:
        value: what it comes to; infinite if none was found within the effort.
        point: the point, or None. Whole unknowns are whole exactly, and no inequality or bound is
            missed by more than `FEASIBLE`.
        bound: what no point can be less than; -inf where nothing is proven. Without whole unknowns
            prices prove it, whatever errors the solver made. With them it is what the solver's
            search tree proves, less `LOWERED` times its size (or 1, if that is more): a tree in
            doubles leaves no proof that could be repeated.
        is_proven: whether value and bound are not farther apart than the gap that was asked for,
            times the size of the value (or 1, if that is more): no point is better by more.
        is_timed: whether a clock ended the search, so that another run may find another point.
    """

    value: float
    point: Floats | None
    bound: float
    is_proven: bool
    is_timed: bool


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
        self._costs, self._rows, self._whole = costs, rows, NONE
        self._lower, self._upper = lower.astype(np.float64), upper.astype(np.float64)

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
        self._rows = self._rows.joined(cuts)

    def bound(self, columns: Ints, lower: Floats, upper: Floats) -> None:
        """Change the bounds of some unknowns."""
        self._lower[columns], self._upper[columns] = lower, upper
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
        whole = NONE if whole is None else whole
        self._ask(whole, effort, gap)
        found = self._searched(whole, start, effort, gap)
        is_optimal = self._solver.getModelStatus() == self._highs.HighsModelStatus.kOptimal
        if found is None or found.is_proven or not is_optimal or not whole.size:
            return found
        # What the solver simplifies beforehand sometimes leads it to a point that is not the best,
        # and to a bound below what it takes for proven: then it searches without.
        self._solver.clearSolver()
        self._solver.setOptionValue("presolve", "off")
        again = self._searched(whole, start, effort, gap)
        self._solver.setOptionValue("presolve", "choose")
        return found if again is None or again.value > found.value else again

    def _searched(
        self, whole: Ints, start: Floats | None, effort: Effort, gap: float
    ) -> Mixed | None:
        """Search once, as the solver is set."""
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
        point, bound = self._point(), self._bound()
        if point is not None and whole.size:
            point = self._settled(point, whole, effort)
        value = np.inf if point is None else float(self._costs @ point)
        is_proven = point is not None and value - bound <= gap * max(abs(value), 1.0)
        return Mixed(value, point, bound, is_proven, status == statuses.kTimeLimit)

    def _ask(self, whole: Ints, effort: Effort, gap: float) -> None:
        """Tell the solver which unknowns are whole, and how long it may search."""
        if not np.array_equal(whole, self._whole):
            kinds, self._whole = self._highs.HighsVarType, whole
            size = len(self._costs)
            kind = np.full(size, kinds.kContinuous.value, np.uint8)
            kind[whole] = kinds.kInteger.value
            self._solver.changeColsIntegrality(size, np.arange(size, dtype=np.int32), kind)
        limits: dict[str, Any] = {"mip_max_nodes": 2**31 - 1, "time_limit": np.inf}
        # Half of the gap is left for what the bound is lowered by.
        limits["mip_rel_gap"] = gap / 2
        for option, value in (limits | effort.options()).items():
            self._solver.setOptionValue(option, value)

    def _point(self) -> Floats | None:
        """Return the point that the solver ended at, None if it fulfils not everything."""
        status = self._solver.getInfo().primal_solution_status
        is_found = status == self._highs.SolutionStatus.kSolutionStatusFeasible
        return np.array(self._solver.getSolution().col_value) if is_found else None

    def _bound(self) -> float:
        """Return what the last search proves."""
        if self._whole.size:
            bound = float(self._solver.getInfo().mip_dual_bound)
            return bound - LOWERED * max(abs(bound), 1.0) if np.isfinite(bound) else -np.inf
        solution = self._solver.getSolution()
        if not solution.dual_valid:
            return -np.inf
        prices = np.array(solution.row_dual)
        return proven_least(self._costs, self._rows, self._lower, self._upper, prices)

    def _settled(self, point: Floats, whole: Ints, effort: Effort) -> Floats | None:
        """Return the best point with the same whole numbers, made whole exactly; None if none is.

        The solver takes what is nearly whole for whole and what is nearly fulfilled for fulfilled:
        such a point may be better than any that there is.
        """
        point[whole] = np.clip(np.round(point[whole]), self._lower[whole], self._upper[whole])
        if self._holds(point):
            return point
        program = MixedProgram(self._costs, self._rows, self._lower, self._upper)
        program.bound(whole, point[whole], point[whole])
        found = program.minimize(effort=effort)
        return None if found is None else found.point

    def _holds(self, point: Floats) -> bool:
        """Tell whether a point misses nothing by more than doubles may."""
        values = self._rows.matrix @ point
        ends = ((self._lower, point), (point, self._upper))
        sides = ((self._rows.least, values), (values, self._rows.most))
        return all((low - high <= FEASIBLE).all() for low, high in (*ends, *sides))
