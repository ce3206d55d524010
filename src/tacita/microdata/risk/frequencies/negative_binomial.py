"""The negative binomial law of population frequencies: what a sample count says of 1 / F.

Of the F records of the population that share a combination of key values, f were sampled, each with
probability p = f / F. Given f, F is negative binomial, and the risk of a sampled record is

    r(f, F) = E[1/F | f] = sum_{h >= f} (1/h) C(h-1, f-1) p^f (1-p)^(h-f)
            = integral_0^1 u^(f-1) / (1 + z u) du,    z = F/f - 1.

The textbook expansion in powers of p / (1-p) cancels to nothing for large f. Used here are forms
whose terms do not cancel: the series in q = 1 - p, all of whose terms are positive, where q is
small or f large, and elsewhere the recurrence in f, which damps errors as it divides by z >= 1.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from tacita.arithmetic import exp, expm1, log, log1p
from tacita.data.classes import Floats, Ints

Formula = Literal["exact", "approximate"]

LARGE = 12.0  # sample counts from which the series needs few terms whatever q is
TERMS = 400  # of the series; where it is used it needs about half of them
NODES = np.arange(-56, 57) / 16  # of the double exponential rule, enough for all of a double


def expected_reciprocal(sample: Floats, population: Floats, formula: Formula = "exact") -> Floats:
    """Return E[1/F | f] for sample counts f >= 1 and estimated population counts F >= f.

    Counts need not be whole. The approximate formula takes p / (f - (1-p)) for f above 2.

    >>> expected_reciprocal(np.array([1.0, 20.0]), np.array([1.0, 22.0])).round(6)
    array([1.      , 0.045653])
    """
    distinct, place = _distinct(sample, population)
    f, F = sample[distinct], population[distinct]  # noqa: N806 - as the literature writes them
    risk: Floats = (_exact if formula == "exact" else _approximate)(f, F)[place]
    return risk


def _distinct(f: Floats, F: Floats) -> tuple[Ints, Ints]:  # noqa: N803
    """Return one place of every distinct pair, and for all pairs the number of theirs."""
    from tacita.kernels.grouping import group

    pairs = group([f.view(np.int64), F.view(np.int64)])
    return pairs.first, pairs.ids


def _exact(f: Floats, F: Floats) -> Floats:  # noqa: N803
    z = (F - f) / f
    risk = 1 / F
    single = f == 1
    risk[single] = _single(z[single])
    recurs = ~single & (z >= 1) & (f < LARGE)
    risk[recurs] = _recurrence(f[recurs], z[recurs])
    others = ~single & ~recurs
    risk[others] *= _series(f[others], (F - f)[others] / F[others])
    return risk


def _approximate(f: Floats, F: Floats) -> Floats:  # noqa: N803
    p = f / F
    few = f <= 2  # noqa: PLR2004 - the approximation's own bound
    risk = p / np.where(few, 1.0, f - (1 - p))
    risk[few] = _exact(f[few], F[few])
    return risk


def _single(z: Floats) -> Floats:
    """Return log(1 + z) / z, which is 1 at 0."""
    return np.where(z > 0, log1p(z) / np.where(z > 0, z, 1.0), 1.0)


def _series(f: Floats, q: Floats) -> Floats:
    """Sum n! q^n / ((f+1) ... (f+n)), the hypergeometric function 2F1(1, 1; f+1; q)."""
    term = np.ones_like(f)
    total = np.ones_like(f)
    for n in range(1, TERMS):
        term *= n * q / (f + n)
        total += term
        if not (term > total * np.finfo(np.float64).eps / 4).any():
            break
    return total


def _recurrence(f: Floats, z: Floats) -> Floats:
    """Climb from f in [1, 2) by r(f+1) = (1/f - r(f)) / z, with z held fixed."""
    steps = np.floor(f) - 1
    start = f - steps
    risk = _single(z)
    between = start > 1
    risk[between] *= _quadrature(start[between], z[between])
    for step in range(int(steps.max(initial=0))):
        risk = np.where(step < steps, (1 / (start + step) - risk) / z, risk)
    return risk


def _quadrature(f: Floats, z: Floats) -> Floats:
    """Integrate u^(f-1) over x from 0 to 1, where 1 + z u = (1 + z)^x: the ratio to r(1)."""
    half = np.pi / 4 * (exp(NODES) - exp(-NODES))
    places = 1 / (1 + exp(-2 * half))
    steep = np.pi / 4 * (exp(NODES) + exp(-NODES))
    weights = 2 * steep * places**2 * exp(-2 * half) * (NODES[1] - NODES[0])
    powers, scale = f - 1, log1p(z)
    total = np.zeros_like(f)
    for place, weight in zip(places, weights, strict=True):
        total += weight * exp(powers * log(expm1(place * scale) / z))
    return total
