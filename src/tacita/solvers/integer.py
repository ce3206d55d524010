"""Integer programs: the best whole numbers that fulfil equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tacita.errors import ProtectionError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]

Direction = Literal["minimize", "maximize"]
ALMOST = 1e-6  # how far below a whole number a bound may be and still stand for it
ROUNDED = 1e-12  # of a bound: how far doubles may have brought it from the true one
WHOLE = 2**53  # up to here every whole number has a double


@dataclass(frozen=True)
class Effort:
    """How much may be spent on a search; what is not proven by then is bounded.

    Args:
        nodes: how many nodes of its search tree, or None for as many as it takes. The same
            numbers come out every time.
        seconds: how many seconds, or None for as long as it takes. What comes out may differ from
            run to run.
    """

    nodes: int | None = None
    seconds: float | None = None

    def options(self) -> dict[str, Any]:
        """Return the effort as the solver is told it."""
        nodes = {} if self.nodes is None else {"mip_max_nodes": self.nodes}
        return nodes if self.seconds is None else {**nodes, "time_limit": max(self.seconds, 0.0)}


@dataclass(frozen=True, eq=False)
class IntegerOptimum:
    """The best whole numbers found.

    Args:
        value: what they come to; None if none were found in time, infinite if there is no best.
        bound: what no whole numbers can be better than, by the solver's search tree in doubles: as
            far as `whole_bound` trusts it.
        point: the numbers, or None. They fulfil everything exactly.
        is_proven: whether nothing is better: the bound is the value, exactly.
    """

    value: int | float | None
    bound: int | float
    point: Ints | None
    is_proven: bool


def integer_optimum(
    objective: Ints,
    matrix: csr_array,
    rhs: Ints,
    lower: Floats,
    upper: Floats,
    *,
    direction: Direction,
    effort: Effort,
    start: Ints | None = None,
    gap: float = 0.0,
) -> IntegerOptimum:
    """Search for the best whole numbers with `matrix @ x = rhs` and `lower <= x <= upper`.

    What the solver finds is rounded and put into the equations again, in whole numbers.

    >>> from scipy.sparse import csr_array
    >>> found = integer_optimum(
    ...     np.array([1, 0]), csr_array(np.array([[2, 3]])), np.array([12]), np.zeros(2),
    ...     np.array([5.0, np.inf]), direction="maximize", effort=Effort(nodes=100),
    ... )
    >>> found.value, found.point, found.is_proven
    (3, array([3, 2]), True)

    Args:
        objective: what each unknown counts, in whole numbers.
        matrix: one row an equation, with whole coefficients.
        rhs: the right-hand sides, whole numbers.
        lower: the least value of each unknown; -inf where there is none.
        upper: the largest value of each unknown; inf where there is none.
        direction: which objective is best.
        effort: after how much of it the best found so far is returned.
        start: whole numbers to begin with, which fulfil everything.
        gap: how much better, as a share of the value, numbers must be to be looked for.

    Raises:
        ProtectionError: no whole numbers fulfil the equations and bounds.
    """
    import highspy

    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (OPTIONS | effort.options() | {"mip_rel_gap": gap}).items():
        solver.setOptionValue(option, value)
    _pass(solver, highspy, (objective, matrix, rhs, lower, upper), direction)
    if start is not None:
        known = highspy.HighsSolution()
        known.col_value = start.astype(np.float64).tolist()
        solver.setSolution(known)
    solver.run()
    status, statuses = solver.getModelStatus(), highspy.HighsModelStatus
    if status == statuses.kInfeasible:
        raise ProtectionError("No whole numbers fulfil all relations and bounds at once.")
    best = np.inf if direction == "maximize" else -np.inf
    if status == statuses.kUnbounded:
        return IntegerOptimum(best, best, None, is_proven=True)
    proven = (statuses.kOptimal, statuses.kTimeLimit, statuses.kSolutionLimit)
    bound = best  # a solver in trouble has proven nothing
    if status in proven:
        bound = whole_bound(solver.getInfo().mip_dual_bound, direction)
    point = _verified(np.array(solver.getSolution().col_value), matrix, rhs, lower, upper)
    if point is None:
        return IntegerOptimum(None, bound, None, is_proven=False)
    value = int(objective @ point)
    return IntegerOptimum(value, bound, point, status == statuses.kOptimal and value == bound)


OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "threads": 1,
    "parallel": "off",
    "random_seed": 0,
    "mip_rel_gap": 0.0,
    "mip_abs_gap": 0.0,
}


def _pass(solver: Any, highspy: Any, program: tuple[Any, ...], direction: Direction) -> None:
    objective, matrix, rhs, lower, upper = program
    rows, columns = matrix.shape
    sense = highspy.ObjSense.kMaximize if direction == "maximize" else highspy.ObjSense.kMinimize
    ends = np.asarray(rhs, np.float64)
    solver.passModel(
        columns,
        rows,
        matrix.nnz,
        highspy.MatrixFormat.kRowwise.value,
        sense.value,
        0.0,
        np.asarray(objective, np.float64),
        np.asarray(lower, np.float64),
        np.asarray(upper, np.float64),
        ends,
        ends,
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data.astype(np.float64),
        np.full(columns, highspy.HighsVarType.kInteger.value, np.int32),
    )


def whole_bound(bound: float, direction: Direction) -> int | float:
    """Return the whole number that a bound on whole numbers stands for.

    What doubles may have lost is added to the bound first, so that it is never too narrow where the
    solver's error is below `ALMOST`, or below `ROUNDED` times the bound, whichever is more.

    >>> whole_bound(6.9999999, "maximize"), whole_bound(6.9, "maximize")
    (7, 6)
    """
    if not np.isfinite(bound):
        return bound
    room = max(ALMOST, ROUNDED * abs(bound))
    return int(np.floor(bound + room) if direction == "maximize" else np.ceil(bound - room))


def _verified(
    found: Floats, matrix: csr_array, rhs: Ints, lower: Floats, upper: Floats
) -> Ints | None:
    """Round a point, and return it if it fulfils everything exactly."""
    if len(found) != matrix.shape[1] or not (np.abs(found) < WHOLE).all():
        return None
    point: Ints = np.round(found).astype(np.int64)
    inside = ((point >= lower) & (point <= upper)).all()
    holds = (matrix.astype(np.int64) @ point == np.asarray(rhs, np.int64)).all()
    return point if inside and holds else None
