from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError, ProtectionError


def mask(values, seed=0, **options):
    data = ta.read(pa.table({f"x{j}": column for j, column in enumerate(values.T)}))
    masked = ta.Romm(data.names, **options).mask(data, np.random.default_rng(seed))
    return np.column_stack([masked.numbers(name) for name in masked.names])


def skewed(seed, records, attributes):
    return np.random.default_rng(seed).lognormal(1, 1, (records, attributes))


def orthogonal_matrix(before, after):
    """Return the matrix T with T before = after and T 1 = 1 that turns as little as possible."""
    frames = [np.linalg.qr(np.column_stack([np.ones(len(x)), x])) for x in (before, after)]
    (old, r), (new, s) = frames
    assert np.allclose(r * np.sign(np.diag(r))[:, None], s * np.sign(np.diag(s))[:, None])
    old, new = old * np.sign(np.diag(r)), new * np.sign(np.diag(s))
    rest = [
        np.linalg.svd(frame, full_matrices=True)[0][:, frame.shape[1] :] for frame in (old, new)
    ]
    return new @ old.T + rest[1] @ rest[0].T


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32), st.integers(10, 50), st.integers(1, 4), st.floats(0.01, 1))
def test_records_are_multiplied_by_an_orthogonal_matrix(seed, records, attributes, strength):
    values = skewed(seed, records, attributes)
    masked = mask(values, seed, strength=strength)
    units = values.std(0)
    assert np.all(np.abs(masked.mean(0) - values.mean(0)) / units < 1e-9)
    off = np.cov(masked.T) - np.cov(values.T)
    assert np.all(np.abs(off / np.outer(units, units)) < 1e-9)
    matrix = orthogonal_matrix(values, masked)
    assert np.allclose(matrix @ matrix.T, np.eye(records), atol=1e-8)
    assert np.allclose(matrix @ np.ones(records), 1, atol=1e-8)
    assert np.allclose(matrix @ values, masked, atol=1e-6 * units.max())


@pytest.mark.parametrize("strength", [0.1, 0.5, 0.9, 1.0])
def test_strength_goes_from_the_identity_to_a_matrix_that_knows_nothing(strength):
    values = skewed(1, 20_000, 2)
    masked = mask(values, strength=strength)
    for before, after in zip(values.T, masked.T, strict=True):
        found = np.corrcoef(before, after)[0, 1]
        assert abs(found - np.sqrt(1 - strength**2)) < 3 / np.sqrt(20_000)


def test_a_small_strength_changes_little():
    values = skewed(2, 500, 2)
    moved = np.abs(mask(values, strength=1e-6) - values) / values.std(0)
    assert 0 < moved.max() < 1e-5


def test_of_a_uniform_matrix_every_direction_is_as_likely():
    # The masked records, seen from their mean, are a uniform direction of n - 1 dimensions.
    values = skewed(3, 6, 1)
    runs = np.array([mask(values, seed, strength=1)[:, 0] for seed in range(600)])
    turned = (runs - values.mean()) / (values.std() * np.sqrt(6))
    # Of a uniform direction orthogonal to 1, coordinates have mean 0 and variance 1 / n.
    error = turned.std(0) / np.sqrt(600)
    assert np.all(np.abs(turned.mean(0)) < 3.5 * error)
    assert np.allclose((turned**2).mean(0), 1 / 6, atol=0.03)


def test_what_cannot_be_is_said():
    with pytest.raises(ParameterError, match="less than or equal to 1"):
        ta.Romm("x", strength=1.5)
    with pytest.raises(ProtectionError, match="at least 3 records"):
        mask(np.array([[1.0], [2.0]]), strength=1)


def test_the_strength_is_not_told():
    method = ta.Romm("x", strength=0.5)
    assert "strength" not in method.told()
