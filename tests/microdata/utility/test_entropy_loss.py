from __future__ import annotations

from collections import Counter
from math import log2

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta

PAIRS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y", None])), min_size=1)


def words(values, weights=None) -> ta.Microdata:
    table = {"v": pa.array(values, pa.string())}
    if weights is None:
        return ta.read(pa.table(table))
    return ta.read(pa.table({**table, "w": np.array(weights, float)}), roles={"w": "weight"})


def test_a_recoding_by_hand():
    """Half of the records say `ab`, which leaves one bit open; V has two bits."""
    found = ta.EntropyLoss().measure(
        *ta.pair(words("abcd"), words(["ab", "ab", "c", "d"]), "position")
    )
    assert found.per_record.tolist() == [1, 1, 0, 0]
    assert found.figures == {"ebil": 2.0}
    assert found.value == 0.25
    assert found.details.to_pylist() == [
        {"attribute": "v", "ebil": 2.0, "entropy": 2.0, "loss": 0.25}
    ]


def test_suppressing_everything_leaves_everything_open():
    found = ta.EntropyLoss().measure(*ta.pair(words("aabc"), words([None] * 4), "position"))
    assert found.value == pytest.approx(1)
    assert found.figures["ebil"] == pytest.approx(4 * 1.5)
    data = words("aabc")
    assert ta.EntropyLoss().measure(data, data.apply(ta.Drop("v"))).value == pytest.approx(1)


@given(PAIRS)
def test_is_the_sum_of_the_bits_of_each_records_own_value(pairs):
    """The form of the measure with a record's own probability is the same number."""
    before, after = zip(*pairs, strict=True)
    found = ta.EntropyLoss().measure(*ta.pair(words(before), words(after), "position"))
    both, released = Counter(pairs), Counter(after)
    expected = sum(-log2(both[pair] / released[pair[1]]) for pair in pairs)
    assert found.figures["ebil"] == pytest.approx(expected, abs=1e-9)
    assert found.per_record.sum() == pytest.approx(expected, abs=1e-9)
    assert 0 <= found.value <= 1


@given(PAIRS)
def test_nothing_is_lost_just_where_the_released_value_tells_the_original(pairs):
    before, after = zip(*pairs, strict=True)
    found = ta.EntropyLoss().measure(*ta.pair(words(before), words(after), "position"))
    is_function = len(set(pairs)) == len(set(after))
    assert (found.figures["ebil"] == 0) == is_function
    assert found.value == 0 or not is_function


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.integers(1, 4))))
def test_weights_act_like_repeated_records(rows):
    before, after, times = ([row[place] for row in rows] for place in range(3))
    weighted = ta.EntropyLoss().measure(
        *ta.pair(words(before, times), words(after, times), "position")
    )
    repeated = ta.EntropyLoss().measure(
        *ta.pair(
            words(np.repeat(np.array(before, str), times)),
            words(np.repeat(np.array(after, str), times)),
            "position",
        ),
    )
    assert weighted.figures["ebil"] == pytest.approx(repeated.figures["ebil"], abs=1e-9)
    assert weighted.value == pytest.approx(repeated.value)


def test_a_constant_attribute_has_nothing_to_lose():
    assert (
        ta.EntropyLoss().measure(*ta.pair(words("aaa"), words([None, "a", "b"]), "position")).value
        == 0
    )


def test_renaming_loses_nothing():
    assert (
        ta.EntropyLoss()
        .measure(*ta.pair(words("abcb"), words(["1", "2", "3", "2"]), "position"))
        .value
        == 0
    )


def test_numbers_are_measured_if_named():
    data = ta.read(pa.table({"age": [1, 2, 3, 4]}))
    halved = data.apply(ta.Recode("age", breaks=[3]), seed=0)
    assert ta.EntropyLoss(["age"]).measure(data, halved).value == 0.5
