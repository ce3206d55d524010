from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError


def test_the_printed_table_is_4_anonymous_and_its_source_is_not():
    """Domingo-Ferrer, Sanchez and Hajian, Tables 1 and 2."""
    assert ta.KAnonymity(4).check(ta.example("conditions_4_anonymous")).value == 4
    assert not ta.KAnonymity(5).check(ta.example("conditions_4_anonymous"))
    verdict = ta.KAnonymity(2).check(ta.example("conditions"))
    assert not verdict.holds
    assert verdict.worst["count"] == 1


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1), st.integers(2, 6))
def test_the_check_agrees_with_counting(rows, k):
    data = ta.read(
        pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows]}),
        roles={"a": "key", "b": "key"},
    )
    smallest = min(Counter(rows).values())
    verdict = ta.KAnonymity(k).check(data)
    assert verdict.holds == (smallest >= k)
    assert verdict.value == smallest


def test_more_is_asked_than_there_are_records():
    data = ta.read(pa.table({"a": [1, 1]}), roles={"a": "key"})
    verdict = ta.KAnonymity(3).check(data)
    assert not verdict.holds
    assert "2 of 2 records" in verdict.sentence


def test_it_needs_keys_and_a_k_of_two():
    with pytest.raises(InputError, match="role `key`"):
        ta.KAnonymity(2).check(ta.read(pa.table({"a": [1]})))
    with pytest.raises(
        ParameterError, match="`k` of `k_anonymity` should be greater than or equal to 2"
    ):
        ta.KAnonymity(1)


def test_other_keys_may_be_asked_about():
    data = ta.read(pa.table({"a": [1, 2], "b": [1, 1]}), roles={"a": "key"})
    assert ta.KAnonymity(2, keys=["b"]).check(data)
    assert not ta.KAnonymity(2).check(data)
