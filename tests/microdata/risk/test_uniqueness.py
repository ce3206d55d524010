from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta


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
