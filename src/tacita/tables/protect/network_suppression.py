"""Network cell suppression: every sensitive cell gets a cheapest cycle of suppressed cells."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.errors import InputError, ProtectionError
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.tables.dimension import NONE
from tacita.tables.protect.completing import completed
from tacita.tables.protect.network import Network, network_of
from tacita.tables.protect.options import CostField, SafetyRange, SingletonsField
from tacita.tables.protect.problem import Level, Problem, cannot_be_protected
from tacita.tables.protect.suppression import Solution, Suppression, suppress
from tacita.tables.system import System

FINEST = 2.0**-20  # of a level: the least that is sent along a path of its own


class NetworkSuppression(Method):
    """Suppress a cheapest cycle of cells around every sensitive cell of a two-way table.

    In a table of two attributes of which at most one has a hierarchy the cells are the arcs of a
    network: what is added to one cell can be sent round a cycle of others, and no total changes.
    For one level after the other, the largest first, the cheapest cycle with room for the amount is
    found, in which cells that are suppressed already cost nothing; where no cycle has room for all
    of it, several share it. Then every cell is released that no level needs, dear ones first.

    Only paths in a graph are searched, no linear program is solved, so that a million cells can be
    protected; to audit them takes longer. The levels are looked at one by one, so that on tables of
    some thousand cells `optimal_suppression` and `fast_suppression` are cheaper; they also protect
    tables of any shape, which this one refuses.

    >>> from tacita.tables.ready import grid_table
    >>> inside = {"x": [10, 20], "y": [30, 40]}
    >>> table = grid_table("t", inside, ["u", "v"], sensitive=[("x", "u")])
    >>> NetworkSuppression().protect(table.system()).secondary
    array([5, 7, 8])
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Cox, L. H. (1995). Network models for complementary cell suppression. Journal of the "
        "American Statistical Association 90(432), 1453-1462."
    )
    missing: ClassVar[str] = "The value of every cell must be known."

    cost: CostField = "value"
    singletons: SingletonsField = "ignored"
    safety_range: SafetyRange = 0.0

    def protect(self, system: System, preferred: Mask | None = None) -> Suppression:
        """Protect every sensitive cell.

        Raises:
            InputError: the table has more than two attributes or more than one hierarchy.
        """
        network = network_of(system.relations)
        if network is None:
            raise _not_a_network()
        return suppress(
            system,
            lambda problem: network_solution(problem, network),
            cost=self.cost,
            singletons=self.singletons,
            safety_range=self.safety_range,
            preferred=preferred,
        )


def _not_a_network() -> InputError:
    return InputError(
        "`network_suppression` protects tables of two attributes of which at most one has a "
        "hierarchy; the relations of this table are not of that kind. Use `fast_suppression`."
    )


def network_solution(problem: Problem, network: Network) -> Solution:
    """Protect every level by cycles, then those that are about what a contributor knows."""
    if network.rank(problem.places) != problem.matrix.shape[0]:
        raise _not_a_network()
    cycles = Cycles(problem, network)
    pattern = cycles.pattern()
    if any(level.known != NONE for level in problem.levels):
        pattern = completed(problem, pattern)
    return Solution(pattern, 0.0, is_optimal=False)


class Cycles:
    """Protects levels by cycles in a network.

    A level is a step along the arc of its cell, upwards or back, that must carry an amount. To be
    reached, it must be part of a cycle of suppressed cells that all have room for the amount.

    Args:
        problem: the cells, relations and levels.
        network: its cells as arcs.
    """

    def __init__(self, problem: Problem, network: Network) -> None:
        from tacita.kernels.paths import Graph, free

        self.problem = problem
        ends = np.concatenate([network.tail[problem.places], network.head[problem.places]])
        nodes, ends = np.unique(ends, return_inverse=True)
        tail, head = ends.reshape(2, -1)
        self.graph = Graph.of(tail, head, len(nodes), problem.cost, problem.up, problem.down)
        for cell in np.flatnonzero(problem.is_required):
            free(self.graph, int(cell))
        self.amounts: dict[int, float] = {}
        for level in problem.levels:
            if level.known == NONE:
                self.amounts.setdefault(2 * level.cell + (level.sign < 0), level.amount)
        self.leans_on: dict[int, list[int]] = {}  # the secondary suppressions each level needs
        self.leaning: dict[int, set[int]] = {}  # the levels that need each of them

    def pattern(self) -> Mask:
        """Reach every level, then release what none of them needs."""
        for level, amount in self.amounts.items():
            if level not in self.leans_on:
                self._reach(level, amount)
        self._release()
        return self.graph.is_free.copy()

    def _reach(self, level: int, amount: float) -> None:
        """Suppress what a level needs, at the least further cost."""
        from tacita.kernels.paths import free

        if self.graph.room[level] < amount:
            raise self._cannot_be(level)
        path = self._path(level, amount)
        cells = self._shares(level, amount) if path is None else path >> 1
        needed = [cell for cell in cells.tolist() if not self.problem.is_required[cell]]
        for cell in needed:
            if not self.graph.is_free[cell]:
                free(self.graph, cell)
        self._lean(level, needed)
        if path is not None:
            self._lean_others(np.append(path, level), needed)

    def _path(self, level: int, amount: float) -> Ints | None:
        """Return the steps that complete a level to a cycle, the cheapest; None without any."""
        from tacita.kernels.paths import cheapest_path, free_path

        start, end = self.graph.ends[level], self.graph.ends[level ^ 1]
        for search in (free_path, cheapest_path):
            path = search(self.graph, start, end, amount, level >> 1)
            if path.size or start == end:
                return path
        return None

    def _shares(self, level: int, amount: float) -> Ints:
        """Return the cells of several cycles that carry an amount together.

        Large shares are sent first. What is sent along a step leaves less room for more, and more
        room for the way back.
        """
        room = self.graph.room.copy()
        left, share = amount, amount
        while left > 0 and share >= FINEST * amount:
            path = self._path(level, min(share, left))
            if path is None:
                share /= 2
                continue
            sent = min(left, float(self.graph.room[path].min()))
            self.graph.room[path] -= sent
            self.graph.room[path ^ 1] += sent
            left -= sent
        moved = np.flatnonzero((self.graph.room != room).reshape(-1, 2)[:, 0])
        self.graph.room[:] = room
        if left > 0:
            raise self._cannot_be(level)
        return moved

    def _lean_others(self, cycle: Ints, needed: list[int]) -> None:
        """Note the levels that a cycle reaches by the way, as it is or the other way round."""
        for steps in (cycle, cycle ^ 1):
            carried = self.graph.room[steps].min()
            for level in steps.tolist():
                if level not in self.leans_on and self.amounts.get(level, np.inf) <= carried:
                    self._lean(level, needed)

    def _lean(self, level: int, needed: list[int]) -> None:
        for cell in self.leans_on.get(level, ()):
            self.leaning[cell].discard(level)
        self.leans_on[level] = needed
        for cell in needed:
            self.leaning.setdefault(cell, set()).add(level)

    def _release(self) -> None:
        """Publish every secondary suppression without which all levels hold, dear ones first."""
        from tacita.kernels.paths import charge, free

        cells = np.array(sorted(self.leaning), np.int64)
        for cell in cells[np.argsort(-self.problem.cost[cells], kind="stable")].tolist():
            charge(self.graph, cell)
            others = self._other_ways(sorted(self.leaning[cell]))
            if others is None:
                free(self.graph, cell)
            else:
                for level, needed in others.items():
                    self._lean(level, needed)

    def _other_ways(self, levels: list[int]) -> dict[int, list[int]] | None:
        """Return what levels lean on if they are reached in another way; None if one is not."""
        from tacita.kernels.paths import free_path

        found = {}
        for level in levels:
            ends = self.graph.ends[level], self.graph.ends[level ^ 1]
            path = free_path(self.graph, *ends, self.amounts[level], level >> 1)
            if not path.size:
                return None
            cells = (path >> 1).tolist()
            found[level] = [cell for cell in cells if not self.problem.is_required[cell]]
        return found

    def _cannot_be(self, level: int) -> ProtectionError:
        sign = -1 if level & 1 else 1
        return cannot_be_protected(self.problem, Level(level >> 1, sign, self.amounts[level]))
