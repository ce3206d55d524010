"""Normal scores of values of any kind that can be ordered."""

from __future__ import annotations

import numpy as np

from tacita.arithmetic import product, pseudo_inverse
from tacita.data.classes import Floats, Ints, Mask
from tacita.microdata.masking.perturbing.patterns import covariance_of_known

SWEEPS = 10  # redraws of every tied attribute; more change no correlation by a hundredth
ENDS = 1e-15  # a share nearer than this to 0 or 1 would have an infinite score


def normal_scores(places: Floats, rng: np.random.Generator) -> Floats:
    """Return scores that ascend with the values and are normal, records by attributes.

    The r-th of n values has the score Phi^-1((r - 1/2) / n). Equal values, from the r-th to the
    s-th, have scores between Phi^-1((r - 1) / n) and Phi^-1(s / n): drawn at random, and then
    several times anew given the scores of the other attributes, as if all were jointly normal.
    Without that, ties would weaken the correlations.

    Args:
        places: numbers that ascend with the values of each attribute; a blank is NaN and stays so.
        rng: where scores of equal values are drawn from.
    """
    from scipy.special import ndtri

    jumps = [_jumps(column) for column in places.T]
    tied = [np.flatnonzero(_is_tied(low, high)) for low, high in jumps]
    scores = places.copy()
    for place, ((low, high), rows) in enumerate(zip(jumps, tied, strict=True)):
        share = np.full(len(low), 0.5)
        share[rows] = rng.random(len(rows))
        scores[:, place] = ndtri(np.clip(low + (high - low) * share, ENDS, 1 - ENDS))
    if places.shape[1] > 1:
        for _ in range(SWEEPS):
            for place in (j for j, rows in enumerate(tied) if len(rows)):
                low, high = (ndtri(edge[tied[place]]) for edge in jumps[place])
                _redraw(scores, place, tied[place], low, high, rng)
    return scores


def _jumps(column: Floats) -> tuple[Floats, Floats]:
    """Return the shares of known values below every value, and up to it."""
    known = ~np.isnan(column)
    _, which, counts = np.unique(column[known], return_inverse=True, return_counts=True)
    ends = np.concatenate([[0], np.cumsum(counts)]) / max(len(which), 1)
    jumps = np.full((2, len(column)), np.nan)
    jumps[:, known] = ends[which], ends[which + 1]
    return jumps[0], jumps[1]


def _is_tied(low: Floats, high: Floats) -> Mask:
    """Tell the values whose jump is wider than that of one value alone."""
    alone = 1 / max(int(np.count_nonzero(~np.isnan(low))), 1)
    return np.asarray(high - low > 1.5 * alone)


def _redraw(
    scores: Floats, place: int, rows: Ints, low: Floats, high: Floats, rng: np.random.Generator
) -> None:
    """Draw scores of one attribute anew, between their bounds and given those of the others."""
    from scipy.special import ndtr, ndtri

    found = covariance_of_known(scores)
    others = [j for j in range(scores.shape[1]) if j != place]
    between = found[others, place]
    slopes = product(pseudo_inverse(found[np.ix_(others, others)]), between)
    deviation = np.sqrt(max(found[place, place] - product(slopes, between), ENDS))
    expected = np.zeros(len(rows))
    for slope, other in zip(slopes, others, strict=True):
        expected += slope * np.nan_to_num(scores[rows, other])
    first, last = (ndtr((edge - expected) / deviation) for edge in (low, high))
    share = np.clip(first + (last - first) * rng.random(len(rows)), ENDS, 1 - ENDS)
    scores[rows, place] = np.clip(expected + deviation * ndtri(share), low, high)
