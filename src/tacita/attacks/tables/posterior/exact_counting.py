"""Every table of whole counts that agrees with what is published, counted without listing them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacita.data.classes import Ints
from tacita.tables.audit.presolve import Problem

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Rest = tuple[int, ...]  # what the relations under way still have to come to


class Counted(NamedTuple):
    """How often each value of each cell occurs among the feasible tables.

    Args:
        values: for each cell, the weight of the tables in which it has its least value, one more,
            and so on.
        total: the weight of all tables.
    """

    values: list[list[int]]
    total: int


@dataclass(frozen=True)
class _Step:
    """A cell that is given a value, and what that does to the relations under way.

    Args:
        cell: the cell.
        least: its least value; `most` its largest.
        opened: what the relations come to that this cell is the first of.
        touched: for each relation of the cell: its place among those under way, the coefficient,
            and between which numbers the cells still to come can bring it.
        kept: the places of the relations that have cells still to come.
    """

    cell: int
    least: int
    most: int
    opened: Rest
    touched: tuple[tuple[int, int, int, int], ...]
    kept: tuple[int, ...]

    def moves(self, rest: Rest) -> Iterator[tuple[int, Rest]]:
        """Give every value that the cell may have, with what is left of the relations."""
        left = rest + self.opened
        low, high = self.least, self.most
        for place, sign, least, most in self.touched:
            ends = (left[place] - most) * sign, (left[place] - least) * sign
            low, high = max(low, min(ends)), min(high, max(ends))
        for value in range(low, high + 1):
            after = list(left)
            for place, sign, _, _ in self.touched:
                after[place] -= sign * value
            yield value, tuple(after[place] for place in self.kept)


def count_tables(problem: Problem, weights: Sequence[Sequence[int]], most: int) -> Counted | None:
    """Add up the weights of all feasible tables, cell by cell and value by value.

    Cells get their values one after the other. Two partial tables that leave the same rest to
    every relation under way have the same completions, so they are carried on as one; a second
    pass from the end gives the weight of the completions. The result is exact.

    Args:
        problem: cells with finite bounds; coefficients are 1 and -1.
        weights: for each cell, the weight of its least value, of one more, and so on; a table
            weighs the product of its cells.
        most: how many steps from one partial table to the next may be taken.

    Returns:
        The weights, or None where there would be more steps.
    """
    steps = _steps(problem)
    layers: list[dict[Rest, int]] = [{(): 1}]
    taken = 0
    for step in steps:
        following: dict[Rest, int] = {}
        for rest, weight in layers[-1].items():
            for value, after in step.moves(rest):
                gained = weight * weights[step.cell][value - step.least]
                following[after] = following.get(after, 0) + gained
                taken += 1
            if taken > most:
                return None
        layers.append(following)
    return _backwards(steps, layers, weights)


def _backwards(
    steps: Sequence[_Step], layers: Sequence[dict[Rest, int]], weights: Sequence[Sequence[int]]
) -> Counted:
    """Meet the weights from the start with those from the end."""
    found = [[0] * len(weight) for weight in weights]
    to_come: dict[Rest, int] = {(): 1}
    for step, layer in zip(reversed(steps), reversed(layers[:-1]), strict=True):
        before: dict[Rest, int] = {}
        for rest, weight in layer.items():
            for value, after in step.moves(rest):
                own = weights[step.cell][value - step.least] * to_come.get(after, 0)
                before[rest] = before.get(rest, 0) + own
                found[step.cell][value - step.least] += weight * own
        to_come = before
    return Counted(found, to_come.get((), 0))


def _steps(problem: Problem) -> list[_Step]:
    """Plan the order of the cells, and what each does to the relations."""
    by_cell = problem.matrix.T.tocsr()
    lower = [int(end) for end in problem.ends.lower]
    upper = [int(end) for end in problem.ends.upper]
    order = _order(problem.matrix, by_cell)
    reach = _reach(by_cell, order, lower, upper)
    last = {row: number for number, cell in enumerate(order) for row in _relations(by_cell, cell)}
    under_way: list[int] = []
    steps = []
    for number, cell in enumerate(order):
        signs = _relations(by_cell, cell)
        opened = [row for row in signs if row not in under_way]
        under_way += opened
        kept = tuple(p for p, row in enumerate(under_way) if last[row] > number)
        touched = tuple(
            (under_way.index(row), sign, *reach[number, row]) for row, sign in signs.items()
        )
        rests = tuple(int(problem.rhs[row]) for row in opened)
        steps.append(_Step(cell, lower[cell], upper[cell], rests, touched, kept))
        under_way = [under_way[place] for place in kept]
    return steps


def _relations(by_cell: csr_array, cell: int) -> dict[int, int]:
    """Return the relations of a cell with their coefficients."""
    span = slice(by_cell.indptr[cell], by_cell.indptr[cell + 1])
    return dict(zip(by_cell.indices[span].tolist(), by_cell.data[span].tolist(), strict=True))


def _order(by_relation: csr_array, by_cell: csr_array) -> list[int]:
    """Order the cells so that few relations are under way at a time.

    Next comes the cell that opens the fewest relations, net of those it closes.
    """
    left: Ints = np.diff(by_relation.indptr).astype(np.int64)
    size = left.copy()
    waiting = dict.fromkeys(range(by_cell.shape[0]))
    order = []
    while waiting:

        def net(cell: int) -> int:
            rows = list(_relations(by_cell, cell))
            return int((left[rows] == size[rows]).sum() - (left[rows] == 1).sum())

        best = min(waiting, key=net)
        order.append(best)
        del waiting[best]
        left[list(_relations(by_cell, best))] -= 1
    return order


def _reach(
    by_cell: csr_array, order: Sequence[int], lower: Sequence[int], upper: Sequence[int]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Return, for each step and each of its relations, what the cells to come can add up to."""
    ends: dict[int, tuple[int, int]] = {}
    reach = {}
    for number, cell in reversed(list(enumerate(order))):
        for row, sign in _relations(by_cell, cell).items():
            low, high = ends.get(row, (0, 0))
            reach[number, row] = low, high
            own = sorted((sign * lower[cell], sign * upper[cell]))
            ends[row] = low + own[0], high + own[1]
    return reach
