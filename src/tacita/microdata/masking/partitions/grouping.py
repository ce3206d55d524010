"""A grouping: which records share their values of some attributes from now on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.microdata.masking.partitions.improving import squares_within
from tacita.microdata.masking.partitions.representatives import drawn, least_of, means

NO_GROUP = -1


@dataclass(frozen=True, eq=False)
class Grouping:
    """The groups over some attributes.

    Args:
        names: the attributes.
        known: records by attributes: where there was a value.
        kept: where there still is one; in a group, all members have the same blanks.
        points: records by attributes, in the unit of distances; blanks are 0. Without any where
            some attribute is no number.
        labels: the group of every record; -1 where a record has no value left.
    """

    names: tuple[str, ...]
    known: Mask
    kept: Mask
    points: Floats
    labels: Ints

    def drawn(self, weights: Floats | None, rng: np.random.Generator) -> Ints:
        """Draw a member of every group."""
        rows = np.flatnonzero(self.labels >= 0)
        rates = np.ones(len(rows)) if weights is None else weights[rows]
        return rows[drawn(self.labels[rows], rates, rng)]

    def middle(self) -> Mask:
        """Tell which record of every group is the nearest to its average."""
        rows = np.flatnonzero(self.labels >= 0)
        labels, gaps = self.labels[rows], np.zeros(len(rows))
        for column in self.points[rows].T:
            gaps += np.square(column - means(column, labels, np.ones(len(rows)))[labels])
        chosen = np.zeros(len(self.labels), np.bool_)
        chosen[rows[least_of(gaps, labels)]] = True
        return chosen

    def described(self) -> dict[str, Any]:
        """Return how many groups there are, how large, and what they lose of all squares."""
        rows = self.labels >= 0
        labels = self.labels[rows]
        sizes = np.bincount(labels)
        told = {
            "attributes": list(self.names),
            "groups": len(sizes),
            "smallest": int(sizes.min(initial=len(labels))),
            "largest": int(sizes.max(initial=0)),
            "suppressed": int(np.count_nonzero(self.known & ~self.kept)),
        }
        if not self.points.size:
            return told
        total = squares_within(self.points[rows], np.zeros_like(labels))
        lost = squares_within(self.points[rows], labels)
        return {**told, "lost": lost / total if total else 0.0}
