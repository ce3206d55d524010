"""Mean information loss: one number for values, means, covariances, variances and correlations."""

from __future__ import annotations

from math import inf
from typing import ClassVar

import numpy as np

from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.utility.discrepancy import discrepancy, told_lost
from tacita.microdata.utility.moments import correlation_loss, covariance_loss
from tacita.microdata.utility.structure import (
    CONTINUOUS,
    PAPER,
    Attributes,
    compared_in_pairs,
    lost_in,
    means_and_variances,
    structure,
)
from tacita.microdata.utility.values import value_loss
from tacita.results import Measurement


class MeanInformationLoss(Method):
    """The information loss of the Domingo-Ferrer and Torra score: the mean of five discrepancies.

    IL = 100/5 (values + means + covariances + variances + correlations): the mean variations of
    X - X' and of the averages, covariances (i <= j) and variances, and the mean absolute error of
    the correlations (the printed sum over i <= j adds only zeros on the diagonal). The value is
    IL / 100, so that 0 means that nothing was lost; `il` is IL in percent. It has no upper bound.
    Conventions are those of the five measures. A component that does not exist (correlations of
    one attribute) is left out of the mean. Of more than 200 attributes the first 200 are compared,
    unless `attributes` names more.

    When not to use it: on synthetic data, whose records belong to nobody, and where values or
    covariances near 0 let single relative changes outweigh all others; the probabilistic
    information loss has bounds.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.MeanInformationLoss().measure(data, data).value
    0.0
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = PAPER
    missing: ClassVar = (
        "A value that was blanked or left out counts as changed by all of it; each statistic uses "
        "the records in which its attributes are not blank."
    )
    public: ClassVar = frozenset({"attributes"})
    lies_between: ClassVar = (0, inf)

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare values, means, covariances, variances and correlations."""
        names, some = compared_in_pairs(original, self.attributes)
        before, after = (structure(data, names) for data in (original, protected))
        averages = (means_and_variances(data, names)[0] for data in (original, protected))
        diagonals = (found.covariance.diagonal() for found in (before, after))
        components = {
            "values": value_loss(original, protected, names)[0].mean_variation,
            "means": discrepancy(*averages).mean_variation,
            "covariances": covariance_loss(names, before, after)[1],
            "variances": discrepancy(*diagonals).mean_variation,
            "correlations": correlation_loss(names, before, after)[1],
        }
        known = [part for part in components.values() if part is not None]
        value = float(np.mean(known)) if known else None
        return Measurement(
            self.name,
            self.family,
            value,
            "mean change of values, means, covariances, variances and correlations"
            f"{some}{told_lost(lost_in(protected, names))}",
            parameters=self.parameters(),
            figures={"il": None if value is None else 100 * value, **components},
        )
