"""Correlations of scores, and of the normal variables that lie behind them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.arithmetic import product
from tacita.data.classes import Floats
from tacita.microdata.masking.perturbing.numbers import square_root
from tacita.microdata.synthesis.coupling.margins import Steps

STRONGEST = 0.9999  # correlation of two normal variables; beyond, one would tell the other
HALVINGS = 30  # of the interval in which a correlation lies


def correlations(scores: Sequence[Floats], weights: Floats) -> Floats:
    """Return the correlations of columns with mean 0, each pair over the records known in both.

    A constant column correlates with nothing.

    Args:
        scores: the columns; a blank is NaN.
        weights: how much every record counts.
    """
    from tacita.kernels.moments import moments

    known = [~np.isnan(column) for column in scores]
    roots = np.sqrt(weights / weights.mean())
    about = [
        np.where(there, column * roots, 0.0) for there, column in zip(known, scores, strict=True)
    ]
    found = moments(about)
    products = found.covariance * (len(weights) - 1) + len(weights) * np.outer(*[found.means] * 2)
    squares = _squares(about, known, np.diag(products))
    sizes = np.sqrt(squares * squares.T)
    return np.divide(products, sizes, out=np.zeros_like(products), where=sizes > 0)


def _squares(about: Sequence[Floats], known: Sequence[Floats], whole: Floats) -> Floats:
    """Return the sum of squares of each column over the records that each other one knows."""
    found = np.tile(whole, (len(about), 1))
    for row, there in enumerate(known):
        if not there.all():
            found[row] = [np.square(column[there]).sum() for column in about]
    return found


def correlations_behind(found: Floats, steps: Sequence[Steps]) -> Floats:
    """Return the correlations of normal variables whose steps have scores that correlate so.

    Ties weaken correlations of scores; by Mehler's formula they are sum_m a_m b_m rho^m, which
    ascends with rho and is solved for it by halving. Where no variables correlate so, the nearest
    that do are taken: those without the negative eigenvalues.

    >>> halves = Steps(np.array([0.5, 0.5]))
    >>> correlations_behind(np.array([[1.0, 1 / 3], [1 / 3, 1.0]]), [halves, halves]).round(3)
    array([[1. , 0.5],
           [0.5, 1. ]])

    Args:
        found: the correlations of the scores.
        steps: the variables.
    """
    size = max((len(one.terms) for one in steps), default=0)
    terms = np.array([np.pad(one.terms, (0, size - len(one.terms))) for one in steps])
    terms = terms / np.sqrt([[one.variance or 1.0] for one in steps])
    behind = _solved(terms, found)
    np.fill_diagonal(behind, 1.0)
    root = square_root(behind)
    root = root / np.sqrt(np.square(root).sum(axis=1))[:, None]
    return np.asarray(product(root, root.T))


def _solved(terms: Floats, wanted: Floats) -> Floats:
    """Return for each pair of rows of coefficients the rho that gives a correlation, or is next."""
    low, high = np.full_like(wanted, -STRONGEST), np.full_like(wanted, STRONGEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        value = np.zeros_like(wanted)
        for column in terms.T[::-1]:
            value = (value + np.multiply.outer(column, column)) * middle
        low, high = np.where(value < wanted, middle, low), np.where(value < wanted, high, middle)
    varies = (terms != 0).any(axis=1)
    return np.where(np.logical_and.outer(varies, varies), (low + high) / 2, 0.0)
