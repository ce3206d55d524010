"""Weights of largest entropy under linear constraints: the exponential tilt of given points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacita.arithmetic import exp, log, product, pseudo_inverse
from tacita.data.classes import Floats
from tacita.microdata.masking.perturbing.numbers import units_of

STEPS = 100  # of Newton's method
SHORTEST = 2.0**-20  # of a Newton step, below which none helps
NEGLIGIBLE = 1e-12  # share of the largest curvature below which a direction is flat
FALL = 1e-4  # of what a step promises, that it must bring
ROUNDING = 1e-12  # of the potential, below which it cannot be told to fall


class _State(NamedTuple):
    """Where Newton's method stands."""

    slope: Floats
    value: float
    weights: Floats


def tilted(functions: Floats, targets: Floats, base: Floats, accuracy: float) -> Floats | None:
    """Return weights w of points, w_i in proportion to exp(base_i + l' f_i), with the means wanted.

    Among all weights with sum_i w_i f_i = targets they have the largest entropy relative to the
    base. l minimizes the convex function log(sum_i exp(base_i + l' (f_i - targets))), by Newton's
    method with halved steps.

    >>> weights = tilted(np.array([[0.0, 1.0, 2.0]]), np.array([1.0]), np.zeros(3), 1e-9)
    >>> weights.round(6).tolist()
    [0.333333, 0.333333, 0.333333]

    Args:
        functions: functions by points.
        targets: the mean that each function is to have.
        base: the logarithm of the weight of every point before.
        accuracy: how far means may lie off the targets.

    Returns:
        The weights, which add up to 1; None if none come near the targets.
    """
    about = functions - targets[:, None]
    state: _State | None = _at(about, np.zeros(len(targets)), base)
    for _ in range(STEPS):
        if state is None:
            return None
        gradient = (about * state.weights).sum(axis=1)
        if np.abs(gradient).max(initial=0.0) <= accuracy:
            return state.weights
        state = _step(about, base, state, gradient)
    return None


def _step(about: Floats, base: Floats, state: _State, gradient: Floats) -> _State | None:
    """Take one Newton step, halved until the function falls; None if it does not."""
    direction = _direction(about, state.weights, gradient)
    promised, length = float(product(gradient, direction)), 1.0
    while length >= SHORTEST:
        after = _at(about, state.slope - length * direction, base)
        if after.value <= state.value - FALL * length * promised + ROUNDING:
            return after
        length /= 2
    return None


def _direction(about: Floats, weights: Floats, gradient: Floats) -> Floats:
    from tacita.kernels.linear_maps import products

    rooted = list((about - gradient[:, None]) * np.sqrt(weights))
    curvature = products(rooted, np.zeros(len(rooted)))[1:, 1:]
    units = units_of(curvature)
    scaled = pseudo_inverse(curvature / np.outer(units, units), NEGLIGIBLE)
    return np.asarray(product(scaled, gradient / units) / units)


def _at(about: Floats, slope: Floats, base: Floats) -> _State:
    """Return the function to minimize, and the weights, at a point."""
    from tacita.kernels.linear_maps import mapped

    nothing = np.zeros(len(slope))
    exponents = base + mapped(slope[None, :], list(about), nothing, np.zeros(1))[0]
    top = exponents.max()
    weights = exp(exponents - top)
    total = weights.sum()
    return _State(slope, float(top + log(total)), weights / total)
