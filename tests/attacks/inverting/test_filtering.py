from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacita.attacks.inverting.filtering import (
    LEAST,
    MOST,
    Noisy,
    bounded_shares,
    centred_moments,
    logarithms,
    on_a_line,
    variances_of,
)
from tacita.errors import InputError

pytestmark = pytest.mark.numeric


def correlated(seed, records=300, width=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(records, width)) @ rng.normal(size=(width, width)) + 5


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.booleans())
def test_whitening_makes_the_noise_one_and_can_be_undone(seed, is_correlated):
    noisy = Noisy.of(correlated(seed), np.full(4, 0.3), is_correlated, transformed=False)
    into, back = noisy.whitening()
    assert np.allclose(into.T @ noisy.noise @ into, np.eye(4), atol=1e-6)
    assert np.allclose(into @ back, np.eye(4), atol=1e-6)


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_the_bayes_estimate_is_the_linear_one(seed, is_correlated, transformed):
    values, shares = correlated(seed), np.full(4, 0.02)
    noisy = Noisy.of(values, shares, is_correlated, transformed)
    signal = noisy.covariance - noisy.noise
    assume(np.linalg.eigvalsh(signal).min() > 1e-9)  # else more noise is told than there can be
    slopes = np.linalg.solve(noisy.covariance, signal)
    expected = noisy.means + (values - noisy.means) @ slopes / noisy.kept
    assert np.allclose(noisy.filtered("bayes"), expected, atol=1e-6)


def test_correlated_noise_is_filtered_by_drawing_to_the_mean():
    values = correlated(1)
    noisy = Noisy.of(values, np.full(4, 1 / 3), correlated=True, transformed=False)
    means = values.mean(axis=0)
    assert np.allclose(noisy.filtered("bayes"), means + (values - means) * 2 / 3)


def test_the_spectral_filter_keeps_what_is_more_than_noise():
    rng = np.random.default_rng(0)
    signal = rng.normal(size=(2000, 1)) @ np.ones((1, 5)) * 3
    values = signal + rng.normal(size=signal.shape)
    noisy = Noisy.of(values, 1 / variances_of(values), correlated=False, transformed=False)
    filtered = noisy.filtered("spectral")
    assert np.linalg.matrix_rank(filtered - filtered.mean(axis=0), tol=1e-6) == 1
    errors = [float(np.square(found - signal).mean()) for found in (filtered, values)]
    assert errors[0] < 0.3 * errors[1]


def test_transformed_values_are_moved_back():
    values = correlated(2)
    noisy = Noisy.of(values, np.full(4, 0.36), correlated=True, transformed=True)
    assert np.allclose(noisy.kept, 0.8)
    assert np.allclose(noisy.expected(noisy.means[None]), noisy.means)
    assert np.allclose(noisy.expected(noisy.means[None] + 10), noisy.means + 8)


def test_blanks_stay_blank_and_count_as_the_mean():
    values = correlated(3)
    values[::7, 1] = np.nan
    noisy = Noisy.of(values, np.full(4, 0.1), correlated=False, transformed=False)
    assert np.array_equal(np.isnan(noisy.filtered("bayes")), np.isnan(values))
    there = values[~np.isnan(values[:, 1]), 1]
    assert noisy.means[1] == pytest.approx(there.mean())
    assert variances_of(values)[1] == pytest.approx(there.var(ddof=1))
    assert noisy.covariance[1, 1] == pytest.approx(np.square(there - there.mean()).sum() / 299)


def test_shares_are_above_nothing_and_below_all():
    shares = bounded_shares(np.array([0.0, 1.0, 9.0, 1.0]), np.array([2.0, 2.0, 2.0, 0.0]))
    assert shares.tolist() == [LEAST, 0.5, MOST, LEAST]


def test_logarithms_of_other_signs_are_far_apart():
    values = np.array([5.0, -5.0, 0.0, 1e300, np.nan])
    line = on_a_line(values, logarithms(values))
    assert line[0] == -line[1]
    assert line[2] == 0
    assert line[3] - line[0] == pytest.approx(np.log(1e300 / 5))
    assert abs(line[0]) > 2 * abs(line[3] - line[0])
    assert np.isnan(line[4])


def test_numbers_whose_squares_have_no_double_are_refused():
    with pytest.raises(InputError, match="power of ten"):
        centred_moments(np.array([[1e200], [-1e200]]))
