from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import spearmanr

import tacita as ta
from tacita.errors import ParameterError, ProtectionError
from tacita.microdata.synthesis.arranging.refining import correlations, midranks
from tacita.microdata.synthesis.arranging.strata import Margin
from tacita.microdata.synthesis.latin_hypercube import LatinHypercube

TARRAGONA = Path(__file__).parents[4] / "shared/data/casc/Tarragona.csv"


def related(records=400, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=records)
    b, c = a + rng.normal(size=records), rng.exponential(size=records) - a / 2
    return {"a": a, "b": b, "c": np.exp(c)}


def spread(values, records):
    """Return the edges of strata of records that are spread to the middles of the gaps."""
    values = np.sort(values)
    ends = np.concatenate([values[:1], (values[1:] + values[:-1]) / 2, values[-1:]])
    return np.quantile(ends, np.arange(records + 1) / records)  # in straight lines


def test_every_stratum_has_one_value():
    values = np.random.default_rng(0).lognormal(size=101)
    for records in (7, 101, 1000):
        margin = Margin(values, None, pa.float64())
        drawn = margin.stratified(records, np.random.default_rng(1))
        edges = spread(values, records)
        assert (np.diff(drawn) >= 0).all()
        assert (drawn >= edges[:-1] - 1e-12).all()
        assert (drawn <= edges[1:] + 1e-12).all()


def hard_columns(records=500):
    rng = np.random.default_rng(5)
    heavy = rng.lognormal(0, 3, records)
    inflated = np.where(rng.random(records) < 0.8, 0.0, rng.lognormal(8, 1.5, records))
    return {
        "heavy": heavy,
        "inflated": inflated,
        "tied": rng.choice([-2.5, 0.0, 1.5, 40.0], records),
        "negative": -heavy,
        "huge": heavy * 1e300 / heavy.max(),
        "steady": np.full(records, 7.1),
        "whole": np.rint(inflated).astype(np.int64),
        "ages": rng.integers(0, 90, records),
        "rare": (rng.random(records) < 0.02).astype(np.int64) * 3,
        "born": pa.array(rng.integers(-9000, 9000, records), pa.int32()).cast(pa.date32()),
    }


def numbers(data, name):
    found = data.column(name).drop_null()
    found = found.cast(pa.int32()) if pa.types.is_date32(found.type) else found
    return found.cast(pa.float64()).to_numpy()


@pytest.mark.parametrize("name", hard_columns())
def test_mean_and_variance_are_those_of_the_data(name):
    data = ta.read(pa.table({name: hard_columns()[name]}))
    made = data.apply(LatinHypercube(copies="report"), seed=0)
    check_moments(data, made, name)


@pytest.mark.parametrize("records", [123, 1400])
@pytest.mark.parametrize("name", ["ages", "born", "steady", "normal"])
def test_so_they_are_of_other_numbers_of_records(name, records):
    columns = {**hard_columns(), "normal": np.random.default_rng(0).normal(size=500)}
    data = ta.read(pa.table({name: columns[name]}))
    made = data.apply(LatinHypercube(records=records, copies="report"), seed=0)
    check_moments(data, made, name)


def check_moments(data, made, name):
    unit = np.abs(numbers(data, name)).max()
    before, after = numbers(data, name) / unit, numbers(made, name) / unit
    broken = pa.types.is_floating(data.column(name).type)
    close = 1e-12 * before.std() if broken else 0.51 / len(made) / unit
    assert abs(after.mean() - before.mean()) <= close
    assert after.var() == pytest.approx(before.var(), rel=1e-9 if broken else 0.001)
    assert before.min() <= after.min() <= after.max() <= before.max()


def test_tarragona_keeps_its_means_and_variances():
    if not TARRAGONA.exists():
        pytest.skip("the reference files are not beside this repository")
    data = ta.read(TARRAGONA)
    made = data.apply(LatinHypercube(refinements=1, copies="report"), seed=0)
    for name in data.names:
        check_moments(data, made, name)


def test_a_respondent_s_own_number_is_not_released():
    columns = {"heavy": hard_columns()["heavy"], "one": np.append(np.zeros(499), 10.0)}
    data = ta.read(pa.table(columns))
    made = data.apply(LatinHypercube(), seed=0)
    for name in data.names:
        values, counts = np.unique(data.numbers(name), return_counts=True)
        assert not set(values[counts == 1]) & set(made.numbers(name))


def test_moments_of_weighted_data_with_blanks_are_the_weighted_ones_of_what_is_known():
    rng = np.random.default_rng(2)
    a, w = rng.lognormal(size=400), rng.choice([1.0, 20.0], 400)
    blank = rng.random(400) < np.where(a > 1, 0.4, 0.1)
    table = pa.table({"a": pa.array(a, mask=blank), "w": w})
    data = ta.read(table, roles={"w": "weight"})
    made = data.apply(LatinHypercube(weighted=True), seed=0).numbers("a")
    mean = np.average(a[~blank], weights=w[~blank])
    variance = np.average((a[~blank] - mean) ** 2, weights=w[~blank])
    there = made[~np.isnan(made)]
    assert there.mean() == pytest.approx(mean, rel=1e-12)
    assert there.var() == pytest.approx(variance, rel=1e-12)


def test_what_is_left_of_the_moments_is_noted():
    a = np.append(np.zeros(99), 10.0)
    data = ta.read(pa.table({"a": a}))
    made = data.apply(LatinHypercube(records=2, copies="report"), seed=0)
    found = made.numbers("a")
    left = max(abs(found.mean() - a.mean()) / a.std(), abs(found.var() / a.var() - 1))
    assert made.notes["moments_left"] == pytest.approx(left)
    assert left > 0.01


def test_categories_and_blanks_have_their_share():
    data = ta.read(pa.table({"sex": ["f"] * 60 + ["m"] * 30 + [None] * 10}))
    made = data.apply(LatinHypercube(records=1000, copies="report"), seed=0)
    counts = made.table.column("sex").value_counts()
    found = {one["values"]: one["counts"] for one in counts.to_pylist()}
    assert found["f"] == 600
    assert found["m"] == 300
    assert found[None] == 100


def test_weights_count_as_so_many_records():
    values, weights = np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 2.0])
    margin = Margin(values, pa.array(["x", "y", "z", "-"]), pa.string())
    drawn = margin.stratified(400, np.random.default_rng(0), weights)
    assert np.bincount(drawn.astype(int)).tolist() == [0, 100, 100, 200]
    repeated = np.array([1.0, 2.0, 3.0, 3.0])
    partner = np.array([4.0, 1.0, 2.0])
    one = correlations([midranks(values, weights), midranks(partner, weights)], weights)
    other = spearmanr(repeated, [4.0, 1.0, 2.0, 2.0]).statistic
    assert np.isclose(one[0, 1], other)


def test_rank_correlations_are_refined():
    data = ta.read(pa.table(related()))
    wanted = spearmanr(np.column_stack(list(related().values()))).statistic
    errors = {}
    for refinements in (0, 1, 20):
        made = data.apply(LatinHypercube(refinements=refinements), seed=0)
        found = spearmanr(np.column_stack([made.numbers(name) for name in "abc"])).statistic
        errors[refinements] = np.abs(found - wanted).max()
        assert np.isclose(errors[refinements], made.notes["largest_difference"])
    assert errors[20] < 0.0005 < errors[1] < errors[0]


def test_ties_are_refined_as_well():
    columns = {name: np.round(column) for name, column in related(1000).items()}
    data = ta.read(pa.table(columns))
    made = data.apply(LatinHypercube(copies="report"), seed=0)
    assert made.notes["largest_difference"] < 0.005


def test_whole_numbers_stay_whole_and_records_differ_from_respondents():
    data = ta.read(pa.table({"age": np.arange(20, 90), "children": np.arange(70) % 4}))
    made = data.apply(LatinHypercube(), seed=0)
    assert pa.types.is_integer(made.column("age").type)
    pairs = {tuple(row.values()) for row in data.table.to_pylist()}
    assert not pairs & {tuple(row.values()) for row in made.table.to_pylist()}
    assert sorted(made.column("children").to_pylist()) == pytest.approx(
        sorted(data.column("children").to_pylist()), abs=1
    )


def test_copies_that_cannot_go_are_told():
    data = ta.read(pa.table({"name": list("abcdef")}))
    with pytest.raises(ProtectionError, match="set `copies` to `remove` or `report`"):
        data.apply(LatinHypercube(), seed=0)
    assert data.apply(LatinHypercube(copies="report"), seed=0).notes["copies_found"] == 6
    assert len(data.apply(LatinHypercube(copies="remove"), seed=0)) == 0


def test_refuses_rules():
    with pytest.raises(ParameterError, match="use `sequential_trees`"):
        ta.example("toy", 50).apply(LatinHypercube("age", rules="age > 3"), seed=0)
