import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import spearmanr

import tacita as ta
from tacita.errors import ParameterError, ProtectionError
from tacita.microdata.synthesis.arranging.refining import correlations, midranks
from tacita.microdata.synthesis.arranging.strata import Margin
from tacita.microdata.synthesis.latin_hypercube import LatinHypercube


def related(records=400, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=records)
    b, c = a + rng.normal(size=records), rng.exponential(size=records) - a / 2
    return {"a": a, "b": b, "c": np.exp(c)}


def test_every_stratum_has_one_value():
    values = np.random.default_rng(0).lognormal(size=101)
    for records in (7, 101, 1000):
        margin = Margin(values, None, pa.float64())
        drawn = margin.stratified(records, np.random.default_rng(1))
        edges = np.quantile(values, np.arange(records + 1) / records)  # in straight lines
        assert (np.diff(drawn) >= 0).all()
        assert (drawn >= edges[:-1] - 1e-12).all()
        assert (drawn <= edges[1:] + 1e-12).all()


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
