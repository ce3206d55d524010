"""Numbers drawn anew about their regression on others, and the statistics that this keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from tacita.arithmetic import product, pseudo_inverse
from tacita.data.classes import Floats
from tacita.errors import ProtectionError
from tacita.microdata.masking.perturbing.numbers import NEGLIGIBLE, units_of
from tacita.microdata.synthesis.matching_moments.drawing import (
    inverse_root,
    moments_of,
    triangular_root,
    white_noise,
)

Variant = Literal["A", "B", "C"]
DEPENDENT = 1e-10  # share of a variance that others leave, at which they leave nothing


class Regression(NamedTuple):
    """A regression of attributes on others, which are given.

    Args:
        given: the means of what is given.
        means: the means of the attributes.
        slopes: attributes by what is given.
        residual: the covariances of the residuals, dividing by the degrees of freedom; with
            weights, by what they leave of the weight on average (see `_left_to_residuals`).
        left: the share of each attribute's variance that is left to the residuals.
        freedom: the degrees of freedom: the records less the parameters.
    """

    given: Floats
    means: Floats
    slopes: Floats
    residual: Floats
    left: Floats
    freedom: int

    def refuse_saturated(self, method: str, names: Sequence[str]) -> None:
        """Refuse what would come out as it is, as nothing is left to be drawn.

        Raises:
            ProtectionError: an attribute is a linear function of what is given, or there are too
                few records.
        """
        if self.freedom <= len(names):
            raise ProtectionError(
                f"`{method}` has {max(self.freedom, 0)} records without blanks beyond the "
                f"parameters of its regression and needs more than {len(names)}; give fewer "
                "attributes."
            )
        for name, left in zip(names, self.left, strict=True):
            if left <= DEPENDENT:
                raise ProtectionError(
                    f"`{name}` is constant or follows from the given attributes: `{method}` would "
                    "release its original values; give fewer attributes."
                )

    def drawn(self, given: Sequence[Floats], records: int, rng: np.random.Generator) -> Floats:
        """Draw values from the normal distribution about the regression (IPSO A)."""
        from tacita.kernels.linear_maps import mapped

        root = triangular_root(self.residual)
        noise = white_noise(root.shape[1], records, rng)
        origin = np.concatenate([self.given, np.zeros(len(noise))])
        return mapped(np.hstack([self.slopes, root]), [*given, *noise], origin, self.means)

    def kept(
        self,
        given: Sequence[Floats],
        rng: np.random.Generator,
        weights: Floats | None = None,
        *,
        residuals: bool,
    ) -> Floats:
        """Draw values of which the regression is this one again (IPSO B, and C with `residuals`).

        The regression of the noise on what is given is taken out of the noise; what is left may
        also be brought to the covariances of the residuals.
        """
        from tacita.kernels.linear_maps import mapped

        root = triangular_root(self.residual)
        noise = white_noise(root.shape[1], len(given[0]), rng)
        of_noise = regressed(given, [*noise], weights)
        if residuals:
            root = product(root, inverse_root(of_noise.residual))
        matrix = np.hstack([self.slopes - product(root, of_noise.slopes), root])
        origin = np.concatenate([self.given, of_noise.means])
        place = noise if len(noise) == len(self.means) else None
        return mapped(matrix, [*given, *noise], origin, self.means, out=place)


def regressed(
    given: Sequence[Floats], columns: Sequence[Floats], weights: Floats | None = None
) -> Regression:
    """Regress columns on others; all have one length and no blanks.

    Raises:
        ProtectionError: there are fewer than two records.
    """
    means, covariance = moments_of([*given, *columns], weights)
    cut, records = len(given), len(given[0])
    among, between = covariance[:cut, :cut], covariance[:cut, cut:]
    slopes = _slopes(among, between)
    left = covariance[cut:, cut:] - product(slopes, between)
    freedom = records - 1 - triangular_root(among).shape[1]
    return Regression(
        means[:cut],
        means[cut:],
        slopes,
        left * ((records - 1) / _left_to_residuals(given, weights, means[:cut], among, freedom)),
        np.diag(left) / units_of(covariance)[cut:] ** 2,
        freedom,
    )


def _left_to_residuals(
    given: Sequence[Floats], weights: Floats | None, means: Floats, among: Floats, freedom: int
) -> float:
    """Return the weighted squares that a regression leaves of noise of variance 1, on average.

    With weights w that add up to n and X with a column of ones, these are n less the trace of
    inv(X'WX) X'WWX: the degrees of freedom where all weigh the same, and fewer where few weigh
    most.
    """
    if weights is None:
        return float(max(freedom, 1))
    records = len(weights)
    shares = weights / weights.sum()
    squared = moments_of(given, shares**2)
    away = (squared.means - means)[:, None]
    spread = squared.covariance + away * away.T * (records / (records - 1))
    units = units_of(among)[:, None]
    inverse = pseudo_inverse(among / (units * units.T), NEGLIGIBLE)
    trace = 1 + float(np.trace(product(inverse, spread / (units * units.T))))
    return max(records * (1 - float(product(shares, shares)) * trace), 1.0)


def _slopes(among: Floats, between: Floats) -> Floats:
    """Return the coefficients of regressions, by covariances of what is given and with it.

    What is given may be linearly related: the coefficients of least length are returned.
    """
    units = units_of(among)[:, None]
    inverse = pseudo_inverse(among / (units * units.T), NEGLIGIBLE)
    return np.asarray((product(inverse, between / units) / units).T)
