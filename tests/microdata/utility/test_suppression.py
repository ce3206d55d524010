from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta


def frame(a, b):
    return ta.read(pa.table({"a": pa.array(a, pa.int64()), "b": pa.array(b, pa.string())}))


def test_counts_blanked_values_and_records_left_out():
    data = frame([1, 2, None, 4], ["x", "y", "z", "*"])
    whole = frame([None, 2, None, 4], ["x", "*", "z", "*"])
    masked = ta.pair(data, whole, "position")[1].take(np.arange(3))
    found = ta.Suppression().measure(data, masked)
    # Of 7 values 2 were blanked and 2 belong to the record that was left out.
    assert found.value == Fraction(4, 7)
    assert found.figures == {
        "suppressed_records": 1,
        "suppressed_cells": 2,
        "modified_records": 2,
    }
    assert found.parts == {"a": 2 / 3, "b": 2 / 4}
    assert found.per_record.tolist() == [1, 1, 0]


def test_an_attribute_left_out_is_gone():
    data = frame([1, 2], ["x", None])
    assert ta.Suppression().measure(data, data.without(["a"])).value == Fraction(2, 3)


def test_identifiers_weights_and_households_do_not_count(toy):
    left = toy.without(["id", "weight", "household"])
    assert ta.Suppression().measure(toy, left).value == 0


@given(st.lists(st.sampled_from([None, 1, 2]), min_size=1), st.data())
def test_is_the_share_of_values_that_became_null(values, data):
    gone = data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    pairs = list(zip(values, gone, strict=True))
    words = ["w"] * len(values)
    found = ta.Suppression(["a"]).measure(
        *ta.pair(
            frame(values, words),
            frame([None if lost else value for value, lost in pairs], words),
            "position",
        )
    )
    had = [lost for value, lost in pairs if value is not None]
    assert found.value == (Fraction(sum(had), len(had)) if had else 0)


def test_records_that_come_twice_make_up_for_none_that_was_left_out():
    data = frame([1, 2, 3], ["x", "y", "z"])
    found = ta.Suppression().measure(data, data.take(np.array([0, 0, 0, 0, 1])))
    assert found.value == Fraction(2, 2 + 5 * 2), "beside 10 values kept, 2 are gone"
    assert found.figures["suppressed_records"] == 1


def test_a_code_of_stars_is_gone():
    data = frame([1, 2], ["937", "940"])
    assert ta.Suppression(["b"]).measure(
        *ta.pair(data, frame([1, 2], ["***", "94*"]), "position")
    ).value == Fraction(1, 2)
