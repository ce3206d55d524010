"""Controlled rounding: multiples of a base that add up, as close to the truth as can be."""

from __future__ import annotations

import time
from dataclasses import KW_ONLY
from math import inf
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from tacita.mechanisms.rounding import multiples
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import counted, show
from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.perturb.rounding.cells import Base
from tacita.tables.perturb.rounding.knowing import known_values
from tacita.tables.perturb.rounding.limits import Limits
from tacita.tables.perturb.rounding.problem import RoundingProblem, Weight, problem_of
from tacita.tables.perturb.rounding.search import Rounded, closest, ladder
from tacita.tables.system import System


class ControlledRounding(Method):
    """Round all cells to multiples of a base so that every total is the sum of its parts.

    Of all tables of multiples of the base b whose relations hold, the one is published that is
    closest to the truth,

        min  sum_i w_i |a_i - v_i|   subject to   all relations of a,  a_i a multiple of b.

    Zero-restricted, multiples of b stay and every other value goes to one of the two multiples
    around it. A table of two attributes, one of them with a hierarchy, is a network: the cheapest
    flow is such a rounding, and there always is one. Of other tables and of linked ones it is
    searched for in whole numbers, with HiGHS; where there is none cells may jump, to less than 2 b
    from the truth, and farther only if they must, and the result says so. Not zero-restricted,
    cells may go to any multiple from the start. Values stay inside of what everybody knows of a
    cell, where a multiple of b is, and counts never become negative.

    Everything is published and rounded, sensitive cells and those that must be published too: a
    reader learns of a zero-restricted cell that the truth is less than b away. Choose b so large
    that this protects them. Tables of two attributes take seconds up to a million cells. In others
    with thousands of cells a linear program guides the search and tells the bound; measured on ten
    to fifty thousand cells, that took up to half a minute.

    When not to use it: for very skewed magnitudes, where a base that hides large cells leaves
    nothing of small ones (`controlled_adjustment`).

    >>> from tacita.tables.ready import grid_table
    >>> table = grid_table("t", {"x": [11, 21], "y": [31, 41]}, ["u", "v"])
    >>> found = ControlledRounding(5).perturb(table.system(), np.random.default_rng())
    >>> found.is_additive, found.is_optimal, found.loss
    (True, True, 16.0)
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Cox, L. H. and Ernst, L. R. (1982). Controlled rounding. INFOR 20(4), 423-432; "
        "Salazar-Gonzalez, J. J. (2006). Controlled rounding and cell perturbation: statistical "
        "disclosure limitation methods for tabular data. Mathematical Programming 105, 583-603."
    )
    missing: ClassVar[str] = "The value of every cell must be known."
    example: ClassVar[dict[str, Any]] = {"base": 5}
    public: ClassVar[frozenset[str]] = frozenset({"base", "zero_restricted"})

    base: Base
    _: KW_ONLY
    zero_restricted: Annotated[
        bool,
        Field(
            description="Whether multiples of the base stay and other values go to one of the two "
            "multiples around them, where that is possible."
        ),
    ] = True
    weight: Annotated[
        Weight,
        Field(
            description="What a unit of distance counts: the same for all cells, in relation to "
            "the value, or the cost that the table gives the cell."
        ),
    ] = "equal"
    time_limit: Annotated[
        float | None,
        Field(
            gt=0,
            description="The seconds after which the search stops and the best "
            "rounding so far is taken; none when left out. What a clock stops may differ from run "
            "to run.",
        ),
    ] = None
    node_limit: Annotated[
        int | None,
        Field(
            ge=1,
            description="The nodes of the search tree after which the best rounding so far is "
            "taken, the same in every run: 1 is quick and often proven to be the best, and no tree "
            "at all for large tables; none for as many as it takes.",
        ),
    ] = 1

    def perturb(self, system: System, rng: np.random.Generator) -> Perturbation:  # noqa: ARG002
        """Find the closest rounding that adds up."""
        deadline = inf if self.time_limit is None else time.monotonic() + self.time_limit
        problem = problem_of(system, self.base, self.weight)
        rungs = ladder(zero_restricted=self.zero_restricted)
        found = closest(problem, rungs, Limits(self.node_limit, deadline))
        loss = problem.loss(found.steps)
        value = multiples(problem.parted.below + found.steps, self.base)
        known = known_values(
            value, self.base, reach=self._reach(problem, found), decimals=system.decimals
        )
        return Perturbation(
            system,
            value,
            loss,
            bound=min(found.bound, loss),
            is_optimal=not found.is_given_up and problem.is_least(loss, found.bound),
            is_reproducible=found.is_reproducible,
            lower=known.lower,
            upper=known.upper,
            remarks=self._remarks(problem, found),
        )

    def _reach(self, problem: RoundingProblem, found: Rounded) -> int | None:
        """Return how many bases a reader knows values to be away at most; None if that is not told.

        Whoever hears that cells jumped although they should not hears how far.
        """
        jumps = problem.jumps(found.steps)
        return 1 + int(jumps.max(initial=0)) if self.zero_restricted else None

    def _remarks(self, problem: RoundingProblem, found: Rounded) -> tuple[str, ...]:
        """Say which wishes were not fulfilled, and of how many cells."""
        jumps = problem.jumps(found.steps)
        told = []
        if self.zero_restricted and jumps.any():
            why = "was found within the limits" if found.is_given_up else "adds up"
            told.append(
                f"No zero-restricted rounding {why}: {counted(int((jumps > 0).sum()), 'cell')} "
                f"jumped over the next multiple of {show(self.base)}, to less than "
                f"{show((1 + int(jumps.max())) * self.base)} from the true value."
            )
        outside = int(problem.outside(found.steps).sum())
        if outside:
            verb = "is" if outside == 1 else "are"
            told.append(
                f"{counted(outside, 'cell')} {verb} published outside of what everybody knows "
                "beforehand: no multiples inside were found that add up."
            )
        return tuple(told)
