"""Partial imputation: what is replaced, what stays, and whether inference from copies holds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.attribute import Kind
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.microdata.synthesis.inference.analyses import mean, regressions


def sample(rng, n):
    x = rng.normal(size=n)
    return ta.read(pa.table({"x": x, "y": 1 + 2 * x + rng.normal(size=n)}))


def test_applies_to_every_kind_as_figure_13_says():
    assert ta.PartialImputation.applies_to == frozenset(Kind)


@pytest.mark.parametrize("where", [None, "x > 0"])
def test_intervals_cover_means_and_coefficients(where):
    rng, replications, covered = np.random.default_rng(4), 200, []
    method = ta.PartialImputation("y", where=where)
    for _ in range(replications):
        data = sample(rng, 80)
        copies = [method.mask(data, rng) for _ in range(3)]
        found = [
            [*zip(*mean(one, "y")[1:], strict=True), *zip(*slope[1:], strict=True)]
            for one, slope in zip(copies, regressions(copies, "y", ["x"]), strict=True)
        ]
        values, variances = np.moveaxis(np.array(found), 2, 0)
        combined = ta.combine(values, variances, rule="partial")
        truth = [1, 1, 2]  # mean, intercept, slope
        covered.append((combined.lower <= truth) & (combined.upper >= truth))
    slack = 3 * np.sqrt(0.95 * 0.05 / replications)
    assert np.mean(covered, axis=0) == pytest.approx([0.95] * 3, abs=slack)


def test_only_chosen_records_change():
    data = ta.example("toy", 300)
    made = data.apply(ta.PartialImputation("income", where="income > 30000"), seed=1)
    before, after = data.numbers("income"), made.numbers("income")
    chosen = np.nan_to_num(before) > 30000
    assert (before[chosen] != after[chosen]).all()
    assert np.array_equal(before[~chosen], after[~chosen], equal_nan=True)
    assert made.notes["replaced"] == chosen.sum()
    for name in set(data.names) - {"income"}:
        assert made.column(name) == data.column(name)


def test_what_is_drawn_for_chosen_records_is_like_them():
    """Models are learnt from the chosen records alone."""
    data = ta.example("toy", 2000)
    method = ta.PartialImputation("income", where="income > 30000", model="tree")
    made = data.apply(method, seed=1)
    assert (np.nan_to_num(made.numbers("income")) > 30000).sum() == made.notes["replaced"]


@pytest.mark.parametrize("model", ["regression", "tree"])
def test_every_kind_is_drawn_and_blanks_stay(model):
    data = ta.example("toy", 300)
    names = ["born", "languages", "education", "income", "region"]
    made = data.apply(ta.PartialImputation(names, given=["age", "disease"], model=model), seed=2)
    for name in names:
        assert made.column(name) != data.column(name)
        assert made.column(name).type == data.column(name).type
        assert made.column(name).is_null() == data.column(name).is_null()
    birth, age = (np.array(made.column("born").cast("int32")), data.numbers("age"))
    assert np.corrcoef(birth, age)[0, 1] < -0.95


def test_rules_are_kept_with_what_stays():
    table = pa.table({"low": np.arange(200.0), "high": np.arange(200.0) + 5})
    data = ta.read(table)
    made = data.apply(ta.PartialImputation("high", rules="high > low"), seed=0)
    assert (made.numbers("high") > made.numbers("low")).all()
    with pytest.raises(ProtectionError, match="break the rules although"):
        data.apply(ta.PartialImputation("high", rules="low < 0"), seed=0)


def test_unchanged_values_are_counted():
    data = ta.example("toy", 300)
    made = data.apply(ta.PartialImputation("disease", given="age"), seed=0)
    before, after = data.column("disease").to_pylist(), made.column("disease").to_pylist()
    same = sum(one == other for one, other in zip(before, after, strict=True))
    assert made.notes["unchanged"] == {"disease": same}
    assert 0 < same < 150


def test_a_condition_that_nobody_meets_replaces_nothing():
    data = ta.example("toy", 50)
    made = data.apply(ta.PartialImputation("income", where="age > 1000"), seed=0)
    assert made.notes == {"replaced": 0}
    assert made.column("income") == data.column("income")


def test_refuses_what_cannot_be():
    with pytest.raises(ParameterError, match="replaced and given"):
        ta.PartialImputation("age", given="age")
    data = ta.read(pa.table({"x": [1.0, 2.0]}))
    with pytest.raises(InputError, match="none has that role"):
        data.apply(ta.PartialImputation())
    with pytest.raises(ProtectionError, match="at least 4 records to impute from; found 2"):
        data.apply(ta.PartialImputation("x"))
    with pytest.raises(InputError, match="no attribute `incme`"):
        ta.example("toy", 20).apply(ta.PartialImputation("age", where="incme > 3"))
