"""Chance copies against a comparison of all records."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.microdata.synthesis.making.copies import copies

records = st.tuples(
    st.sampled_from([None, 0.5, 1.0]), st.sampled_from(["a", "b", None]), st.integers(0, 1)
)


@settings(max_examples=50, deadline=None)
@given(st.lists(records, min_size=1, max_size=12), st.lists(records, min_size=1, max_size=12))
def test_a_copy_agrees_with_one_respondent_alone(held, made):
    def columns(rows):
        kinds = pa.float64(), pa.string(), pa.int64()
        return {
            name: pa.array([row[place] for row in rows], kind)
            for place, (name, kind) in enumerate(zip("xyz", kinds, strict=True))
        }

    often = Counter(held)
    data = ta.read(pa.table(columns(held)))
    assert copies(data, columns(made)).tolist() == [often[row] == 1 for row in made]


def test_values_of_another_type_are_compared():
    data = ta.read(pa.table({"x": [1, 2, 2]}))
    assert copies(data, {"x": pa.array([1.0, 1.5, 2.0])}).tolist() == [True, False, False]
