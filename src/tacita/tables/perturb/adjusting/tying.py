"""Cells that relations tie to one another: they move together, and are one unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacita.data.classes import Ints, Mask

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FIXED = -1
PAIR = 2


class Ties(NamedTuple):
    """Which cells move together.

    Args:
        unknown: the number of the unknown that each cell moves with; -1 where it cannot move.
        sign: 1 where a cell moves as its unknown does, -1 where it moves the other way.
        relations: what is left of the relations, between the unknowns, each of them once.
    """

    unknown: Ints
    sign: Ints
    relations: csr_array


def tied(relations: csr_array) -> Ties:
    """Work out which cells move together, in whole numbers.

    A relation of which two cells are left ties them; one of which a single cell is left fixes it.
    Once these are one unknown, other relations become as short.

    >>> from scipy.sparse import csr_array
    >>> ties = tied(csr_array(np.array([[1, 1, 0, 0], [0, 1, 1, -1]])))
    >>> ties.unknown, ties.sign, ties.relations.toarray()
    (array([0, 0, 1, 2]), array([ 1, -1,  1,  1]), array([[-1,  1, -1]]))

    Args:
        relations: one row a relation between moves, with whole coefficients.
    """
    cells = relations.shape[1]
    unknown, sign, left = np.arange(cells), np.ones(cells, np.int64), _narrowed(relations)
    while (np.diff(left.indptr) <= PAIR).any():
        number, turned = _one_round(left)
        if len(number) == number.max(initial=FIXED) + 1:  # two cells, but not one for one
            break
        sign *= np.where(unknown == FIXED, 1, turned[unknown])
        unknown = np.where(unknown == FIXED, FIXED, number[unknown])
        left = _narrowed(left @ _picks(number, turned))
    return Ties(unknown, sign, left)


def _one_round(relations: csr_array) -> tuple[Ints, Ints]:
    """Return the new unknown of each old one after one round of ties, and the sign against it.

    Each unknown stands twice in a graph, as it is and turned around; a tie joins both pairs. One
    that is joined to its own opposite cannot move.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    size, first, width = relations.shape[1], relations.indptr[:-1], np.diff(relations.indptr)
    alone = relations.indices[first[width == 1]]
    pairs = first[width == PAIR]
    one, other = relations.indices[pairs], relations.indices[pairs + 1]
    here, there = relations.data[pairs], relations.data[pairs + 1]
    same, opposite = here == -there, here == there
    ends = [
        (one[same], other[same]),
        (one[same] + size, other[same] + size),
        (one[opposite], other[opposite] + size),
        (one[opposite] + size, other[opposite]),
        (alone, alone + size),
    ]
    left, right = (np.concatenate(side) for side in zip(*ends, strict=True))
    graph = csr_array((np.ones(len(left), np.int8), (left, right)), shape=(2 * size, 2 * size))
    label = connected_components(graph, directed=False)[1]
    plain, turned = label[:size], label[size:]
    return _numbered(np.minimum(plain, turned), plain == turned), np.where(plain <= turned, 1, -1)


def _numbered(label: Ints, is_fixed: Mask) -> Ints:
    number = np.full(len(label), FIXED)
    number[~is_fixed] = np.unique(label[~is_fixed], return_inverse=True)[1]
    return number


def _picks(number: Ints, sign: Ints) -> csr_array:
    """Return the matrix that expresses old unknowns by new ones."""
    from scipy.sparse import csr_array

    moves = np.flatnonzero(number != FIXED)
    shape = len(number), int(number.max(initial=FIXED)) + 1
    return csr_array((sign[moves], (moves, number[moves])), shape=shape)


def _narrowed(relations: csr_array) -> csr_array:
    """Return relations without cells of coefficient 0, and every relation but once."""
    left = relations.tocsr().astype(np.int64)
    left.sum_duplicates()
    left.eliminate_zeros()
    first: dict[tuple[bytes, bytes], int] = {}
    for row in np.flatnonzero(np.diff(left.indptr)).tolist():
        entries = slice(left.indptr[row], left.indptr[row + 1])
        first.setdefault((left.indices[entries].tobytes(), left.data[entries].tobytes()), row)
    return left[np.array(list(first.values()), np.int64)]
