"""Thresholds against the exact law of the noise, summed up."""

from __future__ import annotations

from math import ceil, exp, log

import numpy as np
import pytest
from scipy import stats

from tacita.mechanisms.private.analytic_gaussian import AnalyticGaussian
from tacita.mechanisms.private.mechanisms import Gaussian, Laplace
from tacita.mechanisms.private.thresholds import threshold

WIDE = np.arange(-4000, 4001)
LAWS = {
    "laplace": (Laplace(), lambda scale: np.exp(-np.abs(WIDE) / scale)),
    "gaussian": (Gaussian(), lambda scale: np.exp(-(WIDE**2) / (2 * scale**2))),
    "analytic": (
        AnalyticGaussian(1e-6),
        lambda scale: np.diff(stats.norm.cdf(np.append(WIDE, 4001) - 0.5, scale=scale)),
    ),
}


def tail(law, scale: float, least: int) -> float:
    """Return the probability of the numbers from the least on, added up."""
    mass = LAWS[law][1](scale)
    return float(mass[least <= WIDE].sum() / mass.sum())


def partitions(records: int, most: int):
    """Give all ways to split at most so many records into groups."""
    yield ()
    for one in range(1, min(records, most) + 1):
        for rest in partitions(records - one, one):
            yield (one, *rest)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("delta", [1e-2, 1e-6])
@pytest.mark.parametrize(("scale", "records"), [(1.5, 1), (20.0, 1), (20.0, 4)])
def test_no_groups_of_one_respondent_are_shown_more_often_than_delta(law, delta, scale, records):
    least = threshold(LAWS[law][0], scale, records, delta)
    for groups in partitions(records, records):
        hidden = np.prod([1 - tail(law, scale, least - count) for count in groups])
        assert 1 - hidden <= delta * (1 + 1e-9)


@pytest.mark.parametrize("scale", [0.7, 3.0, 40.0])
@pytest.mark.parametrize("delta", [1e-2, 1e-8])
def test_the_laplace_threshold_is_the_least_and_that_of_the_formula(scale, delta):
    least = threshold(Laplace(), scale, 1, delta)
    q = exp(-1 / scale)
    assert least == max(2, 1 + ceil(log(1 / (delta * (1 + q))) * scale))
    assert tail("laplace", scale, least - 2) > delta


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("delta", [1e-2, 1e-6])
@pytest.mark.parametrize(("scale", "groups"), [(1.5, 1), (20.0, 4), (3.0, 9)])
def test_counting_respondents_spends_delta_and_no_more(law, delta, scale, groups):
    least = threshold(LAWS[law][0], scale, groups, delta, respondents=True)
    shown = [1 - (1 - tail(law, scale, least - back)) ** groups for back in (1, 2, 3)]
    assert shown[0] <= delta * (1 + 1e-9)
    # One lower would not do; the tail of the discrete Gaussian is bounded by the next real one.
    assert shown[1 + (law == "gaussian")] > delta
    assert least <= threshold(LAWS[law][0], scale, groups, delta)


@pytest.mark.parametrize("law", LAWS)
def test_tails_are_not_below_the_law(law):
    for least in (1, 2, 10, 50):
        assert LAWS[law][0].exceeding(least, 10.0) >= tail(law, 10.0, least) * (1 - 1e-9)
