"""The rates of substitution and subsampling that lose least under a bound of risk."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacita.arithmetic import product
from tacita.data.classes import Floats

MOST_SWEEPS = 1000
CLOSE = 1e-12  # a rate that moves by less has arrived


class Rates(NamedTuple):
    """For every stratum the share of records substituted, and the share that is kept."""

    substitution: Floats
    sampling: Floats


def optimal_rates(members: Floats, leaving: Floats, undisturbed: Floats) -> Rates:
    """Return the rates that lose least while records are undisturbed no more often than they may.

    With n_ha records of stratum h in category a, of which d_ha leave it when they are substituted,
    n_a = sum_h n_ha, substitution psi and sampling phi, what is lost is

    sum_a (sum_h n_ha (1 / phi_h - 1) + (sum_h d_ha psi_h)^2) / n_a.

    It falls in phi, so that phi_h = u_h / (1 - psi_h) where (1 - psi_h) phi_h is to be at most u_h;
    what is left is quadratic and convex in psi_h, from 0 to 1 - u_h. It is brought down in one
    stratum after the other, each time exactly, until none moves.

    >>> found = optimal_rates(np.array([[50.0]]), np.array([[50.0]]), np.array([0.5]))
    >>> [part.round(6).tolist() for part in found]  # 1 / (2 u 50)
    [[0.02], [0.510204]]

    Args:
        members: n_ha, strata by categories.
        leaving: d_ha; a stratum where nobody leaves a category has nobody to substitute.
        undisturbed: u_h, above 0 to 1.
    """
    sizes = np.maximum(members.sum(axis=0), 1.0)
    saved = product(members, 1 / sizes) / undisturbed
    bias = product(leaving / sizes, leaving.T)
    substitution = np.zeros(len(undisturbed))
    for _ in range(MOST_SWEEPS):
        before = substitution.copy()
        for h, own in enumerate(bias.diagonal()):
            others = product(bias[h], substitution) - own * substitution[h]
            least = (saved[h] / 2 - others) / own if own > 0 else 0.0
            substitution[h] = min(max(least, 0.0), 1 - undisturbed[h])
        if np.abs(substitution - before).max(initial=0.0) <= CLOSE:
            break
    return Rates(substitution, undisturbed / (1 - substitution))
