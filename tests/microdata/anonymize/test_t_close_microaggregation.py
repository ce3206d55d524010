from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError

SHARED = Path(__file__).parents[4] / "shared"
ALGORITHMS = ("merging", "k_anonymity_first", "t_closeness_first")


def read(x, job, value):
    table = pa.table(
        {
            "x": pa.array(x, pa.float64()),
            "job": pa.array(job, pa.string()),
            "value": pa.array(value, pa.float64()),
        }
    )
    roles = {"x": "key", "job": "key", "value": "confidential"}
    return ta.read(table, roles=roles, kinds={"job": "nominal"})


def mask(data, *models, **options):
    return ta.TCloseMicroaggregation(models, **options).mask(data, np.random.default_rng(0))


numbers = st.one_of(st.none(), st.sampled_from([0.0, 1.0, 2.0, 50.0]))
records = st.tuples(numbers, st.sampled_from(["a", "b", None]), numbers)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(records, max_size=24),
    st.sampled_from(ALGORITHMS),
    st.integers(2, 4),
    st.sampled_from([0.0, 0.05, 0.2, 0.5]),
)
def test_the_models_hold_whatever_the_data(rows, algorithm, k, t):
    first = [(1.0, "a", 1.0)] * 4  # no key is blank in every record
    data = read(*zip(*first, *rows, strict=True)) if rows else read(*zip(*first, strict=True))
    models = ta.KAnonymity(k), ta.TCloseness(t, "value")
    masked = mask(data, *models, algorithm=algorithm)
    assert all(model.check(masked).holds for model in models)
    assert len(masked) == len(data)
    assert masked.column("value") == data.column("value")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_it_holds_whether_all_agree_or_all_differ(algorithm):
    models = ta.KAnonymity(3), ta.TCloseness(0.1, "value")
    equal = read([1.0] * 10, ["a"] * 10, [5.0] * 10)
    assert mask(equal, *models, algorithm=algorithm).column("x").to_pylist() == [1.0] * 10
    distinct = read(np.arange(200.0), ["a"] * 200, np.random.default_rng(1).permutation(200))
    masked = mask(distinct, *models, algorithm=algorithm)
    assert all(model.check(masked).holds for model in models)


def correlated(n):
    rng = np.random.default_rng(3)
    x = rng.normal(size=n)
    return read(x, ["a"] * n, np.round(1000 * (0.5 * x + rng.normal(size=n))))


@pytest.mark.parametrize(("t", "size"), [(0.01, 49), (0.05, 10), (0.09, 6), (0.13, 4)])
def test_the_sizes_of_clusters_of_1080_records(t, size):
    # ceil(1080 / (2 * 1079 t + 1)), and one more at t = 0.01, where 48 leaves 24 for 22 clusters.
    rng = np.random.default_rng(0)
    data = read(rng.normal(size=1080), ["a"] * 1080, rng.permutation(1080))
    masked = mask(data, ta.TCloseness(t, "value"))
    groups = masked.notes["groups"][0]
    assert groups["smallest"] == size
    assert groups["groups"] == 1080 // size
    assert groups["largest"] <= size + 1


def test_close_clusters_lose_less_than_merged_ones_where_t_is_small():
    data, models = correlated(600), (ta.KAnonymity(3), ta.TCloseness(0.05, "value"))
    lost = {}
    for algorithm in ALGORITHMS:
        masked = mask(data.without(["job"]), *models, algorithm=algorithm)
        lost[algorithm] = masked.notes["groups"][0]["lost"]
    assert lost["t_closeness_first"] < lost["k_anonymity_first"] < 1
    assert lost["t_closeness_first"] < lost["merging"] / 3


def test_further_models_are_reached_by_merging():
    data = ta.example("toy", 300)
    models = [
        ta.KAnonymity(3),
        ta.TCloseness(0.2, ["income", "disease"]),
        ta.LDiversity(3, "disease"),
    ]
    masked = ta.TCloseMicroaggregation(models).mask(data, np.random.default_rng(0))
    assert all(model.check(masked).holds for model in models)


def test_values_without_an_order_are_refused():
    data = ta.example("toy", 50)
    with pytest.raises(ParameterError, match="by their order"):
        mask(data, ta.KAnonymity(2), ta.TCloseness(0.2, "disease"))
    with pytest.raises(ParameterError, match="use `microaggregation`"):
        mask(data, ta.KAnonymity(2))


@pytest.mark.skipif(not (SHARED / "data/casc").exists(), reason="the reference data are not here")
def test_on_census_the_order_of_losses_is_the_papers():
    path = next((SHARED / "data/casc").glob("*ensus*.csv"))
    data = ta.read(path, roles={"TAXINC": "key", "POTHVAL": "key", "FEDTAX": "confidential"})
    models = ta.KAnonymity(2), ta.TCloseness(0.05, "FEDTAX")
    lost = {}
    for algorithm in ("merging", "t_closeness_first"):
        masked = mask(data, *models, algorithm=algorithm)
        assert all(model.check(masked).holds for model in models)
        lost[algorithm] = masked.notes["groups"][0]["lost"]
    assert lost["t_closeness_first"] < lost["merging"]
