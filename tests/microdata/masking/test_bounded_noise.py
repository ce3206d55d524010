from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import tacita as ta
from tacita.errors import ParameterError, ProtectionError


def read(**columns):
    return ta.read(pa.table(columns), kinds=dict.fromkeys(columns, "continuous"))


def mask(data, bounds, epsilon):
    return ta.BoundedNoise(bounds, epsilon=epsilon).mask(data, np.random.default_rng(0))


@pytest.mark.parametrize("names", [["x"], ["x", "y", "z"]])
def test_noise_has_the_scale_of_range_times_attributes_by_epsilon(chance, names):
    # Epsilon is so large that hardly anything is clamped.
    data = read(**{name: [50.0] * 6000 for name in names})
    masked = mask(data, dict.fromkeys(names, (0, 100)), epsilon=100)
    scale = len(names) * 100 / 100
    for name in names:
        noise = masked.numbers(name) - 50
        assert chance.allows(stats.gamma(6000, scale=scale), np.abs(noise).sum())
        assert chance.allows_sample(stats.laplace(scale=scale), noise)


def test_two_neighbouring_values_are_told_apart_by_exp_epsilon_at_most():
    n, epsilon = 20_000, 1.0
    low, high = (
        mask(read(x=[value] * n), {"x": (0, 1)}, epsilon).numbers("x") for value in (0.0, 1.0)
    )
    for event in (lambda z: z == 0, lambda z: z == 1, lambda z: z < 0.3, lambda z: z > 0.6):
        p, q = event(low).mean(), event(high).mean()
        slack = 6 * np.sqrt(np.array([p * (1 - p), q * (1 - q)]) / n)
        assert p <= np.exp(epsilon) * (q + slack[1]) + slack[0]
        assert q <= np.exp(epsilon) * (p + slack[0]) + slack[1]


def test_released_numbers_are_within_the_bounds_and_values_beyond_count_as_the_bound():
    masked = mask(read(x=[-50.0, 500.0, None, 3.0]), {"x": (0, 10)}, epsilon=1e9)
    assert np.allclose(masked.numbers("x"), [0, 10, 5, 3], atol=1e-4)
    wild = mask(read(x=[5.0] * 200), {"x": (0, 10)}, epsilon=0.1).numbers("x")
    assert wild.min() >= 0
    assert wild.max() <= 10


def test_a_blank_does_not_show():
    data = ta.example("toy", 100)
    gone = np.arange(100) < 10
    blank = pa.array(data.numbers("age"), mask=gone)
    masked = mask(data.with_column(data.attribute("age"), blank, gone), {"age": (0, 120)}, 1)
    assert masked.column("age").null_count == 0
    assert not masked.suppressed_in("age").any()


def test_the_guarantee_is_about_the_attributes_named():
    toy = ta.example("toy", 50)
    private = ta.BoundedNoise({"age": (0, 120), "income": (0, 1e6)}, epsilon=2)
    masked = toy.apply(private)
    assert masked.guarantees[0].attributes == ("age", "income")
    assert not ta.DifferentialPrivacy(2).check(masked).holds
    alone = masked.apply(ta.Drop([name for name in toy.names if name not in private.bounds]))
    assert ta.DifferentialPrivacy(2).check(alone).holds
    assert not ta.DifferentialPrivacy(1.9).check(alone).holds
    assert masked.column("zip") == toy.column("zip")


def test_what_cannot_be_is_said():
    with pytest.raises(ParameterError, match="lowest and a higher value for `x`; found 3 and 3"):
        ta.BoundedNoise({"x": (3, 3)}, epsilon=1)
    with pytest.raises(ParameterError, match="applies to continuous"):
        mask(ta.example("toy", 20), {"disease": (0, 9)}, 1)
    toy = ta.example("toy", 300)
    mixed = toy.apply(ta.AddNoise("age", alpha=0.1), seed=0)
    with pytest.raises(ProtectionError, match="guarantees nothing after `add_noise`"):
        mixed.apply(ta.BoundedNoise({"age": (0, 120)}, epsilon=1))
    factors = toy.apply(ta.MultiplyNoise("age", deviation=0.1), seed=0)
    assert factors.apply(ta.BoundedNoise({"age": (0, 120)}, epsilon=1)).guarantees
