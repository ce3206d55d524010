from __future__ import annotations

from fractions import Fraction
from math import exp, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from tacita.mechanisms.private.accounting import epsilon_of, exact, pure_within, rho_within


@given(st.floats(1e-3, 50), st.floats(1e-12, 0.1))
def test_concentrated_budgets_keep_within_what_they_are_made_from(epsilon, delta):
    rho = float(rho_within(epsilon, delta))
    assert epsilon_of(rho, delta) <= epsilon * (1 + 1e-12)
    assert epsilon_of(rho, delta) == pytest.approx(epsilon, rel=1e-9)
    assert rho >= (sqrt(epsilon + log(1 / delta)) - sqrt(log(1 / delta))) ** 2  # the older bound


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-3])
def test_the_exact_delta_of_gaussian_noise_is_below_the_one_said(epsilon, delta):
    """The analytic law of Balle and Wang (2018), for noise of 1 and a sensitivity of sqrt(2 rho)."""
    moved = sqrt(2 * float(rho_within(epsilon, delta)))
    above, below = moved / 2 - epsilon / moved, -moved / 2 - epsilon / moved
    exact_delta = norm.cdf(above) - exp(epsilon) * norm.cdf(below)
    assert delta / 20 < exact_delta <= delta


@given(st.fractions(Fraction(1, 10**6), 100))
def test_pure_losses_keep_within_concentrated_ones(rho):
    assert pure_within(rho) ** 2 / 2 <= rho


def test_ten_tenths_are_one():
    assert sum([exact(0.1)] * 10) == 1
    assert sum([0.1] * 10) != 1
