from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError

MATRIX = {
    "a": {"a": 0.7, "b": 0.2, "c": 0.1},
    "b": {"a": 0.1, "b": 0.8, "c": 0.1},
    "c": {"b": 0.4, "c": 0.6},
}


def spread(estimates):
    """Return the mean of estimates, and its standard error."""
    return np.mean(estimates, axis=0), np.std(estimates, axis=0, ddof=1) / np.sqrt(len(estimates))


def test_two_categories_by_hand():
    """A share of 0.4 where 0.2 lie: (0.4 - 0.2) / 0.6 = 1/3; variance 1000 x 0.16 / 0.36."""
    data = ta.read(pa.table({"x": ["no"] * 600 + ["yes"] * 400}))
    matrix = {"no": {"no": 0.8, "yes": 0.2}, "yes": {"no": 0.2, "yes": 0.8}}
    found = ta.estimated_frequencies(data, "x", matrix)
    assert found.categories == ("no", "yes")
    assert found.estimates == pytest.approx([2000 / 3, 1000 / 3])
    assert found.covariance == pytest.approx(np.array([[1, -1], [-1, 1]]) * 1000 * 0.16 / 0.36)
    assert found.to_arrow().column("standard_error")[0].as_py() == pytest.approx(21.0818511)


@pytest.mark.parametrize("weighted", [False, True])
def test_estimates_and_their_errors_are_unbiased(weighted):
    """Over 600 draws, estimates and variances lie within 3 standard errors of the truth."""
    values = np.repeat(["a", "b", "c"], [500, 300, 40])
    weights = np.random.default_rng(5).uniform(1, 4, len(values)) if weighted else np.ones(840)
    data = ta.read(pa.table({"x": values, "w": weights}), roles={"w": "weight"})
    method = ta.Pram("x", matrix=MATRIX)
    rng = np.random.default_rng(1)
    found = [ta.estimated_frequencies(method.mask(data, rng), "x", MATRIX) for _ in range(600)]
    truth = [weights[values == word].sum() for word in "abc"]
    mean, error = spread([one.estimates for one in found])
    assert (np.abs(mean - truth) < 3 * error).all()
    drawn = np.array([one.estimates for one in found])
    squares, error = spread((drawn - mean) ** 2 * len(found) / (len(found) - 1))
    told = np.mean([np.diag(one.covariance) for one in found], axis=0)
    assert (np.abs(squares - told) < 3 * error).all()


def test_the_estimates_add_up():
    data = ta.read(pa.table({"x": ["a", "b", "c", None, "b"]}))
    found = ta.estimated_frequencies(data, "x", MATRIX)
    assert found.estimates.sum() == pytest.approx(4)
    assert found.covariance.sum() == pytest.approx(0, abs=1e-9)


def test_what_cannot_be_estimated_is_refused():
    data = ta.read(pa.table({"x": ["a", "b"]}))
    with pytest.raises(ParameterError, match="no inverse"):
        ta.estimated_frequencies(data, "x", {"a": {"a": 0.5, "b": 0.5}, "b": {"a": 0.5, "b": 0.5}})
    with pytest.raises(ParameterError, match="must sum to 1"):
        ta.estimated_frequencies(data, "x", {"a": {"a": 0.5}, "b": {"b": 1.0}})
    with pytest.raises(InputError, match="category 'b', which is none of those given"):
        ta.estimated_frequencies(data, "x", {"a": {"a": 1.0}})
