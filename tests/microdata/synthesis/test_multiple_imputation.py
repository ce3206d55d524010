"""Multiple imputation: who is drawn, what is imputed, and whether inference from copies holds."""

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


def test_applies_to_every_kind_as_figure_12_says():
    assert ta.MultipleImputation.applies_to == frozenset(Kind)


def test_intervals_cover_means_and_coefficients():
    rng, replications, covered = np.random.default_rng(3), 200, []
    method = ta.MultipleImputation("y", background="x")
    for _ in range(replications):
        data = sample(rng, 60)
        copies = [method.mask(data, rng) for _ in range(3)]
        found = [
            [*zip(*mean(one, "y")[1:], strict=True), *zip(*slope[1:], strict=True)]
            for one, slope in zip(copies, regressions(copies, "y", ["x"]), strict=True)
        ]
        values, variances = np.moveaxis(np.array(found), 2, 0)
        combined = ta.combine(values, variances, rule="full")
        truth = [1, 1, 2]  # mean, intercept, slope
        covered.append((combined.lower <= truth) & (combined.upper >= truth))
    assert (np.mean(covered, axis=0) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / replications)).all()


@pytest.mark.parametrize("model", ["regression", "tree"])
def test_keeps_relations_among_all_kinds(model):
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], 2000, p=[0.3, 0.7])
    pay = np.round(2000 + 500 * (sex == "m") + 100 * rng.normal(size=2000), 1)
    job = np.where(rng.random(2000) < np.where(sex == "m", 0.8, 0.1), "driver", "nurse")
    data = ta.read(pa.table({"sex": sex, "job": job, "pay": pay}))
    method = ta.MultipleImputation(model=model, copies="report")  # redrawing shifts shares
    made = data.apply(method, seed=1).to_arrow()
    men = np.array(made["sex"].to_pylist()) == "m"
    drivers = np.array(made["job"].to_pylist()) == "driver"
    assert men.mean() == pytest.approx(0.7, abs=0.05)
    assert drivers[men].mean() == pytest.approx(0.8, abs=0.05)
    assert drivers[~men].mean() == pytest.approx(0.1, abs=0.06)
    gap = np.array(made["pay"])[men].mean() - np.array(made["pay"])[~men].mean()
    assert gap == pytest.approx(500, abs=25)
    assert (np.round(np.array(made["pay"]), 1) == np.array(made["pay"])).all()


def test_originals_are_excluded_from_the_listed_population():
    ages = list(range(100))
    population = ta.read(pa.table({"age": ages}))
    data = ta.read(pa.table({"age": ages[::4], "pay": [1.0 * age for age in ages[::4]]}))
    data = data.with_external(population=population)
    method = ta.MultipleImputation("pay", background="age", frame="population", records=75)
    made = data.apply(method, seed=1).column("age").to_pylist()
    assert sorted(made) == [age for age in ages if age % 4]


def test_a_listed_population_has_so_many_members():
    data = ta.example("toy", 60)
    method = ta.MultipleImputation("income", background="age", frame="population")
    with pytest.raises(InputError, match="no population beside"):
        data.apply(method)
    with pytest.raises(ProtectionError, match="lists 0 members outside"):
        data.with_external(population=data).apply(method)
    with pytest.raises(InputError, match="lacks `age`"):
        data.with_external(population=data.without(["age"])).apply(method)


def test_the_population_has_room_for_the_sample():
    data = ta.example("toy", 60)
    with pytest.raises(ParameterError, match="40 members outside the sample; 60 synthetic"):
        data.apply(ta.MultipleImputation("income", background="age", population=100))
    method = ta.MultipleImputation("income", background="age", population=100, records=40)
    assert len(data.apply(method, seed=0)) == 40


@pytest.mark.parametrize("frame", ["sample", "population"])
def test_intervals_cover_the_mean_of_a_finite_population(frame):
    """And they are those of half of a population: a mean of it is known better than one of all."""
    rng, replications, found, truth = np.random.default_rng(3), 60, [], []
    for _ in range(replications):
        x = rng.normal(size=100)
        y = 1 + x + rng.normal(size=100)
        known = ta.read(pa.table({"x": x}))
        data = ta.read(pa.table({"x": x[:50], "y": y[:50]})).with_external(population=known)
        size = {"population": 100} if frame == "sample" else {}
        method = ta.MultipleImputation("y", background="x", frame=frame, copies="report", **size)
        made = ta.synthesize(data, method, copies=15, seed=int(rng.integers(2**32)))
        found.append(made.mean("y"))
        truth.append(y.mean())
    covered = [one.lower[0] <= y <= one.upper[0] for one, y in zip(found, truth, strict=True)]
    assert np.mean(covered) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / replications)
    usual = 0.5 * 2 / 50  # (1 - n/N) S^2 / n
    assert np.mean([one.variances[0] for one in found]) < 1.6 * usual


def test_the_size_of_the_population_counts_in_intervals_and_weights():
    rng = np.random.default_rng(1)
    pay, weight = rng.normal(size=200), np.repeat([1.0, 3.0], 100)
    data = ta.read(pa.table({"pay": pay, "w": weight}), roles={"w": "weight"})
    few, many, endless = (
        ta.synthesize(data, ta.MultipleImputation(population=one, records=100), copies=20, seed=1)
        for one in (400, 40_000, None)
    )
    assert [one[0].weight.sum() for one in (few, many, endless)] == [400, 40_000, 400]
    lengths = [one.mean("pay").variances[0] for one in (few, many, endless)]
    assert lengths[0] < 0.75 * lengths[1] < lengths[1] < lengths[2]
    effective = 400**2 / 1000
    assert few.mean("pay").sampled == pytest.approx(effective / 400)
    assert few.mean("pay").ratio == pytest.approx(100 / effective)
    assert endless.mean("pay").sampled == 0


def test_weights_make_the_population():
    rng = np.random.default_rng(0)
    group = np.repeat(["rare", "often"], 500)
    pay = np.where(group == "rare", 10.0, 20.0) + rng.normal(size=1000)
    weight = np.where(group == "rare", 1.0, 9.0)
    table = pa.table({"group": group, "pay": pay, "w": weight})
    data = ta.read(table, roles={"w": "weight"})
    for background in (["group"], None):
        made = data.apply(ta.MultipleImputation(background=background), seed=1)
        assert made.numbers("pay").mean() == pytest.approx(19, abs=0.5)
        assert made.weight.sum() == pytest.approx(5000)


def test_rules_are_kept_and_blanks_modelled():
    data = ta.example("toy", 400)
    rules = ["income >= 0", "0 <= age <= 110"]
    names = ["age", "education", "income"]
    made = data.apply(ta.MultipleImputation(names, rules=rules), seed=1)
    assert made.notes["broke_rules"] > 0
    assert np.nanmin(made.numbers("income")) >= 0
    assert made.numbers("age").min() >= 0
    assert 0 < made.column("education").null_count < 60


def test_any_number_of_records():
    method = ta.MultipleImputation(["age", "income"], records=777)
    made = ta.example("toy", 100).apply(method, seed=1)
    assert len(made) == 777
    assert made.is_synthetic
    assert made.names == ["age", "income", "weight"]


def test_refuses_what_cannot_be():
    with pytest.raises(ParameterError, match="imputed and background"):
        ta.MultipleImputation("age", background="age")
    with pytest.raises(ParameterError, match="needs the `background`"):
        ta.MultipleImputation(frame="population")
    with pytest.raises(ParameterError, match="leave `population` out"):
        ta.MultipleImputation(background="age", frame="population", population=10)
    with pytest.raises(ProtectionError, match="Choose fewer predictors, or trees"):
        ta.example("toy", 12).apply(ta.MultipleImputation(background=["zip", "education"]), seed=0)
