"""Eigenvalues: how the variance is spread over the principal components."""

from __future__ import annotations

from math import inf
from typing import ClassVar

import numpy as np

from tacita.arithmetic import eigh, inverted, length
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.utility.discrepancy import told_lost
from tacita.microdata.utility.structure import (
    CONTINUOUS,
    MISSING,
    Attributes,
    compared_in_pairs,
    lost_in,
    structure,
)
from tacita.results import Measurement, counted

SINGULAR = 1e-10  # the least eigenvalue of a correlation matrix that is still told from 0


class Eigenvalues(Method):
    """How far the eigenvalues of the correlation matrix moved.

    sum_j |l_j - l'_j| / sum_j l_j, where l_1 >= ... >= l_p are the eigenvalues of the correlation
    matrix of the original data and l' those of the protected data: how much of the variance went
    over to other components. It lies in [0, 2), unless attributes vary that were constant. A
    constant attribute has correlation 0 with all others and itself; so has one that was left out or
    is no longer a number.

    `eigen` is what sdcMicro calls so, sum_j |l_j - l'_j| / l_j. It has no bound and is unstable:
    collinear attributes have an eigenvalue of 0, of which rounding leaves a number of either sign,
    and sdcMicro then reports figures such as -1.7e14; here it is undefined (None) where an
    eigenvalue of the original data is below 1e-10. `il_correl` (Mlodak 2020, with sdcMicro's
    factor) is |d/|d| - d'/|d'|| / sqrt(2), where d is the diagonal of the inverse correlation
    matrix; it is undefined where one of the two matrices cannot be inverted.

    When not to use it: to find out which attributes suffered; eigenvalues have no names.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.Eigenvalues().measure(data, data).value
    0.0
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = (
        "Templ & Meindl, LNCS 5262:113-126, 2008; Mlodak, doi 10.5604/01.3001.0014.4121"
    )
    missing: ClassVar = MISSING
    public: ClassVar = frozenset({"attributes"})
    lies_between: ClassVar = (0, inf)

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the eigenvalues."""
        names, some = compared_in_pairs(original, self.attributes)
        ours, theirs = (
            np.nan_to_num(structure(data, names).correlation) for data in (original, protected)
        )
        before, after = _eigenvalues(ours), _eigenvalues(theirs)
        gap, total = np.abs(before - after), float(before.sum())
        told = told_lost(lost_in(protected, names))
        return Measurement(
            self.name,
            self.family,
            float(gap.sum()) / total if total > 0 else None,
            f"share of the variance of {counted(len(names), 'attribute')}{some} that went over to "
            f"other components{told}",
            parameters=self.parameters(),
            figures={
                "eigen": float((gap / before).sum()) if _regular(before) else None,
                "il_correl": _il_correl(ours, theirs),
            },
        )


def _eigenvalues(matrix: Floats) -> Floats:
    return eigh(matrix)[0][::-1]


def _regular(eigenvalues: Floats) -> bool:
    return bool(len(eigenvalues) and eigenvalues.min() > SINGULAR)


def _il_correl(before: Floats, after: Floats) -> float | None:
    if not all(_regular(_eigenvalues(matrix)) for matrix in (before, after)):
        return None
    ours, theirs = (inverted(matrix).diagonal() for matrix in (before, after))
    gap = ours / length(ours) - theirs / length(theirs)
    return length(gap) / float(np.sqrt(2))
