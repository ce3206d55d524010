import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.attribute import Kind
from tacita.errors import ParameterError, ProtectionError
from tacita.microdata.synthesis.ipso import Ipso


def data_of(given_values, hidden, **others):
    columns = {f"x{place}": column for place, column in enumerate(given_values.T)}
    columns |= {f"y{place}": column for place, column in enumerate(hidden.T)}
    return ta.read(pa.table(columns | others), roles=dict.fromkeys(others, "weight"))


def obfuscated(data, variant, seed=3, **options):
    names = [name for name in data.names if name.startswith("y")]
    given = [name for name in data.names if name.startswith("x")]
    made = data.apply(Ipso(names, given=given, variant=variant, **options), seed=seed)
    return np.column_stack([made.numbers(name) for name in names])


def regression(given_values, hidden, weights=None):
    """Fit by another way: least squares with an intercept, weighted by roots."""
    roots = np.ones(len(hidden)) if weights is None else np.sqrt(weights)
    design = np.column_stack([np.ones(len(hidden)), given_values])
    found = np.linalg.lstsq(design * roots[:, None], hidden * roots[:, None])[0]
    left = (hidden - design @ found) * roots[:, None]
    return found, left.T @ left


def sample(records, seed, size=2):
    rng = np.random.default_rng(seed)
    given_values = rng.normal(size=(records, 2)) * [1.0, 50.0] + [0.0, 1000.0]
    hidden = given_values @ rng.normal(size=(2, size)) + rng.normal(size=(records, size)) * 5
    return given_values, hidden


@given(st.integers(12, 80), st.integers(1, 3), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_sufficient_statistics_of_the_regression_stay(records, size, seed):
    given_values, hidden = sample(records, seed, size)
    coefficients, residuals = regression(given_values, hidden)
    for variant in ("B", "C"):
        made = obfuscated(data_of(given_values, hidden), variant, seed)
        found, left = regression(given_values, made)
        np.testing.assert_allclose(found, coefficients, rtol=1e-9, atol=1e-9)
        spread = np.sqrt(np.outer(np.diag(residuals), np.diag(residuals)))
        assert variant == "B" or np.abs((left - residuals) / spread).max() < 1e-9
        assert np.isin(made, hidden).sum() < 3  # two doubles are alike now and then


@pytest.mark.parametrize("size", [1, 2, 3])
def test_b_keeps_the_covariances_of_residuals_in_expectation_only(size):
    given_values, hidden = sample(4000, 0, size)
    _, residuals = regression(given_values, hidden)
    _, left = regression(given_values, obfuscated(data_of(given_values, hidden), "B"))
    unlike = np.abs(left - residuals) / np.sqrt(np.outer(np.diag(residuals), np.diag(residuals)))
    assert 1e-4 < unlike.max() < 0.1


def test_a_keeps_them_in_expectation_only():
    given_values, hidden = sample(4000, 0)
    coefficients, residuals = regression(given_values, hidden)
    found, left = regression(given_values, obfuscated(data_of(given_values, hidden), "A"))
    assert not np.allclose(found, coefficients, rtol=1e-6)
    np.testing.assert_allclose(found[1:], coefficients[1:], atol=0.5)
    np.testing.assert_allclose(np.diag(left), np.diag(residuals), rtol=0.1)


def test_weighted_statistics_stay():
    given_values, hidden = sample(100, 1)
    weights = np.random.default_rng(2).uniform(1, 9, 100)
    made = obfuscated(data_of(given_values, hidden, w=weights), "C", weighted=True)
    for one, other in zip(
        regression(given_values, made, weights),
        regression(given_values, hidden, weights),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("variant", ["A", "B"])
@pytest.mark.parametrize("weighted", [False, True])
def test_covariances_of_residuals_are_kept_in_expectation(variant, weighted):
    """Also where those who weigh most are far from the others and pull the regression."""
    given_values, hidden = sample(60, 4)
    weights = np.where(given_values[:, 0] > 1, 20.0, 1.0) if weighted else None
    said = {"w": weights} if weighted else {}
    data = data_of(given_values, hidden, **said)
    _, residuals = regression(given_values, hidden, weights)
    made = [obfuscated(data, variant, seed) for seed in range(300)]
    shares = [
        np.diag(regression(given_values, one, weights)[1]) / np.diag(residuals) for one in made
    ]
    off = np.std(shares, axis=0) / np.sqrt(len(shares))
    assert (np.abs(np.mean(shares, axis=0) - 1) < 4 * off).all()
    assert off.max() < 0.03


def test_categories_count_as_columns_and_keep_the_means_by_category():
    toy = ta.example("toy", 400)
    made = toy.apply(Ipso("age", given="region"), seed=0)
    region = np.asarray(toy.column("region").fill_null("?"))
    known = np.asarray(toy.column("age").is_valid())
    for name in np.unique(region):
        here = (region == name) & known
        before, after = (
            np.average(data.numbers("age")[here], weights=toy.weight[here]) for data in (toy, made)
        )
        assert np.isclose(before, after)


def test_blanks_stay_and_the_others_of_their_records_are_drawn():
    given_values, hidden = sample(60, 5)
    hidden[:9, 1] = np.nan
    columns = {"x0": given_values[:, 0]}
    columns |= {f"y{j}": pa.array(hidden[:, j], from_pandas=True) for j in (0, 1)}
    made = obfuscated(ta.read(pa.table(columns)), "C")
    assert (np.isnan(made) == np.isnan(hidden)).all()
    assert not np.isin(made[:9, 0], hidden[:9, 0]).any()
    for one, other in zip(
        regression(given_values[9:, :1], made[9:]),
        regression(given_values[9:, :1], hidden[9:]),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_applies_to_what_figure_13_says():
    assert Ipso.applies_to == {Kind.CONTINUOUS}


def test_refuses_to_release_what_follows_from_the_others():
    values = np.random.default_rng(0).normal(size=(50, 1))
    with pytest.raises(ProtectionError, match="`y0` is constant or follows"):
        obfuscated(data_of(values, 3 * values + 1), "C")
    with pytest.raises(ProtectionError, match="needs more than 1"):
        obfuscated(data_of(values[:3], values[3:6]), "C")
    with pytest.raises(ParameterError, match="name it once"):
        Ipso("age", given=["age"])
    with pytest.raises(ParameterError, match="cannot keep rules"):
        ta.example("toy", 50).apply(Ipso("age", given="region", rules="age > 0"), seed=0)
