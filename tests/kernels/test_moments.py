from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from tacita.kernels.moments import BLOCK, CHUNK, moments

pytestmark = pytest.mark.numeric

VALUES = st.floats(-1e6, 1e6, allow_subnormal=False)


@settings(deadline=None, max_examples=60)
@given(x=arrays(np.float64, array_shapes(min_dims=2, max_dims=2, min_side=2), elements=VALUES))
def test_agrees_with_numpy(x):
    weight, means, covariance = moments(x)
    assert weight == len(x)
    np.testing.assert_allclose(means, x.mean(axis=0), rtol=1e-14, atol=1e-9)
    wanted = np.atleast_2d(np.cov(x, rowvar=False))
    np.testing.assert_allclose(covariance, wanted, rtol=1e-12, atol=1e-12 * np.square(x).max())
    np.testing.assert_array_equal(covariance, covariance.T)


@pytest.mark.parametrize("size", [BLOCK - 1, BLOCK, BLOCK + 1, CHUNK + 5])
def test_means_are_right_to_the_last_digits(size):
    x = np.random.default_rng(1).lognormal(sigma=4, size=(size, 2))
    wanted = [math.fsum(column) / size for column in x.T]
    np.testing.assert_allclose(moments(x).means, wanted, rtol=2e-15)


@pytest.mark.parametrize("offset", [1e9, -1e12])
def test_a_large_offset_costs_no_digits(offset):
    shifted = np.random.default_rng(2).normal(size=(100_000, 3)) + offset
    # Taking the offset off is exact, so what is left has the same covariance.
    wanted = np.cov(shifted - offset, rowvar=False)
    np.testing.assert_allclose(moments(shifted).covariance, wanted, rtol=1e-12, atol=1e-14)


def test_weights_count_as_repeated_records():
    rng = np.random.default_rng(3)
    x, w = rng.normal(size=(3000, 4)) + 50, rng.integers(0, 4, 3000)
    weighted, repeated = moments(x, w.astype(float)), moments(np.repeat(x, w, axis=0))
    assert weighted.weight == repeated.weight == w.sum()
    np.testing.assert_allclose(weighted.means, repeated.means, rtol=1e-15)
    np.testing.assert_allclose(weighted.covariance, repeated.covariance, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("weighted", [False, True])
def test_threads_and_layout_do_not_change_a_bit(weighted):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(3 * CHUNK + 17, 3)) * 1e5
    w = rng.random(len(x)) if weighted else None
    one = moments(x, w, threads=1)
    for same in (moments(x, w, threads=2), moments(list(x.T), w), moments(np.asfortranarray(x), w)):
        for got, want in zip(same, one, strict=True):
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("size", [0, 1])
def test_too_few_records(size):
    weight, means, covariance = moments(np.full((size, 2), 3.0))
    assert weight == size
    np.testing.assert_array_equal(means, [3.0 if size else math.nan] * 2)
    assert covariance.shape == (2, 2)
    assert np.isnan(covariance).all()


def test_no_weight_at_all():
    weight, means, covariance = moments([np.arange(3.0)], np.zeros(3))
    assert weight == 0
    assert np.isnan(means).all()
    assert np.isnan(covariance).all()


@pytest.mark.parametrize("x", [[], np.empty((4, 0))], ids=["list", "array"])
def test_no_columns(x):
    weight, means, covariance = moments(x)
    assert (weight, means.shape, covariance.shape) == (len(x), (0,), (0, 0))


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=r"one length; got \[2, 3\]"):
        moments([np.ones(3), np.ones(3)], np.ones(2))


def test_kernels_can_be_compiled_ahead():
    run = [sys.executable, "-m", "tacita.kernels"]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert "kernels ready in" in done.stdout
