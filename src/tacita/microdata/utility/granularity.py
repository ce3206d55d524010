"""Granularity: the share of the domain that cells stand for, all attributes together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from tacita.arithmetic import exp, log
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.utility.generalized import (
    BLANK_LOSES_ALL,
    Cells,
    Keys,
    cells,
    normalized,
)
from tacita.results import Measurement, counted


class Granularity(Method):
    """How coarse the cells became: Iyengar's loss, put on one scale for all attributes at once.

    With s_j the mean share of attribute j (see `generalization_loss`) and b_j the share of an exact
    value, the loss is (mean s_j - mean b_j) / (1 - mean b_j): 0 for the original, 1 when all is
    suppressed. An attribute of few values weighs less than in `generalization_loss`, as one of its
    exact values already stands for much of its domain. ARX calls 1 minus this granularity.

    The figure `ambiguity` (Goldberger & Tassa) is the mean number of combinations of values that a
    record stands for, likewise from 0 to 1: (mean prod_j a_j - 1) / (prod_j |D_j| - 1).

    When not to use it: on perturbed values, which are exact and cost nothing here.

    >>> import tacita as ta
    >>> data = ta.example("toy", 100)
    >>> ta.Granularity().measure(data, data.apply(ta.Generalize("zip", level=5), seed=0)).value > 0
    True
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = "Iyengar, Proc. KDD 2002, pp. 279-288"
    missing: ClassVar = BLANK_LOSES_ALL
    public: ClassVar = frozenset({"keys"})

    keys: Keys = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Find how coarse the cells are."""
        made = cells(original, protected, self.keys)
        told = [one for one in made.values() if one.values]
        share, base = (
            float(np.mean([getattr(one, part) for one in told])) if told else 0.0
            for part in ("mean", "base")
        )
        return Measurement(
            self.name,
            self.family,
            normalized(share, base),
            f"share of the domains that the values of {counted(len(made), 'key')} stand for, "
            "beyond that of exact values",
            {name: one.loss for name, one in made.items()},
            parameters=self.parameters(),
            figures={"ambiguity": _ambiguity(list(made.values()), len(original))},
        )


def _ambiguity(told: Sequence[Cells], records: int) -> float | None:
    """Return how many combinations a record stands for, on a scale of its own.

    Products of many domains are beyond doubles, so that each is taken over the largest one.
    """
    most = sum(log(max(one.cover.size, 1)) for one in told)
    kept = max((len(one.share) for one in told), default=0)
    if not records or most == 0:
        return 0.0
    logs = np.zeros(kept)
    for one in told:
        one_log = log(max(one.cover.size, 1))
        leaves = np.where(one.known, log(one.cover.leaves), 0.0) if len(one.share) else one_log
        logs += leaves
    mean = (exp(logs - most).sum() + records - kept) / records
    return normalized(float(mean), float(exp(-most)))
