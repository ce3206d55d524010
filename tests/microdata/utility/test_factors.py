from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv

import tacita as ta
from tacita.microdata.utility.structure import aligned, factors_of

R_BEFORE, R_AFTER = 1 / 2, 5 / np.sqrt(28)


MEASURES = (ta.FactorCorrelations, ta.Communalities, ta.FactorScores)


def of_two(r: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return loadings, coefficients (equal for both attributes but for the sign) and shares.

    Two attributes with correlation r have the factors (1, 1) and (1, -1) over sqrt(2), with the
    eigenvalues 1 + r and 1 - r.
    """
    values = np.array([1 + r, 1 - r])
    return np.sqrt(values / 2), 1 / np.sqrt(2 * values), values / 2


def test_correlations_with_factors_of_three_records_by_hand(by_hand):
    (rf, _, w), (rf_after, _, _) = of_two(R_BEFORE), of_two(R_AFTER)
    gap = np.abs(rf - rf_after)
    found = ta.FactorCorrelations().measure(*by_hand)
    assert found.value == pytest.approx((w * 2 * gap / rf).sum() / 4)
    assert found.figures["mean_absolute_error"] == pytest.approx((w * 2 * gap).sum() / 4)
    assert found.figures["mean_square_error"] == pytest.approx((w * 2 * gap**2).sum() / 4)


def test_factor_scores_of_three_records_by_hand(by_hand):
    (_, f, w), (_, f_after, _) = of_two(R_BEFORE), of_two(R_AFTER)
    gap = np.abs(f - f_after)
    found = ta.FactorScores().measure(*by_hand)
    assert found.value == pytest.approx((w * 2 * gap / f).sum() / 4)
    assert found.figures["mean_absolute_error"] == pytest.approx((w * 2 * gap).sum() / 4)
    assert found.figures["mean_square_error"] == pytest.approx((w * 2 * gap**2).sum() / 4)


def test_communalities_of_three_records_by_hand(by_hand):
    c, c_after = (1 + R_BEFORE) / 2, (1 + R_AFTER) / 2
    found = ta.Communalities().measure(*by_hand)
    assert found.value == pytest.approx((c_after - c) / c)
    assert found.figures["mean_absolute_error"] == pytest.approx(c_after - c)
    assert found.figures["mean_square_error"] == pytest.approx((c_after - c) ** 2)


def test_all_factors_together_explain_everything(by_hand):
    assert ta.Communalities(factors=2).measure(*by_hand).value == pytest.approx(0, abs=1e-12)


def correlated(seed: int, n: int = 300) -> np.ndarray:
    rng = np.random.default_rng(seed)
    mixing = np.array([[3, 1, 0.5, 0], [0, 2, 0.3, 0.2], [0, 0, 1, 0.4], [0, 0, 0, 0.5]])
    return rng.normal(0, 1, (n, 4)) @ mixing + rng.normal(0, 1, (n, 1))


def test_factors_rebuild_the_correlations_and_give_standardized_scores():
    x = correlated(1)
    r = np.corrcoef(x.T)
    factors = factors_of(r)
    np.testing.assert_allclose(factors.loadings @ factors.loadings.T, r, atol=1e-12)
    z = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    scores = z @ factors.coefficients
    np.testing.assert_allclose(np.cov(scores.T), np.eye(4), atol=1e-10)
    both = np.corrcoef(z.T, scores.T)[:4, 4:]
    np.testing.assert_allclose(both, factors.loadings, atol=1e-10)
    assert factors.shares.sum() == pytest.approx(1)


def plain(before: np.ndarray, after: np.ndarray, power: float, orders) -> float:
    """Return the weighted relative change of a_ij l_j^power, from NumPy's eigenvalues alone.

    Of some orders of the protected factors, the one whose axes fit those best that explain
    something.
    """
    (values, axes), (new_values, new_axes) = (
        np.linalg.eigh(np.corrcoef(x.T)) for x in (before, after)
    )
    kept, p = np.flatnonzero(values > 1e-10), len(values)
    fit = np.abs(axes[:, kept].T @ new_axes)
    order = list(max(orders(fit), key=lambda one: fit[np.arange(len(kept)), list(one)].sum()))
    total = 0.0
    for j, k in zip(kept, order, strict=True):
        mine, other = axes[:, j] * values[j] ** power, new_axes[:, k] * new_values[k] ** power
        other = other * np.sign(mine @ other)
        total += values[j] / values.sum() * (np.abs(mine - other) / np.abs(mine)).sum()
    return total / p**2


def every_order(fit: np.ndarray):
    return permutations(range(fit.shape[1]), len(fit))


@pytest.mark.parametrize("seed", [0, 2, 32, 36, 44])
def test_factors_of_collinear_attributes_are_those_of_plain_eigenvalues(seed, data):
    rng = np.random.default_rng(seed)
    x = rng.integers(1, 60, (40, 3)).astype(float) + 20 * rng.normal(size=(40, 1))
    before = np.column_stack([x, x[:, 0] + x[:, 1], x[:, 1] - x[:, 2]])  # two eigenvalues of 0
    after = before + rng.normal(0, 40, before.shape)
    for measure, power in ((ta.FactorCorrelations, 0.5), (ta.FactorScores, -0.5)):
        found = measure().measure(data(before), data(after))
        assert found.value == pytest.approx(plain(before, after, power, every_order), rel=1e-6)
        turned = measure().measure(data(before[:, ::-1]), data(after[:, ::-1]))
        assert turned.value == pytest.approx(found.value, rel=1e-6)


def test_census_has_a_collinear_attribute_that_counts_for_nothing():
    file = Path(__file__).parents[4] / "shared/data/casc/Census.csv"
    if not file.exists():
        pytest.skip("the reference data are not here")
    table = csv.read_csv(file)
    names = table.column_names
    before = np.column_stack([table.column(name).to_numpy() for name in names]).astype(float)
    values = np.linalg.eigvalsh(np.corrcoef(before.T))
    assert (values < 1e-10).sum() == 1
    after = before + np.random.default_rng(3).normal(0, 0.1 * before.std(axis=0), before.shape)
    data, noisy = (ta.read(pa.table(dict(zip(names, x.T, strict=True)))) for x in (before, after))
    for measure, power in ((ta.FactorCorrelations, 0.5), (ta.FactorScores, -0.5)):
        expected = plain(before, after, power, lambda fit: [np.argmax(fit, axis=1)])
        assert measure(names).measure(data, noisy).value == pytest.approx(expected, rel=1e-6)


def test_signs_and_order_are_aligned():
    factors = factors_of(np.corrcoef(correlated(2).T))
    order, signs = [2, 0, 3, 1], np.array([1, -1, -1, 1])
    mixed = type(factors)(*(part[:, order] * signs for part in factors[:3]), factors.shares[order])
    for ours, theirs in zip(factors, aligned(mixed, factors), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("measure", MEASURES)
def test_an_attribute_left_out_correlates_with_nothing(measure, data):
    original = data(correlated(3))
    gone = original.apply(ta.Drop(("c", "d")))
    found = measure().measure(original, gone)
    whole = 1 if measure is ta.Communalities else 1 / 4
    assert found.parts["c"] == found.parts["d"] == pytest.approx(whole)
    assert "c, d" in found.sentence


@pytest.mark.parametrize("measure", MEASURES)
def test_constant_attributes_and_no_records(measure, data):
    x = correlated(4)
    x[:, 1] = 0.1
    assert measure().measure(data(x), data(x)).value == 0
    assert measure().measure(data(x[:, 1:2]), data(x[:, 1:2])).value is None
    assert measure().measure(data(x[:1]), data(x[:1])).value is None


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), power=st.integers(-6, 6))
def test_units_and_the_order_of_records_do_not_matter(measure, seed, power, data):
    before, after = correlated(seed), correlated(seed + 1)
    mixed = np.random.default_rng(seed).permutation(len(before))
    scale = np.array([10.0**power, 1, 1, 1])
    found = measure().measure(data(before), data(after)).value
    assert measure().measure(data(before[mixed]), data(after[mixed])).value == pytest.approx(found)
    assert measure().measure(data(before * scale), data(after * scale)).value == pytest.approx(
        found
    )


def test_rounding_does_not_choose_between_pairings_that_fit_equally():
    """The factors of a pair lie halfway between those of one attribute and of nothing."""
    pair = factors_of(np.array([[1.0, 0.4], [0.4, 1.0]]))
    for rounding in (-1e-15, 0.0, 1e-15):
        single = factors_of(np.array([[0.0, rounding], [rounding, 1.0]]))
        tilted = single._replace(axes=single.axes + rounding * np.array([[1.0, -1.0], [-1.0, 1.0]]))
        assert aligned(tilted, pair).shares == pytest.approx([1.0, 0.0])
