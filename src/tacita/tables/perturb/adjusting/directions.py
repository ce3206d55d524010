"""Which sensitive cells rise and which fall: a guess, mended and improved block by block."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacita.arithmetic import product
from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import ProtectionError
from tacita.solvers.integer import Effort
from tacita.solvers.mixed import Mixed
from tacita.tables.perturb.adjusting.bounding import Distances, least_distances
from tacita.tables.perturb.adjusting.clock import Clock
from tacita.tables.perturb.adjusting.program import DirectionProgram
from tacita.tables.perturb.adjusting.regions import Attempt, Regions
from tacita.tables.perturb.adjusting.signing import likely_directions
from tacita.tables.perturb.adjusting.task import NEVER, Task, impossible

SMALL = 300  # sensitive cells: so many are also chosen at once, and in blocks with all cells free
BLOCK = 50  # directions of a small table that are chosen at once
NEAR, NEARBY = 25, 500  # directions that are chosen at once in a large table, and cells that move
MENDED = (250, 1000, 250, 1000, 4000)  # cells that move so that one of them reaches its level
MENDING = 0.7  # of the time that is left: what mending may take
NODES = 10  # of the search tree of a block
ROUGHLY = 1e-4  # of the loss: for less a block is not searched, nor swept once more
MOST_SWEEPS, LARGE_SWEEPS = 6, 2
SAME = 1e-6  # of a bound: a loss that is above it by less is the least
NAMED_BY = Effort(nodes=1000)  # what may be spent to find out which cell makes it impossible
CHOICE = "the choice of directions"


@dataclass(frozen=True, eq=False)
class Directions:
    """The direction of every sensitive cell.

    Args:
        rises: which of them rise; the others fall.
        bound: what no adjustment can lose less than.
        loss: what is lost with these directions, as the solver has it.
        moves: how far each cell moves, as the solver has it (units).
    """

    rises: Mask
    bound: float
    loss: float
    moves: Floats

    @property
    def is_least(self) -> bool:
        """Whether nothing can be gained any more."""
        return self.loss <= self.bound * (1 + SAME)


class Search:
    """Looks for directions until nothing is gained any more, or time is up.

    Args:
        task: the cells, relations and levels.
        clock: the time that is left.
    """

    def __init__(self, task: Task, clock: Clock) -> None:
        self.task, self.clock = task, clock
        self.distances: Distances = least_distances(task, clock)
        self.program = DirectionProgram(task, self.distances.polygons)
        self.regions = Regions(task, self.distances.polygons)
        self.everything = np.arange(len(task.sensitive))

    def by_blocks(self) -> Directions:
        """Guess directions, mend what they do not reach, and change those of block after block.

        Raises:
            ProtectionError: no directions reach all levels, or none were found in time.
        """
        found = self._begun()
        if found.is_least:
            return found
        if len(self.everything) > SMALL:
            return self._swept(found)
        found = self._at_once(found, Effort(NODES, self.clock.seconds))
        return found if found.is_least else self._improved(found)

    def optimal(self, *, node_limit: int | None = None) -> Directions:
        """Choose all directions at once, beginning with what blocks give."""
        found = self.by_blocks()
        if found.is_least or self._is_late():
            return found
        return self._at_once(found, Effort(node_limit, self.clock.seconds))

    def _at_once(self, found: Directions, effort: Effort) -> Directions:
        best = self.program.search(self.everything, found.rises, start=found.moves, effort=effort)
        if best is None:
            return found
        return self._better(replace(found, bound=max(found.bound, best.bound)), best)

    def _is_late(self) -> bool:
        if self.clock.is_up:
            self.clock.cut(CHOICE)
        return self.clock.is_up

    # -- the first directions that reach all levels ------------------------------------------------

    def _begun(self) -> Directions:
        likely = likely_directions(self.task, self.distances)
        attempt = self.regions.begun(likely, self._effort(None))
        clock = self.clock.part(MENDING)
        for cells in MENDED:
            attempt = self._mended(attempt, cells, clock)
        if self.regions.shortfall(attempt).any():  # then as many as can rise do
            attempt = self.regions.begun(self.task.above < NEVER, self._effort(None))
        if self.regions.shortfall(attempt).any():
            return self._whatever_it_takes(attempt.rises)
        return self._of(attempt)

    def _mended(self, attempt: Attempt, cells: int, clock: Clock) -> Attempt:
        """Move cells near to those that do not reach their level."""
        for number in np.flatnonzero(self.regions.shortfall(attempt)).tolist():
            if clock.is_up:
                self.clock.cut(CHOICE)
                break
            if not self.regions.shortfall(attempt)[number]:
                continue
            region = self.regions.around(
                int(self.task.sensitive[number]), cells=cells, directions=BLOCK
            )
            attempt = self.regions.improved(attempt, region, Effort(NODES, clock.seconds))
        return attempt

    def _whatever_it_takes(self, rises: Mask) -> Directions:
        """Search all directions at once until some reach all levels, or none can."""
        found: Mixed | None = None
        for nodes in (NODES, None):
            found = self.program.search(self.everything, rises, effort=self._effort(nodes))
            if found is None:
                raise impossible(self.task.name(self._first_impossible()))
            if found.point is not None:
                nothing = Directions(rises, self.distances.bound, np.inf, np.zeros(len(self.task)))
                return self._better(nothing, found)
        raise ProtectionError(
            "No adjustment of the table was found in time; allow more with `time_limit`."
        )

    def _first_impossible(self) -> int:
        """Find by halving how many sensitive cells can be adjusted together, in their order."""
        low, high = 0, len(self.everything)
        while high - low > 1:
            middle = (low + high) // 2
            some = replace(
                self.task,
                sensitive=self.task.sensitive[:middle],
                below=self.task.below[:middle],
                above=self.task.above[:middle],
            )
            whole, rises = np.arange(middle), np.zeros(middle, bool)
            found = DirectionProgram(some).search(whole, rises, effort=NAMED_BY)
            low, high = (low, middle) if found is None else (middle, high)
        return low

    # -- better ones -------------------------------------------------------------------------------

    def _swept(self, found: Directions) -> Directions:
        """Move the cells of one region after the other anew, over and over a large table."""
        attempt = self.regions.attempt(found.moves, found.rises)
        for sweep in range(LARGE_SWEEPS):
            before = self.regions.cost(attempt)
            is_done = np.zeros(len(self.everything), bool)
            for number in self._order(sweep).tolist():
                if self._is_late():
                    return self._of(attempt)
                if not is_done[number]:
                    seed = int(self.task.sensitive[number])
                    region = self.regions.around(seed, cells=NEARBY, directions=NEAR)
                    is_done[region.free[: NEAR // 2]] = True
                    attempt = self.regions.improved(attempt, region, self._effort(NODES))
            attempt = self.regions.improved(
                attempt, self.regions.everything(self.everything[:0]), self._effort(None)
            )
            if self.regions.cost(attempt) > before * (1 - ROUGHLY):
                break
        return self._of(attempt)

    def _improved(self, found: Directions) -> Directions:
        """Change the directions of one block after the other until a sweep gains nothing."""
        for sweep in range(MOST_SWEEPS):
            before = found.loss
            for block in _blocks(self._order(sweep), BLOCK):
                if self._is_late():
                    return found
                better = self.program.search(
                    block, found.rises, start=found.moves, effort=self._effort(NODES), gap=ROUGHLY
                )
                if better is not None:
                    found = self._better(found, better)
            if sweep and found.loss > before * (1 - ROUGHLY):
                break
        return found

    def _better(self, found: Directions, other: Mixed) -> Directions:
        """Return what loses less."""
        if other.is_timed:
            self.clock.cut(CHOICE)
        if other.point is None or other.value >= found.loss:
            return found
        rises, moves = self.program.rises(other.point), self.program.moves(other.point)
        return replace(found, rises=rises, loss=other.value, moves=moves)

    def _of(self, attempt: Attempt) -> Directions:
        """Return the directions of an attempt that reaches all levels."""
        if attempt.is_timed:
            self.clock.cut(CHOICE)
        moves = self.regions.moves(attempt)
        loss = float(product(self.task.weight, np.abs(moves))) * float(self.task.unit)
        return Directions(attempt.rises, self.distances.bound, loss, moves)

    def _effort(self, nodes: int | None) -> Effort:
        return Effort(nodes, self.clock.seconds)

    def _order(self, sweep: int) -> Ints:
        """Return the sensitive cells, neighbours in one kind of relation after the other."""
        if sweep % 2:
            return self.everything
        touched = self.task.matrix[:, self.task.sensitive].tocsc()
        last = np.full(len(self.everything), -1)
        has = np.diff(touched.indptr) > 0
        last[has] = touched.indices[touched.indptr[1:][has] - 1]
        return np.argsort(last, kind="stable")


def _blocks(order: Ints, size: int) -> list[Ints]:
    """Cut an order into blocks of about the same size."""
    return np.array_split(order, max(-(-len(order) // size), 1))
