"""Household risk: who is found in a household gives the others away."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from tacita.arithmetic import expm1, log1p
from tacita.data.attribute import Role
from tacita.data.classes import Floats, Ints, comparable
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import ANY_KIND, Method
from tacita.microdata.risk.frequencies.key_counts import MISSING, Alpha, Keys
from tacita.microdata.risk.individual_risk import Model, individual_risks
from tacita.results import Measurement, listed, show
from tacita.validity import NON_PERTURBATIVE, Use


class HouseholdRisk(Method):
    """The expected share of respondents in whose household somebody is re-identified.

    Whoever re-identifies one member of a household can find the others. If members are
    re-identified independently, each with the individual risk r_i, the risk of a household is
    1 - prod_i (1 - r_i); every member has it. The value is its mean over records;
    `expected_reidentifications` sums it over records, `expected_households` over households. A
    record whose household is blank is a household of its own.

    When not to use it: where the released file does not show who lives together.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> data = ta.read(pa.table({"job": ["nurse", "nurse", "judge"], "home": [1, 2, 2]}),
    ...                roles={"job": "key", "home": "household"})
    >>> ta.HouseholdRisk().measure(data, data).per_record
    array([0.5, 1. , 1. ])
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = "Franconi & Polettini, PSD 2004, LNCS 3050:262-272"
    missing: ClassVar = MISSING
    public: ClassVar = frozenset({"keys", "formula", "alpha"})
    shown_by_release: ClassVar = True
    estimates: ClassVar = True

    keys: Keys = None
    formula: Model = "exact"
    alpha: Alpha = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:  # noqa: ARG002
        """Estimate the risk of every household in the protected data."""
        return self.measured(protected)

    def measured(self, protected: Dataset, chance: float = 1.0) -> Measurement:
        """Estimate the risk where each member is known to an intruder only with a probability."""
        of_record, households = _households(protected)
        counts, risk = individual_risks(protected, self.keys, self.formula, self.alpha)
        shared = at_least_one(of_record, chance * risk, households)
        per_record, records = shared[of_record], len(protected)
        expected = math.fsum(per_record)
        return Measurement(
            self.name,
            self.family,
            expected / records if records else None,
            f"{show(expected)} of {records:,} respondents are expected to live where somebody is "
            f"re-identified by {listed(counts.keys)}, in {households:,} households",
            per_record=per_record,
            parameters=self.parameters(),
            figures={
                "expected_reidentifications": expected,
                "expected_households": math.fsum(shared),
                "households": households,
                "largest": float(shared.max()) if records else None,
            },
        )


def _households(data: Dataset) -> tuple[Ints, int]:
    """Return the number of every record's household, and how many households there are."""
    from tacita.kernels.grouping import factorize

    names = data.with_role(Role.HOUSEHOLD)
    if not names:
        raise InputError("No attribute has the role `household`; say which one tells households.")
    codes, first = factorize(*comparable(data.column(names[0])))
    alone = codes < 0
    codes = np.where(alone, len(first) + np.cumsum(alone) - 1, codes)
    return codes, len(first) + int(np.count_nonzero(alone))


def at_least_one(group_of: Ints, probability: Floats, groups: int) -> Floats:
    """Return for every group how probably at least one of its independent events happens.

    >>> at_least_one(np.array([0, 0, 1]), np.array([0.5, 0.5, 1.0]), 2)
    array([0.75, 1.  ])
    """
    from tacita.kernels.by_group import sum_by_group

    with np.errstate(divide="ignore"):  # what is certain has the logarithm -inf
        none = sum_by_group(group_of, log1p(-np.minimum(probability, 1.0)), groups)
    return np.asarray(-expm1(none))
