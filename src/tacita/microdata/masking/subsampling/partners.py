"""Partners: for records that give their values up, records that are nearly like them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tacita.data.classes import Ints

NOBODY = -1


def partners(codes: Sequence[Ints], strata: Ints, wanted: Ints, rng: np.random.Generator) -> Ints:
    """Find for some records another one of their stratum that differs in as few codes as can be.

    Partners that differ in one code are looked for first, then in two neighbours of a random order
    of the codes, and so on; among several, chances decide. A record whose stratum has no other
    combination of codes has none (-1).

    >>> codes = [np.array([0, 0, 0, 1]), np.array([5, 6, 7, 7])]
    >>> partners(codes, np.zeros(4, np.int64), np.array([3]), np.random.default_rng(0))
    array([2])

    Args:
        codes: for every attribute a code for every record.
        strata: the stratum of every record.
        wanted: the records that need a partner.
        rng: where chances come from.
    """
    from tacita.kernels.grouping import group

    combination = group([strata, *codes]).ids
    found = np.full(len(wanted), NOBODY)
    for kept in _kept(len(codes), rng):
        open_ = np.flatnonzero(found == NOBODY)
        rows = np.flatnonzero(np.isin(strata, strata[wanted[open_]]))
        if not len(rows):
            break
        alike = group([strata[rows], *(codes[place][rows] for place in kept)]).ids
        at = np.searchsorted(rows, wanted[open_])
        drawn = _drawn(alike, combination[rows], at, rng)
        found[open_] = np.where(drawn < 0, NOBODY, rows[drawn])
    return found


def _kept(size: int, rng: np.random.Generator) -> Iterator[Ints]:
    """Yield the codes in which partners agree: all but one, all but two neighbours, ... none."""
    order = rng.permutation(size)
    for gone in range(1, size + 1):
        for turn in range(size if gone < size else 1):
            yield np.roll(order, turn)[gone:]


def _drawn(groups: Ints, combinations: Ints, at: Ints, rng: np.random.Generator) -> Ints:
    """Draw for some records one of their group with another combination; -1 if there is none."""
    order = np.lexsort((combinations, groups))
    first, size = _runs(groups, order)
    own, count = _runs(combinations, order)  # a group holds whole combinations
    others = size[at] - count[at]
    turn = rng.integers(0, np.maximum(others, 1))
    place = first[at] + turn + np.where(first[at] + turn >= own[at], count[at], 0)
    return np.where(others > 0, order[np.minimum(place, len(order) - 1)], NOBODY)


def _runs(labels: Ints, order: Ints) -> tuple[Ints, Ints]:
    """Return where the records with each record's label begin in the order, and how many."""
    size = np.bincount(labels)
    first = np.empty(len(size), np.int64)
    first[labels[order[::-1]]] = np.arange(len(order))[::-1]  # the first is written last
    return first[labels], size[labels]
