"""Joining rare cells of an attribute: what noise hides is not worth a cell of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.microdata.synthesis.measuring_marginals.domain import Variable
from tacita.microdata.synthesis.measuring_marginals.drawing import systematic
from tacita.microdata.synthesis.measuring_marginals.fitting import Measured

NOTICED = 3  # standard deviations of the noise from which on a cell stands on its own


@dataclass(frozen=True, eq=False)
class Joined:
    """The groups of an attribute's cells.

    Args:
        of_cell: the group of every cell.
        counts: the noisy count of every cell, none below 0.
        possible: whether a cell is drawn where nothing is known of its group.
    """

    of_cell: Ints
    counts: Floats
    possible: Mask

    @classmethod
    def of(cls, variable: Variable, noisy: Measured) -> Joined:
        """Join cells with less than three standard deviations of the noise.

        Neighbours are joined where cells are ordered, until numbers are in classes of a twentieth
        of the records each; the rarest categories else. Where nobody says whether there can be
        blanks, and the noise hides them, there are none. Only noisy counts are looked at.
        """
        counts = np.maximum(noisy.counts, 0)
        possible = np.ones(len(counts), np.bool_)
        noticed = NOTICED * float(np.sqrt(noisy.variances[0]))
        if variable.blanks is None and counts[-1] < noticed:
            counts[-1], possible[-1] = 0, False
        least = max(noticed, variable.least_share * float(counts.sum()))
        groups = _groups(counts, least, variable)
        return cls(groups if possible[-1] else _without_last(groups, counts), counts, possible)

    def measured(self, noisy: Measured) -> Measured:
        """Return the noisy counts of the groups."""
        counts = np.bincount(self.of_cell, noisy.counts).astype(np.float64)
        variances = np.bincount(self.of_cell, noisy.variances).astype(np.float64)
        return Measured(noisy.attributes, counts, variances)

    def cells(self, groups: Ints, rng: np.random.Generator) -> Ints:
        """Draw a cell of every group, by the noisy counts; all alike where these are 0."""
        order = np.argsort(self.of_cell, kind="stable")
        held = np.bincount(self.of_cell, self.counts)
        shares = np.where(held[self.of_cell] > 0, self.counts, self.possible)[order]
        cells: Ints = order[systematic(shares, self.of_cell[order], groups, rng)]
        return cells


def _groups(counts: Floats, least: float, variable: Variable) -> Ints:
    """Return the group of every cell."""
    if not variable.ordered:
        return _rarest(counts, least)
    if variable.blanks is False:
        return np.array(list(_runs(counts.tolist(), least)), np.int64)
    *within, blank = counts.tolist()
    groups = list(_runs(within, least))
    last = groups[-1] + (blank >= least)  # blanks stay alone if there are enough
    return np.array([*groups, last], np.int64)


def _without_last(groups: Ints, counts: Floats) -> Ints:
    """Put the last cell, which is never drawn, into the smallest group if it is alone in its own.

    >>> _without_last(np.array([0, 1, 2]), np.array([9.0, 5.0, 0.0])).tolist()
    [0, 1, 1]
    """
    *others, last = groups
    if last in others:
        return groups
    return np.array([*others, np.bincount(others, counts[:-1]).argmin()], np.int64)


def _runs(counts: list[float], least: float) -> Iterator[int]:
    """Yield the run of every cell; each has enough records, and the last what is left over."""
    run, held, rest = 0, 0.0, sum(counts)
    for count in counts:
        yield run
        held, rest = held + count, rest - count
        if held >= least and rest >= least:
            run, held = run + 1, 0.0


def _rarest(counts: Floats, least: float) -> Ints:
    """Join all cells with too few records."""
    common = counts >= least
    groups: Ints = np.where(common, np.cumsum(common) - 1, common.sum())
    return groups
