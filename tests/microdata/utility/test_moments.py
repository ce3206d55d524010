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
    found = ta.Correlations().measure(data(before), data(holed))
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
