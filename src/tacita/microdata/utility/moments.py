"""Means, variances, covariances and correlations: what most analyses start from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement
from math import inf
from typing import ClassVar

import numpy as np

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.utility.discrepancy import (
    Discrepancy,
    by_name,
    discrepancy,
    measured,
    told_lost,
    variations,
)
from tacita.microdata.utility.structure import (
    CONTINUOUS,
    MISSING,
    PAPER,
    Attributes,
    Structure,
    compared,
    compared_in_pairs,
    lost_in,
    means_and_variances,
    structure,
)
from tacita.results import Measurement, counted


class Means(Method):
    """How far the means moved: the mean variation between the vectors of averages.

    (1/p) sum_j |m_j - m'_j| / |m_j|, weighted by the sampling weights where there are any. Where
    m_j = 0 the term is 0 if m'_j = 0 and 1 if not; it is 1 for an attribute that was left out or is
    no longer a number. The mean square and mean absolute errors are given beside it, of the
    attributes that still have a mean.

    When not to use it: on attributes whose mean is near 0, where the variation has no bound.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> capped = data.apply(ta.TopCode("DH", 30), seed=0)
    >>> round(float(ta.information_loss(data, capped)["means"].parts["DH"]), 4)
    0.2797
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = PAPER
    missing: ClassVar = MISSING
    public: ClassVar = frozenset({"attributes"})
    lies_between: ClassVar = (0, inf)

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the means."""
        names = compared(original, self.attributes)
        before, after = (means_and_variances(data, names)[0] for data in (original, protected))
        return _measured(self, "means", names, before, after, lost_in(protected, names))


class Variances(Method):
    """How far the variances moved: the mean variation between the diagonals of the covariances.

    (1/p) sum_j |v_jj - v'_jj| / |v_jj|, weighted by the sampling weights where there are any. Where
    v_jj = 0 the term is 0 if v'_jj = 0 and 1 if not; it is 1 for an attribute that was left out or
    is no longer a number. The mean square and mean absolute errors are given beside it, of the
    attributes that still have a variance.

    When not to use it: alone; noise that doubles one variance and halves another costs as much as
    noise that does the same to both.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.information_loss(data, data)["variances"].value
    0.0
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = PAPER
    missing: ClassVar = MISSING
    public: ClassVar = frozenset({"attributes"})
    lies_between: ClassVar = (0, inf)

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the variances."""
        names = compared(original, self.attributes)
        before, after = (means_and_variances(data, names)[1] for data in (original, protected))
        return _measured(self, "variances", names, before, after, lost_in(protected, names))


class Covariances(Method):
    """How far the covariances moved: the mean variation between the covariance matrices.

    2 / (p (p + 1)) sum_{i<=j} |v_ij - v'_ij| / |v_ij|, variances included, weighted by the
    sampling weights where there are any. Where v_ij = 0 (or is nothing but rounding, |r_ij| below
    1e-12) the term is 0 if v'_ij = 0 and 1 if not; it is 1 with an attribute that was left out or
    is no longer a number. Of more than 200 attributes the first 200 are compared, unless
    `attributes` names more. The printed table sums i < j over p (p + 1) / 2 terms, a misprint.

    When not to use it: with many nearly independent attributes, whose covariances near 0 give
    variations without bound; correlations have none of that.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.information_loss(data, data)["covariances"].value
    0.0
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = PAPER
    missing: ClassVar = MISSING
    public: ClassVar = frozenset({"attributes"})
    lies_between: ClassVar = (0, inf)

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the covariances."""
        names, some = compared_in_pairs(original, self.attributes)
        before, after = (structure(data, names) for data in (original, protected))
        found, value, parts = covariance_loss(names, before, after)
        told = told_lost(lost_in(protected, names))
        pairs = counted(len(parts), "pair")
        sentence = f"relative change of the covariances of {pairs}{some}, on average{told}"
        return measured(self, found, value, sentence, parts)


class Correlations(Method):
    """How far the correlations moved: their mean absolute difference over pairs of attributes.

    2 / (p (p - 1)) sum_{i<j} |r_ij - r'_ij|, weighted by the sampling weights where there are any.
    A constant attribute has no correlations; its pairs are left out. With an attribute that was
    left out or is no longer a number, r' counts as 0. Of more than 200 attributes the first 200
    are compared, unless `attributes` names more. The mean square error and the mean variation,
    which small correlations blow up, are given beside it.

    When not to use it: on attributes that depend on one another in other ways than along a line.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.information_loss(data, data)["correlations"].value
    0.0
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = PAPER
    missing: ClassVar = MISSING
    public: ClassVar = frozenset({"attributes"})
    lies_between: ClassVar = (0, 2)

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the correlations."""
        names, some = compared_in_pairs(original, self.attributes)
        before, after = (structure(data, names) for data in (original, protected))
        found, value, parts = correlation_loss(names, before, after)
        told = told_lost(lost_in(protected, names))
        pairs = counted(len(parts), "pair")
        sentence = f"correlations of {pairs}{some} moved by this much on average{told}"
        return measured(self, found, value, sentence, parts)


Loss = tuple[Discrepancy, float | None, dict[str, float | None]]


def covariance_loss(names: Sequence[str], before: Structure, after: Structure) -> Loss:
    """Compare covariances and variances: all measures, the one that counts, and its parts."""
    pairs = np.triu_indices(len(names))
    ours, theirs = before.covariance[pairs], after.covariance[pairs]
    found = discrepancy(ours, theirs)
    labels = [_label(pair) for pair in combinations_with_replacement(names, 2)]
    return found, found.mean_variation, by_name(labels, variations(ours, theirs))


def correlation_loss(names: Sequence[str], before: Structure, after: Structure) -> Loss:
    """Compare correlations: all measures, the one that counts, and its parts."""
    pairs = np.triu_indices(len(names), 1)
    # A correlation that cannot be computed any more is as good as none.
    ours, theirs = before.correlation[pairs], np.nan_to_num(after.correlation[pairs])
    found = discrepancy(ours, theirs)
    labels = [_label(pair) for pair in combinations(names, 2)]
    parts = by_name(labels, np.abs(ours - theirs))
    known = {label: gap for label, gap in parts.items() if gap is not None}
    return found, found.mean_absolute_error, dict(known)


def _label(pair: tuple[str, str]) -> str:
    return pair[0] if pair[0] == pair[1] else " x ".join(pair)


def _measured(
    method: Method, what: str, names: list[str], before: Floats, after: Floats, lost: list[str]
) -> Measurement:
    """Compare one statistic an attribute."""
    found, parts = discrepancy(before, after), variations(before, after)
    whose = counted(int((~np.isnan(parts)).sum()), "attribute")
    sentence = f"relative change of the {what} of {whose}, on average{told_lost(lost)}"
    return measured(method, found, found.mean_variation, sentence, by_name(names, parts))
