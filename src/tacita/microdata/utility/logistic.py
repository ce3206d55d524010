"""Logistic regression by iteratively reweighted least squares."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tacita.arithmetic import eigh, log, log_sum, product, share_of, solved
from tacita.data.classes import Floats

STEPS = 25  # at most; where the labels can be told apart surely, coefficients grow without end
HALVINGS = 10  # of a step that went too far
SETTLED = 1e-10  # change of the deviance, for one record on average, at which the fit is done
SURE = 1e-6  # deviance of one record, on average, below which every label is known
# On each coefficient but the intercept: as good as nothing beside the information of one record,
# and enough to choose one of many solutions where columns depend on one another.
RIDGE = 1e-6
DEPENDENT = 1e-9  # share of the largest eigenvalue below which a direction is none
SPARSE = 1 / 4  # share of values that are not 0 below which the others are not stored


class Logistic(NamedTuple):
    """A fitted logistic regression."""

    coefficients: Floats  # the intercept first
    probabilities: Floats  # of label 1, for every record
    rank: int  # number of columns that do not depend on others, the intercept among them


def logistic(columns: Floats, labels: Floats, weights: Floats) -> Logistic:
    """Fit the probability of label 1, 1 / (1 + exp(-(b0 + b1 x1 + ...))), by maximum likelihood.

    A ridge of 1e-6 on the coefficients and at most 25 steps keep them finite where a column tells
    the labels apart surely; the probabilities are then near 0 and 1.

    >>> group = np.array([[0.0], [0.0], [0.0], [1.0], [1.0]])
    >>> fit = logistic(group, np.array([0.0, 0.0, 1.0, 0.0, 1.0]), np.ones(5))
    >>> fit.probabilities.round(4), fit.rank
    (array([0.3333, 0.3333, 0.3333, 0.5   , 0.5   ]), 2)

    Args:
        columns: records by columns, without blanks; standardized or 0 and 1.
        labels: 0 or 1; both must occur.
        weights: how often each record counts.
    """
    x = _stored(np.column_stack([np.ones(len(columns)), columns]))
    ridge = np.append(0.0, np.full(columns.shape[1], RIDGE))
    share = float(np.average(labels, weights=weights))
    beta = np.append(log(share / (1 - share)), np.zeros(columns.shape[1]))
    lost = _deviance(_scores(x, beta), labels, weights) + product(ridge, beta**2)
    total = float(weights.sum())
    for _ in range(STEPS):
        before = lost
        beta, lost = _stepped(x, labels, weights, ridge, beta, lost)
        if before - lost <= SETTLED * total or lost <= SURE * total:
            break
    return Logistic(beta, _probability(_scores(x, beta)), _rank(_information(x, weights)))


def _stepped(
    x: Any, labels: Floats, weights: Floats, ridge: Floats, beta: Floats, lost: float
) -> tuple[Floats, float]:
    """Take a Newton step, or the part of it that does not make the fit worse."""
    p = _probability(_scores(x, beta))
    slope = _scores(x.T, weights * (labels - p)) - ridge * beta
    curve = _information(x, weights * p * (1 - p)) + RIDGE * np.eye(len(beta))
    step = solved(curve, slope)
    for _ in range(HALVINGS):
        tried = _deviance(_scores(x, beta + step), labels, weights)
        tried += float(product(ridge, (beta + step) ** 2))
        if tried <= lost:
            return beta + step, float(tried)
        step /= 2
    return beta, lost


def _deviance(scores: Floats, labels: Floats, weights: Floats) -> float:
    """Return twice the negative log-likelihood."""
    return 2 * float(product(weights, log_sum(0.0, scores) - labels * scores))


def _scores(x: Any, factors: Floats) -> Floats:
    """Multiply a matrix, sparse or not, with a vector; sparse ones have one order of sums."""
    return np.asarray(product(x, factors) if isinstance(x, np.ndarray) else x @ factors)


def _probability(scores: Floats) -> Floats:
    return np.asarray(share_of(scores))


def _information(x: Any, weights: Floats) -> Floats:
    """Return X'WX."""
    from scipy.sparse import issparse

    if issparse(x):
        return np.asarray((x.T @ x.multiply(weights[:, None]).tocsr()).toarray())
    return np.asarray(product(x.T, x * weights[:, None]))


def _stored(x: Floats) -> Any:
    """Store only what is not 0 where most is."""
    from scipy.sparse import csr_array

    return csr_array(x) if np.count_nonzero(x) < SPARSE * x.size else x


def _rank(gram: Floats) -> int:
    values = eigh(gram)[0]
    return int(np.count_nonzero(values > DEPENDENT * values[-1]))
