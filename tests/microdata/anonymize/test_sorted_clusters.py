from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError, ProtectionError

# Table S2 with its codes as numbers (men 1, women 2; Hispanic 1, other 2; white 1, black 2).
TABLE_S2 = {
    "hospital": [1, 1, 1, 1, 1, 1],
    "age": [42, 35, 52, 70, 57, 61],
    "sex": [1, 1, 1, 2, 1, 1],
    "ethnicity": [2, 2, 2, 1, 2, 2],
    "race": [1, 1, 2, 1, 1, 1],
    "zip": [93722, 93611, 93561, 93560, 93555, 93551],
    "county": [10, 10, 15, 15, 15, 19],
    "quarter": [1, 2, 2, 2, 4, 2],
    "stay": [33, 47, 13, 1, 2, 2],
    "charge": [505785, 1083683, 252303, 107179, 34392, 24846],
}
TABLE_S6 = (  # ages of the first cluster as corrected: 35 is in it
    (1, "[35;52]", "1", "2", "[1;2]", "[93561;93722]", "[10;15]", "[1;2]", "[13;47]"),
    (1, "[57;70]", "[1;2]", "[1;2]", "1", "[93551;93560]", "[15;19]", "[2;4]", "[1;2]"),
)


def test_the_printed_example():
    keys = list(TABLE_S2)[:-1]
    data = ta.read(pa.table(TABLE_S2), roles=dict.fromkeys(keys, "key"))
    safe = data.anonymize(ta.KAnonymity(3), by="sorted_clusters")
    found = zip(*(safe.column(key).to_pylist() for key in keys), strict=True)
    assert list(found) == [TABLE_S6[0]] * 3 + [TABLE_S6[1]] * 3
    assert safe.column("charge").to_pylist() == TABLE_S2["charge"]


@given(st.integers(0, 500), st.integers(2, 6))
def test_clusters_are_those_of_a_plain_loop(seed, k):
    rng = np.random.default_rng(seed)
    points = rng.integers(-5, 9, (int(rng.integers(k, 40)), 3))
    names = list("abc")
    table = pa.table({name: points[:, j] for j, name in enumerate(names)})
    data = ta.read(table, roles=dict.fromkeys(names, "key"))
    safe = data.anonymize(ta.KAnonymity(k), by="sorted_clusters")
    for row, expected in zip(safe.table.to_pylist(), plain_loop(points, k), strict=True):
        assert [str(row[name]) for name in names] == expected


def plain_loop(points, k):
    """Algorithm S2 step by step."""
    sigma = points.std(axis=0)
    scaled = np.divide(points, sigma, where=sigma > 0, out=np.zeros(points.shape))
    # Squares of halves and whole numbers are exact enough for equal distances to be equal.
    left = np.argsort((scaled**2)[:, 0] + (scaled**2)[:, 1] + (scaled**2)[:, 2], kind="stable")
    told = [[]] * len(points)
    while len(left):
        size = k if len(left) >= 2 * k else len(left)
        low, high = points[left[:size]].min(axis=0), points[left[:size]].max(axis=0)
        said = [f"[{a};{b}]" if a < b else str(a) for a, b in zip(low, high, strict=True)]
        for record in left[:size]:
            told[record] = said
        left = left[size:]
    return told


@given(st.integers(0, 150), st.integers(2, 8), st.integers(0, 50))
def test_what_it_gives_out_passes_the_check(records, k, seed):
    data = ta.example("toy", records, seed=seed)  # all kinds of keys, with missing values
    if 0 < records < k:
        with pytest.raises(ProtectionError, match=f"needs {k} records"):
            data.anonymize(ta.KAnonymity(k), by="sorted_clusters")
        return
    safe = data.anonymize(ta.KAnonymity(k), by="sorted_clusters")
    assert ta.KAnonymity(k).check(safe).holds
    assert len(safe) == records
    assert safe.suppressed == 0
    for name in data.keys:
        assert ta.RangeDistance([name]).measure(data, safe).value is not None or not records


@pytest.mark.parametrize("make", ["equal", "distinct", "one large class", "blank"])
def test_awkward_data(make):
    values = {
        "equal": [7] * 23,
        "distinct": list(range(23)),
        "one large class": [1] * 20 + [2, 3, 4],
        "blank": [None] * 11 + list(range(12)),
    }[make]
    data = ta.read(pa.table({"a": values, "b": values[::-1]}), roles={"a": "key", "b": "key"})
    safe = data.anonymize(ta.KAnonymity(4), by="sorted_clusters")
    assert ta.KAnonymity(4).check(safe).holds
    assert (safe.table == data.table) == (make == "equal")


def test_released_ranges_hold_the_values_and_lose_less_with_smaller_clusters(patients):
    losses = []
    for k in (2, 5, 10):
        safe = patients.anonymize(ta.KAnonymity(k), by="sorted_clusters")
        losses.append(ta.RangeDistance().measure(patients, safe).value)
        assert ta.FittingUniqueness().measure(patients, safe).value == 0
    assert losses == sorted(losses)


def test_only_the_keys_of_the_model_change(patients):
    safe = patients.anonymize(ta.KAnonymity(3, keys=["age_yrs", "patzip"]), by="sorted_clusters")
    assert safe.column("sex").equals(patients.column("sex"))
    assert ta.KAnonymity(3, keys=["age_yrs", "patzip"]).check(safe).holds


def test_other_models_are_refused(toy):
    with pytest.raises(ParameterError, match="one k_anonymity and nothing else"):
        toy.anonymize(ta.KAnonymity(2), ta.KAnonymity(3), by="sorted_clusters")
    with pytest.raises(ParameterError, match="`languages` is set_valued"):
        toy.anonymize(ta.KAnonymity(2, keys=["languages"]), by="sorted_clusters")
