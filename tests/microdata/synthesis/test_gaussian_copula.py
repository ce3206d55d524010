"""The Gaussian copula: margins, and correlations that ties do not weaken."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.microdata.synthesis.coupling.correlations import correlations, correlations_behind
from tacita.microdata.synthesis.coupling.margins import Steps


@pytest.fixture(scope="module")
def normal():
    """Normal variables of correlation 0.7, one cut into unequal ordered parts, one with blanks."""
    rng = np.random.default_rng(0)
    z = rng.multivariate_normal([0, 0, 0], [[1, 0.7, -0.5], [0.7, 1, -0.2], [-0.5, -0.2, 1]], 8000)
    return ta.read(
        pa.table(
            {
                "x": np.exp(z[:, 0]),
                "level": np.searchsorted([-1.0, 0.5, 1.5], z[:, 1]),
                "y": pa.array(z[:, 2], mask=rng.random(8000) < 0.3),
                "c": np.where(z[:, 1] + rng.normal(size=8000) > 1, "yes", "no"),
            }
        ),
        kinds={"level": "continuous"},
    )


def made_of(data, **said):
    return data.apply(ta.GaussianCopula(**{"records": 20_000, **said}), seed=2)


def test_margins_are_those_of_the_data(normal):
    measured = ta.TotalVariation().measure(normal, made_of(normal))
    assert max(float(part) for part in measured.parts.values()) < 0.03


def test_correlations_are_those_of_the_data(normal):
    made = made_of(normal)

    def found(data, one, other):
        x, y = data.numbers(one), data.numbers(other)
        known = ~np.isnan(x + y)
        ranks = [np.argsort(np.argsort(column[known])) for column in (x, y)]
        return np.corrcoef(*ranks)[0, 1]

    for pair in (("x", "level"), ("x", "y"), ("level", "y")):
        assert abs(found(normal, *pair) - found(made, *pair)) < 0.03


def test_categories_follow_numbers(normal):
    before, after = (
        data.to_pandas().groupby("c")["level"].mean() for data in (normal, made_of(normal))
    )
    assert (before - after).abs().max() < 0.05


def test_categories_are_put_in_the_order_that_tells_most():
    """By their names, b and c would lie between a and d, which they do not."""
    rng = np.random.default_rng(0)
    c = rng.choice(list("abcd"), 4000)
    number = np.select([c == "b", c == "a", c == "d"], [0.0, 5.0, 10.0], 15.0)
    data = ta.read(pa.table({"c": c, "n": number + rng.normal(size=4000)}))
    means = made_of(data).to_pandas().groupby("c").n.mean()
    assert list(means.sort_values().index) == ["b", "a", "d", "c"]
    assert means["c"] - means["b"] > 9


def test_blanks_are_as_many_and_follow_others():
    rng = np.random.default_rng(0)
    x = rng.normal(size=5000)
    data = ta.read(pa.table({"x": x, "y": pa.array(rng.normal(size=5000), mask=x > 1)}))
    made = made_of(data).to_pandas()
    assert abs(made.y.isna().mean() - (x > 1).mean()) < 0.02
    assert made[made.y.isna()].x.mean() > 1


def test_correlations_behind_halves_are_those_of_the_orthant_formula():
    """Two halves correlate by 2 asin(rho) / pi; the identity keeps rho."""
    halves, fine = Steps(np.array([0.5, 0.5])), Steps(np.full(5000, 1 / 5000))
    for rho in (-0.8, -0.1, 0.3, 0.9):
        found = 2 * np.arcsin(rho) / np.pi
        behind = correlations_behind(np.array([[1.0, found], [found, 1.0]]), [halves, halves])
        assert abs(behind[0, 1] - rho) < 2e-3
        same = correlations_behind(np.array([[1.0, rho], [rho, 1.0]]), [fine, fine])
        assert abs(same[0, 1] - rho) < 1e-3


def test_impossible_correlations_become_possible_ones():
    fine = Steps(np.full(100, 0.01))
    found = correlations_behind(
        np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1.0]]), [fine] * 3
    )
    assert np.linalg.eigvalsh(found).min() > -1e-9
    assert np.allclose(np.diag(found), 1)


def test_each_pair_is_compared_where_both_are_known():
    x, y = np.array([1.0, -1.0, np.nan, 3.0]), np.array([2.0, -2.0, 5.0, np.nan])
    assert np.allclose(correlations([x, y], np.ones(4))[0, 1], 1)
    assert correlations([np.zeros(4), y], np.ones(4))[0, 1] == 0


def test_rules_and_any_number_of_records(normal):
    made = made_of(normal, records=17, rules=["x > 1", "level >= 1"])
    assert len(made) == 17
    assert (made.numbers("x") > 1).all()
