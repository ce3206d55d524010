"""The interval of a share covers the share as often as it says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from tacita.microdata.comparing.confidence import share_interval


@pytest.mark.parametrize(("right", "tried"), [(0, 5), (5, 5), (3, 17), (120, 1000)])
def test_it_is_the_exact_interval_of_scipy(right, tried):
    expected = binomtest(right, tried).proportion_ci(0.95, method="exact")
    found = share_interval(right, tried)
    assert found.lower == pytest.approx(expected.low, abs=1e-12)
    assert found.upper == pytest.approx(expected.high, abs=1e-12)


def test_without_a_trial_nothing_is_known():
    assert (share_interval(0, 0).lower, share_interval(0, 0).upper) == (0, 1)


@pytest.mark.parametrize("share", [0.003, 0.2, 0.5, 0.99])
def test_it_covers_the_true_share_at_least_as_often_as_it_says(share):
    counts = np.arange(41)
    covers = [(i := share_interval(int(s), 40)).lower <= share <= i.upper for s in counts]
    assert binom.pmf(counts, 40, share)[covers].sum() >= 0.95


def test_an_expected_number_of_successes_lies_between_its_neighbours():
    low, mid, high = (share_interval(s, 10) for s in (2, 2.5, 3))
    assert low.lower < mid.lower < high.lower
    assert low.upper < mid.upper < high.upper
