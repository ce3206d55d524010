from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

import tacita as ta
from tacita.errors import InputError, ProtectionError

KINDS = ["age", "income", "education", "disease", "born"]


def mask(data, names, alpha, seed=0):
    return ta.SullivanNoise(names, alpha=alpha).mask(data, np.random.default_rng(seed))


def numbers(data):
    return np.column_stack([data.numbers(name) for name in data.names])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3) | st.none(), st.floats(-9, 9), st.sampled_from("abc")),
        min_size=3,
        max_size=40,
    ),
    st.integers(0, 2**32),
    st.floats(0.01, 100),
)
def test_every_attribute_keeps_its_values_and_blanks_stay(rows, seed, alpha):
    rows = [*rows, (1, 0.5, "a"), (2, 1.5, "b")]
    table = pa.table(dict(zip("xyz", map(list, zip(*rows, strict=True)), strict=True)))
    data = ta.read(table, kinds={"x": "continuous", "y": "continuous", "z": "nominal"})
    masked = mask(data, ["x", "y", "z"], alpha, seed)
    for name in "xyz":
        before, after = data.column(name), masked.column(name)
        assert after.type == before.type
        assert Counter(after.to_pylist()) == Counter(before.to_pylist())
        assert after.is_null().equals(before.is_null())


def test_every_kind_keeps_its_distribution_and_changes_hands():
    toy = ta.example("toy", 300)
    masked = mask(toy, KINDS, 1.0)
    for name in KINDS:
        before, after = toy.column(name), masked.column(name)
        assert Counter(after.to_pylist()) == Counter(before.to_pylist())
        assert masked.attribute(name) == toy.attribute(name)
        assert after != before


def test_correlations_of_ranks_are_kept_of_discrete_attributes_too():
    n = 20_000
    rng = np.random.default_rng(2)
    x = rng.normal(size=n)
    y = np.exp(0.7 * x + rng.normal(size=n))  # skewed
    z = np.digitize(0.5 * x + rng.normal(size=n), [-1, 0, 1])  # four categories
    w = (0.8 * x + rng.normal(size=n) > 0.5).astype(int)  # yes or no
    data = ta.read(
        pa.table({"x": x, "y": y, "z": z, "w": w}), kinds=dict.fromkeys("xyzw", "continuous")
    )
    before = spearmanr(numbers(data)).statistic
    for alpha in (0.1, 1.0):
        masked = numbers(mask(data, ["x", "y", "z", "w"], alpha))
        assert np.all(np.abs(spearmanr(masked).statistic - before) < 3 / np.sqrt(n))
        # Noise in proportion to what is there leaves 1 / sqrt(1 + alpha) of a score.
        kept = spearmanr(x, masked[:, 0]).statistic
        wanted = 6 / np.pi * np.arcsin(1 / np.sqrt(1 + alpha) / 2)
        assert abs(kept - wanted) < 3 / np.sqrt(n)


def test_by_hand_and_in_the_order_of_an_ordinal_attribute():
    words = ["low", "high", "mid", "low"]
    data = ta.read(
        pa.table({"x": words}), kinds={"x": "ordinal"}, orders={"x": ["low", "mid", "high"]}
    )
    masked = mask(data, "x", 1e-9, seed=3)  # so little noise that nothing moves
    assert masked.column("x").to_pylist() == words
    assert mask(data, "x", 1e6, seed=3).column("x").to_pylist() != words


def test_a_little_noise_moves_values_to_neighbours():
    x = np.random.default_rng(0).permutation(1000).astype(float)
    data = ta.read(pa.table({"x": x}))
    moved = np.abs(mask(data, "x", 1e-4).numbers("x") - x)
    assert 0 < moved.mean() < 10
    assert np.abs(mask(data, "x", 100).numbers("x") - x).mean() > 250


def test_what_cannot_be_is_said():
    with pytest.raises(ProtectionError, match="at least two records"):
        mask(ta.read(pa.table({"x": [1.0, None]})), "x", 1)
    unknown = ta.read(pa.table({"x": ["a", "b"]}), kinds={"x": "ordinal"}, orders={"x": ["a", "b"]})
    wrong = unknown.with_column(unknown.attribute("x"), pa.array(["a", "c"]))
    with pytest.raises(InputError, match="not in its order"):
        mask(wrong, "x", 1)


def rank_correlation_of_known(data, one, other):
    x, y = data.numbers(one), data.numbers(other)
    both = ~np.isnan(x + y)
    return spearmanr(x[both], y[both])[0]


@pytest.mark.parametrize("alpha", [0.1, 1, 20])
def test_rank_correlations_stay_where_blanks_depend_on_values(alpha):
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    y = np.exp(2 * x + rng.normal(size=4000))
    columns = {"x": x, "y": np.where(x + rng.normal(0, 0.1, 4000) > 0.3, np.nan, y)}
    data = ta.read(pa.table({k: pa.array(v, from_pandas=True) for k, v in columns.items()}))
    masked = mask(data, ["x", "y"], alpha)
    before, after = (rank_correlation_of_known(d, "x", "y") for d in (data, masked))
    assert abs(after - before) < 6 * (1 - before**2) / np.sqrt(2400)
    for name in ("x", "y"):
        assert np.array_equal(*(np.sort(d.numbers(name)) for d in (data, masked)), equal_nan=True)


@pytest.mark.parametrize("alpha", [0.1, 1, 20])
def test_zeros_of_a_normal_variable_cut_keep_rank_correlations(alpha):
    x, z = np.random.default_rng(1).multivariate_normal([0, 0], [[1, 0.7], [0.7, 1]], 4000).T
    data = ta.read(pa.table({"x": x, "y": np.where(z < 0.3, 0, np.exp(z))}))
    before, after = (
        rank_correlation_of_known(d, "x", "y") for d in (data, mask(data, ["x", "y"], alpha))
    )
    assert abs(after - before) < 6 * (1 - before**2) / np.sqrt(4000)


def test_tied_values_that_are_never_known_together_are_exchanged_apart():
    """Of half of the records one attribute is known, of the others the other one; all are tied."""
    halves = [[n % 3 for n in range(8)], [None] * 8]
    data = ta.read(pa.table({"a": halves[0] + halves[1], "b": halves[1] + halves[0]}))
    data = ta.read(data.table, kinds={"a": "continuous", "b": "continuous"})
    masked = mask(data, ["a", "b"], alpha=0.5)
    for name in data.names:
        assert Counter(masked.column(name).to_pylist()) == Counter(data.column(name).to_pylist())
