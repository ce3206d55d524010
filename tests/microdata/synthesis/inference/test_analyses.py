"""Analyses of one data set against independent computations."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.synthesis.inference.analyses import mean, regressions, share


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    return ta.read(pa.table({"x": x, "y": 3 - x + rng.normal(size=200), "c": ["a", "b"] * 100}))


def test_mean_and_share(data):
    y = data.numbers("y")
    found = mean(data, "y")
    assert found.values[0] == pytest.approx(y.mean())
    assert found.variances[0] == pytest.approx(y.var(ddof=1) / 200)
    assert share(data, "c", "a").values[0] == 0.5
    assert share(data, "c", "a").variances[0] == pytest.approx(0.25 / 199)


def test_equal_weights_are_none(data):
    weighted = ta.read(
        data.to_arrow().append_column("w", pa.array(np.full(200, 7.0))), roles={"w": "weight"}
    )
    assert mean(weighted, "y").variances[0] == pytest.approx(mean(data, "y").variances[0])
    one, other = (regressions([d], "y", ["x"])[0] for d in (data, weighted))
    assert other.values == pytest.approx(one.values)
    assert other.variances == pytest.approx(one.variances, rel=0.3)


def test_regression_is_least_squares(data):
    found = regressions([data], "y", ["x"])[0]
    line = stats.linregress(data.numbers("x"), data.numbers("y"))
    assert found.names == ("intercept", "x")
    assert found.values == pytest.approx([line.intercept, line.slope])
    assert np.sqrt(found.variances) == pytest.approx([line.intercept_stderr, line.stderr])


def test_categories_are_coded_alike_in_all_copies(data):
    some = data.take(np.arange(1, 199, 2))  # only b
    assert regressions([data, data], "y", ["c"])[1].names == ("intercept", "c = b")
    with pytest.raises(InputError, match="depend on each other"):
        regressions([data, some], "y", ["c"])


def test_refuses_what_is_no_number(data):
    with pytest.raises(InputError, match="`c` is nominal"):
        mean(data, "c")
    with pytest.raises(InputError, match="two records"):
        mean(data.take(np.arange(1)), "y")
    with pytest.raises(InputError, match="needs more records"):
        regressions([data.take(np.arange(2))], "y", ["x"])
