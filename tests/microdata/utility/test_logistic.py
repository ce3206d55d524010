"""Logistic regression, against closed forms and another package."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression

from tacita.microdata.utility.logistic import _stored, logistic


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 3))
    p = 1 / (1 + np.exp(-(0.4 + x @ [1.0, -0.5, 0.0])))
    return x, (rng.random(400) < p).astype(float), rng.uniform(0.5, 3, 400)


def test_one_group_column_gives_the_shares_of_the_groups():
    group = np.repeat([0.0, 1.0], [100, 60])
    labels = np.r_[np.repeat([1.0, 0.0], [30, 70]), np.repeat([1.0, 0.0], [45, 15])]
    fit = logistic(group[:, None], labels, np.ones(160))
    assert fit.probabilities == pytest.approx(np.where(group == 1, 0.75, 0.3), abs=1e-6)
    assert fit.coefficients[0] == pytest.approx(np.log(0.3 / 0.7), abs=1e-6)


def test_agrees_with_scikit_learn(drawn):
    x, labels, weights = drawn
    fit = logistic(x, labels, weights)
    other = LogisticRegression(C=1e10, tol=1e-10, max_iter=1000)
    other.fit(x, labels, sample_weight=weights)
    assert fit.coefficients[1:] == pytest.approx(other.coef_[0], abs=1e-5)
    assert fit.probabilities == pytest.approx(other.predict_proba(x)[:, 1], abs=1e-6)


def test_the_slope_of_the_likelihood_is_zero(drawn):
    x, labels, weights = drawn
    fit = logistic(x, labels, weights)
    left = weights * (labels - fit.probabilities)
    assert np.abs(np.column_stack([np.ones(400), x]).T @ left).max() < 1e-4


def test_weights_count_as_repeated_records(drawn):
    x, labels, _ = drawn
    times = np.random.default_rng(0).integers(1, 4, 400)
    repeated = logistic(np.repeat(x, times, 0), np.repeat(labels, times), np.ones(times.sum()))
    weighted = logistic(x, labels, times.astype(float))
    assert weighted.coefficients == pytest.approx(repeated.coefficients, abs=1e-7)


def test_dependent_columns_change_nothing_and_do_not_count(drawn):
    x, labels, weights = drawn
    fit = logistic(x, labels, weights)
    more = logistic(np.column_stack([x, x[:, 0] - x[:, 1], np.ones(400)]), labels, weights)
    assert more.probabilities == pytest.approx(fit.probabilities, abs=1e-6)
    assert fit.rank == more.rank == 4


def test_what_can_be_told_apart_surely_gets_sure_probabilities():
    x = np.linspace(-1, 1, 200)[:, None]
    labels = (x[:, 0] > 0).astype(float)
    fit = logistic(x, labels, np.ones(200))
    assert np.isfinite(fit.coefficients).all()
    assert np.abs(fit.probabilities - labels).mean() < 0.01


def test_many_categories_are_stored_without_their_zeros():
    rng = np.random.default_rng(5)
    group, labels = rng.integers(0, 40, 2000), (rng.random(2000) < 0.4).astype(float)
    dummies = (group[:, None] == np.arange(1, 40)).astype(float)
    assert issparse(_stored(dummies))
    shares = np.bincount(group, labels) / np.bincount(group)
    fit = logistic(dummies, labels, np.ones(2000))
    assert fit.probabilities == pytest.approx(shares[group], abs=1e-6)
    assert fit.rank == 40


def test_without_columns_everybody_has_the_share():
    fit = logistic(np.zeros((4, 0)), np.array([1.0, 0, 0, 0]), np.ones(4))
    assert fit.probabilities == pytest.approx(np.full(4, 0.25))
    assert fit.rank == 1
