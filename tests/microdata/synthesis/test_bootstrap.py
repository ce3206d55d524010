import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import ks_2samp, kstest

import tacita as ta
from tacita.errors import ParameterError
from tacita.microdata.synthesis.bootstrap import Bootstrap


@pytest.fixture(scope="module")
def skewed():
    rng = np.random.default_rng(0)
    first = rng.gamma(2.0, size=2000)
    return ta.read(pa.table({"a": first, "b": first + rng.normal(size=2000)}))


def values(data):
    return np.column_stack([data.numbers(name) for name in "ab"])


def test_the_smoothed_distribution_has_the_shape_of_the_data(skewed):
    made = values(skewed.apply(Bootstrap(), seed=0))
    for one, other in zip(made.T, values(skewed).T, strict=True):
        assert ks_2samp(one, other).pvalue > 0.001
    assert not np.isin(made, values(skewed)).any()
    assert np.isclose(np.corrcoef(made.T)[0, 1], np.corrcoef(values(skewed).T)[0, 1], atol=0.05)


def test_smoothing_does_not_widen(skewed):
    spread = [
        values(skewed.apply(Bootstrap(bandwidth=width, records=20_000), seed=0)).std(axis=0)
        for width in (0.1, 5.0)
    ]
    np.testing.assert_allclose(spread[0], spread[1], rtol=0.06)


def test_the_normal_distribution_is_normal(skewed):
    made = values(skewed.apply(Bootstrap(distribution="normal", records=3000), seed=0))
    for column in made.T:
        scores = (column - column.mean()) / column.std()
        assert kstest(scores, "norm").pvalue > 0.001


@pytest.mark.parametrize("distribution", ["normal", "smoothed"])
def test_parameters_vary_as_resamples_do_and_many_bring_them_back(distribution):
    data = ta.read(pa.table({"a": np.random.default_rng(0).normal(size=100)}))
    means = {}
    for resamples in (1, 100):
        method = Bootstrap(distribution=distribution, resamples=resamples, records=5000)
        means[resamples] = [data.apply(method, seed=seed).numbers("a").mean() for seed in range(30)]
    # The mean of 100 records has the standard error 0.1; that of 5000 synthetic ones 0.014.
    assert 0.06 < np.std(means[1]) < 0.15
    assert np.std(means[100]) < 0.04
    assert abs(np.mean(means[100]) - data.numbers("a").mean()) < 0.01


def test_weights_say_how_often_records_are_drawn():
    data = ta.read(
        pa.table({"a": np.repeat([0.0, 1.0], 500), "w": np.repeat([1.0, 3.0], 500)}),
        roles={"w": "weight"},
    )
    made = data.apply(Bootstrap(weighted=True, records=5000, resamples=20), seed=0)
    assert abs(made.numbers("a").mean() - 0.75) < 0.03


@pytest.mark.parametrize("distribution", ["normal", "smoothed"])
def test_of_weighted_records_parameters_vary_as_weighted_means_do(distribution):
    """Means of records that weigh unlike vary by sum w^2 (y - mean)^2 / (sum w)^2, not by S^2/n."""
    rng = np.random.default_rng(1)
    y, weights = rng.normal(size=100), np.where(rng.random(100) < 0.2, 20.0, 1.0)
    data = ta.read(pa.table({"a": y, "w": weights}), roles={"w": "weight"})
    method = Bootstrap(distribution=distribution, records=2000, copies="report")
    means = [method.mask(data, rng).numbers("a").mean() for _ in range(400)]
    middle = np.average(y, weights=weights)
    expected = (weights**2 * (y - middle) ** 2).sum() / weights.sum() ** 2
    expected += np.average((y - middle) ** 2, weights=weights) / 2000
    assert np.var(means) == pytest.approx(expected, rel=0.25)
    assert np.mean(means) == pytest.approx(middle, abs=4 * np.sqrt(expected / 400))


def test_rules_hold(skewed):
    made = skewed.apply(Bootstrap(rules=["a >= 0", "a > 3 -> b > 1"]), seed=0)
    a, b = values(made).T
    assert (a >= 0).all()
    assert (b[a > 3] > 1).all()
    assert made.notes["broke_rules"] > 0


def test_names_another_method_for_categories():
    with pytest.raises(ParameterError, match=r"`region` is nominal\. Use `sequential_trees`"):
        ta.example("toy", 50).apply(Bootstrap("region"), seed=0)


def test_intervals_of_several_copies_cover():
    rng, replications, covered = np.random.default_rng(5), 200, 0
    method = Bootstrap(distribution="normal", copies="report")
    for _ in range(replications):
        data = ta.read(pa.table({"a": rng.normal(size=80)}))
        made = [method.mask(data, rng).numbers("a") for _ in range(5)]
        variances = [one.var(ddof=1) / len(one) for one in made]
        found = ta.combine([one.mean() for one in made], variances, rule="full")
        covered += found.lower[0] <= 0 <= found.upper[0]
    assert covered / replications > 0.95 - 3 * np.sqrt(0.95 * 0.05 / replications)
