from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta


@given(st.lists(st.integers(0, 5), min_size=1), st.data())
def test_it_is_the_exact_share_of_right_matches(people, data):
    chosen = data.draw(st.sets(st.integers(0, len(people) - 1), min_size=1))
    sample = [people[place] for place in chosen]
    population = ta.read(pa.table({"a": people}), roles={"a": "key"})
    released = ta.read(pa.table({"a": sample}), roles={"a": "key"})
    released = released.with_external(population=population)
    expected = sum(Fraction(1, Counter(people)[value]) for value in sample) / len(sample)
    assert ta.MarketerRisk().measure(released, released).value == expected
