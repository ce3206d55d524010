"""Draws of parameters: where they lie, and how far apart."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.errors import ProtectionError
from tacita.microdata.synthesis.imputing.posterior import LinearDraw, inverse_root, logistic_draw


def test_linear_draws_have_the_posterior_distribution():
    rng = np.random.default_rng(0)
    x = np.column_stack([np.ones(50), rng.normal(size=50)])
    y = x @ [1.0, 2.0] + 0.5 * rng.normal(size=50)
    draws = [LinearDraw.of(x, y, np.ones(50), rng) for _ in range(4000)]
    fitted, lost = np.linalg.lstsq(x, y)[:2]
    coefficients = np.array([draw.coefficients for draw in draws])
    # E sigma^2 = SSE / (df - 2), and the covariance of the coefficients is that times inv(X'X).
    expected = float(lost[0]) / 46 * np.linalg.inv(x.T @ x)
    assert coefficients.mean(axis=0) == pytest.approx(fitted, abs=0.01)
    assert np.cov(coefficients.T) == pytest.approx(expected, rel=0.1, abs=3e-4)
    assert np.mean([draw.sigma**2 for draw in draws]) == pytest.approx(lost[0] / 46, rel=0.03)


def test_dependent_columns_do_no_harm():
    rng = np.random.default_rng(0)
    one = rng.normal(size=100)
    x = np.column_stack([np.ones(100), one, 2 * one, np.zeros(100)])
    draw = LinearDraw.of(x, 3 + one, np.ones(100), rng)
    assert draw.drawn(x, rng) == pytest.approx(3 + one, abs=1e-9)
    assert inverse_root(x.T @ x)[1] == 2


def test_refuses_too_few_records():
    x = np.eye(5)
    with pytest.raises(ProtectionError, match="needs at least 8 records to impute from; found 5"):
        LinearDraw.of(x, np.ones(5), np.ones(5), np.random.default_rng(0))


def test_logistic_draws_spread_as_maximum_likelihood_does():
    rng = np.random.default_rng(1)
    x = np.column_stack([np.ones(800), rng.normal(size=800)])
    p = 1 / (1 + np.exp(-(x @ [-1.0, 1.0])))
    labels = (rng.random(800) < p).astype(float)
    draws = np.array([logistic_draw(x, labels, np.ones(800), rng) for _ in range(300)])
    spread = np.sqrt(np.diag(np.linalg.inv((x * (p * (1 - p))[:, None]).T @ x)))
    assert draws.std(axis=0) == pytest.approx(spread, rel=0.25)
    assert draws.mean(axis=0) == pytest.approx([-1, 1], abs=0.25)


def test_labels_that_are_told_apart_surely_give_finite_coefficients():
    x = np.column_stack([np.ones(40), np.repeat([0.0, 1.0], 20)])
    labels = x[:, 1]
    draw = logistic_draw(x, labels, np.ones(40), np.random.default_rng(0))
    assert np.abs(draw).max() < 10
    assert draw[1] > 2


def test_a_rare_label_stays_rare():
    """However many columns there are."""
    rng = np.random.default_rng(0)
    x = np.column_stack([np.ones(300), rng.normal(size=(300, 40))])
    labels = (np.arange(300) < 12).astype(float)
    shares = [
        np.mean(1 / (1 + np.exp(-x @ logistic_draw(x, labels, np.ones(300), rng))))
        for _ in range(20)
    ]
    assert np.mean(shares) == pytest.approx(0.04, abs=0.02)
