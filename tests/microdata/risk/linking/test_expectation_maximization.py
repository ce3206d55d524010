from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacita.microdata.risk.linking.expectation_maximization import (
    Mixture,
    all_pairs,
    estimated,
    started,
)

M = np.array([[np.nan, 0.1, np.nan, 0.9], [np.nan, 0.05, 0.15, 0.8], [np.nan, 0.02, np.nan, 0.98]])
U = np.array([[np.nan, 0.8, np.nan, 0.2], [np.nan, 0.9, 0.07, 0.03], [np.nan, 0.5, np.nan, 0.5]])
EVERY = np.array(list(product([1, 3], [1, 2, 3], [1, 3])))


def expected_counts(pairs: int, share: float) -> np.ndarray:
    m, u = (np.prod(part[np.arange(3), EVERY], axis=1) for part in (M, U))
    return np.round(pairs * (share * m + (1 - share) * u)).astype(np.int64)


@pytest.mark.parametrize("share", [0.01, 0.3])
@pytest.mark.parametrize("is_known", ["known", "estimated"])
def test_it_finds_the_probabilities_that_made_the_patterns(share, is_known):
    counts = expected_counts(10**9, share)
    found = estimated(EVERY, counts, share=share if is_known == "known" else None)
    np.testing.assert_allclose(found.m, M, atol=0.01)
    np.testing.assert_allclose(found.u, U, atol=0.01)
    assert found.share == pytest.approx(share, rel=0.03)


def test_it_finds_them_in_simulated_pairs():
    rng = np.random.default_rng(5)
    counts = rng.multinomial(200_000, expected_counts(10**6, 0.05) / 10**6)
    found = estimated(EVERY, counts, share=0.05)
    np.testing.assert_allclose(found.m, M, atol=0.02)
    np.testing.assert_allclose(found.u, U, atol=0.02)


PATTERNS = st.dictionaries(
    st.tuples(*[st.integers(0, 3)] * 3), st.integers(1, 1000), min_size=1, max_size=20
)


@settings(deadline=None, max_examples=12)
@given(PATTERNS, st.none() | st.floats(0.0, 1.0), st.booleans())
def test_the_objective_never_falls(patterns, share, fixed):
    levels, counts = np.array(list(patterns)), np.array(list(patterns.values()))
    u = all_pairs(levels, counts) if fixed else None
    found = estimated(levels, counts, share=share, u=u)
    steps = np.diff(found.objective)
    assert (steps >= -1e-9 * np.abs(found.objective[1:])).all()


@settings(deadline=None, max_examples=12)
@given(PATTERNS)
def test_probabilities_are_probabilities(patterns):
    levels, counts = np.array(list(patterns)), np.array(list(patterns.values()))
    found = estimated(levels, counts)
    for part in (found.m, found.u):
        there = ~np.isnan(part).all(axis=1)
        np.testing.assert_allclose(np.nansum(part, axis=1)[there], 1)
        assert (part[~np.isnan(part)] > 0).all()
    assert ((found.posterior(levels) >= 0) & (found.posterior(levels) <= 1)).all()
    assert np.isfinite(found.weights()).all()


@settings(max_examples=30)
@given(PATTERNS, st.none() | st.floats(0.0, 1.0), st.booleans())
@example({(3, 3, 0): 5, (3, 1, 0): 2, (1, 3, 0): 2, (1, 1, 0): 1}, 0.2, False)
def test_more_agreement_never_weighs_less(patterns, share, fixed):
    levels, counts = np.array(list(patterns)), np.array(list(patterns.values()))
    u = all_pairs(levels, counts) if fixed else None
    found = estimated(levels, counts, share=share, u=u)
    for row, whole, m in zip(found.weights(), found.whole_weights(1000), found.m, strict=True):
        there = ~np.isnan(m)
        assert (np.diff(row[there]) > -1e-12).all()
        assert (np.diff(whole[there]) > 0).all()


def test_weights_are_logarithms_of_likelihood_ratios():
    weights = Mixture(M, U, 0.1).weights()
    assert weights[0, 3] == pytest.approx(np.log2(0.9 / 0.2))
    assert weights[0, 1] == pytest.approx(-3)
    assert weights[0, 0] == weights[0, 2] == 0


def test_a_blank_says_nothing():
    mixture = Mixture(M, U, 0.1)
    blank, whole = mixture.posterior(np.array([[3, 0, 0], [0, 0, 0]]))
    assert blank == pytest.approx(0.09 / (0.09 + 0.18))
    assert whole == pytest.approx(0.1)


def test_the_start_leans_to_agreement_however_common_it_is():
    levels = np.array([[3, 2], [1, 1]])
    begun = started(levels, np.array([970, 30]))
    weights = begun.weights()
    assert weights[0, 3] > 0 > weights[0, 1]
    assert weights[1, 2] > 0 > weights[1, 1]


def test_frequencies_have_half_a_pair_more_at_each_level():
    found = all_pairs(np.array([[3], [1]]), np.array([7, 2]))
    assert found[0, 3] == 7.5 / 10


@settings(deadline=None, max_examples=12)
@given(st.integers(1, 999), st.floats(0.001, 0.5))
def test_of_one_attribute_agreement_always_speaks_for_a_match(agreeing, share):
    found = estimated(np.array([[3], [1]]), np.array([agreeing, 1000 - agreeing]), share=share)
    weights = found.weights()[0]
    assert weights[3] > 0 > weights[1]
