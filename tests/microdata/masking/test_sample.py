from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError

DESIGNS = ["simple", "stratified", "systematic"]


@pytest.mark.parametrize("design", DESIGNS)
def test_records_are_real_in_order_and_not_repeated(design, toy):
    sample = toy.apply(ta.Sample(fraction=0.3, design=design), seed=5)
    rows = sample.source_rows
    assert (np.diff(rows) > 0).all()
    assert sample.column("id").to_pylist() == toy.column("id").take(pa.array(rows)).to_pylist()


@given(st.integers(1, 400), st.integers(1, 100))
def test_simple_samples_have_the_size_asked_for(records, percent):
    data = ta.read(pa.table({"x": np.arange(records)}))
    sample = data.apply(ta.Sample(fraction=percent / 100), seed=1)
    assert len(sample) == max(1, round(records * percent / 100))


@given(st.integers(2, 300), st.data())
def test_systematic_samples_are_evenly_spread(records, draw):
    size = draw.draw(st.integers(1, records))
    data = ta.read(pa.table({"x": np.arange(records)}))
    rows = data.apply(ta.Sample(size=size, design="systematic"), seed=3).source_rows
    assert len(rows) == len(set(rows.tolist())) == size
    gaps = np.diff(rows)
    assert not len(gaps) or gaps.max() - gaps.min() <= 1


@given(st.lists(st.integers(0, 4), min_size=5, max_size=200), st.data())
def test_strata_share_the_sample_proportionally(strata, draw):
    data = ta.read(pa.table({"s": strata}), roles={"s": "stratum"}, kinds={"s": "nominal"})
    counts = np.bincount(strata)
    present = np.count_nonzero(counts)
    size = draw.draw(st.integers(present, len(strata)))
    sample = data.apply(ta.Sample(size=size, design="stratified"), seed=2)
    drawn = np.bincount(sample.table.column("s").to_numpy(), minlength=len(counts))
    assert drawn.sum() == size
    assert (drawn <= counts).all()
    assert (drawn[counts > 0] >= 1).all()
    above_one = drawn > 1
    assert (np.abs(drawn - counts * size / len(strata))[above_one] <= present).all()


@pytest.mark.parametrize("design", DESIGNS)
def test_weights_add_up_to_the_same_population(design):
    strata = np.repeat(["a", "b"], [300, 700])
    data = ta.read(
        pa.table({"s": strata, "w": np.full(1000, 2.0)}), roles={"s": "stratum", "w": "weight"}
    )
    sample = data.apply(ta.Sample(fraction=0.1, design=design), seed=7)
    assert sample.weight.sum() == pytest.approx(2000)


def test_weighted_means_are_unbiased():
    """The mean of 400 sample estimates lies within 3 standard errors of the truth."""
    values = np.random.default_rng(0).lognormal(size=500)
    data = ta.read(pa.table({"x": values, "w": np.ones(500)}), roles={"w": "weight"})
    estimates = []
    for seed in range(400):
        sample = data.apply(ta.Sample(fraction=0.1), seed=seed)
        estimates.append((sample.weight * sample.numbers("x")).sum())
    error = np.std(estimates) / np.sqrt(len(estimates))
    assert abs(np.mean(estimates) - values.sum()) < 3 * error


def test_a_weight_is_added_where_asked_for():
    data = ta.read(pa.table({"x": np.arange(10)}))
    sample = data.apply(ta.Sample(size=5, weight="w"), seed=1)
    assert sample.weight.tolist() == [2.0] * 5
    assert data.apply(ta.Sample(size=5), seed=1).weight is None


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "needs one of `fraction` and `size`"),
        ({"fraction": 0.5, "size": 3}, "needs one of"),
        ({"fraction": 0}, "greater than 0"),
        ({"fraction": 0.5, "by": ["x"]}, "needs the stratified design"),
        ({"fraction": 0.5, "design": "cluster"}, "'simple', 'stratified' or 'systematic'"),
    ],
)
def test_parameters_that_contradict_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        ta.Sample(**parameters)


def test_samples_that_cannot_be_drawn_are_refused():
    data = ta.read(pa.table({"x": [1, 2, 3]}))
    with pytest.raises(ParameterError, match="cannot draw 5 of 3"):
        data.apply(ta.Sample(size=5))
    with pytest.raises(ParameterError, match="needs strata"):
        data.apply(ta.Sample(size=2, design="stratified"))
    with pytest.raises(ParameterError, match="each of 3 strata"):
        data.apply(ta.Sample(size=2, design="stratified", by=["x"]))
    with pytest.raises(ParameterError, match="in the data already"):
        data.apply(ta.Sample(size=2, weight="x"))
