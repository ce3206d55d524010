from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import ProtectionError
from tacita.microdata.masking.perturbing.noise import (
    BLOCK,
    drawn_noise,
    mixed,
    noise_covariance,
)


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(0, 30))
def test_mixing_multiplies_in_place(seed, attributes, records):
    rng = np.random.default_rng(seed)
    matrix, columns = rng.normal(size=(attributes,) * 2), rng.normal(size=(attributes, records))
    wanted = matrix @ columns
    found = mixed(matrix, columns)
    assert found is columns
    assert np.allclose(found, wanted)


def test_mixing_many_records_goes_block_by_block():
    columns = np.random.default_rng(0).normal(size=(2, 2 * BLOCK + 7))
    matrix = np.array([[1.0, 2.0], [3.0, -1.0]])
    wanted = matrix @ columns
    assert np.allclose(mixed(matrix, columns), wanted)


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(2, 30))
def test_covariances_divide_by_the_number_of_records(seed, attributes, records):
    rng = np.random.default_rng(seed)
    values, weights = rng.normal(5, 2, (records, attributes)), rng.uniform(0.1, 3, records)
    plain = np.cov(values.T, bias=True).reshape(attributes, attributes)
    assert np.allclose(noise_covariance(values, 0.3), 0.3 * plain)
    weighted = np.cov(values.T, aweights=weights, ddof=0).reshape(attributes, attributes)
    assert np.allclose(noise_covariance(values, 0.3, weights), 0.3 * weighted)


def test_without_values_there_is_no_noise_and_with_one_no_variance():
    blank = np.full((3, 2), np.nan)
    assert not noise_covariance(blank, 1.0).any()
    blank[0] = 1.0
    for values in (blank, blank[:, :1]):
        with pytest.raises(ProtectionError, match="at least two records"):
            noise_covariance(values, 1.0)


def test_draws_do_not_depend_on_the_scale():
    one, four = (
        drawn_noise(20, np.eye(2) * scale, np.random.default_rng(3)) for scale in (1.0, 4.0)
    )
    assert np.allclose(2 * one, four)
