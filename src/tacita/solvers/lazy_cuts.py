"""Branch and cut: the cheapest 0/1 pattern that fulfils inequalities found on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from tacita.errors import ProtectionError, load_extra
from tacita.solvers.duality import size_of

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

Asked = Literal["patterns", "relaxations"]
Stop = Literal["optimality", "infeasibility", "time_limit", "node_limit"]
LOWERED = 1e-6  # of a bound: what the solver's tolerances may have raised it by
VIOLATED = 1e-5  # of the largest number in a cut: what is less the solver may not notice


class Cut(NamedTuple):
    """An inequality that every pattern must fulfil: coefficients @ x[indices] >= lower."""

    indices: Ints
    coefficients: Floats
    lower: float


Separate = Callable[[Floats], Sequence[Cut]]


@dataclass(frozen=True, eq=False)
class BestPattern:
    """The cheapest pattern found.

    Args:
        pattern: which variables are 1, or None if no pattern was found.
        cost: what it costs; infinite without a pattern.
        bound: what no pattern can cost less than: what the solver's search tree proves, less
            `LOWERED` times its size for the solver's tolerances.
        is_optimal: whether no pattern is cheaper by more than a millionth of the cost.
        stopped_by: why the search ended.
        cuts: how many inequalities were found on the way.
    """

    pattern: Mask | None
    cost: float
    bound: float
    is_optimal: bool
    stopped_by: Stop
    cuts: int


def cheapest_pattern(
    cost: Floats,
    separate: Separate,
    *,
    is_one: Mask | None = None,
    is_zero: Mask | None = None,
    rows: Sequence[Cut] = (),
    start: Mask | None = None,
    ask: Asked = "patterns",
    time_limit: float = np.inf,
    node_limit: int | None = None,
) -> BestPattern:
    """Minimize `cost @ x` over 0/1 vectors that no cut forbids.

    >>> pair = Cut(np.array([0, 1]), np.ones(2), 1.0)
    >>> found = cheapest_pattern(np.array([3.0, 2.0]), lambda x: [pair] if x.sum() < 1 else [])
    >>> found.pattern, found.cost, found.is_optimal
    (array([False,  True]), 2.0, True)

    Args:
        cost: what each variable costs when it is 1.
        separate: returns inequalities that a vector violates, none if it violates none. A pattern
            is passed as exact zeros and ones.
        is_one: variables that are 1.
        is_zero: variables that are 0.
        rows: inequalities known beforehand.
        start: a pattern to start with; one that some cut forbids is passed over.
        ask: what is separated: `patterns` only, or solutions of `relaxations` between 0 and 1 too.
        time_limit: seconds after which the best pattern so far is returned.
        node_limit: nodes of the search tree after which it is returned.

    Raises:
        MissingExtraError: the solver is not installed.
    """
    scip = load_extra("pyscipopt", "optimal")
    model = scip.Model()
    model.setParams(PARAMETERS)
    if np.isfinite(time_limit):
        model.setParam("limits/time", float(time_limit))
    if node_limit is not None:
        model.setParam("limits/totalnodes", int(node_limit))
    nothing = np.zeros(len(cost), bool)
    ones, zeros = (nothing if fixed is None else fixed for fixed in (is_one, is_zero))
    variables = [
        model.addVar(vtype="B", obj=float(price), lb=float(one), ub=float(not zero))
        for price, one, zero in zip(cost / size_of(cost), ones, zeros, strict=True)
    ]
    search = _Search(scip, model, variables, separate)
    try:
        return search.run(cost, rows, start, ask)
    finally:
        search.release()


PARAMETERS: dict[str, Any] = {
    "display/verblevel": 0,
    "misc/catchctrlc": False,
    "randomization/permutationseed": 0,
    "randomization/randomseedshift": 0,
    "parallel/maxnthreads": 1,
    "lp/threads": 1,
    # What follows from the inequalities known so far alone does not follow from all of them.
    "misc/allowstrongdualreds": False,
    "misc/allowweakdualreds": False,
    "misc/usesymmetry": 0,
    "presolving/donotaggr": True,
    "presolving/donotmultaggr": True,
}


class _Search:
    """What the solver asks on its way, and the inequalities that were its answers."""

    def __init__(self, scip: Any, model: Any, variables: list[Any], separate: Separate) -> None:
        self.scip, self.model, self.variables, self.separate = scip, model, variables, separate
        self.answers: dict[bytes, list[Cut]] = {}
        self.enforced: set[bytes] = set()
        self.count = 0
        self.error: BaseException | None = None

    def run(self, cost: Floats, rows: Sequence[Cut], start: Mask | None, ask: Asked) -> BestPattern:
        """Search, and return what was found."""
        for row in rows:
            self.add(row)
        self.attach(ask)
        if start is not None:
            self.begin_at(start)
        self.model.optimize()
        return self.result(cost)

    def release(self) -> None:
        """Let go of the solver, which holds on to us: neither would ever be freed."""
        self.model.freeTransform()
        self.model, self.variables = None, []

    def attach(self, ask: Asked) -> None:
        """Let the solver ask about patterns and, where wanted, solutions of relaxations."""
        self.model.includeConshdlr(
            _handler(self.scip, self),
            "cuts",
            "inequalities found on the way",
            sepapriority=1,
            enfopriority=-1,  # after integrality: what is enforced is a pattern
            chckpriority=-10_000_000,  # after the inequalities known so far, which cost nothing
            sepafreq=1 if ask == "relaxations" else -1,
            needscons=False,
        )

    def begin_at(self, start: Mask) -> None:
        """Offer a pattern to the solver."""
        solution = self.model.createSol()
        for variable, one in zip(self.variables, start, strict=True):
            self.model.setSolVal(solution, variable, float(one))
        self.model.addSol(solution)

    def vector(self, solution: Any) -> Floats:
        """Return a solution of the solver, or the current one of its relaxation."""
        return np.array([self.model.getSolVal(solution, one) for one in self.variables])

    def pattern(self, solution: Any) -> Floats:
        """Return a solution of the solver as exact zeros and ones."""
        ones: Floats = np.round(self.vector(solution)) + 0.0  # turns -0 into 0
        return ones

    def cuts_for(self, pattern: Floats) -> list[Cut]:
        """Return inequalities that forbid a pattern, none if it is allowed."""
        key = pattern.tobytes()
        if key not in self.answers:
            self.answers[key] = list(self.separate(pattern))
        return self.answers[key]

    def enforce(self) -> Any:
        """Forbid the pattern at hand, if it must be."""
        pattern = self.pattern(None)
        cuts = self.cuts_for(pattern)
        if cuts and pattern.tobytes() in self.enforced:
            # It came back: its cuts are shallower than the solver's tolerance.
            cuts = [_all_but(pattern)]
        self.enforced.add(pattern.tobytes())
        return self.add_all(cuts)

    def tighten(self) -> Any:
        """Cut off the solution of the relaxation at hand, if it can be."""
        vector = self.vector(None)
        cuts = [cut for cut in self.separate(vector) if _violation(cut, vector) > VIOLATED]
        return self.add_all(cuts) if cuts else self.scip.SCIP_RESULT.DIDNOTFIND

    def check(self, solution: Any) -> Any:
        """Tell whether a pattern is allowed."""
        result = self.scip.SCIP_RESULT
        return result.INFEASIBLE if self.cuts_for(self.pattern(solution)) else result.FEASIBLE

    def add_all(self, cuts: Sequence[Cut]) -> Any:
        """Add inequalities and return what the solver wants to hear."""
        self.count += len(cuts)
        for cut in cuts:
            self.add(cut)
        result = self.scip.SCIP_RESULT
        return result.CONSADDED if cuts else result.FEASIBLE

    def add(self, cut: Cut) -> None:
        """Add an inequality, scaled so that its largest number is 1."""
        scale = _scale(cut)
        left = self.scip.quicksum(
            float(c) / scale * self.variables[i]
            for i, c in zip(cut.indices, cut.coefficients, strict=True)
        )
        self.model.addCons(left >= cut.lower / scale, removable=True)

    def guarded(self, answer: Callable[[], Any]) -> Any:
        """Answer the solver; what is raised on the way waits until it has stopped."""
        try:
            return {"result": answer()}
        except BaseException as error:  # noqa: BLE001 - the solver is written in C
            self.error = self.error or error
            self.model.interruptSolve()
            return {"result": self.scip.SCIP_RESULT.INFEASIBLE}

    def result(self, cost: Floats) -> BestPattern:
        """Return what the search came to."""
        if self.error is not None:
            raise self.error
        stop = STOPS.get(self.model.getStatus())
        if stop is None:
            raise ProtectionError(
                f"The solver stopped without an answer ({self.model.getStatus()})."
            )
        pattern, total = None, np.inf
        if self.model.getNSols():
            pattern = self.pattern(self.model.getBestSol()).astype(bool)
            total = float(cost[pattern].sum())
        bound = total if stop == "optimality" else self.bound() * size_of(cost)
        if np.isfinite(bound):
            bound -= LOWERED * abs(bound)
        return BestPattern(pattern, total, bound, stop == "optimality", stop, self.count)

    def bound(self) -> float:
        """Return what the search tree proves."""
        bound = float(self.model.getDualbound())
        return float(np.copysign(np.inf, bound)) if self.model.isInfinity(abs(bound)) else bound


STOPS: dict[str, Stop] = {
    "optimal": "optimality",
    "infeasible": "infeasibility",
    "inforunbd": "infeasibility",  # 0/1 variables are bounded
    "timelimit": "time_limit",
    "nodelimit": "node_limit",
    "totalnodelimit": "node_limit",
}


def _violation(cut: Cut, vector: Floats) -> float:
    """Return by how much a vector violates a cut, as a share of its largest number."""
    return float(cut.lower - cut.coefficients @ vector[cut.indices]) / _scale(cut)


def _scale(cut: Cut) -> float:
    return max(float(np.abs(cut.coefficients).max(initial=0.0)), abs(cut.lower)) or 1.0


def _all_but(pattern: Floats) -> Cut:
    """Return the cut that forbids one pattern and no other."""
    return Cut(np.arange(len(pattern)), 1.0 - 2.0 * pattern, 1.0 - float(pattern.sum()))


def _handler(scip: Any, search: _Search) -> Any:
    """Make the object through which SCIP asks; its class exists only where SCIP does."""

    class Handler(scip.Conshdlr):  # type: ignore[misc]
        def consenfolp(self, *_: Any) -> Any:
            return search.guarded(search.enforce)

        def consenfops(self, *_: Any) -> Any:
            return search.guarded(search.enforce)

        def conssepalp(self, *_: Any) -> Any:
            return search.guarded(search.tighten)

        def conscheck(self, _constraints: Any, solution: Any, *_: Any) -> Any:
            return search.guarded(lambda: search.check(solution))

        def conslock(self, _constraint: Any, _kind: Any, up: int, down: int) -> None:
            # A cut may forbid a step in either direction.
            for variable in search.variables:
                search.model.addVarLocks(variable, up + down, up + down)

    return Handler()
