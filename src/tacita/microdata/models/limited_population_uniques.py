"""Limited population uniques: few released records stand alone in the population."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import KW_ONLY, replace
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import ANY_KIND, Method
from tacita.microdata.models.class_table import ClassTable
from tacita.microdata.models.verdicts import Keys, class_told
from tacita.microdata.risk.dankar_uniqueness import dankar
from tacita.microdata.risk.populations.pitman_model import pitman
from tacita.microdata.risk.populations.population_models import (
    ClassSizes,
    Estimate,
    PopulationSize,
    SamplingFraction,
    population_size_of,
    share_of,
    zayatz,
)
from tacita.microdata.risk.populations.slide_negative_binomial import slide_negative_binomial
from tacita.results import Verdict, exactly, listed, show
from tacita.validity import NON_PERTURBATIVE


def _by_rule(found: ClassSizes) -> Estimate:
    chosen, estimates = dankar(found)
    return estimates[chosen]


ESTIMATORS: dict[str, Callable[[ClassSizes], Estimate]] = {
    "dankar": _by_rule,
    "pitman": lambda found: share_of(found, pitman),
    "zayatz": lambda found: share_of(found, zayatz),
    "snb": lambda found: share_of(found, slide_negative_binomial),
}


class LimitedPopulationUniques(Method):
    """At most a share `maximum` of the released records is unique in the population.

    A record that is unique in the sample need not be so in the population. How many are is
    estimated from the sizes of the released classes (see `dankar_uniqueness`, the rule that is
    taken by default, `pitman_uniqueness`, `zayatz_uniqueness` and `snb_uniqueness`) or `counted`
    in the population beside the data, whose keys are taken as they stand. An estimate that is not
    valid keeps no promise.

    The size of the population is said by `population_size` or `fraction`, else it is that of the
    population beside the data, else the sum of the sampling weights.

    When not to use it: where each single respondent must be safe; take k-map or k-anonymity.

    >>> import tacita as ta
    >>> data = ta.example("toy", 10_000)
    >>> model = ta.LimitedPopulationUniques(0.05, ["age", "zip", "education"], fraction=0.5)
    >>> verdict = model.check(data)
    >>> verdict.holds, round(verdict.value, 4)
    (True, 0.0272)
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    reference: ClassVar = (
        "Dankar, El Emam, Neisa & Roffey, BMC Medical Informatics and Decision Making 12:66, 2012"
    )
    missing: ClassVar = (
        "Missing and suppressed values agree with one another and with nothing else."
    )
    example: ClassVar = {"maximum": 0.1}
    public: ClassVar = frozenset({"maximum", "keys", "estimator", "population_size", "fraction"})
    merging_keeps: ClassVar = False
    estimates: ClassVar = True

    maximum: Annotated[
        float,
        Field(description="The largest share of population uniques (0 to 1).", ge=0, le=1),
    ]
    keys: Keys = None
    _: KW_ONLY
    estimator: Annotated[
        Literal["dankar", "pitman", "zayatz", "snb", "counted"],
        Field(description="The model by which they are estimated, or that they are counted."),
    ] = "dankar"
    population_size: PopulationSize = None
    fraction: SamplingFraction = None

    @property
    def counts_population(self) -> bool:
        """Whether the population beside the data is looked at, were it only for its size."""
        nobody_says = self.population_size is None and self.fraction is None
        return self.estimator == "counted" or nobody_says

    def check(self, data: Dataset) -> Verdict:
        """Tell whether few enough records are unique in the population, and name a candidate."""
        classes = data.classes(self.keys)
        if not len(classes):
            return Verdict(self.to_plan(), True, None, "there are no records")
        counted = self.counts_population and data.external.population is not None
        table = ClassTable.of(classes, with_population=counted)
        found = self._estimate(table)
        holds = self._keeps(found)
        unique = self._candidates(table)
        worst = class_told(classes, int(unique[0] if len(unique) else classes.counts.argmin()))
        sentence = self._sentence(found, holds, table, classes.keys)
        return Verdict(self.to_plan(), holds, found.share, sentence, worst)

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell the unique records that must go, as few as can be, so that the rest keeps it."""
        unique = self._candidates(classes)
        broken = np.zeros(len(classes), np.bool_)
        gone = bisect_left(
            range(len(unique)),
            True,
            key=lambda gone: self._keeps(self._estimate(_without(classes, unique[:gone]))),
        )
        broken[unique[:gone]] = True
        return broken

    def _candidates(self, classes: ClassTable) -> Ints:
        """Return the classes that may hold a population unique."""
        if self.estimator != "counted":
            return np.flatnonzero(classes.sizes == 1)
        if classes.population is None:
            raise InputError(
                "limited_population_uniques counts in the population that the data are a sample "
                "of; give it beside the data, or choose another `estimator`."
            )
        return np.flatnonzero((classes.sizes == 1) & (classes.population <= 1))

    def _estimate(self, classes: ClassTable) -> Estimate:
        if self.estimator == "counted":
            return Estimate(Fraction(len(self._candidates(classes)), max(classes.records, 1)))
        sizes, counts = np.unique(classes.sizes[classes.sizes > 0], return_counts=True)
        return ESTIMATORS[self.estimator](ClassSizes(sizes, counts, self._population(classes)))

    def _population(self, classes: ClassTable) -> int:
        people = None if classes.population is None else int(classes.population.sum())
        said = (self.population_size, self.fraction, people, classes.weights)
        return population_size_of(classes.records, *said)

    def _keeps(self, found: Estimate) -> bool:
        return found.share is not None and Fraction(found.share) <= exactly(self.maximum)

    def _sentence(
        self, found: Estimate, holds: bool, classes: ClassTable, keys: tuple[str, ...]
    ) -> str:
        if found.share is None:
            return f"the estimate is not valid: {found.why_not}"
        verb = "are" if self.estimator == "counted" else "are expected to be"
        return (
            f"a share of {show(found.share)} of {classes.records:,} records {verb} unique on "
            f"{listed(keys)} in the population, {'at most' if holds else 'more than'} "
            f"{show(exactly(self.maximum))}"
        )


def _without(classes: ClassTable, gone: Ints) -> ClassTable:
    """Return the table without the records of some classes; the population stays."""
    sizes = classes.sizes.copy()
    sizes[gone] = 0
    if classes.weights is None:
        return replace(classes, sizes=sizes)
    weights = classes.weights.copy()
    weights[gone] = 0
    return replace(classes, sizes=sizes, weights=weights)
