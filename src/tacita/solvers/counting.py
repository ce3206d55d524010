"""Integer programs that start from a point and forget the columns that cannot be better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tacita.errors import ProtectionError
from tacita.solvers.duality import Rows, proven_uses
from tacita.solvers.integer import OPTIONS, Effort, whole_bound

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

HOPES = (0.0, 0.0015)  # by what share above the relaxation the optimum is looked for first
SLACK = 1e-6  # above a level: what costs no more than that is searched too


@dataclass(frozen=True, eq=False)
class CountingProgram:
    """Minimize `costs @ x` with `least <= matrix @ x <= most`, `0 <= x <= upper`, x whole.

    Args:
        costs: what each unknown costs, whole numbers of 0 or more.
        matrix: one row an inequality, in compressed rows.
        least: the least value of each row; -inf where there is none.
        most: the largest value of each row; inf where there is none.
        upper: the largest value of each unknown.
    """

    costs: Ints
    matrix: csr_array
    least: Floats
    most: Floats
    upper: Ints

    def holds(self, point: Ints) -> bool:
        """Tell whether a point fulfils everything, in whole numbers."""
        rows = self.matrix.astype(np.int64) @ point
        inside = ((point >= 0) & (point <= self.upper)).all()
        return bool(inside and ((rows >= self.least) & (rows <= self.most)).all())

    def columns(self, kept: Mask) -> CountingProgram:
        """Return the program in which the other unknowns are 0."""
        part = self.matrix[:, np.flatnonzero(kept)].tocsr()
        rows = np.diff(part.indptr) > 0
        return CountingProgram(
            self.costs[kept], part[rows], self.least[rows], self.most[rows], self.upper[kept]
        )


@dataclass(frozen=True, eq=False)
class Counted:
    """The best point found.

    Args:
        point: the point.
        bound: what no point can cost less than: proven by prices, and by the solver's search tree
            as far as `whole_bound` trusts it.
        is_timed: whether a clock ended the search, so that another run may find another point.
    """

    point: Ints
    bound: int
    is_timed: bool = False


Pricing = Callable[[Floats], tuple[float, Floats]]


def cheapest_counts(
    program: CountingProgram,
    start: Ints,
    effort: Effort,
    price: Pricing | None = None,
    *,
    most: int | None = None,
) -> Counted:
    """Search for the cheapest point, from a point that fulfils everything.

    The linear relaxation gives a bound and, for each unknown, what every point that uses it costs
    at least. Unknowns above a level cannot be in a point that costs no more than the level. The
    search tries hopeful levels first, with few unknowns; what it proves there holds for the whole
    program. At last it looks for whatever is cheaper than the best point found.

    >>> from scipy.sparse import csr_array
    >>> rows = csr_array(np.array([[1, 1]])), np.array([3.0]), np.array([np.inf])
    >>> program = CountingProgram(np.array([2, 1]), *rows, np.array([9, 2]))
    >>> found = cheapest_counts(program, np.array([3, 0]), Effort())
    >>> found.point, found.bound
    (array([1, 2]), 4)

    Args:
        program: the program.
        start: a point that fulfils everything.
        effort: after how much of it the best point so far is returned.
        price: makes, of what each row of the relaxation is worth, a bound and what a point costs
            at least that uses an unknown, true whatever the solver's error; by default from
            reduced costs, by weak duality.
        most: how many unknowns the last search may have, or None for any number; the hopeful
            levels take far less time, and mostly find the optimum without a proof.

    Raises:
        ProtectionError: the solver cannot tell.
    """
    begun = monotonic()
    relaxation = _relaxation(program, effort, price)
    if relaxation is None:
        return Counted(start, 0, is_timed=True)
    relaxed, least = relaxation
    found = Counted(start, int(whole_bound(relaxed, "minimize")))
    for hoped in (*(relaxed * (1 + hope) for hope in HOPES), np.inf):
        cost = int(program.costs @ found.point)
        if found.bound >= cost or found.is_timed:
            break
        level = min(hoped, cost - 1.0)
        kept = (least <= level + SLACK) | (found.point > 0)
        if hoped == np.inf and most is not None and kept.sum() > most:
            break
        left = effort.seconds and max(effort.seconds - (monotonic() - begun), 0.0)
        searched = _searched(
            program.columns(kept), found.point[kept], replace(effort, seconds=left)
        )
        found = _joined(program, found, kept, searched, level)
    return found


def _joined(
    program: CountingProgram, found: Counted, kept: Mask, searched: _Searched, level: float
) -> Counted:
    """Return the better point of two, and what both searches prove."""
    best = found.point
    if searched.point is not None:
        point = np.zeros_like(best)
        point[kept] = searched.point
        best = min(best, point, key=lambda one: int(program.costs @ one))
    # What was left out of the search costs more than the level.
    proven = min(searched.bound, int(np.floor(level + SLACK)) + 1)
    return Counted(best, max(found.bound, proven), searched.is_timed)


def _relaxation(
    program: CountingProgram, effort: Effort, price: Pricing | None
) -> tuple[float, Floats] | None:
    """Return a bound, and what a point costs at least that uses an unknown; None if out of time."""
    import highspy

    solver = _solver(highspy, program, effort.options())
    solver.run()
    if solver.getModelStatus() == highspy.HighsModelStatus.kTimeLimit:
        return None
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise ProtectionError(f"The solver stopped without an answer ({solver.getModelStatus()}).")
    prices = np.array(solver.getSolution().row_dual)
    if price is not None:
        return price(prices)
    rows, upper = Rows(program.matrix, program.least, program.most), program.upper
    costs, lower = program.costs.astype(np.float64), np.zeros(len(upper))
    return proven_uses(costs, rows, lower, upper.astype(np.float64), prices)


class _Searched(NamedTuple):
    point: Ints | None
    bound: int
    is_timed: bool


def _searched(program: CountingProgram, start: Ints, effort: Effort) -> _Searched:
    """Search by branch and bound."""
    import highspy

    solver = _solver(highspy, program, OPTIONS | effort.options())
    whole = np.full(len(start), highspy.HighsVarType.kInteger.value, np.uint8)
    solver.changeColsIntegrality(len(start), np.arange(len(start), dtype=np.int32), whole)
    known = highspy.HighsSolution()
    known.col_value = start.astype(np.float64).tolist()
    solver.setSolution(known)
    solver.run()
    status, statuses = solver.getModelStatus(), highspy.HighsModelStatus
    proven = (statuses.kOptimal, statuses.kTimeLimit, statuses.kSolutionLimit)
    bound = whole_bound(solver.getInfo().mip_dual_bound, "minimize") if status in proven else 0
    point = np.round(solver.getSolution().col_value).astype(np.int64)
    return _Searched(
        point if program.holds(point) else None,
        int(bound) if np.isfinite(bound) else 0,
        status == statuses.kTimeLimit,
    )


def _solver(highspy: Any, program: CountingProgram, options: dict[str, Any]) -> Any:
    solver = highspy.Highs()
    for option, value in (
        {"output_flag": False, "threads": 1, "parallel": "off"} | options
    ).items():
        solver.setOptionValue(option, value)
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = program.matrix.shape
    model.col_cost_ = program.costs.astype(np.float64)
    model.col_lower_ = np.zeros(len(program.costs))
    model.col_upper_ = program.upper.astype(np.float64)
    model.row_lower_, model.row_upper_ = program.least, program.most
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_, model.a_matrix_.index_ = program.matrix.indptr, program.matrix.indices
    model.a_matrix_.value_ = program.matrix.data.astype(np.float64)
    solver.passModel(model)
    return solver
