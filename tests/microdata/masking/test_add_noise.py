from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError, ProtectionError

SHARED = Path(__file__).parents[4] / "shared"
N = 20_000


def read(**columns):
    return ta.read(pa.table(columns), kinds=dict.fromkeys(columns, "continuous"))


def mask(data, names, seed=0, **options):
    masked = ta.AddNoise(names, **options).mask(data, np.random.default_rng(seed))
    return np.column_stack([masked.numbers(name) for name in masked.names])


def correlated(records=N, seed=5):
    rng = np.random.default_rng(seed)
    x = rng.normal(50, 10, records)
    y = 3 * x + rng.normal(0, 20, records)
    z = rng.lognormal(0, 1, records) - 0.05 * x
    return np.column_stack([x, y, z])


def named(values):
    return read(**{f"x{j}": column for j, column in enumerate(values.T)})


def correlations(values):
    return np.corrcoef(values.T)[np.triu_indices(values.shape[1], 1)]


def test_the_noise_of_fig_9_has_a_tenth_of_the_variance():
    data = ta.example("medical")
    masked = data.apply(ta.AddNoise("DH", alpha=0.1), seed=0)
    assert data.numbers("DH").var() == pytest.approx(328.36, abs=0.005)
    assert masked.notes["variance"] == {"DH": 32.8}
    assert masked.column("DH").type == pa.float64()


@pytest.mark.parametrize(
    ("option", "alpha"), [({"alpha": 0.1}, 0.1), ({"alpha": 2}, 2), ({"deviation": 0.1}, 0.01)]
)
@pytest.mark.parametrize("kind", ["uncorrelated", "correlated"])
def test_variances_grow_by_one_plus_alpha(option, alpha, kind):
    values = correlated()
    masked = mask(named(values), ["x0", "x1", "x2"], kind=kind, **option)
    # Of Var(x + e), 2 Cov(x, e) has the variance 4 alpha s^4 / n and Var(e) 2 alpha^2 s^4 / n.
    error = np.sqrt((4 * alpha + 2 * alpha**2) / N)
    assert np.all(np.abs(masked.var(0) / values.var(0) - (1 + alpha)) < 3 * error)
    assert np.all(np.abs(masked.mean(0) - values.mean(0)) < 3 * values.std(0) * (alpha / N) ** 0.5)


def test_uncorrelated_noise_shrinks_correlations_and_correlated_noise_keeps_them():
    values, alpha = correlated(), 0.5
    names = ["x0", "x1", "x2"]
    before = correlations(values)
    kept = correlations(mask(named(values), names, alpha=alpha, kind="correlated"))
    shrunk = correlations(mask(named(values), names, alpha=alpha))
    error = (1 - before**2) / np.sqrt(N)
    assert np.all(np.abs(kept - before) < 3 * error)
    assert np.all(np.abs(shrunk - before / (1 + alpha)) < 3 / np.sqrt(N))
    assert np.any(np.abs(shrunk - before) > 30 / np.sqrt(N))


@pytest.mark.parametrize("kind", ["uncorrelated", "correlated"])
def test_the_noise_has_the_covariances_it_should(kind):
    values, alpha = correlated(), 0.3
    noise = mask(named(values), ["x0", "x1", "x2"], alpha=alpha, kind=kind) - values
    wanted = alpha * np.cov(values.T, bias=True)
    wanted = wanted if kind == "correlated" else np.diag(np.diag(wanted))
    sizes = np.outer(np.diag(wanted), np.diag(wanted))
    assert np.all(np.abs(np.cov(noise.T) - wanted) < 3 * np.sqrt((sizes + wanted**2) / N))
    errors = noise.std(0) * values.std(0)[:, None] / np.sqrt(N)
    between = (values - values.mean(0)).T @ noise / N
    assert np.all(np.abs(between) < 3 * errors), "the noise depends on the values"


def test_the_same_draws_by_hand():
    values = correlated(50)
    masked = mask(named(values), ["x0", "x1", "x2"], seed=7, deviation=0.2)
    rng = np.random.default_rng(7)
    by_hand = [x + 0.2 * x.std() * rng.standard_normal(50) for x in values.T]
    assert np.allclose(masked.T, by_hand, rtol=1e-13)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.01, 4), st.integers(4, 40))
def test_what_adds_up_still_adds_up_under_correlated_noise(seed, alpha, records):
    x, y = np.random.default_rng(seed).normal(0, [[3], [1e4]], (2, records))
    data = read(x=x, y=y, total=2 * x - y, same=np.full(records, 7.0))
    masked = mask(data, data.names, seed, alpha=alpha, kind="correlated")
    assert np.allclose(2 * masked[:, 0] - masked[:, 1], masked[:, 2], atol=1e-5)
    assert np.all(masked[:, 3] == 7.0)
    assert np.all(masked[:, :2] != np.column_stack([x, y]))


def test_a_tenth_of_the_deviation_is_as_much_noise_as_sdcmicro_adds():
    path = SHARED / "data" / "casc" / "Tarragona.csv"
    if not path.exists():
        pytest.skip("the reference data are not here")
    data = ta.read(path)
    values = np.column_stack([data.numbers(name) for name in data.names])
    masked = mask(data, data.names, deviation=0.1)
    moved = np.abs(masked - values) / (np.sqrt(2) * values.std(0, ddof=1))
    # Its IL1s after addNoise(noise = 10) is 609.364; both are sums of as many random terms.
    error = np.sqrt(2 * moved.size) * 0.1 * np.sqrt(0.5 - 1 / np.pi)
    assert abs(moved.sum() - 609.36417407766726) < 3 * error


def test_a_small_unit_does_not_drown_beside_a_large_one():
    rng = np.random.default_rng(0)
    small, large = rng.normal(0, 1e-6, 2000), rng.normal(0, 1e12, 2000)
    data = read(small=small, large=large)
    masked = mask(data, ["small", "large"], alpha=1, kind="correlated")
    assert (masked[:, 0] - small).std() == pytest.approx(1e-6, rel=0.1)


@pytest.mark.parametrize(
    ("distribution", "kurtosis"), [("normal", 3), ("laplace", 6), ("uniform", 1.8)]
)
def test_noise_is_drawn_from_the_distribution(distribution, kurtosis):
    x = np.random.default_rng(0).normal(0, 2, 50_000)
    noise = mask(read(x=x), "x", alpha=0.25, distribution=distribution)[:, 0] - x
    noise /= np.sqrt(0.25) * x.std()
    assert (noise**2).mean() == pytest.approx(1, abs=0.02)
    assert (noise**4).mean() == pytest.approx(kurtosis, rel=0.05)
    if distribution == "uniform":
        assert np.abs(noise).max() <= np.sqrt(3) * (1 + 1e-9)


@pytest.mark.parametrize("kind", ["uncorrelated", "correlated"])
def test_with_weights_a_record_counts_as_often_as_it_stands_for(kind):
    values = correlated(200)
    often = np.random.default_rng(0).integers(1, 5, 200)
    frame = {f"x{j}": column for j, column in enumerate(values.T)}
    roles = {**dict.fromkeys(frame, "confidential"), "often": "weight"}
    data = ta.read(pa.table({**frame, "often": often}), roles=roles)
    noise = ta.AddNoise(list(frame), alpha=0.1, kind=kind, weighted=True)
    found = list(data.apply(noise, seed=0).notes["variance"].values())
    assert np.allclose(found, 0.1 * np.repeat(values, often, axis=0).var(0), rtol=0.005)


@pytest.mark.parametrize("kind", ["uncorrelated", "correlated"])
def test_blanks_stay_and_other_values_get_their_noise(kind):
    data = read(
        x=[1, None, 3, 4, 9], y=[5.0, 6.0, None, 8.0, 1.0], none=pa.array([None] * 5, "int64")
    )
    names = ["x", "y", "none"] if kind == "uncorrelated" else ["x", "y"]
    masked = data.apply(ta.AddNoise(names, alpha=1, kind=kind), seed=0)
    for name in names:
        before, after = data.column(name).to_pylist(), masked.column(name).to_pylist()
        for old, new in zip(before, after, strict=True):
            assert (new is None) == (old is None)
            assert new is None or new != old
    assert masked.notes["variance"]["x"] == pytest.approx(np.var([1, 3, 4, 9]), rel=0.005)


def test_correlated_noise_has_its_variance_where_blanks_depend_on_values():
    x, y = correlated()[:, :2].T
    known = (x - x.mean()) / x.std() < np.random.default_rng(1).normal(0.3, 0.5, N)
    w = np.where(known, 2 * y + 5, np.nan)
    data = read(x=x, y=pa.array(np.where(known, y, np.nan), from_pandas=True), w=w)
    data = data.with_column(data.attribute("w"), pa.array(w, from_pandas=True))
    alpha = 0.5
    noise = mask(data, ["x", "y", "w"], alpha=alpha, kind="correlated")
    noise -= np.column_stack([x, np.where(known, y, np.nan), w])
    # By hand: every pair over the records that hold both.
    both = np.cov(x[known], y[known], bias=True)[0, 1]
    wanted = alpha * np.array([[x.var(), both], [both, y[known].var()]])
    found = np.cov(noise[known, :2].T)
    assert np.all(np.abs(found - wanted) < 6 * np.sqrt(2 / known.sum()) * wanted.max())
    assert abs(noise[:, 0].var() / (alpha * x.var()) - 1) < 6 * np.sqrt(2 / N)
    assert np.allclose(noise[known, 2], 2 * noise[known, 1]), "what was related is no more"


def test_what_cannot_be_is_said():
    one = read(x=[1.0], y=[2.0])
    for amounts in ({}, {"alpha": 0.1, "deviation": 0.1}):
        with pytest.raises(ParameterError, match="needs one of `alpha` and `deviation`"):
            ta.AddNoise("x", **amounts)
    with pytest.raises(ParameterError, match="greater than 0"):
        ta.AddNoise("x", alpha=0)
    for kind in ("uncorrelated", "correlated"):
        with pytest.raises(ProtectionError, match="at least two records"):
            mask(one, ["x", "y"], alpha=1, kind=kind)
        with pytest.raises(InputError, match="no double"):
            mask(read(x=[1e300, -1e300], y=[1.0, 2.0]), ["x", "y"], alpha=1, kind=kind)
    with pytest.raises(ParameterError, match="needs sampling weights"):
        mask(one, "x", alpha=1, weighted=True)
    with pytest.raises(ParameterError, match="applies to continuous"):
        mask(ta.example("toy", 20), "disease", alpha=1)
