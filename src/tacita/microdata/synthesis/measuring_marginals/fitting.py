"""Fitting a graphical model to noisy counts of marginals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacita.data.classes import Floats
from tacita.microdata.synthesis.measuring_marginals.junction_tree import Clique
from tacita.microdata.synthesis.measuring_marginals.model import Model

LEAST_STEP = 1e-20  # below which no step improves the fit
SETTLED = 1e-5  # relative improvement of a step below which the fit has settled


@dataclass(frozen=True, eq=False)
class Measured:
    """Noisy counts of a marginal.

    Args:
        attributes: which, in ascending order.
        counts: one for every cell.
        variances: those of the noise, for every cell.
    """

    attributes: Clique
    counts: Floats
    variances: Floats


def total(measured: Sequence[Measured]) -> float:
    """Return the number of records by the noisy counts, each marginal by its precision."""
    precisions = [1 / one.variances.sum() for one in measured]
    sums = [one.counts.sum() for one in measured]
    return max(float(np.average(sums, weights=precisions)), 1.0)


def fitted(model: Model, measured: Sequence[Measured], steps: int) -> Model:
    """Return the model of the same cliques whose marginals are nearest to noisy counts.

    It minimizes 1/2 sum (n P(cell) - count)^2 / variance over the distributions of the model by
    mirror descent (McKenna, Sheldon and Miklau 2019): potentials move against the gradient, with
    steps that grow while they succeed.

    Args:
        model: where to begin.
        measured: the noisy counts; each lies within a clique.
        steps: how many steps are made at most.
    """
    number = total(measured)
    model = model.with_sets(one.attributes for one in measured)
    step, here = 1 / number**2, _misfit(model, measured, number)
    for _ in range(steps):
        there = _misfit(_moved(here, step), measured, number)
        while there.loss > here.loss - _expected(here, there) and step > LEAST_STEP:
            step /= 2
            there = _misfit(_moved(here, step), measured, number)
        if here.loss - there.loss <= SETTLED * here.loss:
            return there.model if there.loss < here.loss else here.model
        here, step = there, 2 * step
    return here.model


@dataclass(frozen=True, eq=False)
class _Misfit:
    """How far a model is from noisy counts.

    Args:
        model: which.
        loss: what is minimized.
        shares: the model's marginals, by set of attributes.
        slopes: those of the loss in the marginals.
    """

    model: Model
    loss: float
    shares: dict[Clique, Floats]
    slopes: dict[Clique, Floats]


def _misfit(model: Model, measured: Sequence[Measured], number: float) -> _Misfit:
    shares = {held: model.marginal(held) for held in model.weights}
    slopes = {held: np.zeros_like(share) for held, share in shares.items()}
    loss = 0.0
    for one in measured:
        missed = shares[one.attributes] * number - one.counts
        loss += 0.5 * float((missed * missed / one.variances).sum())
        slopes[one.attributes] += missed * number / one.variances
    return _Misfit(model, loss, shares, slopes)


def _moved(here: _Misfit, step: float) -> Model:
    weights = here.model.weights
    return here.model.reweighted(
        {held: weights[held] - step * slope for held, slope in here.slopes.items()}
    )


def _expected(here: _Misfit, there: _Misfit) -> float:
    """Return half of what a step would gain if the loss were linear."""
    return 0.5 * sum(
        float((slope * (here.shares[held] - there.shares[held])).sum())
        for held, slope in here.slopes.items()
    )
