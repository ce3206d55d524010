"""Dankar uniqueness: population uniques by the model that suits the sampling fraction."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar, Literal

import pyarrow as pa
from pydantic import Field

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.microdata.risk.populations.pitman_model import pitman
from tacita.microdata.risk.populations.population_models import (
    MISSING,
    PUBLIC,
    ClassSizes,
    Estimate,
    PopulationSize,
    SamplingFraction,
    estimated,
    population_of,
    share_of,
    zayatz,
)
from tacita.microdata.risk.populations.slide_negative_binomial import slide_negative_binomial
from tacita.results import Measurement
from tacita.validity import NON_PERTURBATIVE, Use

MODELS = {"pitman": pitman, "zayatz": zayatz, "snb": slide_negative_binomial}


class DankarUniqueness(Method):
    """The share of released records expected to be population uniques, by Dankar's decision rule.

    For a sample of at most a tenth of the population it is Pitman's estimate or, where that is not
    valid, Zayatz's; for a larger sample the smaller of Zayatz's and the slide negative binomial's,
    or Zayatz's where the latter is not valid. The sentence says which model was taken; `details`
    has all three with the reason why one is not valid.

    When not to use it: on perturbed keys, whose combinations say nothing of the population; where
    weights differ much, because the sample counts as simple.

    >>> import tacita as ta
    >>> data = ta.example("toy", 10_000)
    >>> rule = ta.DankarUniqueness(["age", "zip", "education"], fraction=0.5)
    >>> round(rule.measure(data, data).value, 4)
    0.0272
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = (
        "Dankar, El Emam, Neisa & Roffey, BMC Medical Informatics and Decision Making 12:66, 2012"
    )
    missing: ClassVar = MISSING
    public: ClassVar = PUBLIC | {"fallback"}

    keys: Keys = None
    population_size: PopulationSize = None
    fraction: SamplingFraction = None
    fallback: Annotated[
        Literal["zayatz", "none"],
        Field(description="The model for small samples where Pitman's estimate is not valid."),
    ] = "zayatz"

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Estimate from the class sizes of the protected data."""
        classes = protected.classes(self.keys)
        population = population_of(original, len(protected), self.population_size, self.fraction)
        found = ClassSizes.of(classes, population)
        chosen, estimates = dankar(found, self.fallback)
        made = estimated(self, lambda _: estimates[chosen], classes, population)
        return _told(made, chosen, estimates)


def dankar(
    found: ClassSizes, fallback: Literal["zayatz", "none"] = "zayatz"
) -> tuple[str, dict[str, Estimate]]:
    """Return the model that the rule takes, and what every model says."""
    estimates = {name: share_of(found, model) for name, model in MODELS.items()}
    return _chosen(found, estimates, fallback), estimates


def _chosen(found: ClassSizes, estimates: dict[str, Estimate], fallback: str) -> str:
    snb, rough = estimates["snb"].share, estimates["zayatz"].share
    if 10 * found.records > found.population:
        return "snb" if snb is not None and rough is not None and snb <= rough else "zayatz"
    invalid = estimates["pitman"].share is None
    return "zayatz" if invalid and fallback == "zayatz" else "pitman"


def _told(made: Measurement, chosen: str, estimates: dict[str, Estimate]) -> Measurement:
    """Add what each of the models says."""
    details = pa.table(
        {
            "model": list(estimates),
            "share": pa.array([_number(one) for one in estimates.values()], pa.float64()),
            "chosen": [name == chosen for name in estimates],
            "why_not": [one.why_not for one in estimates.values()],
        }
    )
    return replace(
        made,
        sentence=f"{made.sentence} (by the {chosen} model)",
        figures={**made.figures, **{name: one.share for name, one in estimates.items()}},
        details=details,
    )


def _number(estimate: Estimate) -> float | None:
    return None if estimate.share is None else float(estimate.share)
