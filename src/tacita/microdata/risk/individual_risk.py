"""Individual risk: how probably each respondent is re-identified, given the sample's design."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.risk.frequencies.key_counts import MISSING, Alpha, KeyCounts, Keys
from tacita.microdata.risk.frequencies.negative_binomial import Formula, expected_reciprocal
from tacita.results import Measurement, listed, show
from tacita.validity import NON_PERTURBATIVE, Use

Model = Annotated[
    Formula,
    Field(description="exact, or the approximation p / (f - (1-p)) for f above 2."),
]
OUTLYING = 2 * 1.4826  # median absolute deviations of a normal sample within two standard ones


class IndividualRisk(Method):
    """The expected share of respondents who are re-identified by their key values.

    A respondent whose key values F records of the population share is re-identified with
    probability 1/F. F is not known from a sample; given that f records of the sample share the
    values, it is taken to be negative binomial with success probability p = f / (sum of their
    weights), and the individual risk is r = E[1/F | f]. The global risk is the mean of r over the
    records. Without weights the data are taken as the whole population, F = f and r = 1/f.

    `expected_reidentifications` is the sum of r, `records_above` counts risks above `above`,
    `records_outlying` those that are also above the median by two (scaled) median absolute
    deviations, and `threshold` is the largest risk found in the data to which all higher risks
    would have to be lowered for the global risk to stay within `global_limit`.

    The exact formula is computed so that it holds for all f and F, where sdcMicro's loses all
    digits (f = 20, F = 22); `approximate` gives what sdcMicro gives by default, but for 1 < f < 2,
    where that is 0 and this is exact. After local suppression `alpha` lets a blank stand for any
    value, as sdcMicro's (whose default is 1) does for two or more keys.

    When not to use it: on perturbed keys, whose frequencies say nothing of the population; with
    weights that were calibrated so that they no longer tell how many respondents one stands for.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> data = ta.read(pa.table({"job": ["nurse", "nurse", "judge"], "w": [30.0, 20.0, 5.0]}),
    ...                roles={"job": "key", "w": "weight"})
    >>> ta.IndividualRisk().measure(data, data).per_record.round(4)
    array([0.0361, 0.0361, 0.4024])
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = (
        "Benedetti & Franconi, NTTS 1998; Franconi & Polettini, PSD 2004, LNCS 3050:262-272"
    )
    missing: ClassVar = MISSING
    public: ClassVar = frozenset({"keys", "formula", "alpha", "above", "global_limit"})
    shown_by_release: ClassVar = True
    estimates: ClassVar = True

    keys: Keys = None
    formula: Model = "exact"
    alpha: Alpha = None
    above: Annotated[
        float, Field(description="Records with a higher risk than this are counted.", ge=0, le=1)
    ] = 0.1
    global_limit: Annotated[
        float, Field(description="The global risk that `threshold` keeps.", gt=0, lt=1)
    ] = 0.01

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:  # noqa: ARG002
        """Estimate the risk of every released record."""
        counts, risk = individual_risks(protected, self.keys, self.formula, self.alpha)
        records = len(protected)
        expected = math.fsum(risk)
        told = "" if protected.weight is not None else ", the data being the whole population"
        return Measurement(
            self.name,
            self.family,
            expected / records if records else None,
            f"{show(expected)} of {records:,} respondents are expected to be re-identified by "
            f"{listed(counts.keys)}{told}",
            per_record=risk,
            parameters=self.parameters(),
            figures={
                "expected_reidentifications": expected,
                "largest": float(risk.max()) if records else None,
                "records_above": int(np.count_nonzero(risk > self.above)),
                "records_outlying": _outlying(risk, self.above),
                "threshold": threshold(risk, self.global_limit),
            },
        )


def individual_risks(
    data: Dataset, keys: tuple[str, ...] | None, formula: Formula, alpha: float | None
) -> tuple[KeyCounts, Floats]:
    """Return the key combinations of a data set and the risk of every record."""
    counts = KeyCounts.of(data, keys, alpha)
    if data.weight is None:
        return counts, (1 / counts.sample)[counts.of_record]
    return counts, expected_reciprocal(counts.sample, counts.population, formula)[counts.of_record]


def threshold(risk: Floats, limit: float) -> float | None:
    """Return the largest risk to which all higher ones are lowered for their mean to keep a limit.

    It is one of the risks, or the limit itself if they are all higher.

    >>> threshold(np.array([0.1, 0.2, 0.9]), limit=0.2), threshold(np.array([0.5, 0.5]), limit=0.2)
    (0.2, 0.2)
    """
    if not len(risk):
        return None
    levels, often = np.unique(risk, return_counts=True)
    up_to = np.cumsum(often)
    capped = np.cumsum(levels * often) + levels * (len(risk) - up_to)
    kept = levels[capped <= limit * len(risk)]
    return float(kept[-1]) if len(kept) else limit


def _outlying(risk: Floats, above: float) -> int:
    if not len(risk):
        return 0
    middle = np.median(risk)
    spread = np.median(np.abs(risk - middle))
    return int(np.count_nonzero(risk > max(above, middle + OUTLYING * spread)))
