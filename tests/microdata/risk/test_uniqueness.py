from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta

SHARED = Path(__file__).parents[4] / "shared"


@given(st.lists(st.integers(0, 6), min_size=1))
def test_uniqueness_is_an_exact_share(values):
    data = ta.read(pa.table({"a": values}), roles={"a": "key"})
    alone = sum(count == 1 for count in Counter(values).values())
    found = ta.Uniqueness().measure(data, data)
    assert found.value == Fraction(alone, len(values))
    assert found.per_record.sum() == alone


def test_generalizing_never_adds_unique_records(patients):
    before = ta.Uniqueness().measure(patients, patients).value
    for level in range(6):
        masked = patients.apply(ta.Generalize("patzip", level))
        after = ta.Uniqueness().measure(patients, masked).value
        assert after <= before
        before = after


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2))
def test_separation_is_the_share_of_pairs_that_differ(rows):
    table = pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
    data = ta.read(table, roles={"a": "key", "b": "key"})
    found = ta.Uniqueness().measure(data, data)
    pairs = list(combinations(rows, 2))
    assert found.figures["separation"] == Fraction(sum(x != y for x, y in pairs), len(pairs))
    assert found.figures["distinction"] == Fraction(len(set(rows)), len(rows))
    alone = found.details.to_pylist()[0]
    assert alone["attribute"] == "a"
    assert alone["classes"] == len({a for a, _ in rows})


@pytest.mark.skipif(not SHARED.is_dir(), reason="the reference data are not here")
def test_adult_has_arxs_distinction_and_separation():
    data = ta.read(SHARED / "data/adult/adult.csv")
    rows = pyarrow.csv.read_csv(SHARED / "reference/arx_risk_adult.csv").to_pylist()
    reference = {row["measure"]: row["value"] for row in rows if row["qis"] == "8QI"}
    tried = 0
    for name, said in reference.items():
        keys = name.removeprefix("qi ").partition(" ")[0].split("+")
        if not name.startswith("qi ") or len(keys) not in (1, 2, 8):
            continue
        tried += 1
        found = ta.Uniqueness(keys=keys).measure(data, data)
        distinction, separation = map(float, said.split("|"))
        assert float(found.figures["distinction"]) == pytest.approx(distinction, abs=1e-12)
        assert float(found.figures["separation"]) == pytest.approx(separation, abs=1e-12)
        if len(keys) == 8:
            unique = float(reference["sample_unique_fraction"])
            assert float(found.value) == pytest.approx(unique, abs=1e-12)
    assert tried == 37
