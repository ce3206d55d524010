"""A normal copula: ranks of attributes that relate to each other as normal variables do."""

from __future__ import annotations

import numpy as np

from tacita.arithmetic import product, pseudo_inverse, sin
from tacita.data.classes import Floats
from tacita.microdata.masking.perturbing.numbers import square_root

NEGLIGIBLE = 1e-10  # share of the largest eigenvalue below which a direction is empty


def ranks(values: Floats) -> Floats:
    """Return the ranks of numbers from 1 on, equal ones share their middle rank; a blank is NaN.

    >>> ranks(np.array([7.0, np.nan, 5.0, 7.0])).tolist()
    [2.5, nan, 1.0, 2.5]
    """
    found, known = np.full(len(values), np.nan), ~np.isnan(values)
    _, place, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    found[known] = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return found


def column_ranks(values: Floats) -> Floats:
    """Return the ranks in every column of numbers."""
    return np.column_stack([values[:, :0], *map(ranks, values.T)])


def normal_scores(ranked: Floats) -> Floats:
    """Return the quantiles of the normal distribution that ranks stand for; those of blanks are 0.

    >>> normal_scores(np.array([1.0, 2.0, 3.0, np.nan])).round(3).tolist()
    [-0.967, 0.0, 0.967, 0.0]
    """
    from scipy.special import ndtri

    known = ~np.isnan(ranked)
    shares = (ranked - 0.5) / max(int(known.sum()), 1)
    return np.where(known, ndtri(np.where(known, shares, 0.5)), 0.0)


def rank_correlations(ranked: Floats) -> Floats:
    """Return Spearman's correlations of columns of ranks, each pair over the records known in both.

    A constant column correlates with nothing.

    >>> rank_correlations(np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    from tacita.kernels.moments import moments

    known = ~np.isnan(ranked)
    middles = (np.count_nonzero(known, axis=0) + 1) / 2
    about = np.where(known, ranked - middles, 0.0)
    products = moments(about).covariance * (len(about) - 1)
    squares = np.stack([(about[there] ** 2).sum(axis=0) for there in known.T])
    sizes = np.sqrt(squares * squares.T)
    found: Floats = np.divide(products, sizes, out=np.zeros_like(products), where=sizes > 0)
    np.fill_diagonal(found, 1.0)
    return found


def copula_correlations(ranked: Floats) -> Floats:
    """Return the correlations of the normal variables whose ranks correlate as these do.

    They are 2 sin(pi r / 6); where no variables correlate so, the nearest that do are taken: those
    without the negative eigenvalues.
    """
    wanted = 2 * sin(np.pi / 6 * rank_correlations(ranked))
    root = square_root(wanted)
    root = root / np.sqrt((root**2).sum(axis=1))[:, None]
    return np.asarray(product(root, root.T))


def drawn_given(hidden: Floats, given: Floats, rng: np.random.Generator) -> Floats:
    """Draw normal scores anew from their distribution given other attributes.

    Args:
        hidden: records by attributes; a blank is NaN.
        given: records by the attributes that stay.
        rng: where chance comes from.

    Returns:
        The scores of the hidden attributes. Given the others, they do not depend on the values
        that the record had.
    """
    size, ranked = hidden.shape[1], column_ranks(np.hstack([hidden, given]))
    rho = copula_correlations(ranked)
    between, among = rho[:size, size:], rho[size:, size:]
    slopes = product(between, pseudo_inverse(among, NEGLIGIBLE))
    root = square_root(rho[:size, :size] - product(slopes, between.T))
    scores = np.column_stack([given[:, :0], *map(normal_scores, ranked[:, size:].T)])
    expected = product(scores, slopes.T)
    chance = product(rng.standard_normal(hidden.shape), root.T)
    return np.asarray(expected + chance)
