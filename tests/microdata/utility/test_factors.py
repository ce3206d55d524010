from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
