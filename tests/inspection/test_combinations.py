"""Combinations of attributes: exact numbers, nothing useless, never too many."""

from fractions import Fraction
from itertools import combinations as chosen

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.read import declare
from tacita.inspection import combinations
from tacita.inspection.columns import columns_of

ROWS = st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=2, max_size=10)


def columns(table):
    return list(columns_of(declare(pa.table(table), {}), list(table)).values())


@given(ROWS)
def test_numbers_are_what_counting_pairs_gives(rows):
    names = ["a", "b", "c"]
    found, _ = combinations.search(
        columns(dict(zip(names, zip(*rows, strict=True), strict=True))), 3
    )
    for one in found:
        places = [names.index(name) for name in one.attributes]
        values = [tuple(row[place] for place in places) for row in rows]
        pairs = list(chosen(values, 2))
        assert one.separation == Fraction(sum(a != b for a, b in pairs), len(pairs))
        assert one.distinction == Fraction(len(set(values)), len(rows))
        assert one.unique == Fraction(sum(values.count(v) == 1 for v in values), len(rows))


def test_what_tells_nothing_more_is_left_out():
    table = {"a": [1, 1, 2, 2], "same": [5, 5, 6, 6], "id": [1, 2, 3, 4]}
    found, notes = combinations.search(columns(table), 3)
    assert [one.attributes for one in found] == [
        ("id",),
        ("a",),
        ("same",),
        ("a", "id"),
        ("same", "id"),
    ]
    assert not notes


def test_supersets_of_unique_combinations_are_left_out():
    table = {"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "c": [1, 1, 1, 2]}
    found, _ = combinations.search(columns(table), 3)
    assert ("a", "b") in {one.attributes for one in found}
    assert all(len(one.attributes) < 3 for one in found)


def test_numbers_are_exact_though_the_search_is_on_a_sample():
    rng = np.random.default_rng(1)
    table = {name: rng.integers(0, 50, 12_000) for name in "abc"}
    found, notes = combinations.search(columns(table), 2)
    exact = len(set(zip(table["a"].tolist(), table["b"].tolist(), strict=True)))
    (pair,) = [one for one in found if one.attributes == ("a", "b")]
    assert pair.distinction == Fraction(exact, 12_000)
    assert any("sample" in note for note in notes)


@pytest.mark.parametrize("largest", [1, 2, 3, 8])
def test_never_more_is_tried_or_told_than_can_be(largest, monkeypatch):
    tried = []
    walk = combinations._walk

    def counting(*arguments):
        for one in walk(*arguments):
            tried.append(one)
            yield one

    monkeypatch.setattr(combinations, "_walk", counting)
    rng = np.random.default_rng(1)
    table = {f"v{n}": rng.integers(0, 3, 40) for n in range(150)}
    found, notes = combinations.search(columns(table), largest)
    assert 0 < len(found) <= combinations.REPORTED
    assert len(tried) <= combinations.TRIED
    assert bool(notes) is (largest > 1)


def test_nothing_is_found_in_nothing():
    assert combinations.search([], 3) == ((), [])
    assert combinations.search(columns({"a": []}), 3) == ((), [])
