"""Values: how far single values moved."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import ClassVar

import numpy as np

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.utility.discrepancy import (
    Discrepancy,
    by_name,
    discrepancy,
    told_lost,
    variations,
)
from tacita.microdata.utility.generalized import left_out
from tacita.microdata.utility.structure import (
    CONTINUOUS,
    PAPER,
    Attributes,
    compared,
    lost_in,
    numbers_of,
)
from tacita.results import Measurement, counted


class Values(Method):
    """How far single values moved: the mean variation between original and protected values.

    (1/(np)) sum_j sum_i |x_ij - x'_ij| / |x_ij| over the protected records, each beside the
    original record it comes from, weighted by the original sampling weights where there are any.
    Where x_ij = 0 the term is 0 if x'_ij = 0 and 1 if not; it is 1 for a value that was blanked and
    for every value of a record or attribute that was left out or is no longer a number. Where the
    original is blank there is nothing to lose and no term. The mean square and mean absolute errors
    are given beside it, over the values that are still there.

    When not to use it: on synthetic data, whose records belong to nobody, and on attributes with
    values near 0, where the variation has no bound (IL1s has none of that).

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> capped = data.apply(ta.TopCode("DH", 30), seed=0)
    >>> ta.Values(["DH"]).measure(data, data).value
    0.0
    >>> 0 < ta.Values(["DH"]).measure(data, capped).value < 1
    True
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = PAPER
    missing: ClassVar = "A value that was blanked or left out counts as changed by all of it."
    public: ClassVar = frozenset({"attributes"})
    lies_between: ClassVar = (0, inf)

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the values."""
        names = compared(original, self.attributes)
        found, parts, per_record = value_loss(original, protected, names)
        told = told_lost(lost_in(protected, names))
        return Measurement(
            self.name,
            self.family,
            found.mean_variation,
            f"relative change of a value of {counted(len(names), 'attribute')}, on average{told}",
            parts,
            per_record,
            self.parameters(),
            found._asdict(),
        )


def value_loss(
    original: Dataset, protected: Dataset, names: Sequence[str]
) -> tuple[Discrepancy, dict[str, float | None], Floats]:
    """Compare values: all measures, the mean variation by attribute and by record."""
    known = paired(original, protected)
    weights = np.ones(len(known)) if known.weight is None else known.weight
    means, counts = np.zeros((2, len(names), 3))
    changes, terms = np.zeros((2, len(known)))
    columns = zip(numbers_of(known, names), numbers_of(protected, names), strict=True)
    gone = weight_left_out(original, protected, names)
    # One attribute after the other: all at once would need several copies of the data.
    for place, (before, after) in enumerate(columns):
        there, both = ~np.isnan(before), ~np.isnan(before - after)
        found = discrepancy(before, after, weights)
        means[place] = [np.nan if part is None else part for part in found]
        counts[place] = [weights[both].sum()] * 2 + [weights[there].sum()]
        changes += np.where(there, variations(before, after), 0.0)
        terms += there
    # Of a value that was left out, only the variation is known: 1.
    changed = np.nan_to_num(means[:, 2]) * counts[:, 2] + gone
    counts[:, 2] += gone
    means[:, 2] = np.divide(changed, counts[:, 2], out=means[:, 2], where=counts[:, 2] > 0)
    totals = (np.nan_to_num(means) * counts).sum(axis=0)
    overall = zip(totals, counts.sum(axis=0), strict=True)
    whole = Discrepancy(*(float(total / count) if count else None for total, count in overall))
    return whole, by_name(names, means[:, 2]), changes / np.maximum(terms, 1)


def weight_left_out(original: Dataset, protected: Dataset, names: Sequence[str]) -> Floats:
    """Return the weight of the values of every attribute in records that were left out."""
    gone = original.take(np.flatnonzero(left_out(original, protected)))
    weights = np.ones(len(gone)) if gone.weight is None else gone.weight
    found = [weights[~np.isnan(column)].sum() for column in numbers_of(gone, names)]
    return np.array(found, np.float64)
