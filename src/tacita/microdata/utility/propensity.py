"""Propensity score: how well a model tells protected records from original ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from tacita.arithmetic import length
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.confidence import CONFIDENCE
from tacita.microdata.comparing.features import Features, features, shared
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, told
from tacita.microdata.utility.evaluators import (
    MOST,
    drawn_together,
    mean_weights,
    probabilities,
    splittable,
)
from tacita.microdata.utility.logistic import logistic
from tacita.results import Interval, Measurement, Number, counted, listed, show

Evaluator = Literal["logistic", "cart", "boosted"]
ROUNDING = 1e-15  # of a squared difference of probabilities: nothing but rounding is left of it


class Propensity(Method):
    """How well a model tells protected records from original ones: the propensity score.

    Original records (label 0) and protected records (label 1) are merged and each evaluator
    predicts the label. With N records in all, a share c of them protected, and p_i the predicted
    probability that record i is protected,

        pMSE = (1/N) sum_i (p_i - c)^2,    U = 1 - pMSE / (c (1 - c)),

    which is 1 - (4/N) sum (p_i - 1/2)^2 when both are as many. The number is 1 - U of the evaluator
    that tells them apart best: 0 when none can, 1 when each record is known for what it is. Records
    count by their sampling weights, scaled in each of the two data sets to 1 on average.

    The evaluators are fixed: `logistic` is a logistic regression on main effects, `cart` one
    classification tree, `boosted` fifty steps of boosted trees; leaves have at least 20 records and
    at least 1/200 of them. Predictions are made for the records that were learnt from, as in the
    papers, so that pMSE is above 0 even for good synthetic data. `ratio` is pMSE over what is
    expected of data drawn from the right model of the original data (Snoke et al.): 1 is as good as
    can be, 10 is poor. The expectation is (k - 1) (1 - c)^2 c / N for a regression with k
    parameters (times N sum w^2 / (sum w)^2 with weights) and 1 - c times the mean pMSE over
    permuted labels for trees. That is for data which have all from the original that the evaluator
    looks at; trees look at more than most models keep, and their ratio of data drawn from such a
    model, or of another sample, is 1 / (1 - c): 2 when both are as many. For masked data, which
    keep most of each record, it may be below 1.

    Of a sample, the interval reaches from the pMSE less that of permuted labels and the sampling
    error to the pMSE and the sampling error: models learn small data by heart.

    When not to use it: alone, on data that lost attributes. Only those that both hold are compared,
    and of more than 50 the first 50, unless `attributes` names more. Nor on attributes with many
    rare categories: beyond the 50 most frequent of both data sets they count as one.

    >>> import tacita as ta
    >>> data = ta.example("toy", 300)
    >>> coarse = data.apply(ta.TopCode("income", 15_000), seed=0)
    >>> ta.Propensity(["income"], evaluators=["cart"]).measure(data, coarse).value > 0.2
    True
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = (
        "Woo, Reiter, Oganian & Karr, J. Privacy and Confidentiality 1(1):111, 2009; Snoke, Raab, "
        "Nowok, Dibben & Slavkovic, J. Royal Statistical Society A 181(3):663, 2018"
    )
    missing: ClassVar = "A blank is a value of its own, which may tell the two apart."
    public: ClassVar = frozenset({"attributes", "evaluators", "permutations", "sample"})
    costly: ClassVar = True

    attributes: Annotated[
        AttributeNames | None,
        Field(
            description="The attributes to compare; by default the first 50 that tell of "
            "respondents."
        ),
    ] = None
    evaluators: Annotated[
        tuple[Evaluator, ...],
        Field(description="The models that tell the data sets apart.", min_length=1),
    ] = ("logistic", "cart", "boosted")
    permutations: Annotated[
        int,
        Field(description="How often labels are permuted for the ratio of trees (0: never).", ge=0),
    ] = 3
    sample: SampleSize = 20_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Let every evaluator tell the two data sets apart."""
        names = shared([original, protected])[:MOST]
        if self.attributes is not None:
            names = [name for name in self.attributes if name in protected.attributes]
        if not (len(original) and len(protected) and names):
            return self._undefined(names)
        rows = drawn_together(original, protected, self.sample, self.seed)
        merged = _Merged.of(original.take(rows[0]), protected.take(rows[1]), names)
        found = {one: self._evaluated(merged, one) for one in dict.fromkeys(self.evaluators)}
        best = max(found, key=lambda one: found[one].pmse)
        sampled = len(rows[0]) < len(original) or len(rows[1]) < len(protected)
        return Measurement(
            self.name,
            self.family,
            found[best].pmse / merged.most,
            f"{_told(best, found[best], merged.most)} by {counted(len(names), 'attribute')}"
            f"{_told_lost(self.attributes or shared([original]), protected)}"
            f"{told(len(rows[0]), len(original)) or told(len(rows[1]), len(protected))}",
            parameters=self.parameters(),
            figures=_figures(found, merged.share),
            interval=found[best].interval(merged.most) if sampled else None,
        )

    def _undefined(self, names: list[str]) -> Measurement:
        why = "there are no records to tell apart" if names else "no attribute is in both data sets"
        return Measurement(self.name, self.family, None, why, parameters=self.parameters())

    def _evaluated(self, merged: _Merged, evaluator: Evaluator) -> _Found:
        if evaluator == "logistic":
            fit = logistic(np.concatenate(merged.features.dummies()), merged.labels, merged.weights)
            return merged.found(merged.labels, fit.probabilities, merged.chance(fit.rank))
        matrix = np.concatenate(splittable(merged.features))

        def found(labels: Floats, chance: float | None = None) -> _Found:
            learnt = probabilities(evaluator, matrix, labels, merged.weights, matrix)[1]
            return merged.found(labels, learnt[:, 1], chance)

        rng = np.random.default_rng(self.seed)
        permuted = [found(rng.permutation(merged.labels)).pmse for _ in range(self.permutations)]
        return found(merged.labels, float(np.mean(permuted)) if permuted else None)


class _Found(NamedTuple):
    """How far an evaluator's probabilities are from saying nothing."""

    pmse: float
    error: float  # the standard error of pmse
    chance: float | None  # pmse of two samples of one population: nothing but learning by heart

    def ratio(self, share: float) -> float | None:
        """Return pmse over that of data drawn from the original, which then does not vary."""
        return self.pmse / ((1 - share) * self.chance) if self.chance else None

    def interval(self, most: float) -> Interval:
        """Return where the number of all records lies, which a sample overstates by chance."""
        from scipy.special import ndtri

        reach = float(ndtri((1 + CONFIDENCE) / 2)) * self.error
        lower = 0.0 if self.chance is None else max(self.pmse - self.chance - reach, 0.0)
        return Interval(lower / most, min((self.pmse + reach) / most, 1.0), CONFIDENCE)


@dataclass(frozen=True, eq=False)
class _Merged:
    """Original records, labelled 0, and after them protected records, labelled 1."""

    features: Features
    labels: Floats
    weights: Floats

    @classmethod
    def of(cls, original: Dataset, protected: Dataset, names: list[str]) -> _Merged:
        both = (original, protected)
        return cls(
            features(both, names),
            np.repeat([0.0, 1.0], [len(data) for data in both]),
            np.concatenate([mean_weights(data) for data in both]),
        )

    @property
    def share(self) -> float:
        """The share of protected records, c."""
        return float(self.labels.mean())

    @property
    def most(self) -> float:
        """The pMSE of an evaluator that knows every record for what it is, c (1 - c)."""
        return self.share * (1 - self.share)

    def chance(self, rank: int) -> float:
        """Return the pMSE that a regression reaches on two samples of one population."""
        effect = float((self.weights**2).sum() / self.weights.sum())
        return (rank - 1) * self.most * effect / len(self.labels)

    def found(self, labels: Floats, predicted: Floats, chance: float | None) -> _Found:
        # Permuted labels take another share of the weights than c.
        share = np.average(labels, weights=self.weights)
        terms = (predicted - share) ** 2
        terms[terms < ROUNDING] = 0.0
        pmse = float(np.average(terms, weights=self.weights))
        # By the delta method: the second part is what the record itself did to the prediction.
        terms += np.where(terms > 0, 2 * (predicted - share) * (labels - predicted), 0.0)
        error = length(self.weights * (terms - pmse)) / float(self.weights.sum())
        return _Found(pmse, error, chance)


def _figures(found: dict[Evaluator, _Found], share: float) -> dict[str, Number | None]:
    figures: dict[str, Number | None] = {}
    for name, one in found.items():
        figures |= {
            f"pmse_{name}": one.pmse,
            f"ratio_{name}": one.ratio(share),
            f"u_{name}": 1 - one.pmse / (share * (1 - share)),
        }
    return figures


def _told(best: Evaluator, found: _Found, most: float) -> str:
    if not found.pmse:
        return "no evaluator tells protected from original records"
    return (
        f"{best} tells protected from original records best, with pMSE {show(found.pmse)} of at "
        f"most {show(most)},"
    )


def _told_lost(wanted: Sequence[str], protected: Dataset) -> str:
    lost = [name for name in wanted if name not in protected.attributes]
    return f" (left out of the protected data: {listed(lost)})" if lost else ""
