"""Range distance: how far off a generalized value may be."""

from __future__ import annotations

from math import frexp, inf
from typing import ClassVar

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.method import ANY_KIND, Method
from tacita.microdata.comparing.coverage import Coverage
from tacita.microdata.utility.generalized import Keys, cells
from tacita.results import Measurement, counted


class RangeDistance(Method):
    """How far off released values may be: the distance of each record to the far end of its ranges.

    (1 / (n m)) sum_i sqrt(sum_j ((a_ij - a'_ij) / sigma_j)^2) over n original records and m keys:
    a'_ij is the released value or, if it is a range, the end of it that is farther from a_ij; for a
    blank and for a record that was left out, the farther end of the domain. sigma_j is the standard
    deviation of the original values (dividing by n). Numbers, dates and codes of digits count as
    numbers, categories as their place in the domain. In standard deviations, not bounded; the
    figure `relative` is the share of what it would be with everything suppressed.

    When not to use it: on nominal keys alone, whose order means nothing.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.RangeDistance(["DH"]).measure(data, data.apply(ta.TopCode("DH", 30), seed=0)).value > 0
    True
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = (
        "Sanchez, Martinez & Domingo-Ferrer, Science 351(6279):1274, 2016, eqs. 2-4"
    )
    missing: ClassVar = (
        "A blank is as far off as the domain allows; one in the original data is not compared."
    )
    public: ClassVar = frozenset({"keys"})
    lies_between: ClassVar = (0, inf)

    keys: Keys = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Find the distance of every record."""
        rows = paired_rows(original, protected)
        squares, worst = np.zeros(len(original)), np.zeros(len(original))
        parts: dict[str, float | None] = {}
        made = cells(original, protected, self.keys)
        for name, one in made.items():
            distances, farthest = _distances(one.cover, rows)
            parts[name] = float(distances.mean()) if len(distances) else None
            squares += distances**2
            worst += farthest**2
        total, most = float(np.sqrt(squares).sum()), float(np.sqrt(worst).sum())
        return Measurement(
            self.name,
            self.family,
            total / (len(original) * len(made)) if len(original) else None,
            f"standard deviations that a value of {counted(len(made), 'key')} may be off, "
            "in the worst case",
            parts,
            per_record=np.sqrt(squares)[rows] / len(made),
            parameters=self.parameters(),
            figures={"relative": total / most if most else 0.0},
        )


def _distances(cover: Coverage, rows: Ints) -> tuple[Floats, Floats]:
    """Return how far each original value may be off, and how far it could be, over sigma."""
    # In a unit in which nothing is too large to be squared.
    unit = 2.0 ** min(-frexp(max(map(abs, cover.limits)))[1], 1000)
    known = cover.known * unit
    there = known[~np.isnan(known)]
    sigma = float(there.std()) if len(there) else 0.0
    farthest = _farther(known, *(np.array(cover.limits) * unit))
    distances = farthest.copy()
    if len(cover.own):
        lower, upper = (ends[cover.of_record] * unit for ends in (cover.lower, cover.upper))
        distances[rows] = _farther(cover.own * unit, lower, upper)
    scale = 1 / sigma if sigma > 0 else 0.0
    return np.nan_to_num(distances) * scale, np.nan_to_num(farthest) * scale


def _farther(own: Floats, low: Floats, high: Floats) -> Floats:
    return np.maximum(np.abs(own - low), np.abs(high - own))
