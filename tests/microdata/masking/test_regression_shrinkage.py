"""Franconi and Stander's regression against numpy's least squares, and a plain walk over tails."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.microdata.masking.regression_shrinkage import drawn_in, fitted

KEPT = {"tails": 0.0, "shrink": 0.0}


def firms(seed, records=60):
    """Draw firms whose turnover depends on employees and industry, with a giant."""
    rng = np.random.default_rng(seed)
    industry = rng.integers(0, 4, records)
    employees = np.round(1 + rng.lognormal(1.5, 1.0, records))
    turnover = np.exp(1 + 0.9 * np.log(employees) + 0.3 * industry + rng.normal(0, 0.5, records))
    return industry, employees, turnover


def read(industry, employees, turnover, **others):
    table = {
        "industry": pa.array([f"i{code}" for code in industry]),
        "employees": pa.array(employees, pa.float64()),
        "turnover": pa.array(turnover, pa.float64(), from_pandas=True),
        **others,
    }
    roles = {"w": "weight"} if "w" in others else {}
    kinds = {"industry": "nominal", "employees": "continuous", "turnover": "continuous"}
    return ta.read(pa.table(table), kinds=kinds, roles=roles)


def plain_design(industry, numbers):
    """All categories and an intercept: too many columns, which the pseudo-inverse takes care of."""
    dummies = [industry == code for code in np.unique(industry)]
    return np.column_stack([np.ones(len(numbers)), numbers, *dummies]).astype(float)


def plain_fit(design, values, weights=None):
    """Leave out whoever is more than half of its own fitted value, by the hat matrix."""
    root = np.sqrt(np.ones(len(values)) if weights is None else weights)
    used = np.full(len(values), True)
    while True:
        rooted = design[used] * root[used][:, None]
        hat = np.diag(rooted @ np.linalg.pinv(rooted))
        if (hat <= 0.5).all():
            break
        used[np.flatnonzero(used)[hat > 0.5]] = False
    return np.linalg.pinv(rooted) @ (values[used] * root[used]), used


def plain_shrunk(values, tails, shrink):
    count = int(tails * len(values) + 1e-9)
    ascending = sorted(values)
    low, high = ascending[count], ascending[-1 - count]
    released = []
    for value in values:
        border = low if value < low else high if value > high else value
        released.append(border + (1 - shrink) * (value - border))
    return released


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 0.05, 0.25, 0.45]),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from(["linear", "log"]),
)
def test_it_is_least_squares_with_tails_drawn_in(seed, tails, shrink, scale):
    industry, employees, turnover = firms(seed)
    data = read(industry, employees, turnover)
    method = ta.RegressionShrinkage(
        "turnover", given=["employees", "industry"], tails=tails, shrink=shrink, scale=scale
    )
    masked = data.apply(method, seed=0)
    known = (np.log(employees), np.log(turnover)) if scale == "log" else (employees, turnover)
    design = plain_design(industry, (known[0] - known[0].mean()) / known[0].std())
    coefficients, used = plain_fit(design, known[1])
    if not used.all():  # what is predicted for a category that nobody is left of is tried below
        return
    expected = plain_shrunk(design @ coefficients, tails, shrink)
    expected = np.exp(expected) if scale == "log" else np.array(expected)
    np.testing.assert_allclose(masked.numbers("turnover"), expected, rtol=1e-8, atol=1e-8)
    assert masked.notes["predicted_from_others"] == {"turnover": 0}
    assert masked.column("employees") == data.column("employees")


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_whoever_makes_up_most_of_its_fitted_value_is_predicted_from_the_others(seed, weighted):
    rng = np.random.default_rng(seed)
    numbers = np.append(rng.normal(size=20), [30.0, 500.0])  # two giants, one behind the other
    values = numbers + rng.normal(size=22)
    weights = rng.integers(1, 4, 22).astype(float) if weighted else None
    design = np.column_stack([np.ones(22), numbers])
    coefficients, used = plain_fit(design, values, weights)
    fit = fitted(design, values, weights)
    assert fit.used.tolist() == used.tolist()
    assert not used[-2:].any()
    np.testing.assert_allclose(fit.values, design @ coefficients, rtol=1e-7, atol=1e-7)
    moved = np.where(used, values, values + 1000.0)
    assert fitted(design, moved, weights).values.tolist() == fit.values.tolist()


def test_the_only_firm_of_an_industry_does_not_come_out_as_itself():
    industry, employees, turnover = firms(1)
    industry[0] = 9
    released = []
    for own in (turnover[0], 1000 * turnover[0]):
        turnover[0] = own
        method = ta.RegressionShrinkage("turnover", given=["employees", "industry"], scale="log")
        masked = read(industry, employees, turnover).apply(method, seed=0)
        assert masked.notes["predicted_from_others"]["turnover"] == 1
        released.append(masked.numbers("turnover"))
    assert released[0].tolist() == released[1].tolist()


@given(st.integers(0, 2**32 - 1))
def test_without_shrinking_means_and_the_regression_stay(seed):
    industry, employees, turnover = firms(seed)
    employees = np.minimum(employees, 20)
    design = plain_design(industry, employees)
    if not plain_fit(design, turnover)[1].all():
        return
    method = ta.RegressionShrinkage("turnover", given=["employees", "industry"], **KEPT)
    masked = read(industry, employees, turnover).apply(method, seed=0)
    released = masked.numbers("turnover")
    assert released.mean() == pytest.approx(turnover.mean())
    before, after = (np.linalg.pinv(design) @ values for values in (turnover, released))
    np.testing.assert_allclose(after, before, rtol=1e-7, atol=1e-7)
    share = released.var() / turnover.var()
    assert masked.notes["explained"]["turnover"] == pytest.approx(share, rel=5e-3)


@pytest.mark.parametrize("kind", ["skewed", "zeros", "ties", "negative", "blanks", "weights"])
def test_means_stay_whatever_the_values_are_like(kind):
    """Given attributes are collinear and one is constant; blanks depend on the values."""
    rng = np.random.default_rng(7)
    ages = rng.integers(20, 60, 80).astype(float)
    values = np.exp(ages / 20 + rng.normal(size=80))
    values = {"zeros": values * (rng.random(80) < 0.5), "ties": np.round(values / 10)}.get(
        kind, -values if kind == "negative" else values
    )
    values = np.where((kind == "blanks") & (values > np.quantile(values, 0.8)), np.nan, values)
    weights = np.where(ages > 40, 20.0, 1.0) if kind == "weights" else np.ones(80)
    table = {"y": values, "age": ages, "months": 12 * ages, "one": np.ones(80), "w": weights}
    data = ta.read(
        pa.table({name: pa.array(one, from_pandas=True) for name, one in table.items()}),
        kinds=dict.fromkeys(table, "continuous"),
        roles={"w": "weight"},
    )
    method = ta.RegressionShrinkage(
        "y", given=["age", "months", "one"], weighted=kind == "weights", **KEPT
    )
    masked = data.apply(method, seed=0)
    assert masked.notes["predicted_from_others"] == {"y": 0}
    known = ~np.isnan(values)
    means = [
        np.average(one[known], weights=weights[known]) for one in (values, masked.numbers("y"))
    ]
    assert means[1] == pytest.approx(means[0], rel=1e-10)


def test_weights_count_as_so_many_records():
    industry, employees, turnover = firms(3)
    times = np.random.default_rng(0).integers(1, 4, len(turnover))
    method = ta.RegressionShrinkage("turnover", given="employees", weighted=True, **KEPT)
    heavy = read(industry, employees, turnover, w=pa.array(times, pa.float64()))
    design = np.column_stack([np.ones(len(turnover)), employees])
    coefficients, _ = plain_fit(design, turnover, times.astype(float))
    released = heavy.apply(method, seed=0).numbers("turnover")
    np.testing.assert_allclose(released, design @ coefficients, rtol=1e-8)


def test_blanks_stay_and_each_attribute_has_its_own_records():
    industry, employees, turnover = firms(4)
    turnover[5] = np.nan
    data = read(industry, employees, turnover)
    method = ta.RegressionShrinkage("turnover", given="employees", **KEPT)
    released = data.apply(method, seed=0).numbers("turnover")
    known = ~np.isnan(turnover)
    design = np.column_stack([np.ones(known.sum()), employees[known]])
    coefficients, used = plain_fit(design, turnover[known])
    np.testing.assert_allclose(released[known], design @ coefficients, rtol=1e-8)
    assert np.isnan(released[5])
    assert used.sum() <= 59


@given(
    st.lists(st.integers(-20, 20).map(float), min_size=1, max_size=30),
    st.sampled_from([0.0, 0.1, 0.3, 0.49]),
    st.sampled_from([0.0, 0.5, 1.0]),
)
def test_tails_are_drawn_in_and_the_order_stays(values, tails, shrink):
    found = drawn_in(np.array(values), tails, shrink)
    np.testing.assert_allclose(found, plain_shrunk(values, tails, shrink), atol=1e-12)
    order = np.argsort(values, kind="stable")
    assert (np.diff(found[order]) >= -1e-12).all()


@pytest.mark.parametrize(
    ("change", "given_names", "error", "message"),
    [
        ({"turnover": "double"}, ["employees"], ProtectionError, "follows from the given"),
        ({"turnover": "same"}, ["employees"], ProtectionError, "is constant or follows"),
        ({}, ["own"], ProtectionError, "records more than parameters to fit `turnover`"),
    ],
)
def test_what_would_come_out_as_it_is_is_refused(change, given_names, error, message):
    industry, employees, turnover = firms(5, 12)
    if change:
        turnover = 2 * employees if change["turnover"] == "double" else np.full(12, 3.0)
    data = read(industry, employees, turnover, own=pa.array([f"firm {i}" for i in range(12)]))
    with pytest.raises(error, match=message):
        data.apply(ta.RegressionShrinkage("turnover", given=given_names), seed=0)


def test_logarithms_are_of_numbers_above_0():
    industry, employees, turnover = firms(6)
    employees[7] = 0.0
    method = ta.RegressionShrinkage("turnover", given="employees", scale="log")
    with pytest.raises(InputError, match="`employees` is 0 in record 8"):
        read(industry, employees, turnover).apply(method, seed=0)


def test_an_attribute_is_not_regressed_on_itself():
    with pytest.raises(ParameterError, match="cannot regress `a` on itself"):
        ta.RegressionShrinkage(["a", "b"], given=["a"])
