"""Tests of columns of numbers as text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.tables.formats.columns import NUMBER, WORD, read_columns, spelled_column
from tacita.tables.formats.text import spelled

NUMBERS = st.one_of(st.integers(-(2**60), 2**60).map(float), st.floats(allow_nan=False))


@given(st.lists(NUMBERS, max_size=6))
def test_numbers_are_spelled_as_one_by_one(numbers):
    assert spelled_column(np.array(numbers)).to_pylist() == [spelled(one) for one in numbers]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=6))
def test_every_number_comes_back(numbers):
    found = read_columns([f"a {number!r}" for number in numbers], (WORD, NUMBER))
    assert found[0].to_pylist() == ["a"] * len(numbers)
    assert found[1].to_pylist() == numbers


@pytest.mark.parametrize(
    "text", ["a  1", "a", "a 1 2", "a nan", "a inf", "a 1_0", "a x", "a ", "", 'a "1"', "a\t1"]
)
def test_other_lines_are_not_read_at_once(text):
    assert read_columns(["b 2", text, "c 3"], (WORD, NUMBER)) is None


def test_words_may_look_like_anything():
    texts = ['"a 1', "null 2", "NaN 3"]
    assert read_columns(texts, (WORD, NUMBER))[0].to_pylist() == ['"a', "null", "NaN"]
