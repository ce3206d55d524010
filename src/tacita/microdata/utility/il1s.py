"""IL1s: how far single values moved, in standard deviations."""

from __future__ import annotations

from math import inf
from typing import ClassVar

import numpy as np

from tacita.arithmetic import arctan
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.utility.discrepancy import by_name, told_lost, variations
from tacita.microdata.utility.structure import (
    CONTINUOUS,
    Attributes,
    compared,
    lost_in,
    means_and_variances,
    numbers_of,
)
from tacita.microdata.utility.values import weight_left_out
from tacita.results import Measurement, counted


class IL1s(Method):
    """How far single values moved in standard deviations: IL1s, the scaled form of IL1.

    (1/(np)) sum_j sum_i |x_ij - x'_ij| / (sqrt(2) S_j) over the protected records, each beside the
    original record it comes from; S_j is the standard deviation of attribute j in the original
    data. Means and deviations are weighted by the sampling weights where there are any. sqrt(2) S_j
    is how far the values of two unrelated respondents typically lie apart, so a value that was
    blanked, left out (with its record, too) or is no longer a number counts 1. So does a changed
    value of an attribute that was constant. Where the original is blank there is no term.

    As sdcMicro gives them, summed without weights and over the values that are still there: `il1s`
    is the sum, `il1` 100 times the sum of |x - x'| / |x| where x is not 0, `il_variables` the mean
    of 2/pi arctan |x - x'| (which depends on the unit of measurement: near 1 for money in cents,
    near 0 in millions, whatever was masked) and `max_abs_change` the largest |x - x'|.

    When not to use it: on synthetic data, whose records belong to nobody.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.IL1s().measure(data, data).value
    0.0
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = "Yancey, Winkler & Creecy, LNCS 2316:135-152, 2002"
    missing: ClassVar = (
        "A value that was blanked or left out counts as that of an unrelated respondent, 1."
    )
    public: ClassVar = frozenset({"attributes"})
    lies_between: ClassVar = (0, inf)

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the values."""
        names, known = compared(original, self.attributes), paired(original, protected)
        spreads = np.sqrt(means_and_variances(original, names)[1])
        columns = zip(numbers_of(known, names), numbers_of(protected, names), strict=True)
        weights = np.ones(len(known)) if known.weight is None else known.weight
        # A value of a record that was left out counts 1, as one that was blanked does.
        sums, counts = np.tile(weight_left_out(original, protected, names), (2, 1))
        figures = np.zeros((len(names), 5))
        for place, (before, after) in enumerate(columns):
            gaps = _scaled(before, after, spreads[place])
            there = ~np.isnan(before)
            sums[place] += (gaps * weights)[there].sum()
            counts[place] += weights[there].sum()
            figures[place] = _figures(before, after, gaps)
        parts = np.divide(sums, counts, out=np.full(len(names), np.nan), where=counts > 0)
        total = float(counts.sum())
        return Measurement(
            self.name,
            self.family,
            float(sums.sum()) / total if total else None,
            f"values of {counted(len(names), 'attribute')} moved by this much on average, as a "
            f"share of how far two respondents lie apart{told_lost(lost_in(protected, names))}",
            by_name(names, parts),
            parameters=self.parameters(),
            figures=_named(figures),
        )


def _scaled(before: Floats, after: Floats, spread: float) -> Floats:
    """Return |x - x'| / (sqrt(2) S), or 1 where it cannot be computed."""
    gaps = np.abs(before - after)
    found = np.where(gaps == 0, 0.0, 1.0)
    if spread > 0:
        found = np.where(np.isnan(gaps), 1.0, gaps / (np.sqrt(2) * spread))
    return found


def _figures(before: Floats, after: Floats, gaps: Floats) -> list[float]:
    """Return the sums il1s, il1 and il_variables, their number and the largest change."""
    both = ~np.isnan(before) & ~np.isnan(after)
    change = np.abs(before - after)[both]
    relative = variations(before, after)[both & (before != 0)]
    bounded = 2 / np.pi * arctan(change)
    sums = [gaps[both].sum(), 100 * relative.sum(), bounded.sum()]
    return [*sums, len(change), change.max(initial=0.0)]


def _named(figures: Floats) -> dict[str, float | None]:
    il1s, il1, bounded, values, _ = map(float, figures.sum(axis=0))
    return {
        "il1s": il1s,
        "il1": il1,
        "il_variables": bounded / values if values else None,
        "max_abs_change": float(figures[:, -1].max(initial=0.0)),
    }
