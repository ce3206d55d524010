from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.microdata.masking.perturbing.matching import blended, matched


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(10, 40), st.integers(1, 4))
def test_any_records_get_the_moments_and_twice_changes_nothing_more(seed, records, attributes):
    rng = np.random.default_rng(seed)
    values, other = rng.normal(3, 2, (2, records, attributes))
    found = matched(other.copy(), values)
    assert np.allclose(found.mean(0), values.mean(0), atol=1e-9)
    assert np.allclose(np.cov(found.T), np.cov(values.T), atol=1e-9)
    assert np.allclose(matched(found.copy(), values), found, atol=1e-8)


def test_records_that_have_the_moments_already_stay():
    values = np.random.default_rng(0).normal(size=(30, 3))
    assert np.allclose(matched(values.copy(), values), values, atol=1e-12)


def test_a_blend_keeps_the_share_it_should():
    values = np.random.default_rng(0).lognormal(size=(20_000, 1))
    found = blended(values, 0.36, np.random.default_rng(1))
    assert abs(np.corrcoef(values.T, found.T)[0, 1] - 0.8) < 3 / np.sqrt(20_000)
    assert abs(found.var() / values.var() - 1) < 0.05
