from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.utility.regression_overlap import overlap


def intervals(x: np.ndarray, y: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Confidence intervals of slopes from textbook least squares, weights summing to n."""
    n = len(y)
    w = np.ones(n) if weights is None else weights * n / weights.sum()
    design = np.column_stack([np.ones(n), x])
    inverse = np.linalg.inv(design.T @ (w[:, None] * design))
    b = inverse @ design.T @ (w * y)
    freedom = n - design.shape[1]
    spread = np.sqrt((w * (y - design @ b) ** 2).sum() / freedom * inverse.diagonal())
    half = t.ppf(0.975, freedom) * spread
    return np.column_stack([b - half, b + half])[1:]


def firms(seed: int, n: int = 80) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(5, 2, (n, 2))
    group = rng.choice([0, 0, 1], n)
    return x, group, x @ [1.0, -2.0] + 3 * group + rng.normal(0, 2, n)


def table(x: np.ndarray, group: np.ndarray, y: np.ndarray, **more: np.ndarray) -> pa.Table:
    words = np.array(["other", "own"])[group]
    return pa.table({"x": x[:, 0], "z": x[:, 1], "group": words, "y": y, **more})


@pytest.mark.parametrize("weighted", ["no", "yes"])
def test_agrees_with_textbook_least_squares(weighted):
    (x, group, y), noise = firms(1), np.random.default_rng(2).normal(0, 1, (80, 2))
    weights = np.random.default_rng(3).integers(1, 5, 80).astype(float)
    more, given_weights = ({"w": weights}, weights) if weighted == "yes" else ({}, None)
    roles = {"y": "confidential", **({"w": "weight"} if more else {})}
    before = ta.read(table(x, group, y, **more), roles=roles)
    after = ta.read(table(x + noise, group, y, **more), roles=roles)
    found = ta.RegressionOverlap().measure(before, after)
    ours, theirs = (
        intervals(np.column_stack([part, group]), y, given_weights) for part in (x, x + noise)
    )
    expected = [overlap(*a, *b) for a, b in zip(ours, theirs, strict=True)]
    assert list(found.parts) == ["y ~ x", "y ~ z", "y ~ group = own"]
    assert list(found.parts.values()) == pytest.approx([1 - j for j in expected])
    assert found.value == pytest.approx(1 - np.mean(expected))
    details = found.details.to_pydict()
    assert details["lower"] == pytest.approx(ours[:, 0])
    assert details["protected_upper"] == pytest.approx(theirs[:, 1])


def test_collinear_columns_are_left_out_of_both():
    x, group, y = firms(4)
    more = {"sum": x.sum(axis=1), "one": np.ones(80), "back": -x[:, 0]}
    before = ta.read(table(x, group, y, **more), roles={"y": "confidential"})
    noisy = {**more, "sum": more["sum"] + np.random.default_rng(5).normal(0, 1, 80)}
    after = ta.read(table(x, group, y, **noisy), roles={"y": "confidential"})
    found = ta.RegressionOverlap().measure(before, after)
    assert list(found.parts) == ["y ~ x", "y ~ z", "y ~ group = own"]
    assert found.value == pytest.approx(0, abs=1e-9)


def test_what_cannot_be_estimated_any_more_has_no_overlap():
    x, group, y = firms(6)
    before = ta.read(table(x, group, y), roles={"y": "confidential"})
    gone = ta.RegressionOverlap().measure(before, before.apply(ta.Drop("z")))
    assert gone.parts["y ~ z"] == 1
    assert gone.parts["y ~ x"] < 1
    lost = ta.RegressionOverlap().measure(before, before.apply(ta.Recode("y", width=5)))
    assert lost.value == 1
    without = ta.RegressionOverlap().measure(before, before.apply(ta.Drop("group")))
    assert without.parts["y ~ group = own"] == 1


def test_blank_numbers_leave_records_out_and_blank_categories_are_one():
    x, _, y = firms(7)
    holed = y.copy()
    holed[:10] = np.nan
    words = [None if i % 4 == 0 else "f" if i % 2 else "m" for i in range(80)]
    made = pa.table({"x": x[:, 0], "y": holed, "sex": words})
    data = ta.read(made, roles={"y": "confidential"})
    found = ta.RegressionOverlap().measure(data, data)
    dummies = np.array([[w is None, w == "m"] for w in words], float)
    ours = intervals(np.column_stack([x[:, 0], dummies])[10:], y[10:])
    assert list(found.parts) == ["y ~ x", "y ~ sex = (blank)", "y ~ sex = m"]
    assert found.details["lower"].to_pylist() == pytest.approx(ours[:, 0])


def test_the_response_must_be_a_number():
    data = ta.example("toy", 50)
    with pytest.raises(ParameterError, match="continuous"):
        ta.RegressionOverlap("region").measure(data, data)


def test_a_predictor_may_not_have_hundreds_of_categories():
    data = ta.example("toy", 100)
    with pytest.raises(InputError, match="`id` has 100"):
        ta.RegressionOverlap("income", ["id"]).measure(data, data)


def test_too_few_records_have_no_intervals():
    x, group, y = firms(8, 3)
    data = ta.read(table(x, group, y), roles={"y": "confidential"})
    found = ta.RegressionOverlap().measure(data, data)
    assert found.value is None
    assert "none can be estimated" in found.sentence


@given(*[st.integers(-50, 50)] * 4)
def test_overlap_is_a_share_that_does_not_care_which_comes_first(a, b, c, d):
    one, other = sorted((a, b)), sorted((c, d))
    found = overlap(*one, *other)
    assert 0 <= found <= 1
    assert found == pytest.approx(overlap(*other, *one))
    assert (found == 1) == (one == other)


def test_a_category_may_become_a_set():
    words = ["a", "b"] * 10
    numbers = np.random.default_rng(0).normal(0, 1, 20)
    before = ta.read(pa.table({"y": numbers, "x": words}))
    after = ta.read(pa.table({"y": numbers, "x": [[word] for word in words]}))
    assert ta.RegressionOverlap("y", ["x"]).measure(before, after).value == 0
