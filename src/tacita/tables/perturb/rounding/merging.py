"""Cells that are the only part of a total are the same cell: they are rounded once.

Deep hierarchies and sparse tables are full of them. What is left has fewer cells and relations, and
the same roundings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Ints
from tacita.tables.cells import Cells
from tacita.tables.perturb.rounding.problem import RoundingProblem
from tacita.tables.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PAIR = 2  # cells of a relation that says that they are the same


@dataclass(frozen=True, eq=False)
class Merged:
    """A problem in which equal cells are one.

    Args:
        problem: the smaller problem.
        place: which of its cells every cell of the larger one is.
    """

    problem: RoundingProblem
    place: Ints


def merged(problem: RoundingProblem) -> Merged:
    """Make one cell of those that a relation says are the same."""
    place = _places(problem)
    cells = int(place.max(initial=-1)) + 1
    first = np.zeros(cells, np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]
    relations = _joined(problem.relations, place, cells)
    kept = _kept(relations, problem.rhs)
    below, rest, units = problem.parted
    return Merged(
        replace(
            problem,
            system=replace(
                problem.system,
                cells=_known_of_all(problem.system, place, first),
                relations=relations[kept],
                rhs=problem.system.rhs[kept],
            ),
            parted=type(problem.parted)(below[first], rest[first], units),
            weight=np.bincount(place, problem.weight, cells).astype(np.float64),
            rhs=problem.rhs[kept],
        ),
        place,
    )


def _places(problem: RoundingProblem) -> Ints:
    """Give cells that are the same one number; those that doubles tell apart stay apart."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    relations, (below, rest, _) = problem.relations, problem.parted
    pairs = np.flatnonzero((np.diff(relations.indptr) == PAIR) & (problem.rhs == 0))
    starts = relations.indptr[pairs]
    one, other = relations.indices[starts], relations.indices[starts + 1]
    is_same = relations.data[starts] == -relations.data[starts + 1]
    is_same &= (below[one] == below[other]) & (rest[one] == rest[other])
    ends = one[is_same], other[is_same]
    graph = coo_array((np.ones(len(ends[0]), bool), ends), (len(problem), len(problem)))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def _joined(relations: csr_array, place: Ints, cells: int) -> csr_array:
    """Return the relations of the cells that are left."""
    from scipy.sparse import csr_array

    entries = relations.data, place[relations.indices], relations.indptr
    joined = csr_array(entries, (relations.shape[0], cells), copy=True)
    joined.sum_duplicates()
    joined.eliminate_zeros()
    return joined


def _kept(relations: csr_array, rhs: Ints) -> Ints:
    """Return the relations that say something no other one says as well."""
    ends, cells, signs = relations.indptr.tolist(), relations.indices, relations.data
    said: dict[tuple[bytes, bytes, int], int] = {}
    for row, come_to in enumerate(rhs.tolist()):
        part = slice(ends[row], ends[row + 1])
        if part.stop > part.start or come_to:
            said.setdefault((cells[part].tobytes(), signs[part].tobytes(), come_to), row)
    return np.array(list(said.values()), np.int64)


def _known_of_all(system: System, place: Ints, first: Ints) -> Cells:
    """Return the cells that are left, with what everybody knows of all that are the same."""
    cells = system.cells
    lower, upper = np.full(len(first), -np.inf), np.full(len(first), np.inf)
    np.maximum.at(lower, place, cells.lower_bound)
    np.minimum.at(upper, place, cells.upper_bound)
    return replace(cells.take(first), lower_bound=lower, upper_bound=upper)
