"""Feasibility intervals of cells that are the arcs of a network, in whole numbers.

Where every cell is in two equations at most, with opposite signs once some equations are turned
round, equations are nodes and cells are arcs between them: two-way tables are such networks. Their
vertices are whole, so that flows of whole numbers reach every end, and nothing is rounded. Most
ends are bounds that single relations leave; a flow that reaches many of them settles them together.
What is left is searched cell by cell, by the largest flow that can be sent round through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import InputError
from tacita.tables.audit.presolve import Ends, Problem
from tacita.tables.network import Network, as_network, following_relations

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from tacita.kernels.flows import Bounds, Flow, Found
    from tacita.tables.audit.intervals import Side

WORTH = 20  # ends that a flow must settle for another one to be faster than single searches
FITTING = 2.0**57  # what all numbers together must be below, so that flows fit in 64 bits
ROUNDING = 2.0**-50  # of a number in units: how far doubles may be from it


@dataclass(frozen=True, eq=False)
class FlowPart:
    """A part of a problem that is a network, and what was found of its cells so far.

    A cell without a bound is given one that is so far out that it is only passed by cells without
    an end: in a network no end is larger than all finite numbers together.

    Args:
        problem: the part.
        total: at least as much as all finite numbers of the part together.
        flow: its cells as arcs, and what they carry.
        bounds: what they can carry.
        found: the ends that are known.
    """

    problem: Problem
    total: int
    flow: Flow
    bounds: Bounds
    found: Found

    @classmethod
    def of(cls, problem: Problem, network: Network, rhs: Ints) -> FlowPart:
        """Set up the search of a part.

        Args:
            problem: the part.
            network: its cells as arcs.
            rhs: what the relations of the network come to.

        Raises:
            InputError: no values fulfil all relations and bounds.
        """
        from tacita.kernels.flows import Bounds, Flow, Found, fulfil

        total = 2 * int(_total(problem))  # twice: the sum of doubles may be a little too small
        far = 4 * total + 2
        taken = network.turn * rhs
        flow = Flow.of(network.tail, network.head, network.nodes)
        bounds = Bounds(
            _whole(problem.ends.lower, -far),
            _whole(problem.ends.upper, far),
            np.append(taken, -taken.sum()),
        )
        part = cls(problem, total, flow, bounds, Found.of(flow, bounds))
        if not fulfil(flow, bounds, part.found) or not part._holds:
            raise InputError(
                "The published values contradict each other: no values of the suppressed cells "
                "fulfil all relations and bounds."
            )
        return part

    @property
    def _holds(self) -> bool:
        """Whether what flows fulfils the relations that follow from those of the network too."""
        matrix = self.problem.matrix.astype(np.int64)
        sums = matrix @ self.flow.flow[: len(self.problem)]
        return np.array_equal(sums, self.problem.rhs.astype(np.int64))

    @property
    def error(self) -> float:
        """How far an end as a double may be from the true one (units)."""
        return self.total * ROUNDING

    def ends(self, wanted: Mask) -> Ends:
        """Return the least and the largest value of every cell that is wanted.

        Args:
            wanted: the cells; others get bounds that follow from single relations.
        """
        from tacita.kernels.flows import settle_singly, settle_together

        bounded = np.isfinite(self.problem.ends.lower) & np.isfinite(self.problem.ends.upper)
        settle_together(self.flow, self.bounds, self.found, wanted & bounded, WORTH)
        settle_singly(self.flow, self.found, np.flatnonzero(wanted))
        least, most = (end[: len(self.problem)] for end in (self.found.least, self.found.most))
        far = np.abs(np.array([least, most])) > self.total
        return Ends(np.where(far[0], -np.inf, least), np.where(far[1], np.inf, most))

    def proven(self, cell: int, side: Side) -> Fraction | float:
        """Return how far out a cell can be.

        Args:
            cell: the cell.
            side: which end (units).
        """
        from tacita.kernels.flows import settle_singly

        least, most, is_least, is_most = self.found
        ends, is_known = (most, is_most) if side.sign > 0 else (least, is_least)
        if not is_known[cell]:
            settle_singly(self.flow, self.found, np.array([cell]))
        end = int(ends[cell])
        return Fraction(end) if abs(end) <= self.total else side.sign * np.inf


def _total(problem: Problem) -> float:
    """Add up all numbers of a part, without their signs."""
    numbers = np.abs(np.concatenate([problem.rhs, *problem.ends]))
    return float(numbers[np.isfinite(numbers)].sum())


def _whole(ends: Floats, far: int) -> Ints:
    """Return ends as whole numbers, `far` where there is none."""
    finite = np.isfinite(ends)
    return np.where(finite, np.where(finite, ends, 0.0).astype(np.int64), far)


class Networks:
    """Reads the parts of a system as networks.

    Args:
        relations: the relations of the system.
    """

    def __init__(self, relations: csr_array) -> None:
        self.relations = relations

    @cached_property
    def _following(self) -> Mask | None:
        """Which relations of the system follow from others that are a network; None without any."""
        rows = following_relations(self.relations)
        return None if rows is None else np.isin(np.arange(self.relations.shape[0]), rows)

    def part(self, problem: Problem) -> FlowPart | None:
        """Set up the search of a part; None if it is no network, or its numbers are too large.

        Raises:
            InputError: no values fulfil all relations and bounds.
        """
        if not problem.is_whole or _total(problem) >= FITTING:
            return None
        rhs = problem.rhs.astype(np.int64)
        network = as_network(problem.matrix)
        if network is not None:
            return FlowPart.of(problem, network, rhs)
        kept = self._kept(problem)
        network = None if kept is None else as_network(problem.matrix[kept])
        if network is None or network.rank(np.arange(len(problem))) != _rank(problem.matrix):
            return None
        return FlowPart.of(problem, network, rhs[kept])

    def _kept(self, problem: Problem) -> Mask | None:
        """Tell which equations of a part do not follow from others; None if that is not known."""
        if self._following is None:
            return None
        # The equations of a part are the relations in which its cells are.
        rows = np.unique(self._by_cell[:, problem.places].indices)
        kept: Mask = ~self._following[rows]
        return kept

    @cached_property
    def _by_cell(self) -> csr_array:
        return self.relations.tocsc()


def _rank(matrix: csr_array) -> int:
    from tacita.kernels.elimination import independent_rows

    kept = independent_rows(matrix.indptr, matrix.indices, matrix.data, matrix.shape[1])
    return int(kept.sum())
