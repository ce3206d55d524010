"""What camouflage leaves against respondents who know their own values."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tacita.arithmetic import least_squares, product
from tacita.data.classes import Floats

LOOKED_AT = 1_000  # records of whom widths are measured
NEGLIGIBLE = 1e-9


def residual_widths(vertices: Floats, insiders: int, draws: int = 100) -> Floats:
    """Measure what is left of the interval of every value, as a share of it.

    Insiders know every vertex and their own values, hence that many equations for the weights.
    What they can tell is measured where the truth is any data set of the protection set, drawn
    evenly: the result depends on the set alone, so that it may be told.

    >>> vertices = np.array([[0.0, 1.0, 0.3], [1.0, 0.0, 0.6], [0.2, 0.0, 1.0]])
    >>> residual_widths(vertices, 0, draws=2)
    array([[1., 1., 1.],
           [1., 1., 1.]])
    >>> residual_widths(vertices, 2, draws=2).round(6)
    array([[0., 0., 0.],
           [0., 0., 0.]])

    Args:
        vertices: one row a record, one column a vertex; at most a thousand records, spread
            evenly, are looked at.
        insiders: how many respondents tell each other their values.
        draws: how often insiders, and a truth, are drawn.

    Returns:
        One row a draw, one column a record that is looked at.
    """
    vertices = vertices[~np.isnan(vertices[:, 0])]
    if len(vertices) > LOOKED_AT:
        vertices = vertices[np.linspace(0, len(vertices) - 1, LOOKED_AT).astype(int)]
    full = np.ptp(vertices, axis=1)
    vertices = vertices[full > 0]
    rng = np.random.default_rng(0)
    left = np.array([_residual(vertices, insiders, rng) for _ in range(draws)])
    shares: Floats = left / full[full > 0]
    return shares


def _residual(vertices: Floats, insiders: int, rng: np.random.Generator) -> Floats:
    truth = rng.dirichlet(np.ones(vertices.shape[1]))
    known = vertices[rng.choice(len(vertices), min(insiders, len(vertices)), replace=False)]
    equations = np.vstack([np.ones(len(truth)), known])
    corners = [truth, *_corners(equations, product(equations, truth))]
    return np.asarray(np.ptp(product(vertices, np.array(corners).T), axis=1))


def _corners(equations: Floats, sides: Floats) -> list[Floats]:
    """Return the corners of the weights that fulfil all equations: each has a small support."""
    rows, columns = equations.shape
    corners = []
    for support in map(list, combinations(range(columns), min(rows, columns))):
        weights = np.zeros(columns)
        weights[support] = least_squares(equations[:, support], sides)
        fits = np.allclose(product(equations, weights), sides, rtol=NEGLIGIBLE, atol=NEGLIGIBLE)
        if fits and weights.min() >= -NEGLIGIBLE:
            corners.append(weights)
    return corners
