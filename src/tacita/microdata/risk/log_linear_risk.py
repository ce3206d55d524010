"""Log-linear risk: how rare in the population the combinations of sample uniques are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.arithmetic import exp, expm1, log
from tacita.data.classes import EquivalenceClasses, Floats
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, did_you_mean
from tacita.method import ANY_KIND, Method
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.microdata.risk.populations.contingency import (
    CELLS,
    CountedCells,
    Fit,
    Term,
    fitted,
    parameters,
)
from tacita.microdata.risk.populations.population_models import (
    MISSING,
    PUBLIC,
    PopulationSize,
    SamplingFraction,
    population_of,
)
from tacita.results import Measurement, Number, listed, show
from tacita.validity import NON_PERTURBATIVE, Use

SIGNIFICANT = 1.96  # of a standard normal statistic, at 5 %
SERIES = 0.01  # below it differences are taken from their series
Names = Annotated[tuple[str, ...], Field(min_length=1)]


class LogLinearRisk(Method):
    """The share of released records that an intruder is expected to re-identify as sample uniques.

    The population count of a combination k of key values is Poisson with mean lambda_k, which
    follows a log-linear model (main effects by default); the sample takes a share pi_k of it, one
    over the sampling weight (with `population_size` or `fraction`, the same for all). A sample
    unique is a population unique with probability exp(-v_k), v_k = lambda_k (1 - pi_k), and is
    matched rightly with probability E(1/F_k | f_k = 1) = (1 - exp(-v_k)) / v_k. The sums over the
    sample uniques are tau1 and tau2; the value is tau2 / n, and `per_record` has
    E(1/F_k | f_k = 1), with 0 for records that are not unique in the sample, which the model leaves
    out.

    Whether the model fits: `misfit_1` and `misfit_2` (Skinner and Shlomo's B / sqrt(v)) are
    standard normal if it does. Above 1.96 it underfits: add interactions. Below -1.96 it overfits.
    Far from 0 they do not tell whether the risk is over- or understated. They need all cells and
    are undefined for tables of more than 2^22; Pearson's statistic and the deviance never are.

    The sums gr1 and gr2 are those of sdcMicro's `modRisk`, for comparison only: it puts the fitted
    mean of the sample count in the place of lambda_k, which is 1 / pi times as large, and divides
    by the number of combinations. They equal its IPF method. Its other methods treat categories
    coded as integers as numbers with a linear effect; its CE adds 0.1 to the sampling fractions of
    the offset and so tells empty cells from others, and its weightedLLM predicts a cell's count
    from the weight of the records counted.

    When not to use it: on perturbed keys; without a look at the misfit.

    >>> import tacita as ta
    >>> data = ta.example("toy", 10_000)
    >>> risk = ta.LogLinearRisk(keys=["age", "zip", "education"]).measure(data, data)
    >>> round(risk.value, 4)
    0.0421
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = (
        "Skinner & Shlomo, Journal of the American Statistical Association 103(483):989-1001, 2008"
    )
    missing: ClassVar = MISSING
    by_contents: ClassVar = True
    public: ClassVar = PUBLIC | {"terms", "fit", "estimation"}

    keys: Keys = None
    terms: Annotated[
        Literal["main", "pairs"] | tuple[Names, ...],
        Field(
            description="Which keys interact: none (main), all by two (pairs), or the sets of keys "
            "named here."
        ),
    ] = "main"
    estimation: Annotated[
        Literal["pseudo_likelihood", "likelihood", "offset"],
        Field(
            description="What is fitted: the weights' sums (pseudo maximum likelihood), the sample "
            "counts, or the sample counts with the sampling fractions as offset (Clogg & Eliason)."
        ),
    ] = "pseudo_likelihood"
    fit: Annotated[
        Fit,
        Field(
            description="How: by iterative proportional fitting or as a generalized linear model, "
            "with the same solution."
        ),
    ] = "ipf"
    population_size: PopulationSize = None
    fraction: SamplingFraction = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Fit the model to the protected data and sum the risks of its sample uniques."""
        classes = protected.classes(self.keys)
        if not len(protected):
            told = "undefined, for there are no records"
            return Measurement(self.name, self.family, None, told, parameters=self.parameters())
        model = self._model(classes, self._weights(original, protected))
        figures = _figures(model)
        records = len(protected)
        return Measurement(
            self.name,
            self.family,
            float(model.risks.sum()) / records,
            _sentence(figures, records, classes.keys),
            per_record=model.risks[classes.of_record],
            parameters=self.parameters(),
            figures=figures,
        )

    def _weights(self, original: Dataset, protected: Dataset) -> Floats:
        """Return how many of the population each record stands for, at least itself."""
        said = self.population_size is not None or self.fraction is not None
        weights = None if said else protected.weight
        if weights is not None:
            return np.maximum(weights, 1.0)
        records = len(protected)
        population = population_of(original, records, self.population_size, self.fraction)
        return np.full(records, population / records)

    def _model(self, classes: EquivalenceClasses, weights: Floats) -> Model:
        from tacita.kernels.by_group import sum_by_group

        cells, terms = CountedCells.of(classes), self._terms(classes.keys)
        counts = classes.counts.astype(np.float64)
        weight = sum_by_group(classes.of_record, weights, len(classes))
        fractions, overall = counts / weight, float(counts.sum() / weight.sum())
        pseudo = self.estimation == "pseudo_likelihood"
        start = cells.spread(fractions, overall) if self.estimation == "offset" else None
        made = fitted(cells, weight if pseudo else counts, terms, fit=self.fit, start=start)
        here = made.at(cells)
        whole = None
        if cells.number <= CELLS:
            table = made.everywhere()
            rates = table if pseudo else table / cells.spread(fractions, overall)
            whole = rates.ravel(), cells.spread(counts, 0.0).ravel()
        return Model(
            counts,
            fractions,
            rates=here if pseudo else here / fractions,
            means=here * overall if pseudo else here,
            overall=overall,
            whole=whole,
            free=cells.number - parameters(cells.shape, terms),
            converged=made.converged,
        )

    def _terms(self, keys: Sequence[str]) -> list[Term]:
        """Return the sets of keys that interact, by place; a key in none of them stands alone."""
        places = range(len(keys))
        named: list[Term] = []
        if self.terms == "pairs":
            named = list(combinations(places, 2))
        elif self.terms != "main":
            named = [tuple(sorted({_place(name, keys) for name in term})) for term in self.terms]
        alone = set(places) - {place for term in named for place in term}
        return [*named, *((place,) for place in sorted(alone))]


def _place(name: str, keys: Sequence[str]) -> int:
    if name not in keys:
        raise ParameterError(
            f"`terms` of `log_linear_risk` names `{name}`, which is not one of the keys "
            f"({listed(keys)}).{did_you_mean(name, keys)}"
        )
    return keys.index(name)


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted model, seen from the cells that hold records.

    Args:
        counts: the number of sample records in each (f).
        fractions: the share of its population that was sampled, in each (pi).
        rates: the expected population count of each (lambda).
        means: the expected sample count of each (mu).
        overall: the sampling fraction over all.
        whole: rates and counts of all cells, empty ones too; None where there are too many.
        free: the degrees of freedom: cells less parameters.
        converged: whether the fit came to its end.
    """

    counts: Floats
    fractions: Floats
    rates: Floats
    means: Floats
    overall: float
    whole: tuple[Floats, Floats] | None
    free: int
    converged: bool

    @property
    def risks(self) -> Floats:
        """E(1/F | f = 1) of the cells with one record, 0 of the others."""
        return np.where(self.counts == 1, matched(self.rates * (1 - self.fractions)), 0.0)


def matched(others: Floats) -> Floats:
    """Return E(1/F | f = 1) = (1 - exp(-v)) / v, where v others of the population are expected.

    >>> matched(np.array([0.0, 1.0])).round(4).tolist()
    [1.0, 0.6321]
    """
    some = np.maximum(others, np.finfo(np.float64).tiny)
    return np.asarray(-expm1(-some) / some)


def _figures(model: Model) -> dict[str, Number | None]:
    unique = model.counts == 1
    unsampled = 1 - model.fractions[unique]
    others, mistaken = model.rates[unique] * unsampled, model.means[unique] * unsampled
    misfits = (None, None) if model.whole is None else _misfits(model.overall, *model.whole)
    pearson = float((model.counts**2 / model.means).sum() - model.counts.sum())
    return {
        "sample_uniques": int(unique.sum()),
        "tau1": float(exp(-others).sum()),
        "tau2": float(model.risks.sum()),
        "gr1": float(exp(-mistaken).sum()) / len(unique),
        "gr2": float(matched(mistaken).sum()) / len(unique),
        "misfit_1": misfits[0],
        "misfit_2": misfits[1],
        "pearson": pearson,
        "deviance": float(2 * (model.counts * log(model.counts / model.means)).sum()),
        "degrees_of_freedom": model.free,
        "dispersion": pearson / model.free if model.free > 0 else None,
        "converged": int(model.converged),
    }


def _misfits(fraction: float, rates: Floats, counts: Floats) -> tuple[float | None, float | None]:
    """Return B / sqrt(v) of tau1 and tau2.

    B estimates the bias sum_k P(f_k = 1) (h(lambda fitted) - h(lambda)) of a sum of risks h, by
    the first two terms of its series: sum_k a_k (f_k - mu_k) + b_k ((f_k - mu_k)^2 - f_k); under
    the model its variance is v = sum_k a_k^2 mu_k + 2 b_k^2 mu_k^2.
    """
    unsampled = 1 - fraction
    others = rates * unsampled
    gone = exp(-others)
    small = np.maximum(others, SERIES)
    steep = (exp(-small) * (1 + small) - 1) / small**2
    bent = (2 - exp(-small) * (small * small + 2 * small + 2)) / small**3
    # Near 0 the differences cancel; there the series is exact to ten digits.
    near = others < SERIES
    steep = np.where(near, -1 / 2 + others / 3 - others**2 / 8 + others**3 / 30, steep)
    bent = np.where(near, 1 / 3 - others / 4 + others**2 / 10 - others**3 / 36, bent)
    slopes = ((-gone, gone), (steep, bent))
    one, two = (_misfit(fraction, rates, counts, first, second) for first, second in slopes)
    return one, two


def _misfit(
    fraction: float, rates: Floats, counts: Floats, first: Floats, second: Floats
) -> float | None:
    unsampled, means = 1 - fraction, fraction * rates
    seen = rates * exp(-means)
    a, b = -seen * unsampled * first, seen * unsampled**2 * second / (2 * fraction)
    gap = counts - means
    variance = float((a**2 * means + 2 * b**2 * means**2).sum())
    bias = float((a * gap + b * (gap**2 - counts)).sum())
    return bias / math.sqrt(variance) if variance > 0 else None


def _sentence(figures: Mapping[str, Number | None], records: int, keys: Sequence[str]) -> str:
    return (
        f"{show(figures['tau2'])} of {records:,} records are expected to be matched rightly by "
        f"{listed(keys)}; of the {show(figures['sample_uniques'])} sample uniques "
        f"{show(figures['tau1'])} are expected to be population uniques{_fits(figures)}"
    )


def _fits(figures: Mapping[str, Number | None]) -> str:
    """Say what to think of the model."""
    if not figures["converged"]:
        return "; the fit did not come to its end"
    misfit = figures["misfit_2"]
    if misfit is None:
        return ""
    if misfit > SIGNIFICANT:
        return "; the model underfits: add interactions"
    return "; the model overfits: take fewer interactions" if misfit < -SIGNIFICANT else ""
