"""Noisy numbers made consistent: totals become the sums of their parts.

What is computed from noisy numbers costs no privacy. The parts are estimated from all numbers by
weighted least squares (Hay et al. 2010) and rounded to whole units; their sums are then closer to
the truth than what was measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Floats, Ints, Mask

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CLOSE = 1e-12  # how far the estimate may be from the best one, relative to it
NEARLY = 1e-9  # of the largest number: what is nearer to 0 is 0
PATIENCE = 3  # rounds in which parts out of place need not become fewer
MOST_ROUNDS = 50


def fitted_parts(sums: csr_array, told: Floats, scales: Floats) -> Floats:
    """Return the parts whose sums are closest to noisy numbers.

    >>> from scipy.sparse import csr_array
    >>> totals = csr_array(np.array([[1, 1], [1, 0], [0, 1]]))
    >>> fitted_parts(totals, np.array([9.0, 4.0, 2.0]), np.ones(3)).round(9)
    array([5., 3.])

    Args:
        sums: one row a number, one column a part: which parts add up to it.
        told: the noisy numbers.
        scales: the scale of the noise of each.
    """
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import lsqr

    weighted = diags_array(1 / scales) @ sums
    steps = 4 * sums.shape[1] + 100
    found: Floats = lsqr(weighted, told / scales, atol=CLOSE, btol=CLOSE, iter_lim=steps)[0]
    return found


def fitted_nonnegative(sums: csr_array, told: Floats, scales: Floats) -> Floats:
    """Return the parts, none below 0, whose sums are closest to noisy numbers.

    Parts that come out below 0 are held at 0, and those that would then rather grow are let go, all
    at a time as long as they become fewer, one at a time where they do not (block principal
    pivoting; Kim and Park 2011).

    >>> from scipy.sparse import csr_array
    >>> totals = csr_array(np.array([[1, 1], [1, 0], [0, 1]]))
    >>> fitted_nonnegative(totals, np.array([4.0, 4.0, -6.0]), np.ones(3)).round(6)
    array([4., 0.])
    """
    columns, across = sums.tocsc(), sums.T.tocsr()
    held = np.zeros(sums.shape[1], bool)
    fewest, patience = len(held) + 1, PATIENCE
    for _ in range(MOST_ROUNDS):
        parts = np.zeros(len(held))
        parts[~held] = fitted_parts(columns[:, ~held], told, scales)
        slope: Floats = across @ ((sums @ parts - told) / scales**2)
        wrong = np.flatnonzero(np.where(held, _below_0(slope), _below_0(parts)))
        if not wrong.size:
            break
        if wrong.size < fewest:
            fewest, patience = wrong.size, PATIENCE
        else:
            patience -= 1
        turned = wrong if patience > 0 else wrong[-1:]
        held[turned] = ~held[turned]
    return np.maximum(parts, 0.0)


def _below_0(numbers: Floats) -> Mask:
    """Tell which numbers are below 0 by more than rounding makes them."""
    below: Mask = numbers < -NEARLY * np.abs(numbers).max(initial=0.0)
    return below


def in_whole_units(parts: Floats) -> Ints:
    """Round parts so that neighbours together are off by no more than one is.

    Parts that are not negative stay so.

    >>> in_whole_units(np.array([0.4, 0.4, 0.4, 2.0]))
    array([0, 1, 0, 2])
    """
    whole: Ints = np.diff(np.rint(np.cumsum(parts)), prepend=0).astype(np.int64)
    return whole
