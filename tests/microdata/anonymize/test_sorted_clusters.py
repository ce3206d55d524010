from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
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


@pytest.mark.numeric
@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.sampled_from([1, 10, 100]))
@example(332_913, 2, 1)
def test_clusters_are_those_of_a_plain_loop(seed, k, parts):
    rng = np.random.default_rng(seed)
    points = rng.integers(-5, 9, (int(rng.integers(k, 40)), 3))
    names = list("abc")
    table = pa.table({name: points[:, j] / parts for j, name in enumerate(names)})
    data = ta.read(table, roles=dict.fromkeys(names, "key"))
    safe = data.anonymize(ta.KAnonymity(k), by="sorted_clusters")
    for name, expected in zip(names, zip(*plain_loop(points, k), strict=True), strict=True):
        assert [ends(told, parts) for told in safe.column(name).to_pylist()] == list(expected)


def ends(told, parts):
    """Return the ends of a range that is told, in parts of 1."""
    texts = str(told).strip("[]").split(";")
    return round(float(texts[0]) * parts), round(float(texts[-1]) * parts)


def plain_loop(points, k):
    """Algorithm S2 step by step, in fractions."""
    columns = points.T.tolist()
    spreads = [len(points) * sum(a * a for a in column) - sum(column) ** 2 for column in columns]
    squares = [
        sum(Fraction(a * a, spread) for a, spread in zip(row, spreads, strict=True) if spread)
        for row in points.tolist()
    ]
    left = sorted(range(len(points)), key=lambda record: (squares[record], record))
    told = [()] * len(points)
    while left:
        size = k if len(left) >= 2 * k else len(left)
        low, high = points[left[:size]].min(axis=0), points[left[:size]].max(axis=0)
        for record in left[:size]:
            told[record] = list(zip(low.tolist(), high.tolist(), strict=True))
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
