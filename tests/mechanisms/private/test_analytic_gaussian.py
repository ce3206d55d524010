"""Analytic Gaussian noise against the exact formula, an integral, and the classical scale."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from tacita.errors import ParameterError
from tacita.mechanisms.private.analytic_gaussian import (
    DRAWN,
    GRID,
    LEAST,
    AnalyticGaussian,
    analytic_scale,
    delta_of,
)
from tacita.mechanisms.private.mechanisms import Gaussian, Sensitivity

ALARM = 1e-9
ONE = Sensitivity(1, 1.0)


@pytest.mark.parametrize(("epsilon", "scale", "moved"), [(0.5, 3.0, 1.0), (2.0, 1.0, 1.5)])
def test_delta_is_what_one_density_exceeds_the_other_by(epsilon, scale, moved):
    """The hockey-stick divergence of two normal laws, integrated."""

    def beyond(x: float) -> float:
        here, there = stats.norm.pdf(x, moved, scale), stats.norm.pdf(x, 0, scale)
        return max(here - exp(epsilon) * there, 0.0)

    wanted, _ = integrate.quad(beyond, -40 * scale, 40 * scale, limit=500, points=[0, moved])
    assert delta_of(epsilon, scale, moved) == pytest.approx(wanted, rel=1e-6)


@settings(max_examples=80, deadline=None)
@given(
    epsilon=st.floats(1e-4, 20.0),
    delta=st.floats(-10, -1.5).map(lambda power: 10.0**power),
    moved=st.floats(0.1, 1e6),
)
def test_the_scale_keeps_within_delta_and_no_smaller_one_does(epsilon, delta, moved):
    scale = analytic_scale(epsilon, delta, moved)
    assert delta_of(epsilon, scale, moved) <= delta
    assert delta_of(epsilon, scale * (1 - 1e-4), moved) > delta


@settings(max_examples=80, deadline=None)
@given(epsilon=st.floats(1e-4, 1.0), delta=st.floats(1e-10, 1e-2))
def test_it_is_never_worse_than_the_classical_scale(epsilon, delta):
    assert analytic_scale(epsilon, delta, 1.0) <= sqrt(2 * log(1.25 / delta)) / epsilon


def test_one_query_gets_less_noise_than_concentrated_losses_allow():
    from tacita.mechanisms.private.accounting import rho_within

    analytic = AnalyticGaussian(1e-6).scale(ONE, Fraction(1))
    assert analytic < 0.95 * Gaussian().scale(ONE, rho_within(1.0, 1e-6))


def test_noise_is_that_of_reals_rounded():
    found = np.array(AnalyticGaussian(1e-6).noised([7] * 20_000, 2.0)) - 7
    inner = np.arange(-4, 5)
    law = stats.norm(scale=2.0)
    wanted = (law.cdf(inner + 0.5) - law.cdf(inner - 0.5)) * found.size
    seen = np.array([(found == k).sum() for k in inner])
    rest = found.size - wanted.sum()
    told = stats.chisquare([*seen, found.size - seen.sum()], [*wanted, rest])
    assert told.pvalue > ALARM


@pytest.mark.parametrize("scale", [3.0, 10.0])
def test_the_grid_brings_the_discrete_law_as_near_as_it_says(scale):
    """The distance falls with the square of the scale, so that on the grid it is next to nothing."""
    k = np.arange(-40 * int(scale), 40 * int(scale) + 1)
    discrete = np.exp(-(k**2) / (2 * scale**2))
    discrete /= discrete.sum()
    rounded = np.diff(stats.norm.cdf(np.append(k - 0.5, k[-1] + 0.5), scale=scale))
    distance = np.abs(discrete - rounded).sum() / 2
    assert distance <= 1 / (24 * scale**2)
    assert 200 / (24 * (GRID * LEAST) ** 2) < DRAWN


def test_a_delta_that_sampling_eats_up_is_refused():
    with pytest.raises(ParameterError, match="too small for this noise"):
        AnalyticGaussian(1e-12).scale(ONE, Fraction(1, 10))


def test_tails_are_not_below_the_law():
    law = stats.norm(scale=5.0)
    for number in (1, 4, 20):
        assert AnalyticGaussian(1e-6).exceeding(number, 5.0) >= law.sf(number - 0.5)
