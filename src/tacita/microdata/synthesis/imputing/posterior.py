"""Regressions whose parameters are drawn from their posterior distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arithmetic import eigh, product
from tacita.data.classes import Floats
from tacita.errors import ProtectionError
from tacita.microdata.utility.logistic import logistic

DEPENDENT = 1e-9  # share of the largest eigenvalue below which a direction is none
LEAST_FREEDOM = 3  # degrees, below which a predicted value has no finite variance


@dataclass(frozen=True, eq=False)
class LinearDraw:
    """A linear regression with one draw of its parameters.

    With the prior 1 / sigma^2, sigma^2 is the sum of squared residuals over a chi-squared number
    and the coefficients are normal about the least squares solution, with covariances
    sigma^2 inv(X'X).

    Args:
        coefficients: the drawn ones, the intercept first.
        sigma: the drawn standard deviation of the residuals.
    """

    coefficients: Floats
    sigma: float

    @classmethod
    def of(cls, x: Floats, y: Floats, weights: Floats, rng: np.random.Generator) -> LinearDraw:
        """Fit the regression and draw its parameters.

        Args:
            x: records by columns.
            y: the target, without blanks.
            weights: how much every record counts; their sum is the size of the sample.
            rng: where chance comes from.

        Raises:
            ProtectionError: there are too few records for so many columns.
        """
        root, rank = inverse_root(product((x * weights[:, None]).T, x))
        freedom = float(weights.sum()) - rank
        if freedom < LEAST_FREEDOM:
            raise ProtectionError(
                f"A regression on {rank} columns needs at least {rank + LEAST_FREEDOM} records to "
                f"impute from; found {weights.sum():.4g}. Choose fewer predictors, or trees."
            )
        fitted = product(root, product(root.T, product(x.T, weights * y)))
        lost = float(product(weights, (y - product(x, fitted)) ** 2))
        sigma = float(np.sqrt(lost / rng.chisquare(freedom)))
        return cls(fitted + sigma * product(root, rng.standard_normal(root.shape[1])), sigma)

    def drawn(self, x: Floats, rng: np.random.Generator) -> Floats:
        """Draw values for new records."""
        made: Floats = product(x, self.coefficients) + self.sigma * rng.standard_normal(len(x))
        return made


def logistic_draw(x: Floats, labels: Floats, weights: Floats, rng: np.random.Generator) -> Floats:
    """Return one draw of the coefficients of a logistic regression, the intercept first.

    They fit best when records count by the weights of one Bayesian bootstrap. A normal distribution
    about the best fit would do for many records only: of a rare label it makes a frequent one. A
    prior counts as much as one record for each coefficient, whose label does not depend on the
    predictors (a catalytic prior): so columns that tell labels apart surely do no harm.

    Papers: Newton & Raftery, Approximate Bayesian inference with the weighted likelihood bootstrap,
    J. Royal Statistical Society B 56(1), 1994; Huang, Stein, Rubin & Kou, PNAS 117(22), 2020.

    Args:
        x: records by columns, the first of which is 1.
        labels: 0 or 1; both occur.
        weights: how much every record counts.
        rng: where chance comes from.
    """
    drawn = weights * rng.standard_exponential(len(weights))
    share = float(np.average(labels, weights=drawn))
    more = x.shape[1] / float(drawn.sum())
    return logistic(x[:, 1:], (labels + more * share) / (1 + more), drawn * (1 + more)).coefficients


def inverse_root(gram: Floats) -> tuple[Floats, int]:
    """Return R with R R' = inv(X'X) in the directions that X has, and how many these are."""
    values, vectors = eigh(gram)
    kept = values > DEPENDENT * max(float(values[-1]), 0.0)
    return vectors[:, kept] / np.sqrt(values[kept]), int(np.count_nonzero(kept))
