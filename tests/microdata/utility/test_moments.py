from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta


def numbers(seed: int, n: int = 200) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(50, 10, (n, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.3], [0, 0, 1]])


def data(columns: np.ndarray, weights: np.ndarray | None = None) -> ta.Microdata:
    table = {f"x{j}": column for j, column in enumerate(columns.T)}
    if weights is not None:
        return ta.read(pa.table({**table, "w": weights}), roles={"w": "weight"})
    return ta.read(pa.table(table))


def loss(before: np.ndarray, after: np.ndarray, **weights: np.ndarray) -> dict[str, float]:
    found = ta.information_loss(data(before, **weights), data(after, **weights))
    return {row.name: row.value for row in found}


def test_formulas_agree_with_numpy():
    before, after = numbers(1), numbers(2)
    found = loss(before, after)
    m, m2 = before.mean(axis=0), after.mean(axis=0)
    v, v2 = before.var(axis=0, ddof=1), after.var(axis=0, ddof=1)
    pairs = np.triu_indices(3, 1)
    gap = np.abs(np.corrcoef(before.T) - np.corrcoef(after.T))[pairs]
    assert found["means"] == pytest.approx(np.mean(np.abs(m - m2) / np.abs(m)), abs=1e-12)
    assert found["variances"] == pytest.approx(np.mean(np.abs(v - v2) / v), abs=1e-12)
    assert found["correlations"] == pytest.approx(gap.mean(), abs=1e-12)


def test_weights_act_like_repeated_records():
    before, after = numbers(3, 40), numbers(4, 40)
    times = np.random.default_rng(5).integers(1, 5, 40)
    weighted = loss(before, after, weights=times.astype(float))
    repeated = loss(np.repeat(before, times, axis=0), np.repeat(after, times, axis=0))
    assert weighted["means"] == pytest.approx(repeated["means"], rel=1e-9)
    assert weighted["correlations"] == pytest.approx(repeated["correlations"], rel=1e-9)


def test_each_pair_uses_the_records_in_which_both_are_there():
    before = numbers(6)
    holed = before.copy()
    holed[::7, 0] = np.nan
    found = ta.Correlations().measure(*ta.pair(data(before), data(holed), "position"))
    whole = ~np.isnan(holed[:, 0])
    expected = abs(np.corrcoef(before.T)[0, 1] - np.corrcoef(holed[whole].T)[0, 1])
    assert found.parts["x0 x x1"] == pytest.approx(expected, abs=1e-12)
    assert found.parts["x1 x x2"] == 0


def test_attributes_that_became_categories_are_named_as_lost():
    original = data(numbers(7))
    found = ta.Means().measure(original, original.apply(ta.Recode("x0", width=10)))
    assert found.parts == {"x0": 1.0, "x1": 0.0, "x2": 0.0}
    assert found.value == pytest.approx(1 / 3)
    assert "no longer numbers: x0" in found.sentence
    gone = ta.Correlations().measure(original, original.apply(ta.Drop("x0")))
    r = np.corrcoef(numbers(7).T)
    assert gone.parts["x1 x x2"] == 0
    assert gone.value == pytest.approx((abs(r[0, 1]) + abs(r[0, 2])) / 3)


def test_the_scale_of_weights_does_not_matter():
    before, after = numbers(9, 40), numbers(10, 40)
    weights = np.random.default_rng(1).random(40) + 0.1
    one = loss(before, after, weights=weights)
    assert loss(before, after, weights=weights / weights.sum()) == pytest.approx(one)
    assert loss(before, after, weights=weights * 1e6) == pytest.approx(one)


def test_conventions_for_zero_and_for_constants():
    zero = np.zeros((10, 3))
    assert loss(zero, zero)["means"] == 0
    assert loss(zero, zero + 1)["means"] == 1
    assert loss(zero, zero)["correlations"] is None


def test_means_do_not_lose_digits_far_from_zero():
    far = 1e9 + numbers(8)
    found = ta.Variances().measure(data(far), data(far + 0.0)).value
    exact = ta.Variances().measure(data(far), data(far - 1e9)).parts
    assert found == 0
    assert all(part < 1e-9 for part in exact.values())


def test_three_records_by_hand(by_hand):
    means = ta.Means().measure(*by_hand)
    assert means.value == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert means.figures["mean_absolute_error"] == means.figures["mean_square_error"] == 1
    variances = ta.Variances().measure(*by_hand)
    assert variances.value == pytest.approx((6 + 3) / 2)
    assert variances.figures["mean_absolute_error"] == pytest.approx((6 + 3) / 2)
    assert variances.figures["mean_square_error"] == pytest.approx((36 + 9) / 2)
    covariances = ta.Covariances().measure(*by_hand)
    assert covariances.value == pytest.approx((6 + 9 + 3) / 3)
    assert covariances.parts == pytest.approx({"a": 6, "a x b": 9, "b": 3})
    assert covariances.figures["mean_absolute_error"] == pytest.approx((6 + 4.5 + 3) / 3)
    assert covariances.figures["mean_square_error"] == pytest.approx((36 + 20.25 + 9) / 3)
    correlations = ta.Correlations().measure(*by_hand)
    gap = 5 / np.sqrt(28) - 1 / 2
    assert correlations.value == pytest.approx(gap)
    assert correlations.figures["mean_square_error"] == pytest.approx(gap**2)
    assert correlations.figures["mean_variation"] == pytest.approx(2 * gap)


def test_covariances_sum_the_diagonal_too_and_count_what_is_lost():
    before, after = numbers(11), numbers(12)
    v, w = np.cov(before.T), np.cov(after.T)
    expected = (np.abs(v - w) / np.abs(v))[np.triu_indices(3)].mean()
    assert loss(before, after)["covariances"] == pytest.approx(expected)
    original = data(before)
    gone = ta.Covariances().measure(original, original.apply(ta.Drop("x0")))
    assert gone.value == pytest.approx(3 / 6), "one variance and two of three covariances"


def test_covariances_of_nothing_but_rounding_count_as_zero():
    x = np.array([[1.0, 0.1], [-1.0, 0.1], [1.0, -0.1], [-1.0, -0.1], [0.3, 0.0]]) / 3
    x[4] = 0
    shifted = x + 0.7
    found = ta.Covariances().measure(data(x), data(shifted))
    assert found.parts["x0 x x1"] == 0


def test_a_statistic_that_cannot_be_computed_any_more_is_lost():
    before = numbers(13)
    blanked = before.copy()
    blanked[:, 0] = np.nan
    assert ta.Means().measure(data(before), data(blanked)).parts["x0"] == 1
    assert ta.Variances().measure(data(before), data(before[:1])).value == 1


def test_constants_do_not_vary_whatever_rounding_leaves():
    constant = np.full((1000, 1), 0.1)
    weights = np.random.default_rng(0).random(1000) + 0.5
    found = ta.Variances().measure(data(constant, weights), data(constant))
    assert found.value == 0


def test_of_very_many_attributes_the_first_are_compared_and_it_is_said():
    wide = ta.read(pa.table({f"x{j}": [1.0, 2.0, j % 7] for j in range(201)}))
    some = ta.Correlations().measure(wide, wide)
    assert "the first 200 of 201 attributes" in some.sentence
    named = ta.Correlations(["x0", "x200"]).measure(wide, wide)
    assert list(named.parts) == ["x0 x x200"]
