from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

import tacita as ta
from tacita.errors import ParameterError, ProtectionError

CENSUS = Path(__file__).parents[4] / "shared" / "data" / "casc" / "Census.csv"
RHO = np.array([[1, 0.5, 0.7, 0.3], [0.5, 1, 0.4, -0.6], [0.7, 0.4, 1, 0.2], [0.3, -0.6, 0.2, 1]])


def normal(n: int, seed: int) -> ta.Microdata:
    """Two attributes to shuffle and two that are given, none of them normal by itself."""
    z = np.random.default_rng(seed).multivariate_normal(np.zeros(4), RHO, n)
    columns = {"x": np.exp(z[:, 0]), "y": z[:, 1] ** 3, "s": z[:, 2], "t": np.arctan(z[:, 3])}
    return ta.read(pa.table(columns))


def rank_correlations(data) -> np.ndarray:
    return spearmanr(np.column_stack([data.numbers(name) for name in "xyst"])).statistic


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 3)), min_size=2),
    st.sets(st.integers(0, 40)),
    st.integers(0, 1000),
)
def test_distributions_and_blanks_stay_exactly(rows, blanks, seed):
    x, y, s = (np.array(part) for part in zip(*rows, strict=True))
    blank = np.isin(np.arange(len(rows)), list(blanks))
    data = ta.read(pa.table({"x": pa.array(x, mask=blank), "y": y, "s": s}), kinds={"s": "nominal"})
    if np.count_nonzero(~blank) == 1:
        with pytest.raises(ProtectionError, match="`x` has one value only"):
            data.apply(ta.Shuffle(["x", "y"], given=["s"]), seed=seed)
        return
    masked = data.apply(ta.Shuffle(["x", "y"], given=["s"]), seed=seed)
    for name in ("x", "y"):
        before, after = data.column(name), masked.column(name)
        assert after.type == before.type
        assert after.is_null().equals(before.is_null())
        assert sorted(after.drop_null().to_pylist()) == sorted(before.drop_null().to_pylist())
    assert masked.column("s").equals(data.column("s"))


def test_rank_correlations_stay_up_to_chance():
    """The mean of 40 shuffles lies within 3 standard errors, each near what it was."""
    n = 2000
    data = normal(n, seed=0)
    before = rank_correlations(data)
    found = np.array(
        [
            rank_correlations(data.apply(ta.Shuffle(["x", "y"], given=["s", "t"]), seed=seed))
            for seed in range(40)
        ]
    )
    assert np.abs(found - before).max() < 4 / np.sqrt(n)
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert (np.abs(found.mean(axis=0) - before) <= 3 * error + 1e-12).all()


def test_given_the_others_a_value_does_not_depend_on_the_record_s_own():
    n = 20_000
    data = normal(n, seed=1)
    masked = data.apply(ta.Shuffle(["x", "y"], given=["s", "t"]), seed=2)
    given_ones = np.column_stack([np.ones(n), data.numbers("s"), np.tan(data.numbers("t"))])
    for name, change in (("x", np.log), ("y", np.cbrt)):
        left = []
        for one in (data, masked):
            z = change(one.numbers(name))
            left.append(z - given_ones @ np.linalg.lstsq(given_ones, z, rcond=None)[0])
        assert abs(np.corrcoef(*left)[0, 1]) < 3 / np.sqrt(n)


def test_without_others_given_records_lose_their_values():
    data = normal(5000, seed=3)
    masked = data.apply(ta.Shuffle(["x", "y"]), seed=0)
    assert abs(spearmanr(data.numbers("x"), masked.numbers("x")).statistic) < 4 / np.sqrt(5000)
    before, after = rank_correlations(data), rank_correlations(masked)
    assert after[0, 1] == pytest.approx(before[0, 1], abs=4 / np.sqrt(5000))
    assert np.abs(after[:2, 2:]).max() < 4 / np.sqrt(5000)


def test_what_is_determined_by_what_is_given_comes_back():
    """A rank correlation of 1 leaves nothing to chance: every value returns to its record."""
    x = np.random.default_rng(0).permutation(60)
    data = ta.read(pa.table({"x": x, "s": x**3}))
    masked = data.apply(ta.Shuffle("x", given=["s"]), seed=0)
    assert masked.column("x").equals(data.column("x"))
    falling = ta.read(pa.table({"x": x, "s": -x, "t": 2 * x}))  # and s and t tell the same
    masked = falling.apply(ta.Shuffle("x", given=["s", "t"]), seed=0)
    assert masked.column("x").equals(data.column("x"))


def test_categories_given_keep_their_levels():
    rng = np.random.default_rng(4)
    group = rng.integers(0, 3, 3000)
    x = rng.normal(size=3000) + 2 * group
    data = ta.read(pa.table({"x": x, "g": np.array(list("abc"))[group]}))
    after = data.apply(ta.Shuffle("x", given=["g"]), seed=0).numbers("x")
    for one in range(3):
        assert after[group == one].mean() == pytest.approx(x[group == one].mean(), abs=0.25)


def test_ordinal_values_are_ranked_in_their_order():
    order = ["low", "middle", "high"]
    rng = np.random.default_rng(5)
    code = rng.integers(0, 3, 2000)
    data = ta.read(
        pa.table({"x": np.array(order)[code], "s": code + 0.1 * rng.normal(size=2000)}),
        kinds={"x": "ordinal"},
        orders={"x": order},
    )
    after = data.apply(ta.Shuffle("x", given=["s"]), seed=0).column("x").to_pylist()
    agreement = spearmanr([order.index(value) for value in after], data.numbers("s")).statistic
    assert agreement == pytest.approx(spearmanr(code, data.numbers("s")).statistic, abs=0.1)


def test_constant_attributes_do_no_harm():
    data = ta.read(
        pa.table({"x": [1.0] * 9, "y": np.arange(9.0), "s": [2] * 9, "t": [1, 2, 3] * 3})
    )
    masked = data.apply(ta.Shuffle(["x", "y"], given=["s", "t"]), seed=0)
    assert masked.column("x").equals(data.column("x"))
    assert sorted(masked.column("y").to_pylist()) == data.column("y").to_pylist()


def test_an_attribute_cannot_be_shuffled_and_stay():
    with pytest.raises(ParameterError, match="`s`"):
        ta.Shuffle(["x", "s"], given=["s"])


@pytest.mark.skipif(not CENSUS.exists(), reason="the reference data are not here")
def test_rank_correlations_of_real_data_stay_near():
    data = ta.read(CENSUS)
    shuffled, kept = data.names[:4], data.names[4:]
    masked = data.apply(ta.Shuffle(shuffled, given=kept), seed=0)
    before, after = (
        spearmanr(np.column_stack([d.numbers(name) for name in data.names])).statistic
        for d in (data, masked)
    )
    assert np.abs(after - before)[:4].max() < 0.1


def rank_correlation_of_known(data, one, other):
    x, y = data.numbers(one), data.numbers(other)
    both = ~np.isnan(x + y)
    return spearmanr(x[both], y[both])[0]


@pytest.mark.parametrize("among", [{"given": ["x"]}, {}])
@pytest.mark.parametrize("blank", ["x", "y"])
def test_rank_correlations_stay_where_blanks_depend_on_values(among, blank):
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    y = np.exp(2 * x + rng.normal(size=4000))
    columns = {"x": x, "y": y}
    columns[blank] = np.where(x + rng.normal(0, 0.1, 4000) > 0.3, np.nan, columns[blank])
    data = ta.read(pa.table({k: pa.array(v, from_pandas=True) for k, v in columns.items()}))
    masked = data.apply(ta.Shuffle(["y"] if among else ["x", "y"], **among), seed=1)
    before, after = (rank_correlation_of_known(d, "x", "y") for d in (data, masked))
    assert abs(after - before) < 6 * (1 - before**2) / np.sqrt(2400)
    for name in ("x", "y"):
        assert np.array_equal(*(np.sort(d.numbers(name)) for d in (data, masked)), equal_nan=True)


def test_zeros_weaken_rank_correlations_as_the_page_says():
    x, z = np.random.default_rng(1).multivariate_normal([0, 0], [[1, 0.7], [0.7, 1]], 4000).T
    data = ta.read(pa.table({"x": x, "y": np.where(z < 0, 0, np.exp(z))}))
    masked = data.apply(ta.Shuffle("y", given=["x"]), seed=0)
    kept = rank_correlation_of_known(masked, "x", "y") / rank_correlation_of_known(data, "x", "y")
    assert kept == pytest.approx(5 / 6, abs=0.08)
