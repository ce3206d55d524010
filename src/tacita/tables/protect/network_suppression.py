"""Network cell suppression: every sensitive cell gets cheap cycles of suppressed cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Self

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import InputError, ProtectionError
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.tables.dimension import NONE
from tacita.tables.network import Network, network_of
from tacita.tables.protect.completing import completed
from tacita.tables.protect.covering import covering_bound
from tacita.tables.protect.options import CostField, SafetyRange, SingletonsField
from tacita.tables.protect.problem import Level, Problem, cannot_be_protected
from tacita.tables.protect.suppression import SAME, Solution, Suppression, suppress
from tacita.tables.system import System

if TYPE_CHECKING:
    from tacita.kernels.paths import Graph

FINEST = 2.0**-20  # of a level: the least that is sent along a path of its own
NOISE = 1e-12  # of a level: what sums of decimals may leave that should be nothing
PARTS = 64  # into which what is left of a level is parted, at most: few cells do for many


class NetworkSuppression(Method):
    """Suppress cheap cycles of cells around every sensitive cell of a two-way table.

    In a table of two attributes of which at most one has a hierarchy the cells are the arcs of a
    network: what is added to one cell can be sent round a cycle of others, and no total changes.
    For one level after the other, the largest first, as much as can be is sent round cycles of
    cells that are suppressed already; the rest is sent round the cycles that cost least for each
    unit. Then every cell is released that no level needs, dear ones first.

    Only paths in a graph are searched, no linear program is solved, so that a million cells can be
    protected. The levels are looked at one by one, so that on tables of some thousand cells
    `optimal_suppression` and `fast_suppression` are cheaper; they also protect tables of any shape,
    which this one refuses.

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


def is_part_of(network: Network, problem: Problem) -> bool:
    """Tell whether the cells of a problem have no other relations than those of a network."""
    return bool(network.rank(problem.places) == problem.matrix.shape[0])


def network_solution(problem: Problem, network: Network) -> Solution:
    """Protect every level by cycles, then those that are about what a contributor knows."""
    if not is_part_of(network, problem):
        raise _not_a_network()
    cycles = Cycles(problem, network)
    pattern = cycles.pattern()
    if any(level.known != NONE for level in problem.levels):
        pattern = completed(problem, pattern)
    cost, bound = problem.cost_of(pattern), covering_bound(problem)
    return Solution(pattern, min(bound, cost), is_optimal=cost <= bound * (1 + SAME))


class Cycles:
    """Protects levels by cycles in a network.

    A level is a step along the arc of its cell, upwards or back, that must carry an amount. To be
    reached, it must be part of one or several cycles of suppressed cells that have room for it.

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
        self.carried: dict[int, Carried] = {}  # what reaches each level
        self.leaning: dict[int, set[int]] = {}  # the levels that each secondary suppression carries

    def pattern(self) -> Mask:
        """Reach every level, then release what none of them needs."""
        for level, amount in self.amounts.items():
            if level not in self.carried:
                self._reach(level, amount)
        self._release()
        return self.graph.is_free.copy()

    def _reach(self, level: int, amount: float) -> None:
        """Suppress what a level needs, at the least further cost."""
        if self.graph.room[level] < amount:
            raise self._cannot_be(level)
        path = self._free_path(level, amount)
        if path is not None:
            self._lean_on_cycle(np.append(path, level))
            return
        flow = Flow(self.graph, level >> 1, NOISE * amount)
        start, end = self.graph.ends[level], self.graph.ends[level ^ 1]
        left = flow.send_dear(start, end, flow.send_free(start, end, amount))
        carried = flow.undone()
        if left > flow.noise:
            raise self._cannot_be(level)
        self._lean(level, carried)

    def _free_path(self, level: int, amount: float) -> Ints | None:
        """Return the steps that complete a level to a cycle of suppressed cells; None without."""
        from tacita.kernels.paths import free_path

        start, end = self.graph.ends[level], self.graph.ends[level ^ 1]
        path = free_path(self.graph, start, end, amount, level >> 1)
        return path if path.size or start == end else None

    def _lean_on_cycle(self, cycle: Ints) -> None:
        """Note the levels that a cycle reaches, as it is or the other way round."""
        for steps in (cycle, cycle ^ 1):
            most = self.graph.room[steps].min()
            for level in steps.tolist():
                amount = self.amounts.get(level, np.inf)
                if level not in self.carried and amount <= most:
                    self._lean(level, Carried.evenly(steps[steps != level], amount))

    def _lean(self, level: int, carried: Carried) -> None:
        """Let a level be reached in some way, no longer in another."""
        if level in self.carried:
            for cell in self._secondary(self.carried[level]):
                self.leaning[cell].discard(level)
        self.carried[level] = carried
        for cell in self._secondary(carried):
            self.leaning.setdefault(cell, set()).add(level)

    def _secondary(self, carried: Carried) -> list[int]:
        """Return the cells that carry something and are not suppressed anyway."""
        cells = carried.steps >> 1
        secondary: list[int] = cells[~self.problem.is_required[cells]].tolist()
        return secondary

    def _release(self) -> None:
        """Publish every secondary suppression without which all levels hold, dear ones first."""
        from tacita.kernels.paths import charge, free

        cells = np.flatnonzero(self.graph.is_free & ~self.problem.is_required)
        for cell in cells[np.argsort(-self.problem.cost[cells], kind="stable")].tolist():
            charge(self.graph, cell)
            others = self._other_ways(cell)
            if others is None:
                free(self.graph, cell)
            else:
                for level, carried in others.items():
                    self._lean(level, carried)

    def _other_ways(self, cell: int) -> dict[int, Carried] | None:
        """Return what reaches the levels that a cell carried without it; None if one is not."""
        found = {}
        for level in sorted(self.leaning.get(cell, ())):
            path = self._free_path(level, self.amounts[level])
            if path is not None:
                found[level] = Carried.evenly(path, self.amounts[level])
            elif (other := self._rerouted(level, cell)) is not None:
                found[level] = other
            else:
                return None
        return found

    def _rerouted(self, level: int, cell: int) -> Carried | None:
        """Send what a cell carried of a level round it; None if there is no room for that."""
        steps, amounts = self.carried[level]
        is_gone = steps >> 1 == cell
        step, amount = int(steps[is_gone][0]), float(amounts[is_gone][0])
        flow = Flow(self.graph, level >> 1, NOISE * self.amounts[level])
        flow.send(Carried(steps[~is_gone], amounts[~is_gone]))
        left = flow.send_free(self.graph.ends[step ^ 1], self.graph.ends[step], amount, "all")
        carried = flow.undone()
        return carried if left <= flow.noise else None

    def _cannot_be(self, level: int) -> ProtectionError:
        sign = -1 if level & 1 else 1
        return cannot_be_protected(self.problem, Level(level >> 1, sign, self.amounts[level]))


class Carried(NamedTuple):
    """What is sent along steps so that a level is reached.

    Args:
        steps: the steps; no arc is there twice.
        amounts: what each of them carries.
    """

    steps: Ints
    amounts: Floats

    @classmethod
    def evenly(cls, steps: Ints, amount: float) -> Self:
        """Let every step carry the same."""
        return cls(steps, np.full(len(steps), amount))


class Flow:
    """What is sent through a network along several paths.

    What is sent along a step leaves less room for more, and more room for the way back.

    Args:
        graph: the cells as arcs.
        without: an arc that must not be used.
        noise: what counts as nothing.
    """

    def __init__(self, graph: Graph, without: int, noise: float) -> None:
        self.graph, self.without, self.noise = graph, without, noise
        self.room_before: dict[int, float] = {}
        self.sent: dict[int, float] = {}  # along each arc; less than 0 for what went back

    def send_free(
        self, start: int, end: int, amount: float, wanted: Literal["all", "some"] = "some"
    ) -> float:
        """Send what suppressed cells can carry, in large shares first; return what is left.

        Args:
            start: the node from which it is sent.
            end: the node to which it is sent.
            amount: how much.
            wanted: whether it is of no use to send only `some` of it.
        """
        from tacita.kernels.paths import free_path, free_room

        left = share = amount
        most = free_room(self.graph, start, end, self.without)
        if wanted == "all" and most < amount - self.noise:
            return left
        while left > self.noise:
            share = min(share, left)
            path = free_path(self.graph, start, end, share, self.without)
            if path.size:
                left -= self._send_along(path, left)
            elif free_path(self.graph, start, end, FINEST * amount, self.without).size:
                share /= 2
            else:
                break
        return left

    def send_dear(self, start: int, end: int, amount: float) -> float:
        """Send along further cells what costs least, which are suppressed; return what is left."""
        from tacita.kernels.paths import cheapest_path, free

        left, share = amount, amount / PARTS
        while left > self.noise and share >= FINEST * amount:
            least = min(share, left)
            path = cheapest_path(self.graph, start, end, left, self.without, least)
            if path.size:
                left -= self._send_along(path, left)
                for arc in (path >> 1)[~self.graph.is_free[path >> 1]].tolist():
                    free(self.graph, arc)
            else:
                share /= 2
        return left

    def _send_along(self, path: Ints, most: float) -> float:
        """Send as much along a path as it can carry; return how much that is."""
        sent = min(most, float(self.graph.room[path].min()))
        self.send(Carried.evenly(path, sent))
        return sent

    def send(self, carried: Carried) -> None:
        """Send amounts along steps."""
        steps, amounts = carried
        for step, amount in zip(steps.tolist(), amounts.tolist(), strict=True):
            self.room_before.setdefault(step, float(self.graph.room[step]))
            self.room_before.setdefault(step ^ 1, float(self.graph.room[step ^ 1]))
            self.sent[step >> 1] = self.sent.get(step >> 1, 0.0) + (-amount if step & 1 else amount)
        self.graph.room[steps] -= amounts
        self.graph.room[steps ^ 1] += amounts

    def undone(self) -> Carried:
        """Let all steps have the room they had before; return what they carried."""
        for step, room in self.room_before.items():
            self.graph.room[step] = room
        arcs, sent = np.array(list(self.sent), np.int64), np.array(list(self.sent.values()))
        carries = np.abs(sent) > self.noise
        steps = 2 * arcs + (sent < 0)
        return Carried(steps[carries], np.abs(sent[carries]))
