"""Noise of a given covariance, for numbers or for whatever was made numbers of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from tacita.arithmetic import log1p
from tacita.data.classes import Floats
from tacita.microdata.masking.perturbing.numbers import square_root
from tacita.microdata.masking.perturbing.patterns import covariance_of_known, variance_of_known

Distribution = Literal["normal", "laplace", "uniform"]
BLOCK = 2**13  # records mixed at a time; they stay in the cache


def noise_covariance(values: Floats, alpha: float, weights: Floats | None = None) -> Floats:
    """Return alpha times the covariances (dividing by n) of the known values.

    Attributes without any value have the covariance 0.

    >>> noise_covariance(np.array([[1.0], [3.0]]), 0.5)
    array([[0.5]])

    Raises:
        ProtectionError: an attribute has one value only.
    """
    if values.shape[1] == 1:
        return alpha * np.full((1, 1), variance_of_known(values[:, 0], weights))
    return alpha * covariance_of_known(values, weights, less=0)


def told_variances(names: Sequence[str], covariances: Floats) -> dict[str, float]:
    """Return the variances of noise as they may be told: to three digits.

    With all digits, those of the data would be known so well that who knows all records but one
    could compute that one.

    >>> told_variances(["x"], np.array([[32.836363]]))
    {'x': 32.8}
    """
    return {
        name: float(f"{variance:.3g}")
        for name, variance in zip(names, np.diag(covariances), strict=True)
    }


def drawn_noise(
    records: int,
    covariances: Floats,
    rng: np.random.Generator,
    distribution: Distribution = "normal",
) -> Floats:
    """Draw noise with mean 0 and given covariances: records by attributes.

    The covariances may be singular: what is linearly related in all records is so in the noise.
    """
    noise = DRAWS[distribution](rng, (len(covariances), records))
    return mixed(square_root(covariances), noise).T


def mixed(matrix: Floats, columns: Floats) -> Floats:
    """Multiply a matrix with columns, in their place: in one order, which `@` does not promise.

    >>> mixed(np.array([[1.0, 1.0], [0.0, 2.0]]), np.array([[1.0, 2.0], [10.0, 20.0]]))
    array([[11., 22.],
           [20., 40.]])
    """
    if columns.shape[0] == 1:
        columns *= matrix
        return columns
    for start in range(0, columns.shape[1], BLOCK):
        block = columns[:, start : start + BLOCK]
        block[:] = sum(part[:, None] * row for part, row in zip(matrix.T, block, strict=True))
    return columns


def _laplace(drawn: Floats) -> Floats:
    """Turn numbers that are uniform between -1 and 1 into Laplace's."""
    return np.asarray(np.copysign(log1p(-np.abs(drawn)), drawn))


Shape = tuple[int, int]
DRAWS: dict[Distribution, Callable[[np.random.Generator, Shape], Floats]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "laplace": lambda rng, shape: np.sqrt(0.5) * _laplace(rng.uniform(-1.0, 1.0, shape)),
    "uniform": lambda rng, shape: rng.uniform(-np.sqrt(3), np.sqrt(3), shape),
}
